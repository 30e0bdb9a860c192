"""What the plots show: the numbers and names in the axes, not the pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

pytest.importorskip("matplotlib")

import bayesvc as bv
from bayesvc import plots, thresholds
from bayesvc.plots import _scatter
from bayesvc.plots.style import LEFT_OUT, SELECTED
from tests.helpers.drawn import HOSTILE, offsets, overlaps, tick_names
from tests.helpers.settings import SEEDED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

Dataset = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_scatter_of_a_vc_measure(clustered: bv.Selection) -> None:
    plot = clustered.plot("scatter")
    mask = clustered.mask
    expected = np.column_stack([clustered.values[:, 2], clustered.values[:, 0]])
    np.testing.assert_allclose(offsets(plot.ax, 0), expected[~mask])
    np.testing.assert_allclose(offsets(plot.ax, 1), expected[mask])
    np.testing.assert_array_equal(plot.data["rank"], expected[:, 0])
    assert plot.data["variable"].tolist() == HOSTILE
    assert plot.ax.get_xlabel().startswith("VC Rank (mean over 4 replicates")
    gap = plot.ax.patches[0].get_bbox()
    assert (gap.y0, gap.y1) == (expected[~mask, 1].max(), expected[mask, 1].min())


def test_points_of_very_many_variables_are_one_picture(
    clustered: bv.Selection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for most, has_picture in ((6, False), (5, True)):
        monkeypatch.setattr(_scatter, "_MOST_VECTORS", most)
        path = clustered.plot("scatter").save(tmp_path / f"{most}.svg")
        assert ("<image" in path.read_text()) == has_picture


def test_scatter_of_a_rank_has_a_vertical_cut(clustered: bv.Selection) -> None:
    found = bv.select_from(clustered.draws, measure="vip-rank")
    plot = found.plot("scatter")
    np.testing.assert_array_equal(plot.data["rank"], found.values)
    np.testing.assert_array_equal(plot.data["value"], found.draws.vip.mean(axis=0))
    assert plot.ax.lines[0].get_xdata()[0] == found.threshold_result.threshold[0]


def test_scatter_of_scores(permuted: bv.Selection, clustered: bv.Selection) -> None:
    plot = permuted.plot("scatter")
    ranks = rankdata(-permuted.draws.vip, axis=1).mean(axis=0)
    np.testing.assert_allclose(
        offsets(plot.ax, 2), np.column_stack([ranks, permuted.threshold_result.threshold])
    )
    found = bv.select_from(clustered.draws, measure="mpvip")
    assert found.plot("scatter").ax.lines[0].get_ydata()[0] == 0.5


def test_names_do_not_overlap_at_p_500(wide: bv.Selection) -> None:
    probable = bv.select_from(wide.draws)  # whose points are close to each other
    for plot in (wide.plot("scatter"), wide.plot("traces"), probable.plot("scatter")):
        plot.figure.draw_without_rendering()
        for axes in plot.axes:
            notes = [t for t in axes.texts if t.get_text()]
            assert overlaps(notes) == []
            assert all(axes.get_window_extent().contains(*t.get_window_extent().min) for t in notes)
    named = ", ".join(t.get_text() for t in wide.plot("scatter").ax.texts)
    assert sum(name in named for name in wide.names) >= len(wide.names) - 1
    named = ", ".join(t.get_text() for t in probable.plot("scatter").ax.texts)
    assert any(name in named for name in probable.names)


@pytest.mark.parametrize("kind", ["importance", "dendrogram", "stability"])
def test_rows_are_few_at_p_500(wide: bv.Selection, kind: str) -> None:
    plot = wide.plot(kind)
    plot.figure.draw_without_rendering()
    labels = plot.ax.get_yticklabels()
    assert len(labels) <= 41
    assert set(wide.names) <= {label.get_text() for label in labels}
    assert overlaps(labels) == []
    left = min(label.get_window_extent().x0 for label in labels)
    assert left >= 0


def test_points_in_one_place_share_a_label() -> None:
    draws = bv.Draws.from_counts([[[5, 5, 5, 5, 5, 0]]])
    plot = bv.select_from(draws, measure="mpvip").plot("scatter", n_labels=5)
    assert [t.get_text() for t in plot.ax.texts] == ["x0, x1, x2 and 2 more"]
    assert not bv.select_from(draws, measure="mpvip").plot("scatter", n_labels=0).ax.texts


def test_importance_spread(clustered: bv.Selection) -> None:
    plot = plots.importance(clustered, most=3)
    order = np.argsort(clustered.ranks, kind="stable")[:3]
    vc = clustered.draws.vc[:, order]
    assert plot.data["variable"].tolist() == [HOSTILE[j] for j in order]
    np.testing.assert_array_equal(plot.data["low"], vc.min(axis=0))
    np.testing.assert_allclose(plot.data["q75"], np.quantile(vc, 0.75, axis=0))
    dots = np.array([xy for c in plot.ax.collections for xy in c.get_offsets() if len(xy)])
    assert set(clustered.importance[order]) <= set(dots[:, 0])
    assert not plot.ax.lines  # a cut in four dimensions is not one number


def test_importance_of_ranks_is_in_ranks(clustered: bv.Selection) -> None:
    found = bv.select_from(clustered.draws, measure="vip-rank")
    plot = found.plot("importance")
    ranks = rankdata(-found.draws.vip, axis=1)
    assert plot.data["high"].max() == ranks.max()
    assert (plot.data["value"] == np.sort(found.values)).all()
    assert plot.ax.lines[0].get_xdata()[0] == found.threshold_result.threshold[0]


def test_nulls_show_three_thresholds(permuted: bv.Selection) -> None:
    plot = permuted.plot()
    null = permuted.null
    assert null is not None
    order = np.argsort(-permuted.values, kind="stable")
    for name, rule in (("local", thresholds.local), ("gse", thresholds.gse)):
        np.testing.assert_array_equal(plot.data[name], rule(permuted.values, null).threshold[order])
    gmax = thresholds.gmax(permuted.values, null).threshold[0]
    assert plot.ax.lines[0].get_ydata()[0] == gmax
    np.testing.assert_array_equal(plot.data["null_high"], null.max(axis=0)[order])
    heights = [y for c in plot.ax.collections for _, y in c.get_offsets().tolist()]
    assert set(permuted.values) <= set(heights)
    assert set(plot.data["gse"]) <= set(heights)


def test_dendrogram_by_hand() -> None:
    draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    found = bv.select_from(draws, "dart-vc")
    plot = found.plot("dendrogram")
    assert tick_names(plot.ax.yaxis) == ["d", "a", "b and 1 more"]
    assert plot.data["selected"].tolist() == [True, True, False]
    heights = [line.get_xdata().max() for line in plot.ax.lines if len(line.get_xdata()) == 4]
    np.testing.assert_allclose(sorted(heights), found.threshold_result.heights)
    cut = next(line.get_xdata()[0] for line in plot.ax.lines if line.get_linestyle() == "--")
    assert found.threshold_result.heights[-2] < cut < found.threshold_result.heights[-1]
    colours = [label.get_color() for label in plot.ax.get_yticklabels()]
    assert colours[:2] == [SELECTED, SELECTED]


def test_dendrogram_collapses(wide: bv.Selection) -> None:
    plot = plots.dendrogram(wide, most=4, n_others=3)
    assert plot.data["n_variables"].sum() == 500
    assert plot.data["selected"].tolist() == [True] * 4 + [False] * 3
    assert plot.data["n_variables"][plot.data["selected"]].sum() == len(wide.selected)
    assert len(plots.dendrogram(wide, most=1, n_others=1).data["height"]) == 2
    chosen = plots.dendrogram(wide).ax.lines
    assert {line.get_color() for line in chosen} >= {SELECTED, LEFT_OUT}


def test_agreement_shows_only_what_someone_selects(clustered: bv.Selection) -> None:
    other = bv.select_from(clustered.draws, measure="vip-rank")
    plot = plots.agreement({"first": clustered, "second": other})
    votes = clustered.mask.astype(int) + other.mask
    assert plot.data["methods"].tolist() == sorted(votes[votes > 0].tolist(), reverse=True)
    assert plot.data["first"].sum() == len(clustered.selected)
    assert len(offsets(plot.ax, -1)) == votes.sum()
    names = tick_names(plot.ax.xaxis)
    assert names == [f"first ({clustered.mask.sum()})", f"second ({other.mask.sum()})", "methods"]


def test_comparison_plot(problem: Any) -> None:
    both = bv.compare(*problem, ["dart-vc", "dart-mpm"], **SEEDED)
    plot = both.plot(most=1)
    assert list(plot.data) == ["variable", "methods", "dart-vc", "dart-mpm"]
    assert len(plot.data["variable"]) == 1
    assert plot.ax.get_title(loc="left").endswith("; 1 shown")


def test_stability_counts_subsets() -> None:
    """The third fit knows another variable: alone it decides, with the others it does not."""
    counts = [[[9, 0, 8, 0]], [[9, 0, 9, 0]], [[9, 7, 0, 0]]]
    found = bv.select_from(bv.Draws.from_counts(counts, feature_names=list("abcd")))
    plot = plots.stability(found)
    masks = [found._mask_of([r]) for r in range(3)]
    alone = np.mean(masks, axis=0)
    data = pd.DataFrame(plot.data).set_index(["variable", "n_replicates"])
    for j, name in enumerate("abc"):
        assert data.loc[(name, 1), "share"] == pytest.approx(alone[j])
        assert data.loc[(name, 3), "share"] == found.mask[j]
    assert data.loc[("a", 3), "same"] == 1
    written = [t.get_text() for t in plot.ax.texts]
    assert written.count("67") >= 1
    assert plot.data["share"].tolist() == plots.stability(found).data["share"].tolist()


def test_stability_of_many_fits(wide: bv.Selection) -> None:
    draws = wide.draws.take([*range(10), *range(10)])
    plot = plots.stability(bv.select_from(draws, measure="vc-rank"), n_subsets=5, most=7)
    sizes = np.unique(plot.data["n_replicates"])
    assert (sizes[0], sizes[-1]) == (1, 20)
    assert len(sizes) <= 12
    assert len(np.unique(plot.data["variable"])) <= 7


def test_traces(clustered: bv.Selection) -> None:
    plot = clustered.plot("traces")
    sigma, splits, alpha, rhat = plot.axes
    np.testing.assert_array_equal(sigma.lines[1].get_ydata(), clustered.draws.sigma[1])
    np.testing.assert_array_equal(splits.lines[0].get_ydata(), clustered.draws.n_splits[0])
    assert len(alpha.lines) == 4
    assert f"R-hat {clustered.mixing.sigma_rhat:.2f}" in sigma.get_title(loc="left")
    drawn = np.concatenate([c.get_offsets() for c in rhat.collections])[:, 1]
    known = clustered.mixing.count_rhat
    np.testing.assert_allclose(np.sort(drawn), np.sort(known[np.isfinite(known)]))
    one = plots.traces(clustered.draws, quantities="alpha")
    assert len(one.axes) == 1


def test_traces_of_the_default_show_the_learned_scale(probable: bv.Selection) -> None:
    sigma, _, alpha, k, _ = probable.plot("traces").axes
    assert len(alpha.lines) == 4
    assert probable.draws.k is not None
    np.testing.assert_array_equal(k.lines[2].get_ydata(), probable.draws.k[2])
    np.testing.assert_array_equal(sigma.lines[1].get_ydata(), probable.draws.sigma[1])


def test_plots_of_probabilities(probable: bv.Selection) -> None:
    scatter = probable.plot("scatter")
    np.testing.assert_array_equal(scatter.data["value"], probable.values)
    assert scatter.ax.lines[0].get_ydata()[0] == 0.5
    spread = probable.plot()
    order = np.argsort(probable.ranks, kind="stable")
    np.testing.assert_array_equal(spread.data["value"], probable.values[order])
    np.testing.assert_array_equal(spread.data["low"], probable.per_replicate[:, order].min(axis=0))
    assert spread.ax.lines[0].get_xdata()[0] == 0.5
    with pytest.raises(ValueError, match=r"'dart-relevance' does not cluster, .* as 'dart-vc'"):
        probable.plot("dendrogram")


def test_long_chains_are_thinned() -> None:
    counts = np.random.default_rng(0).poisson(3, size=(12, 2500, 2))
    plot = plots.traces(bv.Draws.from_counts(counts), quantities="n_splits")
    assert len(plot.ax.lines) == 10
    assert plot.ax.lines[0].get_xdata().tolist()[:2] == [0, 3]
    assert "every 3th" not in plot.ax.get_title(loc="left")
    assert "one draw in 3, first 10 of 12 chains" in plot.ax.get_title(loc="left")


def test_partial_dependence_of_a_model(problem: Any) -> None:
    X, y = problem
    model = bv.BARTRegressor(n_trees=20, burn_in=50, n_draws=50, random_state=0, n_jobs=1)
    model.fit(X, y)
    plot = plots.partial_dependence(model, X, features=["$x_{1}$", 5], n_rows=80)
    effect = model.partial_dependence(X, "$x_{1}$")
    np.testing.assert_allclose(plot.axes[0].lines[0].get_ydata(), effect.mean)
    np.testing.assert_allclose(plot.axes[0].lines[0].get_xdata(), effect.grid[0])
    assert plot.data["mean"][19] > plot.data["mean"][0] + 3
    assert plot.ax.get_xlabel() == "$x_{1}$"
    by_importance = plots.partial_dependence(model, X, most=2)
    assert set(by_importance.data["variable"]) == {HOSTILE[0], HOSTILE[5]}


def test_partial_dependence_of_a_selection(problem: Any, clustered: bv.Selection) -> None:
    X, y = problem
    short = {"n_trees": 10, "burn_in": 50, "n_draws": 30, "n_jobs": 1}
    plot = clustered.plot("partial_dependence", X=X, y=y, **short)
    assert set(plot.data["variable"]) == set(clustered.names)
    again = clustered.plot("partial_dependence", X=X, y=y, **short)
    np.testing.assert_array_equal(plot.data["mean"], again.data["mean"])
    other = clustered.plot("partial_dependence", X=X, y=y, features="<b>", **short)
    assert set(other.data["variable"]) == {"<b>"}
    assert "3 columns" in other.figure.get_suptitle()
