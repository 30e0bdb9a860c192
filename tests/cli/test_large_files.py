"""A Parquet file is read in parts, and what they tell is put together."""

from __future__ import annotations

import polars as pl
import pytest

from bayesvc.cli.chosen_columns import check_predictors
from bayesvc.data import column_source
from tests.helpers.settings import SHORT_OPTIONS


@pytest.fixture
def one_column_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_source, "_BLOCK_BYTES", 1)


@pytest.mark.usefixtures("one_column_at_a_time", "placeholder_figures")
@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_no_more_than_a_block_is_asked_of_the_file(run, table, tmp_path, collected_widths):
    table.write_parquet(tmp_path / "t.parquet", row_group_size=20)
    options = ("-y", "y", "--id-column", "who", *SHORT_OPTIONS, "--replicates", "3")
    done = run("select", "t.parquet", *options, "--out", "out")
    assert "2 of 5 columns were selected as predictive of y: d, b." in done.stdout
    assert max(collected_widths) == 1


@pytest.mark.usefixtures("one_column_at_a_time")
def test_facts_about_the_columns():
    frame = pl.DataFrame(
        {
            "gaps": [1.0, None, float("nan")],
            "same": [2, 2, None],
            "flag": [True, None, True],
            "site": ["a", "a", None],
            "rest": [1, 2, 3],
        }
    )
    facts = check_predictors(frame.lazy())
    assert facts.missing == {"gaps": 2, "same": 1, "flag": 1, "site": 1}
    assert facts.constant == ["gaps", "same", "flag", "site"]
    assert facts.texts == ["site"]
