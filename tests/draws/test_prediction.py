from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import bayesvc as bv
from bayesvc import _validation
from bayesvc.draws.prediction import _mixture_quantile, predict_observation
from bayesvc.estimators.partial_dependence import partial_dependence
from tests.helpers.settings import SEEDED

KEPT = SEEDED | {"n_draws": 20, "keep_trees": True}


@pytest.fixture
def draws(regression):
    return bv.sample(*regression, n_replicates=2, **KEPT)


def walk(arrays, root, row):
    """The value of the tree that starts at node `root`, by the definition."""
    k = int(root)
    while arrays["variable"][k] >= 0:
        goes_left = row[arrays["variable"][k]] <= arrays["value"][k]
        k += 1 if goes_left else int(arrays["right"][k])
    return arrays["value"][k]


@pytest.mark.parametrize("n_trees", [1, 7])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_tree_is_walked_to_its_leaf(rng, n_trees, order):
    """With beta = 0.5 trees grow deep; 600 rows are several of the core's chunks."""
    X = np.asarray(rng.uniform(size=(600, 3)).round(2), order=order)
    y = 10 * np.sin(9 * X[:, 0]) + 5 * (X[:, 1] > X[:, 2]) + 0.1 * rng.normal(size=600)
    prior = bv.BART(gamma=0.99, beta=0.5)
    draws = bv.sample(X, y, prior, n_replicates=1, n_trees=n_trees, **KEPT)
    (forest,) = draws.forests
    arrays = forest.to_arrays()
    starts = arrays["tree_start"].reshape(20, n_trees)
    sums = [[sum(walk(arrays, k, row) for k in starts[d]) for row in X] for d in (0, 19)]
    expected = y.min() + (np.array(sums) + 0.5) * np.ptp(y)
    assert draws.tree_depth.min() > 2
    np.testing.assert_allclose(draws.posterior(X)[[0, 19]], expected, rtol=1e-12)


def test_posterior_is_laid_out_by_replicates(draws, regression):
    X, _ = regression
    values = draws.posterior(X, n_jobs=1)
    assert values.shape == (40, 60)
    np.testing.assert_array_equal(values.mean(axis=0), draws.predict(X))
    np.testing.assert_array_equal(draws.posterior(X, n_jobs=2), values)
    extended = draws.extend(1).posterior(X)
    np.testing.assert_array_equal(extended[:40], values)


def test_posterior_asks_for_memory_first(draws, regression, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match=r"The posterior needs.*fewer rows.*predict"):
        draws.posterior(regression[0])


@pytest.mark.parametrize("sd", [1e-6, 0.01, 1, 100])
@pytest.mark.parametrize("probability", [0.001, 0.3, 0.5, 0.975])
def test_quantiles_of_mixtures(rng, sd, probability):
    """From separate spikes, where the density between them is 0, to one broad hump.

    The sums of the test and of the function are rounded differently.
    """
    means = rng.normal(size=(40, 30)) + 10 * rng.integers(2, size=(40, 1))
    sds = sd * rng.uniform(0.5, 2, size=(40, 1))
    found = _mixture_quantile(probability, means, sds)
    step = 1e-7 * np.sqrt(means.var(axis=0) + (sds**2).mean())
    assert (norm.cdf(found - step, means, sds).mean(axis=0) <= probability + 1e-15).all()
    assert (norm.cdf(found + step, means, sds).mean(axis=0) >= probability - 1e-15).all()


@pytest.mark.parametrize("df", [None, 3.0])
@pytest.mark.parametrize("probability", [0.05, 0.95])
def test_quantiles_take_few_steps(rng, monkeypatch, probability, df):
    """Rounding must not throw a row that has arrived back to the middle of its bracket."""
    monkeypatch.setattr("bayesvc.draws.prediction._MOST_STEPS", 5)
    means, sds = rng.normal(size=(200, 1000)), rng.uniform(0.5, 1, size=(200, 1))
    dfs = None if df is None else np.full((200, 1), df)
    found = _mixture_quantile(probability, means, sds, dfs)
    parts = norm(means, sds) if df is None else student(df, means, sds)
    reached = parts.cdf(found).mean(axis=0)
    # the density there is about 0.1 and more than 0.01, and the standard deviation about 1
    np.testing.assert_allclose(reached, probability, atol=1e-9)


@pytest.mark.parametrize("df", [None, 3.0])
def test_quantiles_of_a_column_do_not_depend_on_the_others(rng, monkeypatch, df):
    means, sds = rng.normal(size=(50, 20)), rng.uniform(0.01, 1, size=(50, 1))
    dfs = None if df is None else np.full((50, 1), df)
    whole = _mixture_quantile(0.9, means, sds, dfs)
    alone = [_mixture_quantile(0.9, means[:, [j]], sds, dfs)[0] for j in range(20)]
    np.testing.assert_allclose(alone, whole, rtol=1e-13)
    monkeypatch.setattr("bayesvc.draws.prediction._NUMBERS_PER_STEP", 3 * 50)
    np.testing.assert_array_equal(_mixture_quantile(0.9, means, sds, dfs), whole)


def test_quantiles_of_one_normal():
    found = _mixture_quantile(0.9, np.array([[1.0, 2.0]]), np.array([[2.0]]))
    np.testing.assert_allclose(found, norm.ppf(0.9, [1, 2], 2), rtol=1e-12)


def test_observation_in_blocks_is_the_same(draws, regression, monkeypatch):
    X, _ = regression
    whole = predict_observation(draws, X, 0.5)
    monkeypatch.setattr("bayesvc.draws.prediction._PREDICTED_NUMBERS_PER_BLOCK", 7 * 40)
    np.testing.assert_allclose(predict_observation(draws, X, 0.5), whole, rtol=1e-8)


def test_observation_of_a_binary_response_is_refused(classification):
    draws = bv.sample(*classification, n_replicates=1, **KEPT)
    with pytest.raises(ValueError, match=r"continuous response. Got a binary one"):
        predict_observation(draws, classification[0], 0.9)


def brute_force(draws, X, columns, point):
    held = X.copy()
    held[:, columns] = point
    return draws.posterior(held).mean(axis=1)


# 40 draws of 60 rows: several points at once, one point at once, one point in several blocks
@pytest.mark.parametrize("block", [8_000_000, 3 * 60 * 40, 60 * 40, 7 * 40])
def test_partial_dependence_is_the_mean_over_rows(draws, regression, monkeypatch, block):
    X, _ = regression
    monkeypatch.setattr("bayesvc.draws.prediction._PREDICTED_NUMBERS_PER_BLOCK", block)
    before = X.copy()
    effect = partial_dependence(draws, X, 3, grid_resolution=5, interval=0.8)
    np.testing.assert_array_equal(X, before)
    expected = np.array([brute_force(draws, X, [3], value) for value in effect.grid[0]]).T
    assert expected.shape == (40, 5)
    np.testing.assert_allclose(effect.samples, expected, rtol=1e-12)
    np.testing.assert_allclose(effect.mean, expected.mean(axis=0), rtol=1e-12)
    low, high = np.quantile(expected, (0.1, 0.9), axis=0)
    np.testing.assert_allclose(effect.low, low, rtol=1e-12)
    np.testing.assert_allclose(effect.high, high, rtol=1e-12)
    assert effect.features == ("x3",)


def test_partial_dependence_of_two_columns(draws, regression):
    X, _ = regression
    effect = partial_dependence(draws, X, ["x3", 1], grid=([0.2, 0.5, 0.8], [0.1, 0.9]))
    assert effect.samples.shape == (40, 3, 2)
    assert effect.mean.shape == effect.low.shape == effect.high.shape == (3, 2)
    expected = brute_force(draws, X, [3, 1], (0.8, 0.1))
    np.testing.assert_allclose(effect.samples[:, 2, 0], expected, rtol=1e-12)
    assert effect.features == ("x3", "x1")


def test_partial_dependence_of_probabilities(classification):
    X, y = classification
    draws = bv.sample(X, y, n_replicates=1, **KEPT)
    effect = partial_dependence(draws, X, 2, grid=[0.1, 0.9])
    expected = np.array([brute_force(draws, X, [2], value) for value in (0.1, 0.9)]).T
    np.testing.assert_allclose(effect.samples, expected, rtol=1e-12)
    assert effect.mean[0] < effect.mean[1]


def test_grid_of_quantiles_or_of_all_values(draws, regression):
    X, _ = regression
    X[:, 0] = np.arange(60) % 3
    assert partial_dependence(draws, X, 0).grid[0].tolist() == [0, 1, 2]
    (grid,) = partial_dependence(draws, X, 1, grid_resolution=3).grid
    np.testing.assert_allclose(grid, np.quantile(X[:, 1], (0.05, 0.5, 0.95)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": 5}, r"`features` must be at most 4.* Got 5"),
        ({"features": -1}, "`features` must be .* Got -1"),
        ({"features": "y"}, "`features` must be one of 'x0'.* Got 'y'"),
        ({"features": [0, 1, 2]}, "`features` must be one or two columns. Got 3"),
        ({"features": []}, "`features` must be one or two columns. Got 0"),
        ({"features": [1, "x1"]}, r"`features` must be different columns. Got \[1, 'x1'\]"),
        ({"features": 0, "interval": 1}, "`interval` must be .* Got 1 instead"),
        ({"features": 0, "grid_resolution": 1}, "`grid_resolution` must be .* Got 1 instead"),
        ({"features": 0, "grid": []}, "`grid` must be .* shape"),
        ({"features": 0, "grid": [np.nan]}, r"`grid\[0\]` must be a finite number"),
        ({"features": [0, 1], "grid": [[1.0]]}, "2 arrays, one for each column. Got 1 array"),
    ],
)
def test_partial_dependence_refuses(draws, regression, arguments, message):
    with pytest.raises(ValueError, match=message):
        partial_dependence(draws, regression[0], **arguments)


def test_partial_dependence_needs_rows_and_trees(draws, regression):
    X, y = regression
    with pytest.raises(ValueError, match=r"`X` must have rows .*Got none"):
        partial_dependence(draws, X[:0], 0)
    with pytest.raises(ValueError, match="keep_trees=True"):
        partial_dependence(bv.sample(X, y, n_replicates=1, burn_in=1, n_draws=1), X, 0)
