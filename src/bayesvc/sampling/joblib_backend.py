"""Work on a cluster: wherever `joblib.parallel_config` sends it.

Threads and processes of this machine are not taken over from joblib: the package's own threads
share one copy of the data.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from bayesvc._core import Columns
from bayesvc._typing import FloatArray
from bayesvc.data.column_layout import PLAIN, ColumnLayout

Call = tuple[Callable[..., Any], tuple[Any, ...]]

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
    >>> from bayesvc.sampling import joblib_backend
    >>> joblib_backend.is_active()
    False
    """
    joblib = sys.modules.get("joblib")  # who never imported it did not configure it
    if joblib is None:
        return False
    backend, _ = joblib.parallel.get_active_backend()
    return type(backend).__name__ not in _ON_THIS_MACHINE


def run_calls(calls: Iterable[Call], store: Callable[[int, Any], None]) -> None:
    """Make the calls where joblib says; hand each result, with its number, to `store`."""
    import joblib

    # Arguments are passed one by one: a backend sends an array that all calls share only once.
    jobs = (
        joblib.delayed(_numbered)(i, call, *arguments) for i, (call, arguments) in enumerate(calls)
    )
    for i, result in joblib.Parallel(return_as="generator_unordered")(jobs):
        store(i, result)


def _numbered(i: int, call: Callable[..., Any], *arguments: Any) -> tuple[int, Any]:
    return i, call(*arguments)


_last_columns: tuple[weakref.ref[FloatArray], ColumnLayout, bool, Columns] | None = None


def columns_of(
    X: FloatArray, layout: ColumnLayout = PLAIN, *, keep_values: bool = False
) -> Columns:
    """Encode X, or return the columns made of the same array the last time."""
    global _last_columns
    last = _last_columns
    if last is not None and last[0]() is X and last[1:3] == (layout, keep_values):
        return last[3]
    columns = layout.columns(X, keep_values=keep_values)
    _last_columns = (weakref.ref(X), layout, keep_values, columns)
    return columns
