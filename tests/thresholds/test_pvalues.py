"""Permutation p-values and their adjustment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from bayesvc.thresholds import (
    permutation_pvalues,
)
from tests.helpers.thresholds import observed_and_null


def brute_force_maxt(observed, null):
    """Step-down maxT from its definition, with loops."""
    rows = np.vstack([observed, null])
    varies = np.ptp(rows, axis=0) > 0
    sd = np.where(varies, rows.std(axis=0, ddof=1), 1)
    scores = np.where(varies, (rows - rows.mean(axis=0)) / sd, -np.inf)
    order = sorted(range(len(observed)), key=lambda j: -scores[0, j])
    pvalues, last = np.empty(len(observed)), 0.0
    for place, j in enumerate(order):
        maxima = [max(row[i] for i in order[place:]) for row in scores[1:]]
        count = sum(top >= scores[0, j] - 1e-9 for top in maxima)
        last = pvalues[j] = max(last, (1 + count) / (len(null) + 1))
    return pvalues


def brute_force_bh(observed, null):
    rows = np.vstack([observed, null])
    varies = np.ptp(rows, axis=0) > 0
    scores = (rows - rows.mean(axis=0))[:, varies] / rows.std(axis=0, ddof=1)[varies]
    pool = scores[1:].ravel()
    raw = np.ones(len(observed))
    raw[varies] = [(1 + np.sum(pool >= z - 1e-9)) / (1 + pool.size) for z in scores[0]]
    p = len(raw)
    return [
        min([1, *(raw[i] * p / np.sum(raw <= raw[i]) for i in range(p) if raw[i] >= raw[j])])
        for j in range(p)
    ]


def test_pvalues_worked_out_by_hand():
    null = np.array([[1.0, 0], [2, 0], [3, 0]])
    assert permutation_pvalues([2.0, 0], null).tolist() == [0.75, 1]
    assert permutation_pvalues([4.0, 1], null).tolist() == [0.25, 0.25]
    # Scores of the second variable in the three rows are all below: -0.5 against 1.16 and 1.5.
    assert permutation_pvalues([4.0, 1], null, "maxt").tolist() == [0.25, 0.25]
    assert permutation_pvalues([4.0, 1], null, "bh").tolist() == pytest.approx([1 / 7, 1 / 7])


@settings(deadline=None)
@given(observed_and_null())
def test_adjusted_pvalues_against_their_definitions(values):
    np.testing.assert_allclose(permutation_pvalues(*values, "maxt"), brute_force_maxt(*values))
    if np.ptp(np.vstack(values), axis=0).any():
        np.testing.assert_allclose(permutation_pvalues(*values, "bh"), brute_force_bh(*values))


@settings(deadline=None)
@given(observed_and_null())
def test_bounds_of_pvalues(values):
    observed, null = values
    plain, maxt, bh = (permutation_pvalues(*values, adjust) for adjust in (None, "maxt", "bh"))
    least = 1 / (len(null) + 1)
    assert np.all((plain >= least) & (plain <= 1))
    assert np.all(maxt >= plain), "adjustment never lowers a p-value"
    assert np.all((bh > 0) & (bh <= 1))
    unused = (observed == 0) & (null == 0).all(axis=0)
    for pvalues in (plain, maxt, bh):
        assert np.all(pvalues[unused] == 1), "never split on"


def test_pooling_goes_below_what_fifty_permutations_can_say(rng):
    null = rng.gamma(2, size=(50, 200))
    observed = np.append(rng.gamma(2, size=199), 40.0)
    assert permutation_pvalues(observed, null)[-1] == 1 / 51
    assert permutation_pvalues(observed, null, "maxt")[-1] == 1 / 51
    assert permutation_pvalues(observed, null, "bh")[-1] == pytest.approx(200 / 10_001)


def test_pvalues_are_uniform_under_the_null(rng):
    """False-alarm rate 0.001: chi-square test of 4,000 p-values on 20 equally likely values."""
    rows = rng.gamma(0.5, size=(20, 4000))
    pvalues = permutation_pvalues(rows[0], rows[1:])
    counts = np.bincount(np.rint(pvalues * 20).astype(int), minlength=21)[1:]
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(("adjust", "level"), [("maxt", 0.05), ("maxt", 0.2), ("bh", 0.2)])
def test_the_family_wise_error_rate_under_the_null(rng, adjust, level):
    """False-alarm rate 0.001: binomial test of 2,000 families of 8 correlated variables."""
    n_families = 2000
    errors = 0
    for _ in range(n_families):
        rows = rng.gamma(1.0, size=(20, 8)) + rng.gamma(1.0, size=(20, 1))
        errors += permutation_pvalues(rows[0], rows[1:], adjust).min() <= level + 1e-12
    # maxT is exact here; the pooled p-values of BH promise no more than the level.
    side = "two-sided" if adjust == "maxt" else "greater"
    assert stats.binomtest(errors, n_families, level, alternative=side).pvalue > 0.001
