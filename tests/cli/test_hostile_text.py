"""Names and paths from files reach the terminal as visible text, and programs as they are."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import polars as pl
import pytest

from tests.helpers.hostile import HOSTILE_NAMES, hostile_characters
from tests.helpers.paths import ROOT
from tests.helpers.settings import SHORT_OPTIONS
from tests.helpers.terminal import Terminal

QUICK = (*SHORT_OPTIONS, "--replicates", "2")
TARGET = "\x1b[2Jy\u202e"


@pytest.fixture
def hostile_file(tmp_path):
    """All columns have hostile names, and so has the file; the target depends on two of them."""
    X = np.random.default_rng(0).uniform(size=(60, len(HOSTILE_NAMES)))
    path = tmp_path / "\x1b[5mtable\n.csv"
    frame = pl.DataFrame(X, schema=list(HOSTILE_NAMES))
    frame.with_columns(pl.Series(TARGET, 9 * X[:, 0] + 9 * X[:, 5])).write_csv(path)
    return path


def printed(done):
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_select_prints_names_and_paths_visibly(hostile_file, run, tmp_path):
    out = tmp_path / "\x1b[1mout\nside"
    text = printed(run("select", hostile_file, "-y", TARGET, *QUICK, "--out", out))
    assert not hostile_characters(text, allowed="\t")
    assert r"\x1b[31mred" in text
    assert r"three\nlines\r\nmore" in text
    assert r"\x1b[2Jy\u202e" in text
    assert rf"Results: {tmp_path}/\x1b[1mout\nside" in text
    told = json.loads((out / "selection.json").read_text())
    assert sorted(row["variable"] for row in told["variables"]) == sorted(HOSTILE_NAMES)
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    assert {len(row) for row in rows} == {6}


@pytest.mark.usefixtures("placeholder_figures")
def test_names_alone_are_one_to_a_line(hostile_file, run, tmp_path):
    text = printed(run("select", hostile_file, "-y", TARGET, *QUICK, "--quiet", "--out", "out"))
    told = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert len(text.splitlines()) == len(told["selected"])
    assert not hostile_characters(text)


@pytest.mark.usefixtures("placeholder_figures")
def test_json_holds_the_names_as_they_are(hostile_file, run):
    done = run("select", hostile_file, "-y", TARGET, *QUICK, "--json", "--out", "out")
    assert not hostile_characters(printed(done))
    assert set(json.loads(done.stdout)["selected"]) <= set(HOSTILE_NAMES)


def test_compare_and_predict_print_visibly(hostile_file, run, tmp_path):
    how = ("--methods", "dart-vc,dart-mpm", *SHORT_OPTIONS)
    text = printed(run("compare", hostile_file, "-y", TARGET, *how, "--out", "a\x1bb"))
    assert not hostile_characters(text, allowed="\t")
    text = printed(run("compare", hostile_file, "-y", TARGET, *how, "--quiet"))
    assert not hostile_characters(text)
    out = tmp_path / "predicted\x1b[0m.csv"
    text = printed(run("predict", hostile_file, hostile_file, "-y", TARGET, "--out", out))
    assert not hostile_characters(text)
    assert r"predicted\x1b[0m.csv" in text


@pytest.mark.parametrize(
    "args",
    [
        ("select", "none\x1b]0;x\x07\nError: fine.csv", "-y", "y"),
        ("select", "{file}", "-y", "\x1b[31m"),
        ("select", "{file}", "-y", "{target}", "--features", "\u202e"),
        ("select", "{file}", "-y", "{target}", "--method", "\x9b2J"),
        ("select", "{file}", "-y", "{target}", "--exclude", "a", "--out", "{file}"),
        ("select", "{file}", "extra\x1b[2J", "-y", "y"),
        ("select", "{file}", "--\x1b[2J"),
        ("\x1b[2J",),
        ("bench", "status", "no\x1b[2Jwhere"),
    ],
)
def test_errors_are_visible(args, hostile_file, run):
    given = [str(arg).format(file=hostile_file, target=TARGET) for arg in args]
    done = run(*given)
    assert done.returncode == 2
    assert not hostile_characters(done.stdout + done.stderr, allowed="\t")
    assert "\nError: fine" not in done.stderr


def test_a_terminal_is_sent_no_sequence_of_a_name(hostile_file, tmp_path):
    command = ["select", str(hostile_file), "-y", TARGET, *QUICK, "--out", "o"]
    terminal = Terminal([sys.executable, "-m", "bayesvc", *command], tmp_path)
    code, _ = terminal.finish()
    assert code == 0, terminal.text
    assert "\x1b]0;" not in terminal.text
    assert "\x1b[31mred" not in terminal.text
    assert not hostile_characters(terminal.text, allowed="\x1b\r\t")
    assert r"\x1b[31mred" in terminal.text


def test_one_function_prints():
    """What is not printed by `output.py` would not be made visible."""
    folder = ROOT / "src" / "bayesvc" / "cli"
    prints = re.compile(r"click\.(echo|secho)|\bprint\(|std(out|err)\.write")
    others = {path.name for path in folder.glob("*.py") if prints.search(path.read_text())}
    assert others == {"output.py", "info_commands.py"}
    assert len(prints.findall((folder / "info_commands.py").read_text())) == 1
