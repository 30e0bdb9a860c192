"""A grid on a real Dask scheduler with two worker processes, one of which is killed."""

import os
import re
import signal
import subprocess
import sys

import pytest

from bayesvc.bench.grid_run import run_grid
from bayesvc.bench.shards import StoreError
from bayesvc.bench.store import Store
from tests.helpers import small_grid
from tests.helpers.paths import ROOT
from tests.helpers.processes import wait_for
from tests.helpers.small_grid import check_complete, runs_per_task, workers

pytest.importorskip("distributed")


def dask(*command):
    """Start a part of a cluster, whose workers can import the methods of the small grid."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=env,
    )  # fmt: skip


def worker(address):
    return dask("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")


@pytest.fixture
def scheduler():
    process = dask(
        "dask_scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0", "--host", "127.0.0.1"
    )
    address = None
    for line in process.stderr:
        if found := re.search(r"tcp://127\.0\.0\.1:\d+", line):
            address = found.group()
            break
    yield address
    process.kill()
    process.communicate()


def test_a_killed_worker_loses_no_task_and_doubles_none(tmp_path, monkeypatch, scheduler):
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("SMALL_GRID_MARKS", str(marks))
    monkeypatch.setenv("SMALL_GRID_WORKERS", "2")
    both = [worker(scheduler), worker(scheduler)]
    folder = tmp_path / "s"
    try:
        driver = subprocess.Popen(
            [*small_grid.PROGRAM, str(folder), "2", scheduler], cwd=ROOT,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_for(lambda: workers(marks) == {process.pid for process in both})
        both[0].send_signal(signal.SIGKILL)
        _, err = driver.communicate(timeout=200)
        assert driver.returncode == 0, err
    finally:
        for process in both:
            process.kill()
            process.communicate()
    check_complete(folder)
    # What the killed worker was running, and what it had waiting, was run once more at most.
    assert sum(runs_per_task(marks).values()) <= small_grid.N_TASKS + 2


def test_the_cluster_gives_the_same_results(tmp_path, scheduler):
    process = worker(scheduler)
    try:
        run_grid(small_grid.make(["dart-vc@2"], 3), tmp_path / "far", dask=scheduler, n_jobs=1)
    finally:
        process.kill()
        process.communicate()
    run_grid(small_grid.make(["dart-vc@2"], 3), tmp_path / "near", n_jobs=1)
    far, near = (Store(tmp_path / name).rows().drop("seconds") for name in ("far", "near"))
    assert far.equals(near)


def test_a_scheduler_that_does_not_answer(tmp_path, monkeypatch):
    monkeypatch.setattr("bayesvc.bench.grid_run._SECONDS_TO_CONNECT", 1)
    with pytest.raises(StoreError, match=r"No Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        run_grid(small_grid.make(), tmp_path / "s", dask="tcp://127.0.0.1:1")


def test_a_scheduler_without_workers(tmp_path, monkeypatch, scheduler):
    monkeypatch.setattr("bayesvc.bench.grid_run._SECONDS_TO_CONNECT", 1)
    with pytest.raises(StoreError, match="has no workers"):
        run_grid(small_grid.make(), tmp_path / "s", dask=scheduler)
