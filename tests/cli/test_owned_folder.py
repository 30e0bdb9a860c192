"""A folder of results belongs to one run at a time."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap

import pytest

from bayesvc import _lock
from bayesvc.cli.errors import BadInput, Stopped
from bayesvc.cli.results_folder import open_folder
from tests.helpers.held import held_command
from tests.helpers.processes import wait_for
from tests.helpers.settings import SHORT_OPTIONS

pytestmark = pytest.mark.usefixtures("placeholder_figures")

MANY = ("--burn-in", "300", "--draws", "300", "--jobs", "1")
COMMANDS = {
    "select": ("select", "--replicates", "60", *MANY),
    "compare": ("compare", "--methods", "bart-vip-local", *MANY),
}
NEW = {"resume": False, "overwrite": False}


@pytest.fixture
def start(file, tmp_path):
    """Start a command on the folder `out`, and return it once a replicate is finished.

    It waits there until the file `release` exists.
    """
    started = []

    def bayesvc(name):
        command, *options = COMMANDS[name]
        args = [command, str(file), "-y", "y", "--exclude", "who", "--out", "out", *options]
        process = subprocess.Popen(
            held_command(1, tmp_path / "release", *args),
            cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        wait_for(lambda: any((tmp_path / "out" / "unfinished").glob("fit-*.npz")))
        return process, args

    yield bayesvc
    for process in started:
        process.kill()
        process.communicate()


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_second_run_is_refused_and_the_first_one_finishes(start, run, tmp_path, name):
    process, args = start(name)
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    before = contents(tmp_path / "out")
    for how in ((), ("--resume",), ("--overwrite",)):
        refused = run(*args, *how)
        assert refused.returncode == 2
        owner = f"process {process.pid} on {_lock.host_name()}, since 20"
        assert f"out is in use by another run: {owner}" in refused.stderr
    assert contents(tmp_path / "out") == before
    (tmp_path / "release").touch()
    os.kill(process.pid, signal.SIGCONT)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    assert not [path.name for path in (tmp_path / "out").iterdir() if path.name[0] == "."]


def test_the_folder_of_a_killed_run_is_taken_over(start, run, tmp_path):
    process, args = start("select")
    process.kill()
    process.communicate()
    assert "Continue it with --resume" in run(*args).stderr
    done = run(*args, "--resume", "--replicates", 2)
    assert done.returncode == 0, done.stderr
    assert not [path.name for path in (tmp_path / "out").iterdir() if path.name[0] == "."]


def test_ctrl_c_gives_the_folder_back(start, tmp_path):
    process, _ = start("compare")
    process.send_signal(signal.SIGINT)
    (tmp_path / "release").touch()
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 130, errors
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["unfinished"]


@pytest.mark.parametrize("error", [ValueError, BadInput, Stopped, SystemExit])
def test_an_error_gives_the_folder_back(tmp_path, error):
    def fail():
        with open_folder(tmp_path / "out", {}, **NEW):
            with pytest.raises(BadInput, match=f"process {os.getpid()} on "):
                open_folder(tmp_path / "out", {}, **NEW).__enter__()
            raise error("why")

    with pytest.raises(error):
        fail()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["unfinished"]


def test_a_refused_run_gives_the_folder_back(run, file, tmp_path):
    command = ("select", file, "-y", "y", "--exclude", "who", "--out", "out")
    short = (*SHORT_OPTIONS, "--replicates", "2")
    assert run(*command, *short).returncode == 0
    before = contents(tmp_path / "out")
    for how in ((), ("--resume",)):
        assert run(*command, *how).returncode == 2
    assert contents(tmp_path / "out") == before


def test_what_a_kill_leaves_of_a_lock_is_not_in_the_way(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    leftovers = [".running.0123456789ab", "..running.0123456789ab", ".clock-0123456789abcdef"]
    for name in leftovers:
        (out / name).touch()
        os.utime(out / name, (0, 0))
    with open_folder(out, {}, **NEW):
        pass
    assert [path.name for path in out.iterdir()] == ["unfinished"]


REPLACE = """
    import sys, pathlib
    from bayesvc.cli.results_folder import open_folder

    out = pathlib.Path(sys.argv[1])
    with open_folder(out, {}, resume=False, overwrite=True) as folder:
        print("owned", flush=True)
        sys.stdin.readline()
        for number in range(int(sys.argv[2])):
            with folder.replaced() as new:
                (new / "selection.csv").write_text(str(number))
        print("done", flush=True)
        sys.stdin.readline()
"""


def test_runs_that_start_while_results_are_replaced_are_refused_and_disturb_nothing(tmp_path):
    out, n_rounds = tmp_path / "out", 100
    owner = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(REPLACE), str(out), str(n_rounds)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert owner.stdout.readline() == "owned\n"
    owner.stdin.write("go\n")
    owner.stdin.flush()
    while not select.select([owner.stdout], [], [], 0)[0]:
        with pytest.raises(BadInput, match=f"in use by another run: process {owner.pid} on "):
            open_folder(out, {}, resume=False, overwrite=True).__enter__()
    assert owner.stdout.readline() == "done\n"
    owner.communicate("go\n")
    assert owner.returncode == 0
    assert {path.name for path in out.iterdir()} == {"selection.csv", "unfinished"}
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    assert (out / "selection.csv").read_text() == str(n_rounds - 1)
