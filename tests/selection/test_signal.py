"""Nothing is claimed where there is nothing."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, spearmanr

import bayesvc as bv
from bayesvc.report.words import agreement, notes
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import check_sampling_config
from bayesvc.selection.held_out import HeldOutTest
from bayesvc.selection.largest_correlation import largest_correlations
from bayesvc.selection.signal import SignalTest, find_signal, plan_signal_test
from tests.helpers.settings import SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = SETTLED | {"n_replicates": 2}


@pytest.fixture
def noise():
    rng = np.random.default_rng(3)
    return rng.uniform(size=(100, 8)), rng.normal(size=100)


@pytest.fixture
def signal(noise):
    X, y = noise
    return X, y + 4 * X[:, 2]


def test_the_p_value_counts_the_fit_to_y_itself():
    null = np.array([0.1, 0.2, 0.3, 0.3])
    assert SignalTest(0.5, null).p_value == 1 / 5
    assert SignalTest(0.3, null).p_value == 3 / 5
    assert SignalTest(0.0, null).p_value == 1.0
    assert not SignalTest(0.5, null).found  # too few permutations to tell
    assert SignalTest(0.5, np.zeros(19)).found


@pytest.mark.parametrize("n_features", [1, 150, 100_000])
@pytest.mark.parametrize("n_sweeps", [1, 600, 10_000, 20_000, 100_000, 600_000])
def test_the_cost_follows_that_of_the_selection(n_sweeps, n_features):
    n_permutations, sweeps = plan_signal_test(n_sweeps, n_features)
    assert 39 <= n_permutations <= 99
    assert 50 <= sweeps <= 1000
    if n_sweeps >= 10_000:  # as many as one fit of the default length has
        assert (n_permutations + 1) * sweeps <= 0.3 * n_sweeps


def test_longer_chains_for_more_columns():
    assert [plan_signal_test(100_000, p)[1] for p in (10, 100, 200, 400)] == [300, 300, 600, 750]


def test_three_verdicts():
    null = np.arange(100) / 100
    found = [SignalTest(own, null) for own in (2.0, 0.9, 0.5)]
    assert [test.verdict for test in found] == ["evidence", "inconclusive", "none"]
    assert [test.found for test in found] == [True, False, False]
    assert found[0].conclusion("age").startswith("There is evidence that age depends on the")
    assert found[1].conclusion().startswith("It remains open whether y depends on the columns")
    assert ["may need more rows" in test.sentence for test in found] == [False, True, True]


def test_the_least_p_value_is_corrected_for_their_number():
    held_out, null_correlation = HeldOutTest(np.ones(1), np.full(1, 0.002)), np.zeros(999)
    alone = SignalTest(1.0, np.zeros(0), held_out=held_out)
    assert alone.p_value == pytest.approx(0.002)
    two = replace(alone, correlation=1.0, null_correlation=null_correlation)
    assert two.p_value == pytest.approx(2 / 1000)
    assert replace(two, correlation=0.0).p_value == pytest.approx(2 * 0.002)
    weak = HeldOutTest(np.zeros(3), np.ones(3))
    assert replace(two, held_out=weak).p_value == pytest.approx(2 / 1000)
    assert replace(two, held_out=weak, correlation=0.0).p_value == 1


def test_permuted_responses_are_fitted_only_where_no_rows_can_be_held_out(noise, signal):
    short = SETTLED | {"n_replicates": 2, "row_stability": False}
    clear, none = bv.select(*signal, **short).signal, bv.select(*noise, **short).signal
    assert clear.found
    assert not none.found
    assert clear.null.size == none.null.size == 0
    assert "In a short run" not in clear.sentence
    assert "between predicted and observed y is 0." in clear.sentence
    ordered = bv.select(*noise, time_order=True, **short).signal
    assert ordered.null.size >= 39
    assert "In a short run" in ordered.sentence


def test_the_smaller_of_two_p_values_is_doubled():
    null, null_correlation = np.zeros(39), np.zeros(999)
    both = SignalTest(1.0, null, 1.0, null_correlation)
    assert both.p_value == pytest.approx(2 / 1000)
    assert SignalTest(1.0, null, 0.0, null_correlation).p_value == pytest.approx(2 / 40)
    assert SignalTest(0.0, null, 0.0, null_correlation).p_value == 1
    assert "largest rank correlation of y with a column is 1.00" in both.sentence


def wide(rng, n, p):
    X = rng.normal(size=(n, p))
    return X, X[:, 7] + 0.6 * rng.normal(size=n)


def test_with_more_columns_than_rows_rank_correlations_are_tested_too():
    rng = np.random.default_rng(2)
    X, y = wide(rng, 40, 60)
    settings = TWO | {"row_stability": False}
    found = bv.select(X, y, **settings).signal
    expected = max(abs(spearmanr(X[:, j], y).statistic) for j in range(60))
    assert found.correlation == pytest.approx(expected, abs=1e-12)
    assert found.null_correlation.shape == (999,)
    assert found.correlation > found.null_correlation.max()
    assert found.found
    monotone = bv.select(np.exp(3 * X), y, **settings).signal
    assert monotone.correlation == found.correlation
    np.testing.assert_array_equal(monotone.null_correlation, found.null_correlation)
    few = slice(0, 15)  # rows: too few to hold some out
    assert bv.select(X[few, :14], y[few], **settings).signal.correlation is None
    assert bv.select(X[few, :15], y[few], **settings).signal.correlation is not None


def test_the_largest_correlation_of_noise_is_like_those_of_its_permutations():
    rng = np.random.default_rng(8)
    ranks = []
    for k in range(60):
        data = read_dataset(rng.normal(size=(20, 25)), rng.normal(size=20))
        found = largest_correlations(data, k)
        ranks.append((found[1:] >= found[0]).mean())
    assert kstest(ranks, "uniform").pvalue > 1e-4


def test_levels_and_missing_values_take_part():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(30, 30)))
    X["site"] = rng.choice(list("abc"), 30)
    X.loc[::3, 0] = np.nan
    X.columns = X.columns.astype(str)
    y = (X["site"] == "b") + 0.1 * rng.normal(size=30)
    own = largest_correlations(read_dataset(X, y), 0)
    assert own[0] == pytest.approx(spearmanr(X["site"] == "b", y).statistic)
    assert own[0] > own[1:].max()
    blocks = (X["site"] == "b").to_numpy()
    within = largest_correlations(read_dataset(X, y, permute_within=blocks), 0)
    assert within[0] == own[0]
    assert within[1:].min() >= 0.6  # what the blocks explain stays


def test_correlations_are_kept_in_files(tmp_path):
    X, y = wide(np.random.default_rng(2), 30, 40)
    found = bv.select(X, y, **TWO | {"row_stability": False})
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz").signal
    assert again.p_value == found.signal.p_value
    np.testing.assert_array_equal(again.null_correlation, found.signal.null_correlation)
    np.testing.assert_array_equal(again.held_out.p_values, found.signal.held_out.p_values)
    assert again.sentence == found.signal.sentence


def test_verdict_of_signal_and_noise(noise, signal):
    found, none = bv.select(*signal, "dart-vc", **TWO), bv.select(*noise, "dart-vc", **TWO)
    assert found.signal.found
    assert "There is evidence that y depends on the columns" in repr(found)
    assert ["There is evidence that" in n.text for n in notes(found) if n.severity == "good"].count(
        True
    ) == 1
    assert not any("There is evidence that" in n.text for n in notes(none))
    assert not none.signal.found
    assert len(none.selected) > 0
    assert [note.code for note in none.notes].count("no-signal") == 1
    assert "may be due to chance" in repr(none)
    about = json.loads(none.to_json())["signal"]
    assert about["found"] is False
    assert about["p_value"] == none.signal.p_value


@pytest.mark.parametrize("classes", [False, True])
def test_nothing_is_selected_if_that_is_allowed(noise, signal, classes):
    def response(y):
        return y > np.median(y) if classes else y

    empty = bv.select(noise[0], response(noise[1]), allow_empty=True, **TWO)
    assert empty.names == []
    assert not empty.signal.found
    full = bv.select(signal[0], response(signal[1]), allow_empty=True, **TWO)
    assert "x2" in full.names


def test_what_was_emptied_is_told_without_a_cut(noise, tmp_path):
    empty = bv.select(*noise, "dart-relevance", allow_empty=True, **TWO)
    assert empty.withheld
    assert empty.unreached is None
    assert np.isnan(empty.table["margin"]).all()
    assert not empty.stability.leave_one_out.any()
    assert "without evidence of signal, nothing is selected" in empty.explain("x0")
    assert "A selection without evidence may be due to chance." not in empty.notes[0].text
    assert "margin" not in repr(empty)
    assert "left out" not in repr(empty)
    assert "VC-measure" not in repr(empty)
    assert json.loads(empty.to_json())["allow_empty"] is True
    empty.save(tmp_path / "empty.npz")
    again = bv.Selection.load(tmp_path / "empty.npz")
    assert again.withheld
    assert repr(again) == repr(empty)
    assert empty.plot("scatter").data["selected"].sum() == 0


def test_of_several_methods_each_warning_is_told_once(signal):
    short = {"burn_in": 100, "n_draws": 100, "random_state": 1}
    rng = np.random.default_rng(2)
    X, y = rng.uniform(size=(60, 40)), rng.normal(size=60)
    both = bv.compare(X, y, ["dart-relevance", "dart-mpm"], allow_empty=False, **short)
    assert [note.code for note in both.notes].count("no-signal") == 1
    assert any(
        text.startswith("dart-relevance: No variable reaches") for text in map(str, both.notes)
    )
    assert "Note: There is no evidence that y depends on the columns" in repr(both)
    sentence, names = agreement(both)
    assert sentence.startswith("There is no evidence that y depends on the columns (signal test,")
    assert set(names) == set(both["dart-relevance"].names) & set(both["dart-mpm"].names)
    clear = bv.compare(*signal, ["dart-vc", "dart-mpm"], **short)
    assert not any("signal" in text for text in map(str, clear.notes))


def test_comparison_and_selector_know_it_too(noise):
    short = {"burn_in": 100, "n_draws": 100, "random_state": 1, "allow_empty": True}
    both = bv.compare(*noise, ["dart-vc", "dart-mpm"], **short)
    assert both["dart-vc"].signal is both["dart-mpm"].signal
    assert [found.names for found in both.values()] == [[], []]
    selector = bv.VariableSelector("dart-vc", n_replicates=2, **short).fit(*noise)
    assert selector.n_features_ == 0


def test_it_can_be_left_out_and_changes_nothing_else(signal):
    for method in ("dart-vc", "dart-relevance"):
        with_test = bv.select(*signal, method, **TWO)
        without = bv.select(*signal, method, signal_test=False, **TWO)
        assert without.signal is None
        np.testing.assert_array_equal(with_test.mask, without.mask)
        np.testing.assert_array_equal(with_test.draws.vc, without.draws.vc)
    more, less = with_test.values, without.values
    np.testing.assert_allclose(np.log(more / (1 - more)) - np.log(less / (1 - less)), 0.3)


def test_same_bits_on_any_number_of_threads(noise):
    tests = [
        find_signal(
            read_dataset(*noise),
            5000,
            check_sampling_config(n_trees=5, random_state=9, n_jobs=n_jobs),
        )
        for n_jobs in (1, 2, 7)
    ]
    for test in tests[1:]:
        assert test.explained == tests[0].explained
        np.testing.assert_array_equal(test.null, tests[0].null)
        np.testing.assert_array_equal(test.held_out.correlations, tests[0].held_out.correlations)


def test_blocks_are_kept_in_permutations():
    """What differs between blocks only is no signal for rows permuted within them."""
    rng = np.random.default_rng(5)
    block = np.repeat([0, 1], 100)
    X = np.column_stack([block + 0.01 * rng.normal(size=200), rng.uniform(size=(200, 5))])
    y = 3.0 * block + rng.normal(size=200)
    assert bv.select(X, y, **TWO).signal.found
    assert not bv.select(X, y, permute_within=block, **TWO).signal.found


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"signal_test": False, "allow_empty": True},
            "`signal_test` must be True with allow_empty=True",
        ),
        ({"signal_test": "no"}, "signal_test"),
        ({"allow_empty": 1}, "allow_empty"),
    ],
)
def test_bad_input(signal, settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        bv.select(*signal, **TWO, **settings)
