"""A small grid for the tests of running, and methods for it; also run as a program."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl

from bayesvc.bench import grid_run
from bayesvc.bench.entries import entries_of
from bayesvc.bench.grid import Grid, StudySettings, Task
from bayesvc.bench.store import Store
from tests.helpers.processes import wait_for

SETTINGS = StudySettings("small", n_trees=5, burn_in=20, n_draws=20)
METHODS = ("dart-vc@2", "tests.helpers.small_grid:slow", "tests.helpers.small_grid:first")
N_TASKS = 12
N_ROWS = N_TASKS * len(METHODS)
PROGRAM = (sys.executable, "-m", "tests.helpers.small_grid")  # in the root of the repository


def slow(X, y, seed):
    """Select nothing, and leave a mark, so that runs can be counted, and caught in the middle.

    Of the settings in the environment, SMALL_GRID_MARKS is the folder of the marks;
    SMALL_GRID_WORKERS is how many processes must have left one before any goes on; and runs after
    the first SMALL_GRID_HOLD never end.
    """
    if "SMALL_GRID_MARKS" in os.environ:
        marks = Path(os.environ["SMALL_GRID_MARKS"])
        (marks / f"{seed}-{os.getpid()}-{time.monotonic_ns()}").touch()
        wait_for(lambda: len(workers(marks)) >= int(os.environ.get("SMALL_GRID_WORKERS", "1")))
        while len(list(marks.iterdir())) > float(os.environ.get("SMALL_GRID_HOLD", "inf")):
            time.sleep(0.1)
    return np.zeros(X.shape[1], dtype=bool)


def first(X, y, seed):
    """Select the first column, by number."""
    return [0]


def broken(X, y, seed):
    """Fail, unless there is a file that mends it."""
    if not os.environ.get("SMALL_GRID_MENDED"):
        raise RuntimeError(f"no answer for seed {seed}")
    return [0]


def often(kept):
    """Select what most draws of every fit split on, from kept tallies."""
    return kept["dart"].mpvip.min(axis=0) > 0.5


def of_bart(kept):
    """Ask for fits that may not have been kept."""
    return kept["bart"].mpvip.min(axis=0) > 0.5


def make(methods=METHODS, n_tasks=N_TASKS):
    entries = entries_of(methods)
    tasks = [Task("fresh", "feynman_I_12_1", 40, 5.0, seed) for seed in range(n_tasks)]
    return Grid(SETTINGS, dict.fromkeys(tasks, entries))


class Threads(ThreadPoolExecutor):
    """Stands for processes, whose start takes seconds."""

    def __init__(self, max_workers, **_):
        super().__init__(max_workers)

    def shutdown(self, wait=True, *, kill_workers=False):
        super().shutdown(wait)


def tasks_on_threads(patch):
    """Run the tasks of grids in this process, where a test is not about processes."""
    patch.setattr(grid_run, "get_reusable_executor", Threads)


def check_complete(folder):
    """Check that there is one row for each task and method, and return the rows."""
    rows = Store(folder).rows()
    assert len(rows) == N_ROWS
    assert rows.select("seed", "method").n_unique() == N_ROWS
    assert rows["error"].null_count() == N_ROWS
    raw = pl.concat([pl.read_parquet(path) for path in (folder / "rows").glob("*.parquet")])
    assert len(raw) == N_ROWS  # none double, not even one that reading would hide
    return rows


def workers(marks):
    """Return the processes that left marks."""
    return {int(path.name.split("-")[1]) for path in marks.iterdir()}


def runs_per_task(marks):
    """Count the runs of each task by the marks that they left."""
    return Counter(path.name.split("-")[0] for path in marks.iterdir())


if __name__ == "__main__":
    folder, jobs = sys.argv[1], int(sys.argv[2])
    address = sys.argv[3] if len(sys.argv) > 3 else None
    print(grid_run.run_grid(make(), folder, n_jobs=jobs, dask=address), flush=True)
