from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


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
def run(tmp_path: Path) -> Run:
    """Run the real command in the folder of the test."""

    def bayesvc(*args: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bayesvc", *map(str, args)], cwd=tmp_path, text=True,
            capture_output=True, timeout=120,
        )  # fmt: skip

    return bayesvc
