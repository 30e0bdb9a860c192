"""Tables of hand-made rows, worked out by hand."""

from __future__ import annotations

import math

import polars as pl
import pytest

from bayesvc.bench import result_rows, score_tables
from tests.helpers.bench_rows import frame, row


def test_means_are_over_seeds_first_then_over_equations() -> None:
    rows = frame(
        row(problem="feynman_a", seed=1, f1=0.2),
        row(problem="feynman_a", seed=2, f1=0.4),
        row(problem="feynman_a", seed=3, f1=0.6),
        row(problem="feynman_b", seed=1, f1=1.0, error="MemoryError"),
    )
    cell = score_tables.cell_means(rows).row(0, named=True)
    assert cell["f1"] == pytest.approx(0.7)  # (0.4 + 1) / 2; over rows it would be 0.55
    assert (cell["n_problems"], cell["n_seeds"], cell["n_runs"], cell["n_failed"]) == (2, 3, 4, 1)
    assert cell["runs_per_problem"] == pytest.approx(1.5)  # 1 / mean(1/3, 1)
    assert cell["se"] == pytest.approx(0.3)  # sd of 0.4 and 1 is 0.3 sqrt(2)


def test_cells_are_kept_apart() -> None:
    rows = frame(
        row(), row(snr=math.inf), row(n=1000), row(data="fresh"), row("bart-vc"),
        row(n_replicates=2),
    )  # fmt: skip
    assert score_tables.cell_means(rows).height == 6


def test_other_problems_are_left_out() -> None:
    assert score_tables.cell_means(frame(row(), row(problem="friedman"))).height == 1


def test_missing_columns_are_named() -> None:
    with pytest.raises(ValueError, match="Missing: n_selected, f1"):
        score_tables.cell_means(frame(row()).drop("f1", "n_selected"))


def test_default_replicates() -> None:
    rows = frame(
        row(n_replicates=10),
        row(n_replicates=20),
        row("bart-vip-rank", n_replicates=10),
        row("bart-vip-rank", n_replicates=20),
        row("bart-vip-gse", n_permutations=20),
        row("mine:lasso", n_replicates=0),
    )
    kept = result_rows.default_replicates(rows).select("method", "n_replicates").rows()
    assert kept == [("dart-vc", 10), ("bart-vip-rank", 20), ("mine:lasso", 0)]


def test_common_tasks_are_cell_by_cell() -> None:
    rows = frame(
        row(seed=1), row(seed=2), row("bart-vc", seed=1),
        row(n=1000, seed=2), row("dart-mpm", seed=1, n=2000),
    )  # fmt: skip
    kept = result_rows.common_tasks(rows, ["dart-vc", "bart-vc"])
    assert kept.select("method", "n", "seed").rows() == [
        ("dart-vc", 500, 1), ("bart-vc", 500, 1), ("dart-vc", 1000, 2),
    ]  # fmt: skip


def test_one_kind_prefers_the_authors_data() -> None:
    both = frame(row(data="fresh"), row())
    assert result_rows.one_kind(both)["data"].to_list() == ["authors"]
    assert result_rows.one_kind(both.filter(data="fresh")).height == 1


def test_first_places() -> None:
    rows = frame(
        row(f1=0.9), row("bart-vc", f1=0.8), row("abc-mpm", f1=0.85), row("bart-mpm", f1=1.0),
        row(n=1000, f1=0.5), row("bart-vc", n=1000, f1=0.6), row("abc-mpm", n=1000, f1=0.7),
        row(n=1500, f1=0.5), row("bart-vc", n=2000, f1=0.5),
    )  # fmt: skip
    places = score_tables.first_places(rows).select(
        "n", "rank", "best_other", "n_methods", "margin"
    )
    assert places.drop("margin").rows() == [(500, 1, "abc-mpm", 3), (1000, 3, "abc-mpm", 3)]
    assert places["margin"].to_list() == pytest.approx([0.05, -0.2])


def test_first_places_compare_the_same_data() -> None:
    rows = frame(row(seed=1, f1=0.2), row(seed=2, f1=1.0), row("bart-vc", seed=1, f1=0.4))
    assert score_tables.first_places(rows)["margin"].to_list() == pytest.approx([-0.2])


def test_sensitivity_mean_and_median() -> None:
    changes = {1: -0.3, 2: 0.0, 3: 0.0}
    rows = [row(problem="feynman_a", seed=s, n_replicates=20, f1=0.9) for s in changes]
    rows += [
        row(problem="feynman_a", seed=s, n_replicates=2, f1=0.9 + c) for s, c in changes.items()
    ]
    rows += [row(problem="feynman_b", seed=1, n_replicates=count, f1=0.5) for count in (2, 20)]
    rows += [row(problem="feynman_b", seed=2, n_replicates=2, f1=0.0)]  # nothing to compare with
    table = score_tables.sensitivity(frame(*rows))
    assert table.select("n_replicates", "reference", "n_problems", "n_seeds").rows() == [
        (2, 20, 2, 3)
    ]
    assert table["change"].item() == pytest.approx(-0.05)
    assert table["change_median"].item() == pytest.approx(0.0)
    assert table["paper"].item() == pytest.approx(-0.00115)


def test_sensitivity_to_a_smaller_reference() -> None:
    rows = frame(*(row(snr=0.25, n_replicates=count, f1=0.5) for count in (1, 10)))
    table = score_tables.sensitivity(rows)
    assert table["reference"].to_list() == [10]
    assert table["paper"].item() == pytest.approx(-0.030738 + 0.000207)


def test_next_best_is_against_the_most_replicates() -> None:
    rows = frame(
        row(f1=0.9), row(n_replicates=20, f1=1.0), row(n_replicates=2, f1=0.1),
        row("dart-mpm", f1=0.7), row("abc-mpm", f1=0.8), row("bart-vc", f1=0.95),
    )  # fmt: skip
    best = score_tables.next_best(rows).row(0, named=True)
    assert (best["method"], best["n_methods"]) == ("abc-mpm", 2)
    assert best["change"] == pytest.approx(-0.2)


def test_runtimes() -> None:
    rows = frame(
        row(problem="feynman_a", p=51, seconds=2.0),
        row(problem="feynman_b", p=102, seconds=3.0),
        row(problem="feynman_b", p=102, seed=1, seconds=4.0),
        row(problem="feynman_b", p=102, seed=2, seconds=9000.0),  # the machine slept
        row(problem="feynman_c", p=102, seconds=6.0),
        row(problem="feynman_d", p=102, seconds=100.0, error="killed"),
    )
    table = score_tables.runtimes(rows)
    assert table["seconds"].to_list() == pytest.approx([2.0, 5.0])
    assert table["paper"].to_list() == pytest.approx([82.3, 88.0], abs=0.05)
    by_n = score_tables.runtimes(rows, by_n=True).row(0, named=True)
    assert by_n["seconds"] == pytest.approx(3.5)  # each p counts once
    assert by_n["ratio"] == pytest.approx((82.3 + 88.0) / 7, rel=1e-3)
    assert by_n["n_problems"] == 3


def test_smaller_integer_types_do() -> None:
    rows = frame(row(), row("bart-vc", f1=0.5)).cast({"n": pl.Int32, "n_replicates": pl.Int16})
    assert score_tables.first_places(rows)["rank"].to_list() == [1]
    assert score_tables.runtimes(rows)["paper"].null_count() == 0
