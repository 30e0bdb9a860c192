"""Names and texts that a spreadsheet would take for formulas, in every CSV file written."""

from __future__ import annotations

import csv
import json

import numpy as np
import polars as pl
import pytest

from bayesvc.bench.row_files import read_rows, write_rows
from bayesvc.bench.store import SCHEMA
from tests.helpers import bench_rows
from tests.helpers.settings import SHORT_OPTIONS

FORMULAS = (
    '=HYPERLINK("http://x")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "\u00a0\ufeff@a",
    "\uff1d1+1",
)
QUOTED = ("'=already", "'", "''two")
PLAIN = ("two\u2028lines", "a=b", "-5", "+1.5e3", "x'y", "größe")
NAMES = FORMULAS + QUOTED + PLAIN
SIGNS = ("=", "+", "-", "@", "\t", "\r", "\uff1d")


@pytest.fixture
def parquet(tmp_path):
    """A file that keeps its names exactly as they are."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(60, len(NAMES)))
    frame = pl.DataFrame(X, schema=list(NAMES))
    y = pl.Series("=y", 9 * X[:, 0] - 9 * X[:, 5])
    label = pl.Series("label", ["=1+1", "'b", "c", "-1"] * 15)
    frame.with_columns(y, label).write_parquet(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def assert_no_formula(rows):
    for cell in (cell for row in rows for cell in row):
        shown = cell.lstrip(" \t\r\n\u00a0\ufeff")
        assert is_number(cell) or not shown.startswith(SIGNS), repr(cell)


def restored(texts):
    """Drop one leading apostrophe, as docs/commands.md says."""
    return [text.removeprefix("'") for text in texts]


@pytest.mark.usefixtures("placeholder_figures")
def test_selection_csv_holds_no_formula_and_all_names(parquet, run, tmp_path):
    done = run("select", parquet, "-y", "=y", *SHORT_OPTIONS, "--replicates", "2", "--out", "out")
    assert done.returncode == 0, done.stderr
    header, *rows = cells(tmp_path / "out" / "selection.csv")
    assert_no_formula([header, *rows])
    names = [row[header.index("variable")] for row in rows]
    assert sorted(restored(names)) == sorted((*NAMES, "label"))
    assert set(PLAIN) <= set(names)
    told = json.loads((tmp_path / "out" / "selection.json").read_text(encoding="utf-8"))
    assert sorted(row["variable"] for row in told["variables"]) == sorted((*NAMES, "label"))
    margins = [row[header.index("margin")] for row in rows]
    assert any(margin.startswith("-") for margin in margins), "negative numbers stay numbers"


@pytest.mark.usefixtures("placeholder_figures")
def test_comparison_csv_holds_no_formula_and_all_names(parquet, run, tmp_path):
    methods = ("--methods", "dart-vc,dart-mpm")
    done = run("compare", parquet, "-y", "=y", *methods, *SHORT_OPTIONS, "--out", "out")
    assert done.returncode == 0, done.stderr
    header, *rows = cells(tmp_path / "out" / "comparison.csv")
    assert_no_formula([header, *rows])
    names = [row[header.index("variable")] for row in rows]
    assert sorted(restored(names)) == sorted((*NAMES, "label"))


def test_predictions_hold_no_formula_and_all_names_and_texts(parquet, run, tmp_path):
    done = run("predict", parquet, parquet, "-y", "=y", "--trees", "5", "--out", "new.csv")
    assert done.returncode == 0, done.stderr
    header, *rows = cells(tmp_path / "new.csv")
    assert_no_formula([header, *rows])
    given = pl.read_parquet(parquet)
    assert restored(header) == [*given.columns, "predicted", "low", "high"]
    labels = [row[header.index("label")] for row in rows]
    assert labels[:4] == ["'=1+1", "''b", "c", "-1"]
    assert restored(labels) == given["label"].to_list()
    numbers = [float(row[0]) for row in rows]
    assert numbers == given[NAMES[0]].to_list()
    assert min(numbers) < 0


def test_exported_results_survive_the_round_trip(tmp_path):
    rows = bench_rows.frame(*(bench_rows.row(name, error=name) for name in NAMES)).select(
        pl.col(name).cast(kind) for name, kind in SCHEMA.items()
    )
    write_rows(rows, tmp_path / "rows.csv")
    assert_no_formula(cells(tmp_path / "rows.csv"))
    assert read_rows(tmp_path / "rows.csv").equals(rows)
