"""Accumulated local effects, partial dependence and individual curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc.data.encode import encode_X
from bayesvc.draws.prediction import predict
from bayesvc.estimators.partial_dependence import partial_dependence
from bayesvc.explain import curves
from bayesvc.explain.curves import bin_edges, effect_curve, evenly, individual_curves

SHORT = {"n_replicates": 1, "n_trees": 30, "burn_in": 200, "n_draws": 40, "random_state": 0}


@pytest.fixture(scope="module")
def correlated():
    """Two columns of which the second follows the first; y is their product."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=300)
    X = np.column_stack([x, np.clip(x + 0.1 * rng.normal(size=300), 0, 1)])
    draws = bv.sample(X, X[:, 0] * X[:, 1], bv.BART(), keep_trees=True, **SHORT)
    return draws, encode_X(X)


def by_definition(draws, X, column, edges):
    """Return the accumulated local effect of the posterior mean, bin by bin."""
    values = X.values[:, column]
    total = np.zeros(len(edges))
    for k in range(1, len(edges)):
        rows = X.values[(values >= edges[k - 1]) & (values <= edges[k])]
        ends = [np.array(rows), np.array(rows)]
        ends[0][:, column], ends[1][:, column] = edges[k - 1], edges[k]
        low, high = (predict(draws, end) for end in ends)
        total[k] = total[k - 1] + (high - low).mean()
    return total - np.interp(values, edges, total).mean() + predict(draws, X.values).mean()


@pytest.mark.parametrize("column", [0, 1])
def test_accumulated_effects_against_their_definition(correlated, column):
    draws, X = correlated
    curve = effect_curve(draws, X, column, "ale", 0.9)
    np.testing.assert_array_equal(curve.x, bin_edges(X.values[:, column]))
    np.testing.assert_allclose(curve.mean, by_definition(draws, X, column, curve.x), atol=1e-12)
    assert (curve.low <= curve.mean).all()
    assert (curve.mean <= curve.high).all()


def test_of_additive_functions_both_kinds_agree():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    stumps = bv.BART(gamma=0.95, beta=50.0)  # trees with one split at most
    draws = bv.sample(X, 3 * X[:, 0] + X[:, 1], stumps, keep_trees=True, **SHORT)
    ale = effect_curve(draws, encode_X(X), 0, "ale", 0.9)
    averages = partial_dependence(draws, X, 0, grid=ale.x)
    np.testing.assert_allclose(np.diff(ale.samples), np.diff(averages.samples), atol=1e-12)
    own = effect_curve(draws, encode_X(X), 0, "pd", 0.9)
    at = np.array([own.x[0], own.x[-1]])
    np.testing.assert_allclose(
        own.mean[[0, -1]], partial_dependence(draws, X, 0, grid=at).mean, atol=1e-12
    )


def test_few_values_and_empty_bins():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 200), rng.uniform(size=200)]).astype(float)
    X[X[:, 0] == 1, 0] = 2
    X[0, 0] = 1
    draws = bv.sample(X, X[:, 0] + X[:, 1], bv.BART(), keep_trees=True, **SHORT)
    curve = effect_curve(draws, encode_X(X), 0, "ale", 0.9)
    assert curve.x.tolist() == [0, 1, 2]
    np.testing.assert_allclose(curve.mean[2] - curve.mean[0], 2, atol=0.1)


def test_a_part_of_the_rows_is_enough(correlated, monkeypatch):
    draws, X = correlated
    whole = effect_curve(draws, X, 0, "ale", 0.9).mean
    monkeypatch.setattr(curves, "_MOST_ROWS", 60)
    part = effect_curve(draws, X, 0, "ale", 0.9).mean
    assert (whole != part).any()
    np.testing.assert_allclose(part, whole, atol=0.1)


def test_a_bin_without_rows_takes_the_nearest(monkeypatch):
    rows, bins = curves._in_bins(np.array([0.0, 0.1, 0.9]), np.array([0.0, 0.2, 0.6, 1.0]))
    assert bins.tolist() == [0, 0, 1, 2]
    assert rows[bins == 1].tolist() == [1]


def test_a_column_with_one_value_is_flat():
    X = np.column_stack([np.ones(60), np.linspace(0, 1, 60)])
    draws = bv.sample(X, X[:, 1], bv.BART(), keep_trees=True, **SHORT)
    curve = effect_curve(draws, encode_X(X), 0, "ale", 0.9)
    np.testing.assert_allclose(curve.mean, [predict(draws, X).mean()])


def test_of_categories_only_those_that_occur():
    frame = pd.DataFrame({"a": np.linspace(0, 1, 80)})
    frame["c"] = pd.Categorical(["x", "y"] * 40, categories=["x", "y", "never"])
    draws = bv.sample(frame, frame["a"] + (frame["c"] == "y"), bv.BART(), keep_trees=True, **SHORT)
    X = encode_X(frame)
    curve = effect_curve(draws, X, 1, "ale", 0.9)
    assert (curve.kind, curve.x.tolist(), curve.categorical) == ("pd", ["x", "y"], True)
    x, values, _ = individual_curves(draws, X, 1, 5)
    assert x.tolist() == ["x", "y"]
    assert values.shape == (5, 2)


def test_individual_curves_are_predictions(correlated):
    draws, X = correlated
    x, values, rows = individual_curves(draws, X, 1, 4)
    own = X.values[rows].copy()
    own[:, 1] = x[7]
    np.testing.assert_allclose(values[:, 7], predict(draws, own))


def test_evenly_spaced_positions():
    assert evenly(3, 10).tolist() == [0, 1, 2]
    assert evenly(101, 3).tolist() == [0, 50, 100]
