"""Score other methods on the replicates whose tallies were kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed

from bayesvc._validation import resolve_n_jobs
from bayesvc.bench import feynman
from bayesvc.bench.entries import KEPT_ARGUMENTS, Entry, entries_of
from bayesvc.bench.grid import Task
from bayesvc.bench.kept import KeptTallies, describe_kept, unpack
from bayesvc.bench.shards import SCHEMA, StoreError
from bayesvc.bench.store import Store
from bayesvc.bench.task_run import lacking, rescore_task
from bayesvc.bench.worker import end_with
from bayesvc.sampling.progress import ProgressCallback


def rescore(
    folder: str | os.PathLike[str],
    methods: Sequence[str],
    n_replicates: Sequence[int] = (),
    *,
    n_jobs: int = -1,
    on_done: ProgressCallback | None = None,
) -> pl.DataFrame:
    """Score methods on the tallies that `run_grid` kept.

    Parameters
    ----------
    folder : path
        Results of `bench run --keep-draws`.
    methods : list of str
        Names as in `bayesvc.bench.entries.entries_of`, except that a function "module:function"
        receives a mapping from the name of a prior ("bart", "dart", "abc") to its `KeptTallies`,
        and returns a mask.
    n_replicates : list of int, optional
        Further numbers of replicates for these methods.
    n_jobs : int, default=-1
        Number of processes; -1 means all CPUs.
    on_done : function (done, total), optional
        Called after each data set.

    Raises
    ------
    StoreError
        If no data set has the replicates that a method needs. If some data sets have them, the
        method fails on the others only.
    """
    entries = entries_of(methods, n_replicates, KEPT_ARGUMENTS)
    store = Store(folder)
    tasks = store.kept_tasks()
    if not tasks:
        raise StoreError(f"{folder} holds no kept tallies. Run the grid with --keep-draws.")
    _check_tallies(store, tasks, entries)
    jobs = min(resolve_n_jobs(n_jobs), len(tasks))
    work = (delayed(_rows)(os.getpid(), store, task, entries) for task in tasks)
    rows: list[dict[str, Any]] = []
    for done, part in enumerate(Parallel(n_jobs=jobs, return_as="generator")(work), 1):
        rows += part
        if on_done is not None:
            on_done(done, len(tasks))
    return pl.DataFrame(rows, schema=SCHEMA)


def _check_tallies(store: Store, tasks: list[Task], entries: tuple[Entry, ...]) -> None:
    """Raise StoreError if no data set has the replicates that a method needs."""
    most: dict[str, KeptTallies] = {}
    for task in tasks:
        kept = unpack(store.draws_path(task))
        entries = tuple(entry for entry in entries if lacking(entry, kept) is not None)
        if not entries:
            return
        for prior, own in kept.items():
            most[prior] = max(most.get(prior, own), own, key=_size)
    raise StoreError(
        f"{lacking(entries[0], most)}, but {store.folder} holds at most {describe_kept(most)}. "
        "Name methods and numbers of replicates (as in dart-vc@5) for which these suffice, or run "
        "the grid again with --keep-draws."
    )


def _size(fits: KeptTallies) -> tuple[int, int]:
    return fits.n_replicates, fits.n_permuted


def _rows(
    parent: int, store: Store, task: Task, entries: tuple[Entry, ...]
) -> list[dict[str, Any]]:
    end_with(parent)
    relevant = np.arange(len(feynman.equation(task.problem).variables))
    return rescore_task(task, entries, unpack(store.draws_path(task)), relevant)
