"""Held-out rows are predicted only where there is something to find."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import combine_pvalues, kstest, spearmanr

import bayesvc as bv
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import check_sampling_config
from bayesvc.selection import held_out
from bayesvc.selection.held_out import N_BLOCKS, HeldOutTest, held_out_test
from bayesvc.selection.signal import find_signal, signal_prior
from tests.helpers.settings import SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

CONFIG = check_sampling_config(n_trees=5, random_state=0, n_jobs=2)


def run_test(X, y, n_iterations=10_000, **about):
    data = read_dataset(X, y, **about)
    return held_out_test(data, signal_prior(data), n_iterations, CONFIG)


@pytest.mark.parametrize("p_values", [[0.01, 0.04, 0.5], [0.3, 0.9], [1.0, 1.0, 1.0], [0.2]])
def test_p_values_are_combined_by_fishers_method(p_values):
    expected = combine_pvalues(p_values, "fisher").pvalue
    own = HeldOutTest(np.zeros(len(p_values)), np.array(p_values)).p_value
    assert own == pytest.approx(expected, rel=1e-9)


def test_each_p_value_is_exact_without_signal():
    """They are uniform on the multiples of 1 / 500 if y does not depend on X, and independent."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(60, 3))
    p_values = np.array([run_test(X, rng.normal(size=60), 500).p_values for _ in range(60)])
    smooth = p_values - rng.uniform(0, 1 / 500, p_values.shape)
    assert kstest(smooth.ravel(), "uniform").pvalue > 1e-4
    combined = [HeldOutTest(own, own).p_value for own in smooth]
    assert kstest(combined, "uniform").pvalue > 1e-4


def test_what_is_predicted_is_found():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(100, 5))
    found = run_test(X, X[:, 3] + 0.1 * rng.normal(size=100))
    assert found.correlations.shape == found.p_values.shape == (N_BLOCKS,)
    assert found.correlations.min() > 0.8
    assert found.p_values.max() == 1 / (1 + held_out.N_PERMUTATIONS)


def test_predictions_are_of_rows_that_were_not_fitted(monkeypatch):
    """And they are in the order of the rows, which the correlation with y shows."""
    seen = []
    fit = held_out._fit

    def watched(earlier, *rest):
        draws = fit(earlier, *rest)
        seen.extend(zip(earlier, draws, strict=True))
        return draws

    monkeypatch.setattr(held_out, "_fit", watched)
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(90, 3)), rng.normal(size=90)
    found = run_test(X, y)
    befores = [set(rows.tolist()) for rows, _ in seen] + [set(range(90))]
    assert [len(rows) for rows in befores] == [45, 60, 75, 90]
    assert [draws.n_rows for _, draws in seen] == [45, 60, 75]
    for k, (_, draws) in enumerate(seen):
        assert befores[k] < befores[k + 1]
        block = sorted(befores[k + 1] - befores[k])
        mean = draws.forests[0].predict(np.asfortranarray(X[block])).mean(axis=0)
        assert found.correlations[k] == pytest.approx(spearmanr(mean, y[block]).statistic)


def test_an_interaction_without_main_effects_is_evidence():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 6))
    y = np.sign(X[:, 0] * X[:, 1]) + 0.5 * rng.normal(size=400)
    data = read_dataset(X, y)
    assert find_signal(data, 50_000, CONFIG).found
    assert np.abs([spearmanr(X[:, j], y).statistic for j in range(6)]).max() < 0.15


def test_outliers_do_not_hide_a_signal():
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(150, 5))
    y = 3 * X[:, 2] + 0.3 * rng.normal(size=150)
    y[:6] += 1000
    assert run_test(X, y).p_value < 0.01


def test_categories_missing_values_groups_and_weights():
    rng = np.random.default_rng(6)
    site = rng.choice(list("abcd"), 120)
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120), "site": site})
    X.loc[::4, "b"] = np.nan
    y = (site == "b") + 0.2 * rng.normal(size=120)
    about = {"groups": {"pair": ["a", "b"]}, "sample_weight": rng.uniform(0.5, 2, 120)}
    assert run_test(X, y, **about).p_value < 0.05


def test_blocks_have_the_same_part_of_each_class():
    rng = np.random.default_rng(7)
    y = np.array([1] * 12 + [0] * 72)
    data = read_dataset(rng.uniform(size=(84, 3)), y)
    parts = held_out._divide(data, signal_prior(data), 0)
    assert [int(y[block].sum()) for _, block in parts] == [2] * N_BLOCKS
    assert [len(block) for _, block in parts] == [14] * N_BLOCKS
    assert [int(y[before].sum()) for before, _ in parts] == [6, 8, 10]


def test_permutations_stay_within_blocks():
    rng = np.random.default_rng(8)
    block = np.repeat([0, 1], 60)
    X = np.column_stack([block, rng.uniform(size=(120, 2))])
    y = 3.0 * block + rng.normal(size=120)
    assert run_test(X, y).p_value < 0.01
    assert run_test(X, y, permute_within=block).p_value > 0.05


@pytest.mark.parametrize(
    ("n", "about"), [(19, {}), (100, {"time_order": True})], ids=["few rows", "time order"]
)
def test_where_rows_cannot_be_held_out(n, about):
    rng = np.random.default_rng(9)
    X = rng.uniform(size=(n, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=n)
    assert run_test(X, y, **about) is None
    settings = SETTLED | {"n_replicates": 2, "row_stability": False}
    assert bv.select(X, y, **settings, **about).signal.held_out is None


def test_large_tables_are_divided_one_after_the_other_or_not_at_all(monkeypatch):
    rng = np.random.default_rng(10)
    X = rng.uniform(size=(40, 5))
    whole = run_test(X, X[:, 0])
    monkeypatch.setattr(held_out, "MOST_COPIED_CELLS", 40 * 5)
    np.testing.assert_array_equal(run_test(X, X[:, 0]).correlations, whole.correlations)
    monkeypatch.setattr(held_out, "MOST_COPIED_CELLS", 40 * 5 - 1)
    assert run_test(X, X[:, 0]) is None


def test_a_constant_prediction_is_no_evidence():
    data = read_dataset(np.arange(20.0)[:, None], np.arange(20.0))
    assert held_out._compare(np.ones(5), data, np.arange(5), 0, 0) == (0.0, 1.0)
