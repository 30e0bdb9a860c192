"""Results are complete or absent, whatever stops the run that writes them."""

from __future__ import annotations

import itertools
import json
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayesvc as bv
from bayesvc.cli import result_files
from bayesvc.cli.errors import BadInput
from bayesvc.cli.results_folder import open_folder
from tests.helpers.figures import PLACEHOLDERS
from tests.helpers.no_sampling import no_sampling
from tests.helpers.settings import SHORT_OPTIONS

pytestmark = pytest.mark.usefixtures("placeholder_figures")

SHORT = (*SHORT_OPTIONS, "--replicates", "2", "--exclude", "who", "-y", "y", "--out", "out")
WAITS = """
    import sys, time
    from bayesvc.cli import main, writing

    def wait(*_):
        print("writing", flush=True)
        while True:
            time.sleep(0.01)

    writing._report = wait
    main()
"""


def program(code, *args, cwd):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.parametrize("command", [("select",), ("compare", "--methods", "dart-vc,dart-mpm")])
def test_ctrl_c_while_results_are_written(run, file, tmp_path, command):
    options = [option for option in SHORT if option not in ("--replicates", "2")]
    args = (*command, file, *(SHORT if command == ("select",) else options))
    process = program(PLACEHOLDERS + textwrap.dedent(WAITS), *args, cwd=tmp_path)
    assert process.stdout.readline() == "writing\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 130, errors
    assert "Finished replicates are in out" in errors
    assert "Run the same command with --resume to continue." in errors
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["unfinished"]
    done = run(*args, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "out" / "unfinished").exists()


# Replaces results again and again, and is killed before its first, second, ... use of the disk.
KILLED = """
    import json, os, shutil, signal, sys
    from pathlib import Path
    from bayesvc.cli.results_folder import open_folder
    from bayesvc.sampling import checkpoint  # loads numpy before any fork

    os.fsync = lambda _: None  # processes are killed here, and not the machine
    parent, old, new = Path(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
    out = parent / "out"

    def write(folder, files):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)

    def state():
        return {
            path.relative_to(out).as_posix(): path.read_text()
            for path in sorted(out.rglob("*"))
            if path.is_file() and "/." not in f"/{path.relative_to(out)}"
            and "unfinished" not in path.parts
        }

    def replace():
        with open_folder(out, {}, resume=False, overwrite=True) as folder:
            (folder.checkpoint / f"fit-{'0' * 32}.npz").touch()
            with folder.replaced() as place:
                write(place, new)
            folder.discard_unfinished()

    def only_open():
        with open_folder(out, {}, resume=False, overwrite=True):
            pass

    def in_a_fork(call, last=None):
        if child := os.fork():
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        left = [last]

        def hook(event, args):
            used = any(str(arg).startswith(str(parent)) for arg in args)
            if left[0] is not None and (used or event.startswith("ctypes.")):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        call()
        os._exit(0)

    for number in range(1000):
        shutil.rmtree(parent)
        parent.mkdir()
        write(parent, {f"out/{name}": text for name, text in old.items()})
        code = in_a_fork(replace, number)
        killed = state()
        assert in_a_fork(only_open) == 0
        repaired = state()
        assert in_a_fork(replace) == 0
        left = [path.name for path in [*parent.iterdir(), *out.iterdir()] if path.name[0] == "."]
        print(json.dumps([code, killed, repaired, state(), left]))
        if code == 0:
            break
"""
OLD = {
    "selection.csv": "old",
    "draws.npz": "old",
    "figures/nulls.svg": "old",
    "figures/scatter.svg": "old",
}
NEW = {"comparison.csv": "new", "report.html": "new", "figures/scatter.svg": "new"}
OTHERS = {"thesis.txt": "dear", "figures/mine.svg": "mine"}


def killed_at_every_moment(tmp_path, old, new):
    process = program(KILLED, tmp_path / "p", json.dumps(old), json.dumps(new), cwd=tmp_path)
    (tmp_path / "p").mkdir()
    output, errors = process.communicate(timeout=500)
    assert process.returncode == 0, errors
    runs = [json.loads(line) for line in output.splitlines()]
    *kills, end = [code for code, *_ in runs]
    assert end == 0
    assert set(kills) == {-signal.SIGKILL}
    assert len(kills) > 20
    assert [left for *_, left in runs if left] == []
    return [(killed, repaired, finished) for _, killed, repaired, finished, _ in runs]


@pytest.mark.parametrize("old", [{}, OLD], ids=["first results", "earlier results"])
def test_a_kill_at_any_moment_leaves_earlier_results_or_new_ones(tmp_path, old):
    states = killed_at_every_moment(tmp_path, old, NEW)
    killed = [state for state, _, _ in states]
    assert [state for state, _ in itertools.groupby(killed)] == [old, NEW]
    assert all(repaired == state for state, repaired, _ in states)
    assert all(finished == NEW for *_, finished in states)


def test_among_files_of_others_the_next_run_finishes_what_a_kill_interrupted(tmp_path):
    states = killed_at_every_moment(tmp_path, OLD | OTHERS, NEW)
    for killed, repaired, finished in states:
        assert killed.items() <= {**OLD, **OTHERS}.items() | NEW.items()
        assert repaired in (OLD | OTHERS, NEW | OTHERS)
        assert finished == NEW | OTHERS


KILLED_COMMAND = """
    import os, signal, sys
    from bayesvc.cli import main

    left = [int(sys.argv.pop(1))]

    def hook(event, args):
        if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir") and any(
            "out" in str(arg).replace("/", " ").split() for arg in args
        ):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    try:
        main()
    finally:
        print("left", left[0])
"""


def results(folder):
    names = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")))
    shown = (name for name in names if not name.startswith((".", "unfinished")))
    return {name: (folder / name).read_bytes() for name in shown if (folder / name).is_file()}


@pytest.mark.parametrize("n_kills", [2, pytest.param(40, marks=pytest.mark.weekly)])
def test_the_command_is_killed_while_it_overwrites_results(run, file, tmp_path, n_kills):
    out, rng = tmp_path / "out", np.random.default_rng(7)

    def overwrite(kill, seed):
        args = (kill, "select", file, *SHORT, "--overwrite", "--quiet", "--seed", seed)
        process = program(PLACEHOLDERS + textwrap.dedent(KILLED_COMMAND), *args, cwd=tmp_path)
        return process.communicate(timeout=200)[0], process.returncode

    def complete():
        draws = bv.Draws.load(out / "draws.npz").vc  # the file also tells how long they took
        return results(out) | {"draws.npz": draws.tobytes()}

    said, code = overwrite(1000, 1)
    assert code == 0
    new, n_uses = complete(), 1000 - int(said.split()[-1])
    assert run("select", file, *SHORT, "--overwrite").returncode == 0
    old = complete()
    assert len(old) == len(new) > 6
    for kill in rng.integers(0, n_uses, n_kills):
        assert overwrite(int(kill), 1)[1] == -signal.SIGKILL
        assert complete() in (old, new)
    assert run("select", file, *SHORT, "--overwrite", "--seed", 2).returncode == 0
    assert all(path.name[0] != "." for path in [*out.iterdir(), *tmp_path.iterdir()])


@pytest.fixture
def disk(tmp_path):
    """Mount a small disk; return it, and how to change its size."""
    path = tmp_path / "disk"
    path.mkdir()

    def mount(*options):
        command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "none", str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    try:
        mounted = mount("size=1m")
    except FileNotFoundError:
        pytest.skip("there is no mount")
    if mounted.returncode:
        pytest.skip(f"a disk cannot be mounted here: {mounted.stderr.strip()}")
    yield path, lambda size: mount("remount", f"size={size}")
    subprocess.run(["umount", str(path)], check=True)


@pytest.mark.parametrize("place", ["out", "."], ids=["on the disk", "the disk itself"])
@pytest.mark.parametrize("command", ["select", "compare"])
def test_a_full_disk_leaves_earlier_results_and_replicates(run, file, disk, place, command):
    out = disk[0] / place
    (out / "figures").mkdir(parents=True)
    for name, text in OLD.items():
        (out / name).write_text(text)
    methods = ("--methods", "dart-vc") if command == "compare" else ("--replicates", 3)
    args = (command, file, "-y", "y", "--exclude", "who", *SHORT_OPTIONS, *methods, "--out", out)
    failed = run(*args, "--overwrite")  # there is no room for the report
    assert failed.returncode == 2
    assert f"{out} cannot be written to: No space left on device." in failed.stderr
    assert f"Finished replicates are kept in {out / 'unfinished'}" in failed.stderr
    assert "--resume to continue" in failed.stderr
    assert results(out) == {name: text.encode() for name, text in OLD.items()}
    assert {path.name for path in out.iterdir()} == {
        "selection.csv", "draws.npz", "figures", "unfinished",
    }  # fmt: skip
    assert disk[1]("50m").returncode == 0
    done = run(*args, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr
    written = results(out)
    assert written["report.html"].rstrip().endswith(b"</html>")
    assert b"old" not in written.values()


def test_a_disk_that_fills_while_sampling_keeps_finished_replicates(run, file, disk):
    path, resize = disk
    assert resize("64k").returncode == 0
    options = ("--replicates", 40, *SHORT_OPTIONS, "--out", path / "out")
    failed = run("select", file, "-y", "y", "--exclude", "who", *options)
    assert failed.returncode == 2
    assert "cannot be written to: No space left on device." in failed.stderr
    assert "--resume to continue" in failed.stderr
    kept = {path: path.stat().st_mtime_ns for path in (path / "out" / "unfinished").glob("fit-*")}
    assert 0 < len(kept) < 40
    assert resize("50m").returncode == 0
    done = run("select", file, "-y", "y", "--exclude", "who", *options, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr


def replace(out, new=NEW):
    with open_folder(out, {}, resume=False, overwrite=True) as folder, folder.replaced() as place:
        (place / "figures").mkdir()
        for name, text in new.items():
            (place / name).write_text(text)


def shown(out):
    return {name: text.decode() for name, text in results(out).items()}


def test_results_replace_others_where_folders_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(result_files, "_exchange", lambda *_: False)
    replace(tmp_path / "out", OLD)
    assert shown(tmp_path / "out") == OLD
    replace(tmp_path / "out")
    assert shown(tmp_path / "out") == NEW
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_the_current_folder_stays_the_same_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    replace(tmp_path, OLD)
    replace(Path())
    assert shown(Path()) == shown(tmp_path) == NEW


def test_a_link_to_a_folder_of_results_stays_and_permissions_too(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir(mode=0o750)
    link.symlink_to(real)
    replace(link)
    assert link.is_symlink()
    assert shown(real) == NEW
    assert stat.S_IMODE(real.stat().st_mode) == 0o750


def test_a_link_in_the_place_of_a_hidden_folder_is_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "selection.csv").write_text("mine")
    (tmp_path / ".out.bayesvc-new").symlink_to(elsewhere)
    replace(tmp_path / "out")
    assert shown(tmp_path / "out") == NEW
    assert shown(elsewhere) == {"selection.csv": "mine"}


def test_a_run_that_lost_its_folder_writes_nothing(tmp_path):
    def lose():
        new = {"resume": False, "overwrite": False}
        with open_folder(tmp_path, {}, **new) as folder, folder.replaced() as place:
            (place / "selection.csv").write_text("late")
            (tmp_path / ".running").write_text("another run")

    with pytest.raises(BadInput, match="was taken over by another run"):
        lose()
    assert shown(tmp_path) == {}
    assert (tmp_path / ".running").read_text() == "another run"


@pytest.mark.parametrize("name", ["report.html", "figures/scatter.svg"])
def test_a_folder_in_the_place_of_a_result_is_refused_before_sampling(run, file, tmp_path, name):
    (tmp_path / "out" / name).mkdir(parents=True)
    with no_sampling():
        refused = run("select", file, *SHORT, "--overwrite")
    assert refused.returncode == 2
    assert f"{name} must be a file. Got a folder instead." in refused.stderr


def test_a_link_in_the_place_of_the_figures_is_refused_before_sampling(run, file, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "figures").symlink_to(tmp_path)
    with no_sampling():
        refused = run("select", file, *SHORT, "--overwrite")
    assert refused.returncode == 2
    assert "figures must be a folder, and not a link" in refused.stderr


@pytest.mark.parametrize(
    "command",
    [("select",), ("select", "--method", "bart-vip-local"), ("compare", "--methods", "dart-vc")],
)
def test_every_file_that_is_written_is_known_as_a_result(run, file, tmp_path, command):
    options = [option for option in SHORT if option not in ("--replicates", "2")]
    assert run(*command, file, *options, "--quiet").returncode == 0
    assert len(results(tmp_path / "out")) > 3
    assert set(results(tmp_path / "out")) <= set(result_files._RESULTS)


def test_a_full_disk_leaves_no_half_of_the_predictions(run, file, disk, table):
    path, resize = disk
    new = file.with_name("new.csv")
    pl.concat([table] * 200).write_csv(new)
    assert resize("64k").returncode == 0
    args = ("predict", file, new, "-y", "y", "--exclude", "who", "--trees", 2, "--jobs", 1)
    failed = run(*args, "--out", path / "p.csv")
    assert failed.returncode == 2
    assert f"{path / 'p.csv'}: No space left on device" in failed.stderr
    assert list(path.iterdir()) == []
