"""Commands that are interrupted, asked to end, or killed, in real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT
from tests.helpers.processes import running, session_of, wait_for

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
    wait_for(lambda: "futex" in Path(f"/proc/{process.pid}/wchan").read_text())
    return rows


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130)])
@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
def test_a_stopped_benchmark_says_how_to_go_on(held_run, tmp_path, number, code, to_group):
    """A terminal sends Ctrl-C to the whole group."""
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
