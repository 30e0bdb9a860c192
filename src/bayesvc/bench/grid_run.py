"""Run a grid in processes on this machine or on a Dask cluster."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from bayesvc._background import SECONDS_BETWEEN_LOOKS
from bayesvc._validation import check_integer, resolve_n_jobs
from bayesvc.bench.entries import Entry
from bayesvc.bench.grid import Grid, Task
from bayesvc.bench.interrupts import DeferredInterrupts
from bayesvc.bench.shards import StoreError
from bayesvc.bench.store import Store
from bayesvc.bench.task_run import Outcome, run_task
from bayesvc.bench.worker import prepare_worker

OnDone = Callable[[int, int, int], object]

_SECONDS_TO_CONNECT = 10


@dataclass(frozen=True)
class RunSummary:
    """Numbers of tasks run, of entries that failed, and of tasks that other processes run."""

    n_run: int
    n_failed: int
    n_elsewhere: int


def run_grid(
    grid: Grid,
    folder: str | os.PathLike[str],
    *,
    n_jobs: int = -1,
    shard: tuple[int, int] = (1, 1),
    dask: str | None = None,
    keep_draws: bool = False,
    retry_failed: bool = False,
    on_done: OnDone | None = None,
) -> RunSummary:
    """Run the tasks of a grid that a folder has no results of.

    Parameters
    ----------
    grid : Grid
    folder : path
        New, or of an earlier run of this grid, which is continued. Several processes may work on
        one folder.
    n_jobs : int, default=-1
        Number of processes, or of tasks at a time on the cluster; -1 means as many as there are
        CPUs.
    shard : (int, int), default=(1, 1)
        Part i of N of the tasks.
    dask : str, optional
        Address of a Dask scheduler, such as "tcp://10.0.0.5:8786".
    keep_draws : bool, default=False
        Also write the tallies of the replicates.
    retry_failed : bool, default=False
        Run failed entries again.
    on_done : callable, optional
        Receives the numbers of tasks done, of all tasks, and of failed entries.

    Returns
    -------
    RunSummary
    """
    resolve_n_jobs(n_jobs)  # an error before the folder is created
    index, parts = check_shard(shard)
    mine = dict(list(grid.tasks.items())[index - 1 :: parts])
    with (
        _workers(dask, n_jobs) as (executor, width),
        DeferredInterrupts() as interrupts,
        Store(folder, grid.settings) as store,
    ):
        queue = _Queue(store, mine, retry_failed)
        report = on_done or (lambda done, total, failed: None)
        n_run = n_failed = 0
        done_before = len(mine) - queue.n_left
        report(done_before, len(mine), 0)
        for outcome in _outcomes(executor, width, queue, grid, keep_draws, interrupts):
            store.add(outcome.task, outcome.rows, outcome.tallies)
            n_run += 1
            n_failed += sum(row["error"] is not None for row in outcome.rows)
            report(done_before + n_run, len(mine), n_failed)
        return RunSummary(n_run, n_failed, len(store.missing(mine, False)))


def check_shard(shard: Any) -> tuple[int, int]:
    """Return `shard` as (i, N), checked."""
    remedy = "Pass (1, 4) for the first of four parts."
    try:
        index, parts = shard
    except (TypeError, ValueError):
        raise ValueError(
            f"`shard` must be two integers (i, N). Got {shard!r} instead. {remedy}"
        ) from None
    parts = check_integer("shard[1]", parts, 1, remedy)
    index = check_integer("shard[0]", index, 1, remedy)
    if index > parts:
        raise ValueError(
            f"`shard` must be (i, N) with i from 1 to N. Got {shard!r} instead. {remedy}"
        )
    return index, parts


class _Queue:
    """Hands out tasks that no process has run or is running."""

    def __init__(
        self, store: Store, tasks: dict[Task, tuple[Entry, ...]], retry_failed: bool
    ) -> None:
        self._store = store
        self._retry_failed = retry_failed
        waiting = store.missing(tasks, retry_failed)
        self.n_left = len(waiting)
        self._waiting = iter(waiting.items())

    def next(self) -> tuple[Task, tuple[Entry, ...]] | None:
        for task, entries in self._waiting:
            left = self._store.claim(task, entries, self._retry_failed)
            if left:
                return task, left
        return None


def _outcomes(
    executor: Executor,
    width: int,
    queue: _Queue,
    grid: Grid,
    keep_draws: bool,
    interrupts: DeferredInterrupts,
) -> Iterator[Outcome]:
    running: set[Future[Outcome]] = set()
    more = True
    while more or running:
        interrupts.check()
        while more and len(running) <= width:  # one more than can run, so that no worker waits
            found = queue.next()
            more = found is not None
            if found is not None:
                running.add(executor.submit(run_task, *found, grid.settings, keep_draws))
        if running:
            done, running = wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            for future in done:
                yield _result(future)


def _result(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except TerminatedWorkerError:
        raise StoreError(
            "A worker process was killed, perhaps for lack of memory. Finished tasks are kept. Run "
            "the same command again, with fewer jobs if memory is short."
        ) from None


@contextmanager
def _workers(dask: str | None, n_jobs: int) -> Iterator[tuple[Executor, int]]:
    if dask is not None:
        with _dask_workers(dask) as (executor, width):
            yield executor, n_jobs if n_jobs > 0 else max(1, width + 1 + n_jobs)
        return
    width = resolve_n_jobs(n_jobs)
    executor = get_reusable_executor(
        max_workers=width,
        timeout=3600,
        reuse=False,
        initializer=prepare_worker,
        initargs=(os.getpid(),),
    )
    try:
        yield executor, width
    finally:
        executor.shutdown(wait=True, kill_workers=True)


@contextmanager
def _dask_workers(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise StoreError("Dask is not installed. Run: pip install 'bayesvc[cluster]'") from None
    try:
        client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        raise StoreError(
            f"No Dask scheduler answers at {address!r}: {error}. Give the address that "
            "`dask scheduler` prints, such as tcp://10.0.0.5:8786."
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except TimeoutError:
            raise StoreError(
                f"The Dask scheduler at {address!r} has no workers. Start some with `dask worker`."
            ) from None
        width = sum(client.nthreads().values())
        yield client.get_executor(pure=False, retries=3), width
