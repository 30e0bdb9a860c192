import errno
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bayesvc._lock import SECONDS_UNTIL_GONE, host_name
from bayesvc.bench import store as store_module
from bayesvc.bench.grid import StudySettings
from bayesvc.bench.shards import SCHEMA, StoreError
from bayesvc.bench.store import Store
from bayesvc.bench.task_run import run_task
from tests.helpers import small_grid

GRID = small_grid.make(
    ["tests.helpers.small_grid:first", "tests.helpers.small_grid:broken"], n_tasks=4
)
TASKS = list(GRID.tasks)


def outcome(task, entries=None):
    return run_task(task, entries or GRID.tasks[task], GRID.settings)


def fill(folder, tasks=TASKS):
    with Store(folder, GRID.settings) as store:
        for task in tasks:
            assert store.claim(task, GRID.tasks[task])
            store.add(task, outcome(task).rows)
    return store


def test_what_is_written_is_read_again(tmp_path):
    fill(tmp_path / "s")
    rows = Store(tmp_path / "s").rows()
    assert dict(rows.schema) == SCHEMA
    assert len(rows) == 8
    good = rows.filter(method="tests.helpers.small_grid:first").row(0, named=True)
    assert good["selected"] == [0]
    assert (good["tp"], good["fp"], good["fn"], good["f1"]) == (1, 0, 1, pytest.approx(2 / 3))
    bad = rows.filter(method="tests.helpers.small_grid:broken")
    assert bad["f1"].to_list() == bad["tpr"].to_list() == bad["fpr"].to_list() == [0.0] * 4
    assert bad["error"][0] == "RuntimeError: no answer for seed 0"


def test_a_closed_store_is_one_file_without_claims_or_writers(tmp_path):
    fill(tmp_path / "s")
    assert len(list((tmp_path / "s" / "rows").iterdir())) == 1
    assert not list((tmp_path / "s" / "claims").iterdir())
    assert not list((tmp_path / "s" / "writers").iterdir())


def test_only_what_is_missing_is_handed_out(tmp_path):
    fill(tmp_path / "s", TASKS[:3])
    with Store(tmp_path / "s", GRID.settings) as store:
        assert list(store.missing(GRID.tasks)) == TASKS[3:]
        assert store.claim(TASKS[0], GRID.tasks[TASKS[0]]) == ()
        assert not list((tmp_path / "s" / "claims").iterdir())
        retried = store.missing(GRID.tasks, retry_failed=True)
        assert [entry.name for entry in retried[TASKS[0]]] == ["tests.helpers.small_grid:broken"]


def test_nothing_is_missing_after_files_were_merged(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "_FILES_BEFORE_MERGE", 2)
    with Store(tmp_path / "s", GRID.settings) as store:
        for task in TASKS:
            assert store.claim(task, GRID.tasks[task])
            store.add(task, outcome(task).rows)
        assert store.missing(GRID.tasks) == {}


def test_a_good_result_takes_the_place_of_a_failed_one(tmp_path, monkeypatch):
    fill(tmp_path / "s")
    monkeypatch.setenv("SMALL_GRID_MENDED", "yes")
    with Store(tmp_path / "s", GRID.settings) as store:
        for task in TASKS:
            left = store.claim(task, GRID.tasks[task], retry_failed=True)
            store.add(task, outcome(task, left).rows)
    rows = Store(tmp_path / "s").rows()
    assert len(rows) == 8
    assert rows["error"].null_count() == 8


def test_two_stores_do_not_get_the_same_task(tmp_path):
    with Store(tmp_path / "s", GRID.settings) as one, Store(tmp_path / "s", GRID.settings) as two:
        entries = GRID.tasks[TASKS[0]]
        assert one.claim(TASKS[0], entries) == entries
        assert two.claim(TASKS[0], entries) == ()
        one.add(TASKS[0], outcome(TASKS[0]).rows)
        assert two.claim(TASKS[0], entries) == ()
        assert two.claim(TASKS[1], entries) == entries
        assert one.active_writers() == 1


@pytest.mark.parametrize("how", ["no such process", "silent"])
def test_the_claim_of_a_writer_that_is_gone_is_taken_over(tmp_path, monkeypatch, how):
    with Store(tmp_path / "s", GRID.settings) as store:
        claim = store._claim_path(TASKS[0])
        host = host_name() if how == "no such process" else "elsewhere"
        token = f"{host}+{2**22 + 1}+abc"
        claim.write_text(token)
        writer = tmp_path / "s" / "writers" / token
        writer.touch()
        entries = GRID.tasks[TASKS[0]]
        if how == "silent":
            assert store.claim(TASKS[0], entries) == ()
            assert store.active_writers() == 1
            long_ago = writer.stat().st_mtime - 2 * SECONDS_UNTIL_GONE
            os.utime(writer, (long_ago, long_ago))
        assert store.claim(TASKS[0], entries) == entries


def test_a_claim_is_never_there_without_its_writer(tmp_path, monkeypatch):
    """Else a process that is killed in between would keep the task from all others."""

    def refuse(*args, **options):
        raise AssertionError("a claim was opened to be written")

    with Store(tmp_path / "s", GRID.settings) as store:
        monkeypatch.setattr(Path, "open", refuse)
        assert store._writer.claim(store._claim_path(TASKS[0]), store._is_abandoned)
        monkeypatch.undo()
        assert not store._writer.claim(store._claim_path(TASKS[0]), store._is_abandoned)
        (writer,) = (tmp_path / "s" / "writers").iterdir()
        assert store._claim_path(TASKS[0]).read_text() == writer.name


def test_where_files_cannot_be_linked_a_claim_without_a_writer_is_taken_over(tmp_path, monkeypatch):
    def no_links(*args):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    fill(tmp_path / "s", TASKS[:3])
    with Store(tmp_path / "s", GRID.settings) as store:
        entries = GRID.tasks[TASKS[3]]
        claim = store._claim_path(TASKS[3])
        claim.touch()  # killed after it made the file
        assert store.claim(TASKS[3], entries) == ()
        long_ago = claim.stat().st_mtime - 2 * SECONDS_UNTIL_GONE
        os.utime(claim, (long_ago, long_ago))
        assert store.claim(TASKS[3], entries) == entries


def test_rows_that_are_there_twice_count_once(tmp_path):
    fill(tmp_path / "s")
    folder = tmp_path / "s" / "rows"
    (file,) = folder.iterdir()
    shutil.copy(file, folder / "again.parquet")  # as when a merge is killed before it cleans up
    store = Store(tmp_path / "s")
    assert len(store.rows()) == 8
    assert store.missing(GRID.tasks) == {}


def test_a_file_that_was_not_finished_is_not_read(tmp_path):
    fill(tmp_path / "s", TASKS[:2])
    (tmp_path / "s" / "rows" / ".half.parquet.abc").write_bytes(b"PAR1")
    assert len(Store(tmp_path / "s").rows()) == 4


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    with Store(tmp_path / "s", GRID.settings) as store:
        store.claim(TASKS[0], GRID.tasks[TASKS[0]])

        def full(file):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            store.add(TASKS[0], outcome(TASKS[0]).rows)
        assert not list((tmp_path / "s" / "rows").iterdir())
    assert list(Store(tmp_path / "s").missing(GRID.tasks)) == TASKS


def test_other_settings_are_refused_and_nothing_is_changed(tmp_path):
    fill(tmp_path / "s")
    before = sorted(path.read_bytes() for path in (tmp_path / "s").rglob("*") if path.is_file())
    with pytest.raises(StoreError, match=r"grid='small' \(now 'seed'\)"):
        Store(tmp_path / "s", replace(GRID.settings, grid="seed"))
    with pytest.raises(StoreError, match=r"random_state=20260 \(now 1\)"):
        Store(tmp_path / "s", replace(GRID.settings, random_state=1))
    after = sorted(path.read_bytes() for path in (tmp_path / "s").rglob("*") if path.is_file())
    assert before == after


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bayesvc": "0.0.1"}, r"written by bayesvc 0\.0\.1"),
        ({"format": 99}, r"format 99"),
        ({"settings": {"grids": "x"}}, "cannot be read"),
    ],
)
def test_a_store_of_another_version_is_refused(tmp_path, change, message):
    fill(tmp_path / "s")
    path = tmp_path / "s" / "store.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StoreError, match=message):
        Store(tmp_path / "s", GRID.settings)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("dear")
    with pytest.raises(StoreError, match="is not a folder of results"):
        Store(tmp_path, StudySettings("smoke"))
    with pytest.raises(StoreError, match="must be a folder of results"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="is not a folder of results"):
        Store(tmp_path / "thesis.txt", StudySettings("smoke"))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_damaged_file_is_named(tmp_path):
    fill(tmp_path / "s")
    (file,) = (tmp_path / "s" / "rows").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(StoreError, match=rf"{file.name[:2]}.*is damaged"):
        Store(tmp_path / "s").rows()


def test_what_a_killed_process_left_is_deleted(tmp_path):
    fill(tmp_path / "s", TASKS[:1])
    dead = f"{host_name()}+{2**22 + 1}+0"
    left = [
        tmp_path / "s" / "rows" / f".{dead}+000001.parquet.0123abcd.tmp",
        tmp_path / "s" / "draws" / "feynman_I_12_1" / ".fresh-40-5-0.npz.0123abcd.tmp",
        tmp_path / "s" / "writers" / dead,
    ]
    for path in left:
        path.parent.mkdir(exist_ok=True)
        path.write_text("a part")
    with Store(tmp_path / "s", GRID.settings):
        assert not any(path.exists() for path in left)


def test_what_another_process_is_writing_is_left_alone(tmp_path):
    with Store(tmp_path / "s", GRID.settings):
        part = tmp_path / "s" / "rows" / ".theirs+000001.parquet.0123abcd.tmp"
        part.write_text("a part")
        with Store(tmp_path / "s", GRID.settings):
            assert part.exists()
        part.unlink()


def test_a_folder_that_another_process_has_just_begun_is_taken(tmp_path):
    """Two processes may start on a new folder at the same moment; one may have been killed."""
    (tmp_path / "s" / "rows").mkdir(parents=True)
    (tmp_path / "s" / ".store.json.0123abcd.tmp").write_text("{")
    fill(tmp_path / "s", TASKS[:1])
    (tmp_path / "t" / "rows").mkdir(parents=True)
    (tmp_path / "t" / "rows" / "mine.parquet").write_text("of another origin")
    with pytest.raises(StoreError, match="is not a folder of results"):
        Store(tmp_path / "t", GRID.settings)
