"""The command on a pseudo-terminal: bars, colours, Ctrl-C and going on."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time

import pytest

from tests.helpers.held import held_command
from tests.helpers.settings import LONG_OPTIONS, SHORT_OPTIONS
from tests.helpers.terminal import Terminal

BAYESVC = (sys.executable, "-m", "bayesvc")


def test_a_table_and_a_bar_with_the_time_left(file, tmp_path):
    command = [*BAYESVC, "select", str(file), "-y", "y", "--exclude", "who", *LONG_OPTIONS]
    terminal = Terminal(command, tmp_path)
    code, text = terminal.finish()
    assert code == 0, text
    assert re.search(r"sampling.*%.*\d:\d\d:\d\d", text)
    assert "│" in text
    assert "2 of 5 columns were selected as predictive of y" in text


@pytest.mark.usefixtures("placeholder_figures")
def test_ctrl_c_leaves_a_result_and_resume_ends_where_it_would_have(run, file, tmp_path):
    command = ("select", file, "-y", "y", "--exclude", "who", *SHORT_OPTIONS, "--replicates", "6")
    release = tmp_path / "release"
    terminal = Terminal(held_command(2, release, *command, "--out", "out"), tmp_path)
    unfinished = tmp_path / "out" / "unfinished"
    terminal.read_until(lambda _: len(list(unfinished.glob("fit-*"))) >= 2)
    os.kill(terminal.process.pid, signal.SIGINT)
    release.touch()
    code, text = terminal.finish()
    assert code == 130, text
    partial = re.search(r"result of [23] of 6\s+replicates", text)
    assert partial, text
    assert "--resume" in text
    assert "Traceback" not in text
    told = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert sorted(told["selected"]) == ["b", "d"]
    refused = run(*command, "--out", "out")
    assert refused.returncode == 2
    assert "Continue it with --resume" in refused.stderr
    resumed = run(*command, "--out", "out", "--resume", "--json")
    assert resumed.returncode == 0, resumed.stderr
    assert not unfinished.exists()
    whole = run(*command, "--out", "whole", "--json")
    assert resumed.stdout == whole.stdout


def test_ctrl_c_before_the_first_fit_is_finished(file, tmp_path):
    options = ("--burn-in", "2000000", "--draws", "10", "--jobs", "1")
    command = ("select", str(file), "-y", "y", "--exclude", "who", "--out", "out", *options)
    terminal = Terminal([*BAYESVC, *command], tmp_path)
    terminal.read_until(lambda text: "sampling" in text)
    assert "This will take about" in terminal.text
    time.sleep(0.3)
    os.kill(terminal.process.pid, signal.SIGINT)
    code, text = terminal.finish()
    assert code == 130
    assert "Stopped before there was a result" in text
    assert "Traceback" not in text


def test_sigterm_gives_the_cursor_back(file, tmp_path):
    command = ("select", file, "-y", "y", "--exclude", "who", "--out", "out", *LONG_OPTIONS)
    release = tmp_path / "release"
    terminal = Terminal(held_command(1, release, *command), tmp_path)
    hide, show = "\x1b[?25l", "\x1b[?25h"
    terminal.read_until(lambda text: hide in text and "sampling" in text)
    os.kill(terminal.process.pid, signal.SIGTERM)
    release.touch()
    code, text = terminal.finish()
    assert code == 143, text
    assert "--resume" in text
    assert terminal.text.rindex(show) > terminal.text.rindex(hide)
