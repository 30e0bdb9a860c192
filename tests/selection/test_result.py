"""What a selection tells: numbers worked out by hand, text, files, and bad input."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.signal
from numpy.typing import NDArray

import bayesvc as bv
from bayesvc.exceptions import Note
from bayesvc.selection.signal import SignalTest
from bayesvc.selection.substitutes import Twin, find_twins
from tests.helpers.settings import SEEDED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

Dataset = tuple[NDArray[np.float64], NDArray[np.float64]]


@pytest.fixture(scope="module")
def by_hand() -> bv.Selection:
    """Three fits of two draws; the third fit prefers another variable."""
    counts = [
        [[5, 0, 4, 0], [5, 0, 4, 1]],
        [[4, 1, 5, 0], [6, 0, 3, 0]],
        [[5, 6, 0, 0], [4, 6, 0, 0]],
    ]
    draws = bv.Draws.from_counts(counts, feature_names=["a", "b", "c", "d"])
    return bv.select_from(draws, measure="vc", threshold="clustering")


def test_values_by_hand(by_hand: bv.Selection) -> None:
    np.testing.assert_allclose(by_hand.values, [29 / 6, 13 / 6, 16 / 6, 1 / 6])
    assert by_hand.ranks.tolist() == [1, 3, 2, 4]
    assert by_hand.names == ["a", "b", "c"]
    assert by_hand.selected.tolist() == [0, 1, 2]
    assert by_hand.importance.tolist() == by_hand.values.tolist()


def test_leave_one_out_by_hand(by_hand: bv.Selection) -> None:
    """Without the third fit b is nearly never used; without the first or second it is."""
    masks = [by_hand._mask_of(kept) for kept in ([1, 2], [0, 2], [0, 1])]
    assert [mask.tolist() for mask in masks] == [
        [True, True, True, False],
        [True, True, True, False],
        [True, False, True, False],
    ]
    stability = by_hand.stability
    np.testing.assert_allclose(stability.leave_one_out, [1, 2 / 3, 1, 0])
    assert stability.changes == 1
    assert stability.n_bootstrap == 50
    assert stability.bootstrap[0] == 1
    assert 0 < stability.bootstrap[1] < 1
    assert stability.bootstrap[3] == 0


def test_a_single_fit_has_no_stability() -> None:
    found = bv.select_from(bv.Draws.from_counts([[[3, 0], [2, 1]]]))
    assert np.isnan(found.stability.leave_one_out).all()
    assert found.stability.n_bootstrap == 0
    assert "x0" in repr(found)


def test_table_columns(regression: Dataset) -> None:
    X, y = regression
    found = bv.select(X, y, n_replicates=2, **SEEDED | {"signal_test": False})
    columns = ["variable", "selected", "rank", "relevance", "vc", "vip", "mpvip", "mi"]
    columns += ["threshold", "margin", "vc_measure_selects", "row_stability"]
    assert list(found.table.columns) == columns
    same = bv.select_from(found.draws, measure="vc-measure")
    np.testing.assert_array_equal(found.table["vc_measure_selects"], same.mask)
    found = bv.select(X, y, "dart-vc", n_replicates=2, **SEEDED)
    columns = ["variable", "selected", "rank", "vc", "vc_q25", "vc_rank", "vc_rank_q75"]
    columns += ["vip", "mpvip", "mi", "threshold", "margin"]
    assert list(found.table.columns) == columns
    np.testing.assert_array_equal(found.table["vc"], found.values[:, 0])
    null = bv.select(X, y, "bart-mi-local", n_replicates=2, **SEEDED)
    expected = ["variable", "selected", "rank", "mi", "vc", "vip", "mpvip", "threshold", "margin"]
    assert list(null.table.columns) == [*expected, "p_single", "p_maxt", "p_bh"]
    np.testing.assert_array_equal(null.table["mi"], np.median(null.draws.mi, axis=0))
    assert (null.table["selected"] == (null.values > null.threshold_result.threshold)).all()


def test_p_values_compare_single_fits(regression: Dataset) -> None:
    X, y = regression
    found = bv.select(X, y, "bart-vip-local", n_replicates=3, **SEEDED)
    assert found.null is not None
    expected = (1 + (found.null >= found.draws.vip[0]).sum(axis=0)) / 51
    np.testing.assert_array_equal(found.p_values["single"], expected)
    assert found.p_values["maxt"].min() >= 1 / 51
    with pytest.raises(ValueError, match="'dart-vc' permutes nothing"):
        _ = bv.select(X, y, "dart-vc", n_replicates=1, **SEEDED).p_values


def test_mixing_agrees_with_the_draws(regression: Dataset) -> None:
    """R-hat and sizes from the tallies are those computed from every draw."""
    X, y = regression
    draws = bv.sample(X, y, n_replicates=3, burn_in=50, n_draws=101, random_state=1,
                      keep_counts=True)  # fmt: skip
    found = bv.diagnostics.mixing(draws)
    assert draws.counts is not None
    counts = draws.counts.astype(float)
    first, second = counts[:, :51], counts[:, 51:]
    means = np.concatenate([first.mean(axis=1), second.mean(axis=1)])
    variances = np.concatenate([first.var(axis=1, ddof=1), second.var(axis=1, ddof=1)])
    # halves in the order of the replicates or not: their mean and variance are the same
    expected = np.sqrt(50 / 51 + means.var(axis=0, ddof=1) / variances.mean(axis=0))
    np.testing.assert_allclose(found.count_rhat, expected)
    mean = counts.mean(axis=1)
    around = 10 * ((counts[:, :100].reshape(3, 10, 10, 5).mean(axis=2) - mean[:, None]) ** 2)
    between = (
        around.sum(axis=1) + (counts[:, 100] - mean) ** 2
    ) / 10  # the last batch has one draw
    halves_apart = means.var(axis=0, ddof=1)
    variance = 50 / 51 * variances.mean(axis=0) + halves_apart
    of_mean = np.maximum(between.mean(axis=0) / 303, halves_apart / 6)
    np.testing.assert_allclose(found.count_ess, np.minimum(variance / of_mean, 303))
    halves = np.concatenate([draws.sigma[:, :50], draws.sigma[:, -50:]])
    between = halves.mean(axis=1).var(ddof=1)
    assert found.sigma_rhat == pytest.approx(
        np.sqrt(49 / 50 + between / halves.var(axis=1, ddof=1).mean())
    )
    assert 3 <= found.sigma_ess <= 303


def test_effective_size_of_independent_draws(rng: np.random.Generator) -> None:
    """Over 400 variables with independent counts it is below the 3072 draws, but not by much.

    The larger of two estimates of one variance, with 93 and 5 degrees of freedom, is 1.27 times
    as large on average; a tenth of the second ones are above 1.85.
    """
    draws = bv.Draws.from_counts(rng.poisson(3, size=(3, 1024, 400)))
    ess = bv.diagnostics.mixing(draws).count_ess
    assert (ess <= 3072).all()
    assert np.quantile(ess, 0.05) > 3072 / 3
    assert np.median(ess) > 3072 / 1.5
    rhat = bv.diagnostics.mixing(draws).count_rhat
    assert (rhat < 1.02).all()


def test_effective_size_of_chains_that_disagree(rng: np.random.Generator) -> None:
    """With chains far apart, the mean of all draws knows no more than their number tells."""
    trace = rng.normal(size=(10, 1000)) + 10 * rng.normal(size=(10, 1))
    _, ess = bv.diagnostics.of_trace(trace)
    # the variance of 10 chains' means over that of their mean, from 20 half-chains
    assert 10 <= ess <= 25


def test_effective_size_of_correlated_draws(rng: np.random.Generator) -> None:
    """A first-order autoregression of coefficient 0.9 is worth a nineteenth of its draws."""
    noise = rng.normal(size=(20, 20_000))
    trace = scipy.signal.lfilter([1.0], [1.0, -0.9], noise, axis=1)
    _, ess = bv.diagnostics.of_trace(trace)
    # batches of 141 draws see 87 % of the long-run variance; the halves' estimate has 39 degrees
    # of freedom, so the larger of the two is within a factor of 1.6 (4 sd)
    assert trace.size / 19 / 1.6 < ess < trace.size / 19 / 0.85


def disagreeing(replicates: int = 3) -> bv.Draws:
    """Draws with three variables; one of them matters in the last replicate only."""
    jitter = np.random.default_rng(0).integers(0, 2, size=(replicates, 20, 4))
    counts = np.array([9, 0, 9, 0]) + jitter * [1, 0, 1, 1]
    counts[-1, :, 1] = 9 + jitter[-1, :, 0]
    return bv.Draws.from_counts(counts, feature_names=["a", "b", "c", "d"])


def test_a_selection_that_hangs_on_single_replicates_is_reported() -> None:
    found = bv.select_from(disagreeing(), measure="vc", threshold="clustering")
    np.testing.assert_allclose(found.left_out_frequency, [1, 2 / 3, 1, 0])
    assert found.mixing.count_rhat[1] > 1.1
    (note,) = found.notes
    assert (note.code, note.severity) == ("not-converged", "warning")
    assert note.text.startswith(
        "Whether b is selected depends on which of the 3 replicates is left out, and the "
        "replicates disagree about the number of splits on it (R-hat "
    )
    assert note.text.endswith(
        "Use longer chains (`burn_in`, `n_draws`) or more replicates (n_replicates=6)."
    )
    assert note.text in repr(found)
    both = bv.Comparison({"one": found, "two": found}, None)
    assert both.notes[0].text.endswith("Use longer chains (`burn_in`, `n_draws`).")
    leak = Note("leak", "warning", "a alone determines y.")
    assert replace(found, data_notes=(leak,)).notes == (leak,)


def test_no_such_note_if_the_chains_have_mixed() -> None:
    draws = disagreeing()
    draws.count_half_squares[...] += 1e4  # draws vary much more than replicates do
    found = bv.select_from(draws, measure="vc", threshold="clustering")
    assert found.left_out_frequency[1] == 2 / 3
    assert (found.mixing.count_rhat < 1.1).all()
    assert found.notes == ()


def test_no_such_note_if_all_replicates_select_the_same(regression: Dataset) -> None:
    X, y = regression
    draws = bv.sample(X, y, n_replicates=3, burn_in=1000, n_draws=2000, random_state=0)
    object.__setattr__(draws, "sigma", draws.sigma + np.array([[0.0], [5.0], [9.0]]))
    draws.count_half_sums[1, :, 1] *= 2  # on x1 the second replicate splits twice as often
    draws.count_half_squares[1, :, 1] *= 4
    found = bv.select_from(draws)
    assert found.mixing.sigma_rhat > 2
    assert found.mixing.count_rhat[1] > 1.1
    assert np.isin(found.left_out_frequency, [0, 1]).all()
    assert found.notes == ()


@pytest.mark.parametrize(("replicates", "codes"), [(12, []), (9, ["not-converged"]), (1, [])])
def test_one_of_many_replicates_does_not_count(replicates: int, codes: list[str]) -> None:
    """Of 12, the one left out changes the selection of b in 8 % of cases; of 9, in 11 %."""
    threshold = bv.MedianProbability(at=0.07)
    found = bv.select_from(disagreeing(replicates), measure="mpvip", threshold=threshold)
    assert found.names == ["a", "b", "c", "d"]
    assert [note.code for note in found.notes] == codes


def test_single_replicates_are_of_no_interest_without_signal() -> None:
    found = bv.select_from(disagreeing(), measure="vc", threshold="clustering")
    for null, codes in (([0.5] * 19, ["no-signal"]), ([0.1] * 19, ["not-converged"])):
        signal = SignalTest(0.4, np.array(null))
        assert [note.code for note in replace(found, signal=signal).notes] == codes


def test_twins_are_named(rng: np.random.Generator) -> None:
    X = rng.uniform(size=(100, 4))
    X[:, 3] = -np.exp(X[:, 1]) + 1e-4 * rng.normal(size=100)  # the same order, turned round
    prior = bv.DART(split_weights=(1, 1, 1, 0))  # the twin cannot be selected
    found = bv.select(
        X, 10 * X[:, 1], prior=prior, n_replicates=3, burn_in=300, n_draws=300, random_state=0
    )
    assert found.names == ["x1"]
    (twin,) = found.twins
    assert (twin.unselected, twin.selected) == ("x3", "x1")
    assert twin.correlation < -0.99
    assert any("x3" in text and "x1" in text for text in map(str, found.notes))
    assert "nearly the same as x3" in found.explain("x1")


def test_near_twins_of_one_column_are_told_at_once() -> None:
    draws = bv.Draws.from_counts([[[9, 0, 0, 8]]], feature_names=list("abcd"))
    twins = (Twin("b", "a", 0.99), Twin("c", "a", -0.97))
    found = replace(bv.select_from(draws, "dart-vc"), twins=twins)
    (note,) = [note for note in found.notes if note.code == "twins"]
    assert note.text == (
        "a is nearly the same as b and c, which are not selected (rank correlation at least 0.97, "
        "in absolute value). The data can hardly tell them apart."
    )
    assert found.explain("a").endswith("It is nearly the same as b and c.")
    assert found.explain("c").endswith("It is nearly the same as a.")


def test_what_few_half_samples_select_is_provisional() -> None:
    draws = bv.Draws.from_counts([[[9, 7, 8, 0]]], feature_names=list("abcd"))
    found = bv.select_from(draws, measure="mpvip")
    assert found.names == ["a", "b", "c"]
    assert "provisional" not in [note.code for note in found.notes]
    few = replace(found, row_frequency=np.array([0.5, 0.4, 0.1, 0.2]))
    (note,) = [note for note in few.notes if note.code == "provisional"]
    assert (note.severity, note.text) == (
        "info",
        "b and c were selected in fewer than half of the half-samples; treat them as provisional.",
    )
    one = replace(found, row_frequency=np.array([0.5, 0.4, 1, 0]), row_fraction=0.3)
    assert one.notes[-1].text == (
        "b was selected in fewer than half of the subsamples; treat it as provisional."
    )


def test_the_vc_measure_is_not_asked_about_few_columns() -> None:
    counts = np.zeros((2, 10, 10), dtype=int)
    counts[:, :, 0], counts[:, :, 1] = 30, 1
    many = bv.select_from(bv.Draws.from_counts(counts))
    (note,) = [note for note in many.notes if note.code == "vc-measure"]
    assert note.text.endswith("The method dart-vc, which has replicates of its own, may select "
                              "others.")  # fmt: skip
    assert "VC-measure selects" in repr(many)
    few = bv.select_from(bv.Draws.from_counts(counts[:, :, :9]))
    assert few.paper_mask is not None
    assert "vc-measure" not in [note.code for note in few.notes]
    assert "VC-measure selects" not in repr(few)


def test_twins_by_hand() -> None:
    correlations = np.array([[1.0, 0.96, -0.97, 0.2], [0.3, 0.99, 0.1, 1.0]])
    found = find_twins(correlations, np.array([0, 3]), ["a", "b", "c", "d"])
    assert [(t.unselected, t.selected, t.correlation) for t in found] == [
        ("b", "d", 0.99),
        ("c", "a", -0.97),
    ]
    assert find_twins(np.empty((0, 4)), np.array([], dtype=np.intp), list("abcd")) == ()


def test_json_holds_everything(regression: Dataset, tmp_path: Path) -> None:
    X, y = regression
    found = bv.select(X, y, goal="quick", **SEEDED)
    text = found.to_json(tmp_path / "found.json")
    assert (tmp_path / "found.json").read_text() == text + "\n"
    content = json.loads(text)
    assert content["selected"] == found.names
    assert content["method"] == "dart-relevance"
    assert content["n_replicates"] == 2
    assert content["signal"]["verdict"] == "evidence"
    assert content["measure_settings"] == {"version": 2}
    assert "quick" in content["reason"]
    assert [row["variable"] for row in content["variables"]] == list(found.feature_names)
    assert content["variables"][1]["relevance"] == found.values[1]
    assert content["variables"][1]["row_stability"] == found.row_frequency[1]


def test_text_and_html(regression: Dataset) -> None:
    X, y = regression
    found = bv.select(X, y, n_replicates=2, **SEEDED)
    lines = repr(found).splitlines()
    assert lines[0] == f"dart-relevance: {len(found.selected)} of 5 variables selected"
    assert "2 replicates; random_state=3" in lines[1]
    assert found.names[0] in repr(found)
    page = found._repr_html_()
    assert page.count("<tr>") == len(found.selected) + 2
    names = ["<b>", "x&y", "c", "d", "e"]
    draws = bv.Draws.from_counts(np.arange(10).reshape(1, 2, 5), feature_names=names)
    page = bv.select_from(draws, measure="vc", threshold="clustering")._repr_html_()
    assert "<b>" not in page.split("<table")[1]


def test_explain_names_the_reason(regression: Dataset) -> None:
    X, y = regression
    found = bv.select(X, y, "bart-vip-gse", n_replicates=2, **SEEDED)
    assert "above the threshold of" in found.explain("x1")
    with pytest.raises(
        ValueError, match=r"`name` must be one of .* Got 'x11' instead. Did you mean 'x1'"
    ):
        found.explain("x11")
    nothing = bv.select_from(bv.Draws.from_counts([[[1, 1], [1, 1]]]))
    assert nothing.names == []
    assert "no clusters" in nothing.explain("x0")


def test_prediction_check(rng: np.random.Generator) -> None:
    X = rng.uniform(size=(150, 5))
    y = 10 * X[:, 1] + rng.normal(size=150)
    found = bv.select(X, y, n_replicates=2, burn_in=300, n_draws=300, random_state=0)
    check = found.check_prediction(X, y, burn_in=100, n_draws=100)
    assert check.as_good
    assert "as well as" in str(check)
    assert check.of_all < 0.5 * check.of_none
    again = found.check_prediction(X, y, burn_in=100, n_draws=100, n_jobs=1)
    assert again == check
    wrong = bv.prediction_check.check_prediction(
        X, y, np.array([0, 2]), burn_in=100, n_draws=100, random_state=0
    )
    assert not wrong.as_good
    assert "worse than" in str(wrong)
    classes = y > y.mean()
    binary = bv.prediction_check.check_prediction(
        X, classes, found.indices, burn_in=100, n_draws=100, random_state=0
    )
    assert binary.loss == "Brier score"
    assert binary.of_all < binary.of_none


def test_prediction_check_of_spike_forests(regression: Dataset) -> None:
    """They keep no trees: BART with the same settings predicts."""
    X, y = regression
    prior = bv.SpikeForest(n_samples=30, burn_in=10, k=3)
    check = bv.select(X, y, prior=prior, random_state=0).check_prediction(
        X, y, burn_in=20, n_draws=20
    )
    assert check.of_all < check.of_none
    found = bv.select(X, y, prior=bv.BART(k=3), **SEEDED, n_replicates=2)
    same = bv.prediction_check.check_prediction(
        X, y, np.array([1]), prior=bv.BART(k=3), burn_in=20, n_draws=20, random_state=0
    )
    assert same.of_all == check.of_all
    with pytest.raises(ValueError, match=r"`X` must have the 5 columns .*Got 4 columns"):
        found.check_prediction(X[:, :4], y)


@pytest.mark.parametrize("selected", [[5], [-1], ["x1"], [0.5], [[0]]])
def test_prediction_check_of_columns_that_are_not_there(selected: Any, regression: Dataset) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^`selected` must be .*0 to 4. Got"):
        bv.prediction_check.check_prediction(*regression, selected)


def test_stability_and_mixing_in_a_line(regression: Dataset) -> None:
    X, y = regression
    found = bv.select(X, y, "dart-vc", n_replicates=3, **SEEDED)
    assert re.fullmatch(
        r"<Stability: of 5 variables .* of 50 bootstrap samples>", repr(found.stability)
    )
    assert re.fullmatch(r"<Mixing: sigma R-hat .*>", repr(found.mixing))
    assert "one replicate left out" in repr(found)


def test_take_and_extend(regression: Dataset) -> None:
    X, y = regression
    draws = bv.sample(X, y, n_replicates=4, **SEEDED)
    np.testing.assert_array_equal(draws.take([2, 0]).vc, draws.vc[[2, 0]])
    shorter = draws.take(range(2))
    np.testing.assert_array_equal(shorter.extend(2).vc, draws.vc)
    with pytest.raises(ValueError, match="taken from a longer series"):
        draws.take([1, 0]).extend(1)


def test_a_cut_that_selects_nearly_everything_is_called_out():
    counts = np.full((4, 20, 30), 5)
    counts[:, :, 27:] = 0
    found = bv.select_from(bv.Draws.from_counts(counts), measure="vc-measure")
    assert found.mask.sum() == 27
    assert any("27 of 30" in text and "Do not rely on it" in text for text in map(str, found.notes))
    few = bv.select_from(bv.Draws.from_counts(counts[:, :, 20:]), measure="vc-measure")
    assert few.mask.sum() == 7
    assert not any("Do not rely" in text for text in map(str, few.notes))


@pytest.fixture(scope="module")
def two_values() -> Dataset:
    """Of five columns three matter; that of two values needs few splits."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(300, 5))
    X[:, 0] = rng.integers(0, 2, 300)
    return X, X[:, 0] + 3 * np.sin(X[:, 1]) + X[:, 2] ** 2 + rng.normal(size=300)


LEFT_OUT = re.compile("1 variable outside the selected cluster is more likely .* x0 .0.[5-9]")
FITS: dict[str, Any] = {"burn_in": 500, "n_draws": 500, "random_state": 0}


def test_clusters_say_what_the_same_fits_find_probable(two_values: Dataset) -> None:
    X, y = two_values
    found = bv.select(X, y, "dart-vc", n_replicates=3, **FITS)
    assert found.names == ["x1", "x2"]
    (note,) = [text for text in map(str, found.notes) if LEFT_OUT.search(text)]
    assert note.endswith("See what method 'dart-relevance' selects.")
    both = bv.compare(X, y, ["dart-vc", "dart-relevance"], **FITS)
    assert both["dart-relevance"].names == ["x0", "x1", "x2"]
    assert not any(LEFT_OUT.search(text) for text in map(str, both.notes))  # it is there to be seen
    assert not any("outside the" in text for text in map(str, both["dart-relevance"].notes))


@pytest.mark.parametrize("change", [{"n_trees": 10}, {"n_replicates": 1}])
def test_no_such_note_where_the_probability_was_not_learned(
    two_values: Dataset, change: dict[str, int]
) -> None:
    X, y = two_values
    found = bv.select(X, y, "dart-vc", **({"n_replicates": 3} | FITS | change))
    assert "x0" not in found.names
    assert not any("outside the" in text for text in map(str, found.notes))


def test_no_such_note_without_signal(two_values: Dataset) -> None:
    X, y = two_values
    shuffled = np.random.default_rng(0).permutation(y)
    found = bv.select(X, shuffled, "dart-vc", n_replicates=3, **FITS)
    assert found.signal is not None
    assert not found.signal.found
    assert not any("outside the" in text for text in map(str, found.notes))


def from_counts(n_features: int) -> bv.Selection:
    """A selection without any sampling."""
    counts = np.random.default_rng(0).poisson(0.5, size=(2, 5, n_features))
    names = [f'{j} "%s" \u2028\n' for j in range(n_features)]
    return bv.select_from(bv.Draws.from_counts(counts, feature_names=names))


def test_json_has_the_indentation_of_the_standard_library() -> None:
    text = from_counts(30).to_json()
    assert json.dumps(json.loads(text), indent=1) == text


def test_json_of_many_variables_has_one_line_for_each() -> None:
    found = from_counts(10_001)
    text = found.to_json()
    head, *rows = text.split('"variables": [')[1].splitlines()
    assert head == ""
    assert [row.strip() for row in rows[10_001:]] == ["]", "}"]
    told = json.loads(text)["variables"]
    assert told == [json.loads(row.strip().removesuffix(",")) for row in rows[:10_001]]
    assert [row["variable"] for row in told] == list(found.feature_names)
    assert [row["vc"] for row in told] == found.draws.vc.mean(axis=0).tolist()
    assert [row["margin"] for row in told] == found.margin.tolist()
    assert {row["mi"] for row in told} == {None}
