"""Fits on a cluster: wherever `joblib.parallel_config` sends them.

A fit depends on the data, its settings and its seed alone, so it gives the same bits anywhere.
Threads and processes of this machine are not taken over from joblib: the package's own threads
share one copy of the data.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc.data.column_layout import PLAIN, ColumnLayout
from bayesvc.sampling.progress import Progress

FloatArray = NDArray[np.float64]
Task = tuple[Callable[..., Any], tuple[Any, ...]]

_ON_THIS_MACHINE = {
    "LokyBackend",
    "MultiprocessingBackend",
    "SequentialBackend",
    "ThreadingBackend",
}


def is_active() -> bool:
    """Tell whether joblib was told to run its work elsewhere, for example on Dask.

    Examples
    --------
    >>> from bayesvc.sampling import joblib_backend as cluster
    >>> cluster.is_active()
    False
    """
    joblib = sys.modules.get("joblib")  # who never imported it did not configure it
    if joblib is None:
        return False
    backend, _ = joblib.parallel.get_active_backend()
    return type(backend).__name__ not in _ON_THIS_MACHINE


def run_tasks(
    tasks: Iterable[Task],
    store: Callable[[int, Any], None],
    report: Progress,
    sweeps: int,
) -> None:
    """Run the tasks where joblib says; hand each result, with its number, to `store`.

    `sweeps` is how far each task moves the progress report.
    """
    import joblib

    jobs = (joblib.delayed(_numbered)(i, *task) for i, task in enumerate(tasks))
    done = 0
    try:
        for i, result in joblib.Parallel(return_as="generator_unordered")(jobs):
            store(i, result)
            done += sweeps
            report.update(done)
    except BaseException:
        report.abandon()
        raise
    report.finish()


def _numbered(i: int, call: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[int, Any]:
    return i, call(*arguments)


def settings_to_dict(settings: _core.Settings) -> dict[str, Any]:
    """Return settings in a form that can be sent."""
    names = [name for name in dir(settings) if not name.startswith("_")]
    return {name: getattr(settings, name) for name in names}


def settings_from_dict(values: dict[str, Any]) -> _core.Settings:
    """Return the settings that `settings_to_dict` described."""
    settings = _core.Settings()
    for name, value in values.items():
        setattr(settings, name, value)
    return settings


def fit(
    X: FloatArray, layout: ColumnLayout, y: FloatArray, settings: dict[str, Any],
    seed: NDArray[np.uint64], burn_in: int, n_draws: int, keep_fitted: bool,
) -> dict[str, Any]:  # fmt: skip
    """Run one fit on a worker."""
    return _core.fit(
        columns_of(X, layout), y, settings_from_dict(settings), seed, burn_in, n_draws,
        False, False, False, _core.Control(), keep_fitted,
    )  # fmt: skip


_last_columns: tuple[weakref.ref[FloatArray], ColumnLayout, _core.Columns] | None = None


def columns_of(X: FloatArray, layout: ColumnLayout = PLAIN) -> _core.Columns:
    """Encode X, or return the columns made of the same array the last time."""
    global _last_columns
    last = _last_columns
    if last is not None and last[0]() is X and last[1] == layout:
        return last[2]
    columns = layout.columns(X)
    _last_columns = (weakref.ref(X), layout, columns)
    return columns
