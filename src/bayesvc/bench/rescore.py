"""Score other summaries on fits whose tallies were kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed

from bayesvc._validation import resolve_n_jobs
from bayesvc.bench import feynman
from bayesvc.bench.entries import OF_KEPT, Entry, entries_of
from bayesvc.bench.grid import Task
from bayesvc.bench.kept import KeptFits, listed_fits, unpack
from bayesvc.bench.store import SCHEMA, Store, StoreError
from bayesvc.bench.task_run import lacking, rescore_task
from bayesvc.sampling.progress import ProgressCallback


def rescore(
    folder: str | os.PathLike[str],
    methods: Sequence[str],
    lrep: Sequence[int] = (),
    *,
    n_jobs: int | None = -1,
    on_done: ProgressCallback | None = None,
) -> pl.DataFrame:
    """Return the results of methods on the fits that `run_grid` kept.

    Parameters
    ----------
    folder : path
        Results of `bench run --keep-draws`.
    methods : list of str
        As in `bayesvc.bench.entries.entries_of`, but a function "module:function" receives the
        `KeptFits` of a task by the name of their prior ("bart", "dart", "abc") and returns a mask.
    lrep : list of int, optional
        Further numbers of fits for these methods.
    n_jobs : int or None, default -1
        Number of processes; -1 uses all CPUs.
    on_done : function (done, total), optional
        Called as data sets are done.

    Raises
    ------
    StoreError
        If a method needs fits that were kept of no data set. Where some data sets have them, it
        fails on the others only.
    """
    entries = entries_of(methods, lrep, OF_KEPT)
    store = Store(folder)
    tasks = store.kept_tasks()
    if not tasks:
        raise StoreError(f"{folder} keeps no fits; run it with --keep-draws")
    _refuse_without_fits(store, tasks, entries)
    jobs = min(resolve_n_jobs(n_jobs), len(tasks))
    work = (delayed(_rows)(store, task, entries) for task in tasks)
    rows: list[dict[str, Any]] = []
    for done, part in enumerate(Parallel(n_jobs=jobs, return_as="generator")(work), 1):
        rows += part
        if on_done is not None:
            on_done(done, len(tasks))
    return pl.DataFrame(rows, schema=SCHEMA)


def _refuse_without_fits(store: Store, tasks: list[Task], entries: tuple[Entry, ...]) -> None:
    """Raise StoreError if a method has what it needs on no data set."""
    most: dict[str, KeptFits] = {}
    for task in tasks:
        kept = unpack(store.draws_path(task))
        entries = tuple(entry for entry in entries if lacking(entry, kept) is not None)
        if not entries:
            return
        for prior, own in kept.items():
            most[prior] = max(most.get(prior, own), own, key=_size)
    raise StoreError(
        f"{lacking(entries[0], most)}, but {store.folder} keeps at most {listed_fits(most)}; name "
        "methods and numbers of fits (as in dart-vc@5) for which these suffice, or run it with "
        "--keep-draws"
    )


def _size(fits: KeptFits) -> tuple[int, int]:
    return fits.n_replicates, fits.n_permuted


def _rows(store: Store, task: Task, entries: tuple[Entry, ...]) -> list[dict[str, Any]]:
    relevant = np.arange(len(feynman.equation(task.problem).variables))
    return rescore_task(task, entries, unpack(store.draws_path(task)), relevant)
