"""The published numbers are complete, consistent with each other and under our names."""

from __future__ import annotations

import math

import polars as pl
import pytest

from bayesvc.bench import paper
from bayesvc.bench.result_rows import default_replicates
from bayesvc.bench.score_tables import cell_means, runtimes
from bayesvc.selection.methods import RECIPES


def cells_of(frame: pl.DataFrame) -> set[tuple[int, float]]:
    return set(frame.select("n", "snr").unique().rows())


ALL_CELLS = {(n, snr) for n in paper.SIZES for snr in paper.SNRS}


def test_names_are_recipes() -> None:
    assert set(paper.PAPER_NAMES) == set(RECIPES) - {
        "bart-mpm",
        "bart-vip-measure",
        "dart-vip-rank",
        "abc-vc",
        "dart-relevance",
        "bart-relevance",
    }
    assert len(set(paper.PAPER_NAMES.values())) == 10
    assert set(paper.EXISTING) < set(paper.PAPER_NAMES)


def test_all_cells_are_there() -> None:
    for method in paper.PAPER_NAMES:
        assert cells_of(paper.results().filter(method=method)) == ALL_CELLS
    assert paper.results().height == 360
    assert paper.results().null_count().sum_horizontal().item() == 0
    assert set(paper.spread()["method"]) == set(paper.PAPER_NAMES) - {"dart-vc"}
    assert paper.spread().height == 324
    assert cells_of(paper.recording_bounds()) == ALL_CELLS
    assert paper.runtimes().height == 10 * 4 * len(paper.EQUATIONS_PER_P)
    assert paper.sensitivity().filter(n_replicates=1).height == 36
    assert math.isinf(paper.results()["snr"].max())  # type: ignore[arg-type]


def test_equations_per_p() -> None:
    assert sum(paper.EQUATIONS_PER_P.values()) == paper.N_EQUATIONS
    assert set(paper.runtimes()["p"]) == set(paper.EQUATIONS_PER_P)


def test_next_best_is_the_best_existing_method() -> None:
    rows = paper.sensitivity().filter(pl.col("n_replicates").is_null())
    assert rows.height == 36
    for _, n, snr, delta, method in rows.iter_rows():
        cell = dict(paper.results().filter(n=n, snr=snr).select("method", "f1").rows())
        assert max(paper.EXISTING, key=cell.__getitem__) == method
        assert delta == pytest.approx(cell[method] - cell["dart-vc"], abs=2e-6)


@pytest.mark.parametrize(
    ("method", "printed"),
    [("bart-vc", [55.59, 93.19, 136.73, 183.35]), ("dart-vc", [105.76, 155.59, 202.08, 247.75])],
)
def test_runtime_table_of_the_text(method: str, printed: list[float]) -> None:
    table = runtimes(paper.as_rows(), by_n=True).filter(method=method)
    assert table["paper"].to_list() == pytest.approx(printed, abs=0.006)


def test_tables_as_rows_give_the_tables_back() -> None:
    cells = cell_means(default_replicates(paper.as_rows()))
    both = cells.join(paper.results(), on=["method", "n", "snr"], suffix="_paper")
    assert both.height == 360
    for score in ("f1", "tpr", "fpr"):
        assert (both[score] - both[f"{score}_paper"]).abs().max() < 1e-12  # type: ignore[operator]
