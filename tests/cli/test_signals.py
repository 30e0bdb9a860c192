"""Commands that are interrupted, asked to end, or killed, in real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bayesvc.cli.errors import report_errors
from tests.helpers.held import held_command
from tests.helpers.paths import ROOT
from tests.helpers.processes import running, session_of, wait_for
from tests.helpers.settings import SHORT_OPTIONS

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")

PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@pytest.fixture
def held_run(tmp_path, monkeypatch):
    """The command of a benchmark whose second task never ends, and its folder."""
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("SMALL_GRID_MARKS", str(marks))
    monkeypatch.setenv("SMALL_GRID_HOLD", "1")
    options = {
        "--grid": "smoke", "--methods": "tests.helpers.small_grid:slow",
        "--out": str(tmp_path / "s"), "--jobs": "1",
    }  # fmt: skip
    return [sys.executable, "-m", "bayesvc", "bench", "run", *chain(*options.items())]


def wait_until_held(tmp_path, process):
    """Wait for the first result, and until the main thread waits for the second."""
    rows = tmp_path / "s" / "rows"
    wait_for(lambda: rows.exists() and list(rows.glob("*.parquet")))
    wait_for(lambda: len(list((tmp_path / "marks").iterdir())) == 2)
    # where the kernel does not tell, the signal may come a little before the wait
    wait_for(lambda: "futex" in (where := waits_in(process.pid)) or where in ("", "0"))
    return rows


def waits_in(pid):
    """Return the function of the kernel in which a process waits."""
    return Path(f"/proc/{pid}/wchan").read_text()


def test_ctrl_c_before_there_is_anything_to_keep():
    @click.command()
    @report_errors
    def command():
        raise KeyboardInterrupt

    found = CliRunner().invoke(command)
    assert (found.exit_code, found.output) == (130, "Error: Stopped.\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
def test_a_stopped_benchmark_says_how_to_go_on(held_run, tmp_path, number, code, to_group):
    """A terminal sends Ctrl-C to the whole group, and so do schedulers with SIGTERM."""
    with running(held_run, cwd=ROOT, **PIPES) as process:
        rows = wait_until_held(tmp_path, process)
        (os.killpg if to_group else os.kill)(process.pid, number)
        _, err = process.communicate(timeout=200)  # ends with the last process that holds the pipe
        assert process.returncode == code, err
        assert "Run the same command to continue" in err
        assert "Traceback" not in err
        assert list(rows.glob("*.parquet"))
        assert not list((tmp_path / "s" / "claims").iterdir())
        wait_for(lambda: not session_of(process.pid))


def test_no_process_outlives_a_killed_benchmark(held_run, tmp_path):
    with running(held_run, cwd=ROOT, **PIPES) as process:
        wait_until_held(tmp_path, process)
        assert len(session_of(process.pid)) > 1
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=200)
        wait_for(lambda: not session_of(process.pid))


@pytest.mark.usefixtures("placeholder_figures")
def test_sigterm_leaves_a_result_and_resume_ends_where_it_would_have(file, tmp_path, run):
    command = ("select", file, "-y", "y", "--exclude", "who", *SHORT_OPTIONS, "--replicates", "6")
    unfinished, release = tmp_path / "out" / "unfinished", tmp_path / "release"
    held = held_command(2, release, *command, "--out", "out")
    with running(held, cwd=tmp_path, **PIPES) as process:
        wait_for(lambda: len(list(unfinished.glob("fit-*.npz"))) >= 2)
        os.kill(process.pid, signal.SIGTERM)
        release.touch()
        _, err = process.communicate(timeout=200)
    assert process.returncode == 143, err
    assert "with --resume to continue" in err
    assert "Traceback" not in err
    resumed = run(*command, "--out", "out", "--resume", "--json")
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["n_replicates"] == 6
    assert resumed.stdout == run(*command, "--out", "whole", "--json").stdout


def test_sigterm_before_the_first_replicate_is_finished(file, tmp_path):
    options = ("--burn-in", "2000000", "--draws", "10", "--jobs", "1", "--out", "out")
    command = ("select", file, "-y", "y", "--exclude", "who", *options)
    with running(
        [sys.executable, "-m", "bayesvc", *map(str, command)], cwd=tmp_path, **PIPES
    ) as process:
        wait_for(lambda: (tmp_path / "out" / "unfinished").exists())
        os.kill(process.pid, signal.SIGTERM)
        _, err = process.communicate(timeout=200)
    assert process.returncode == 143, err
    assert "Traceback" not in err


def test_a_command_that_ignores_sigterm_goes_on(tmp_path):
    """As under `trap '' TERM`: whoever starts it so does not want it to end."""
    program = (
        "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "from bayesvc.cli.signals import sigterm_as_interrupt\n"
        "with sigterm_as_interrupt():\n    signal.raise_signal(signal.SIGTERM)\n"
        "print('done')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
