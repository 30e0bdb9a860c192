"""Runs in real processes: killed, side by side, without disk space, with methods that fail."""

import os
import signal
import subprocess

import polars as pl
import pytest

from bayesvc.bench.grid import make_grid
from bayesvc.bench.grid_run import run_grid
from bayesvc.bench.store import Store
from tests.helpers import small_grid
from tests.helpers.paths import ROOT
from tests.helpers.processes import wait_for
from tests.helpers.small_grid import N_ROWS, check_complete, runs_per_task, workers


@pytest.fixture
def marks(tmp_path, monkeypatch):
    """A folder in which every run of a task leaves a file."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv("SMALL_GRID_MARKS", str(folder))
    return folder


@pytest.fixture
def tasks_on_threads(monkeypatch):
    small_grid.tasks_on_threads(monkeypatch)


def start(folder, jobs=1, **options):
    command = [*small_grid.PROGRAM, str(folder), str(jobs)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        cwd=ROOT, **options,
    )  # fmt: skip


def n_files(folder):
    return len(list((folder / "rows").glob("*.parquet")))


@pytest.mark.usefixtures("tasks_on_threads")  # what comes after the processes
def test_killed_at_any_moment_it_goes_on_and_loses_only_what_was_running(
    tmp_path, marks, monkeypatch
):
    folder, n_marks = tmp_path / "s", 0
    for n_more in (1, 4, 3):
        monkeypatch.setenv("SMALL_GRID_HOLD", str(n_marks + n_more))
        n_marks += n_more + 1  # the last of them is held in the middle
        process = start(folder)
        wait_for(lambda: len(list(marks.iterdir())) == n_marks)  # noqa: B023
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    kept = len(Store(folder).rows())
    assert 0 < kept < N_ROWS
    monkeypatch.delenv("SMALL_GRID_HOLD")
    process = start(folder)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    rows = check_complete(folder)
    # Each of three kills loses at most the two tasks that a single job has in flight.
    assert sum(runs_per_task(marks).values()) <= small_grid.N_TASKS + 3 * 2
    whole = tmp_path / "whole"
    run_grid(small_grid.make(), whole, n_jobs=1)
    columns = pl.exclude("seconds")
    assert rows.select(columns).equals(Store(whole).rows().select(columns))


def test_two_processes_on_one_folder_share_the_work(tmp_path, marks, monkeypatch):
    folder = tmp_path / "s"
    monkeypatch.setenv("SMALL_GRID_WORKERS", "2")  # none goes on before both have begun
    both = [start(folder), start(folder)]
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    check_complete(folder)
    assert set(runs_per_task(marks).values()) == {1}
    assert len(workers(marks)) == 2


@pytest.mark.usefixtures("tasks_on_threads")  # what comes after the processes
def test_a_killed_worker_is_reported_and_the_rest_goes_on_later(tmp_path, marks, monkeypatch):
    folder = tmp_path / "s"
    monkeypatch.setenv("SMALL_GRID_HOLD", "0")
    process = start(folder)
    wait_for(lambda: any(marks.iterdir()))
    (worker,) = workers(marks)
    assert worker != process.pid
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "worker process was killed" in err
    monkeypatch.delenv("SMALL_GRID_HOLD")
    run_grid(small_grid.make(), folder, n_jobs=1)
    check_complete(folder)


@pytest.mark.usefixtures("tasks_on_threads")  # what comes after the processes
def test_a_full_disk_is_reported_and_nothing_is_damaged(tmp_path):
    """A limit on file sizes stands for the full disk: writing fails in the middle of a file."""
    resource = pytest.importorskip("resource")
    folder = tmp_path / "s"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    process = start(folder, preexec_fn=limit)
    _, err = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "OSError: [Errno 27]" in err
    assert n_files(folder) == 0
    assert not [path for path in (folder / "rows").iterdir()]
    run_grid(small_grid.make(), folder, n_jobs=1)
    check_complete(folder)


@pytest.mark.usefixtures("tasks_on_threads")
def test_a_method_that_fails_scores_nothing_and_can_be_run_again(tmp_path, monkeypatch):
    grid = small_grid.make(
        ["tests.helpers.small_grid:first", "tests.helpers.small_grid:broken"], n_tasks=3
    )
    found = run_grid(grid, tmp_path / "s", n_jobs=1)
    assert (found.n_run, found.n_failed, found.n_elsewhere) == (3, 3, 0)
    assert run_grid(grid, tmp_path / "s", n_jobs=1).n_run == 0
    monkeypatch.setenv("SMALL_GRID_MENDED", "yes")
    found = run_grid(grid, tmp_path / "s", n_jobs=1, retry_failed=True)
    assert (found.n_run, found.n_failed) == (3, 0)
    rows = Store(tmp_path / "s").rows()
    assert len(rows) == 6
    assert rows["error"].null_count() == 6


@pytest.mark.usefixtures("tasks_on_threads")
def test_shards_are_a_partition(tmp_path):
    grid = small_grid.make(["tests.helpers.small_grid:first"], n_tasks=7)
    runs = [run_grid(grid, tmp_path / "s", n_jobs=1, shard=(i, 3)).n_run for i in (1, 2, 3)]
    assert runs == [3, 2, 2]
    assert Store(tmp_path / "s").rows()["seed"].to_list() == list(range(7))


def test_the_number_of_jobs_and_what_else_is_run_change_no_result(tmp_path):
    one, two = small_grid.make(["dart-vc@2"], 4), small_grid.make(["dart-vc@2", "bart-vc@3"], 4)
    run_grid(one, tmp_path / "one", n_jobs=1)
    run_grid(two, tmp_path / "two", n_jobs=2)
    columns = ("seed", "selected", "f1")
    first, second = (
        Store(tmp_path / name).rows().filter(method="dart-vc").select(columns)
        for name in ("one", "two")
    )
    assert first.equals(second)


@pytest.mark.usefixtures("tasks_on_threads")
def test_progress_counts_what_was_there_before(tmp_path):
    grid = small_grid.make(["tests.helpers.small_grid:first"], n_tasks=3)
    run_grid(grid, tmp_path / "s", n_jobs=1, shard=(1, 3))
    seen = []
    run_grid(grid, tmp_path / "s", n_jobs=1, on_done=lambda *state: seen.append(state))
    assert seen == [(1, 3, 0), (2, 3, 0), (3, 3, 0)]


@pytest.mark.parametrize("shard", [(0, 3), (4, 3), (1, 0), 3, ("a", 2)])
def test_bad_shards(tmp_path, shard):
    with pytest.raises((ValueError, TypeError), match="shard"):
        run_grid(small_grid.make(), tmp_path / "s", shard=shard)
    assert not (tmp_path / "s").exists()


def test_the_grids_are_those_of_the_paper():
    assert len(make_grid("paper", ["dart-vc"]).tasks) == 36_000
    assert len(make_grid("seed", ["dart-vc"]).tasks) == 3_600
    part = make_grid("slice").tasks
    assert len(part) == 900 + 900 + 2 * 400
    noisy = next(task for task in part if (task.n, task.snr) == (500, 0.25))
    quiet = next(task for task in part if (task.n, task.snr) == (500, 0.5))
    names = {entry.name for entry in part[noisy]}
    assert {"abc-mpm", "bart-vip-gmax", "dart-vc"} <= names
    assert {entry.name for entry in part[quiet]} < names
    fits = {entry.n_replicates for entry in part[quiet] if entry.name == "dart-vc"}
    assert fits == {1, 2, 3, 5, 10, 20}
