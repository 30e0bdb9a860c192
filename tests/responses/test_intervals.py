"""The distribution of numbers known to lie in intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm, rankdata, truncnorm

from bayesvc.responses.intervals import fit_normal, rank_scores, truncated_moments

INF = np.inf


def test_truncated_moments_are_those_of_scipy():
    low = np.array([-INF, 0.3, 4.0, -1.0, 0.5, 6.0, -9.0, -0.2, 8.0, -INF, 2.0])
    high = np.array([0.5, INF, INF, 2.5, 1.0, 6.1, -7.0, 0.9, 8.001, -5.0, 2.0])
    means, variances = truncated_moments(low, high, 0.25, 1.5)
    a, b = (low - 0.25) / 1.5, (high - 0.25) / 1.5
    own = low < high
    expected = truncnorm.stats(a[own], b[own], 0.25, 1.5, moments="mv")
    np.testing.assert_allclose(means[own], expected[0], rtol=1e-6)
    np.testing.assert_allclose(variances[own], expected[1], rtol=1e-3)
    assert (means[-1], variances[-1]) == (2.0, 0.0)


def test_truncated_moments_stay_within_far_intervals():
    low, high = np.array([1e6, -INF, 50.0]), np.array([INF, -1e6, 50.0001])
    means, variances = truncated_moments(low, high, 0.0, 1.0)
    assert (low <= means).all()
    assert (means <= high).all()
    assert (variances >= 0).all()
    assert np.isfinite(variances).all()


def test_the_normal_fit_has_the_greatest_likelihood(rng):
    z = rng.normal(3, 2, size=200)
    limit = rng.normal(3.5, 2, size=200)
    low = np.where(np.arange(200) % 5 == 0, np.floor(z), np.minimum(z, limit))
    high = np.where(np.arange(200) % 5 == 0, np.floor(z) + 1, np.where(z <= limit, z, INF))

    def minus_log_likelihood(parameters):
        mean, sd = parameters[0], np.exp(parameters[1])
        points = norm.logpdf(low, mean, sd)
        with np.errstate(divide="ignore"):
            inside = np.log(norm.cdf(high, mean, sd) - norm.cdf(low, mean, sd))
        return -np.where(low == high, points, inside).sum()

    best = minimize(minus_log_likelihood, [3, 1])
    fit = fit_normal(low, high, np.ones(200, dtype=np.intp))
    assert fit.mean == pytest.approx(best.x[0], abs=1e-3)
    assert fit.sd == pytest.approx(np.exp(best.x[1]), abs=1e-3)
    assert (fit.means[low < high] > low[low < high]).all()


def test_counts_stand_for_copies(rng):
    low = rng.normal(size=6)
    high = np.where(np.arange(6) % 2, INF, low)
    counts = np.array([1, 3, 2, 0, 1, 2])
    rows = np.repeat(np.arange(6), counts)
    fit, copies = fit_normal(low, high, counts), fit_normal(low[rows], high[rows], counts[rows] > 0)
    assert fit.mean == pytest.approx(copies.mean)
    scores = rank_scores(low, high, counts)
    one = np.ones(len(rows), dtype=np.intp)
    np.testing.assert_allclose(scores[rows], rank_scores(low[rows], high[rows], one), atol=1e-6)


def kaplan_meier(time, event, at):
    """P(T > at), from its definition."""
    alive = 1.0
    for t in np.unique(time[event]):
        if t <= at:
            alive *= 1 - np.sum(event & (time == t)) / np.sum(time >= t)
    return alive


def test_rank_scores_are_those_of_kaplan_and_meier(rng):
    time = rng.integers(1, 30, size=60).astype(float)
    event = rng.random(60) < 0.6
    scores = rank_scores(time, np.where(event, time, INF), np.ones(60, dtype=np.intp))
    for t, observed, score in zip(time, event, scores, strict=True):
        after = kaplan_meier(time, event, t)
        before = kaplan_meier(time, event, t - 0.5)
        expected = 1 - (before + after) / 2 if observed else 1 - after / 2
        assert score == pytest.approx(expected, abs=2e-3)


def test_rank_scores_of_observed_times_are_their_ranks(rng):
    time = rng.integers(1, 20, size=50).astype(float)
    scores = rank_scores(time, time, np.ones(50, dtype=np.intp))
    np.testing.assert_allclose(scores, (rankdata(time) - 0.5) / 50, atol=1e-12)


def test_rank_scores_of_intervals_are_in_order():
    low = np.array([-INF, 0.0, 1.0, 2.0, 2.0, 5.0])
    high = np.array([0.5, 1.0, 1.0, 3.0, INF, INF])
    scores = rank_scores(low, high, np.ones(6, dtype=np.intp))
    assert (np.diff(scores) >= 0).all()
    assert scores[0] < scores[2] < scores[3] < scores[5]
