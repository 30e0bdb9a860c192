"""Nothing is claimed where there is nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bayesvc as bv
from bayesvc.report.words import agreement, notes
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import check_sampling_config
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


@pytest.mark.parametrize("n_sweeps", [1, 600, 10_000, 20_000, 100_000, 600_000])
def test_the_cost_follows_that_of_the_selection(n_sweeps):
    n_permutations, sweeps = plan_signal_test(n_sweeps)
    assert 19 <= n_permutations <= 99
    assert 50 <= sweeps <= 300
    if n_sweeps >= 10_000:  # as many as one fit of the default length has
        assert (n_permutations + 1) * sweeps <= 0.4 * n_sweeps


def test_verdict_of_signal_and_noise(noise, signal):
    found, none = bv.select(*signal, **TWO), bv.select(*noise, **TWO)
    assert found.signal.found
    assert "The signal test finds a signal" in repr(found)
    assert [
        "The signal test finds a signal" in n.text for n in notes(found) if n.severity == "good"
    ].count(True) == 1
    assert not any("The signal test finds a signal" in n.text for n in notes(none))
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
    assert "the signal test finds no signal, so nothing is selected" in empty.explain("x0")
    assert empty.notes[0].text.endswith("Nothing is selected.")
    assert json.loads(empty.to_json())["allow_empty"] is True
    empty.save(tmp_path / "empty.npz")
    again = bv.Selection.load(tmp_path / "empty.npz")
    assert again.withheld
    assert repr(again) == repr(empty)
    assert empty.plot("scatter").data["selected"].sum() == 0


def test_of_several_methods_each_warning_is_told_once(signal):
    short = {"burn_in": 100, "n_draws": 100, "random_state": 1}
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(60, 40)), rng.normal(size=60)
    both = bv.compare(X, y, ["dart-relevance", "dart-mpm"], **short)
    assert [note.code for note in both.notes].count("no-signal") == 1
    assert any(
        text.startswith("dart-relevance: No variable reaches") for text in map(str, both.notes)
    )
    assert "Note: The signal test finds no signal" in repr(both)
    sentence, names = agreement(both)
    assert sentence.startswith("The signal test finds no signal (p = ")
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
    with_test, without = bv.select(*signal, **TWO), bv.select(*signal, signal_test=False, **TWO)
    assert without.signal is None
    np.testing.assert_array_equal(with_test.values, without.values)


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
