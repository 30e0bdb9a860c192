"""Many fits at once: on threads of this machine, or where joblib sends them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc.data.column_layout import PLAIN, ColumnLayout
from bayesvc.sampling import joblib_backend as cluster
from bayesvc.sampling.checkpoint import Checkpoint, fit_key
from bayesvc.sampling.progress import Progress, ProgressCallback

_T = TypeVar("_T")

DEFAULT_DRAWS = 5000  # burn-in, and kept

# First part of the spawn key: what a stream of random numbers is for.
ROLE_FIT, ROLE_PERMUTATION, ROLE_PERMUTED_FIT, ROLE_ABC, ROLE_PERMUTED_ABC = range(5)
ROLE_BOOTSTRAP, ROLE_FOLDS, ROLE_SIGNAL_ORDER, ROLE_SIGNAL_FIT = range(5, 9)
ROLE_ROWS, ROLE_OF_ROWS = range(9, 11)

# Short enough that Ctrl-C is noticed at once even where waiting cannot be interrupted.
_SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True)
class ChainConfig:
    """How long each fit runs, and what it keeps besides the tallies."""

    burn_in: int
    n_draws: int
    keep_counts: bool = False
    keep_s: bool = False
    keep_trees: bool = False
    keep_fitted: bool = False  # the mean over the draws of the sum of trees at each row

    @property
    def n_sweeps(self) -> int:
        """Draws in all."""
        return self.burn_in + self.n_draws


@dataclass(frozen=True, eq=False)
class FitTask:
    """One fit to run: the scaled response, the settings and the seed."""

    y: NDArray[np.float64]
    settings: _core.Settings
    seed: NDArray[np.uint64]

    def to_send(self) -> tuple[NDArray[np.float64], dict[str, Any], NDArray[np.uint64]]:
        """Return the fit in a form that can be sent to a worker."""
        return self.y, cluster.settings_to_dict(self.settings), self.seed


def random_words(entropy: int, role: int, number: int, n_words: int) -> NDArray[np.uint64]:
    """Return random words that no other role or number shares, the same in every numpy."""
    sequence = np.random.SeedSequence(entropy, spawn_key=(role, number))
    return sequence.generate_state(n_words, np.uint64).astype(np.uint64, copy=False)


def random_order(entropy: int, role: int, number: int, n_items: int) -> NDArray[np.intp]:
    """Return 0, ..., n_items - 1 in random order."""
    return np.argsort(random_words(entropy, role, number, n_items), kind="stable")


def fit_seed(entropy: int, role: int, replicate: int) -> NDArray[np.uint64]:
    """Return the seed of one fit, which no other role or replicate shares."""
    return random_words(entropy, role, replicate, 4)


def run_fits(
    columns: _core.Columns,
    fits: Sequence[FitTask],
    length: ChainConfig,
    store: Callable[[int, dict[str, Any]], None],
    *,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
    X: NDArray[np.float64] | None = None,
    layout: ColumnLayout = PLAIN,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Run fits and hand each result, with its index, to `store`, maybe on another thread.

    They run on threads, or on the cluster that joblib is told to use if `X`, from which workers
    make their columns, is given; `layout` says what these are. What a checkpoint holds is not run
    again. An interrupt or an error stops all fits before it is raised again.
    """
    if checkpoint is not None:
        fits, store = _go_on(columns, fits, length, store, checkpoint)
    report = Progress(progress, total=len(fits) * length.n_sweeps)
    if X is not None and cluster.is_active():
        how = (length.burn_in, length.n_draws, length.keep_fitted)
        tasks = [(cluster.fit, (X, layout, *fit.to_send(), *how)) for fit in fits]
        return cluster.run_tasks(tasks, store, report, length.n_sweeps)
    if not fits:
        return report.finish()
    control = _core.Control()

    def run(i: int) -> None:
        fit = fits[i]
        result = _core.fit(
            columns, fit.y, fit.settings, fit.seed, length.burn_in, length.n_draws,
            length.keep_counts, length.keep_s, length.keep_trees, control, length.keep_fitted,
        )  # fmt: skip
        store(i, result)

    run_tasks(run, len(fits), control, report, n_jobs=n_jobs)


def _go_on(
    columns: _core.Columns,
    fits: Sequence[FitTask],
    length: ChainConfig,
    store: Callable[[int, dict[str, Any]], None],
    checkpoint: Checkpoint,
) -> tuple[list[FitTask], Callable[[int, dict[str, Any]], None]]:
    """Store what is in the checkpoint; return the other fits, and how to store and keep these."""
    left: list[tuple[int, str]] = []
    for i, fit in enumerate(fits):
        key = fit_key(columns, fit, length)
        result = checkpoint.find(key, columns.p, length)
        if result is None:
            left.append((i, key))
        else:
            store(i, result)

    def store_and_keep(number: int, result: dict[str, Any]) -> None:
        i, key = left[number]
        checkpoint.keep(key, result)
        store(i, result)

    return [fits[i] for i, _ in left], store_and_keep


def run_tasks(
    run: Callable[[int], None],
    n_tasks: int,
    control: _core.Control,
    report: Progress,
    *,
    n_jobs: int,
) -> None:
    """Call `run` with 0, ..., n_tasks - 1 on threads; all sweep under the same control.

    An interrupt or an error stops all of them before it is raised again.
    """
    executor = ThreadPoolExecutor(max_workers=max(1, min(n_jobs, n_tasks)))
    tasks = iter(range(n_tasks))
    pending: set[Future[None]] = set()
    try:
        while True:
            # few wait at a time: looking at thousands would cost more than a short task
            for i in islice(tasks, 2 * n_jobs - len(pending)):
                pending.add(executor.submit(run, i))
            if not pending:
                break
            done, pending = wait(pending, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            for future in done:
                future.result()
            report.update(control.sweeps_done)
    except BaseException:
        report.abandon()
        control.cancel()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
    report.finish()


class BackgroundCall(Generic[_T]):
    """A call that runs on a thread of its own from now on."""

    def __init__(self, compute: Callable[[], _T]) -> None:
        self._compute = compute
        self._outcome: list[_T] = []
        self._error: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome.append(self._compute())
        except BaseException as caught:  # raised again on the caller's thread
            self._error.append(caught)

    def result(self) -> _T:
        """Wait for the result.

        Ctrl-C is heard meanwhile; the call then goes on unseen until it ends.
        """
        while self._thread.is_alive():
            self._thread.join(_SECONDS_BETWEEN_LOOKS)
        if self._error:
            raise self._error[0]
        return self._outcome[0]
