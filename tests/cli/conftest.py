"""A small table, and commands on it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from tests.helpers.figures import draw_placeholders


@pytest.fixture
def table() -> pl.DataFrame:
    """60 rows: y depends on b and d; a name that is markup, and an id."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(60, 5))
    frame = pl.DataFrame(X, schema=["a", "b", "[red]c[/]", "d", "e"])
    y = 10 * X[:, 1] + 8 * X[:, 3]
    who = [f"patient {i}" for i in range(60)]
    return frame.with_columns(y=pl.Series(y), who=pl.Series(who))


@pytest.fixture
def file(table: pl.DataFrame, tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    table.write_csv(path)
    return path


@pytest.fixture
def placeholder_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands of this process write empty figures."""
    draw_placeholders(monkeypatch.setattr)


class Done(NamedTuple):
    """What a command printed, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Done]:
    """Run a command in this process, in the folder of the test."""
    from bayesvc.cli.app import app

    def bayesvc(*args: object) -> Done:
        with chdir(tmp_path):
            done = CliRunner().invoke(app, [str(arg) for arg in args], prog_name="bayesvc")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Done(done.exit_code, done.stdout, done.stderr)

    return bayesvc


@pytest.fixture
def run_process(tmp_path: Path) -> Callable[..., Done]:
    """Run the real command in a process of its own, in the folder of the test."""

    def bayesvc(*args: object) -> Done:
        command = [sys.executable, "-m", "bayesvc", *map(str, args)]
        done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, timeout=200)
        return Done(done.returncode, done.stdout, done.stderr)

    return bayesvc
