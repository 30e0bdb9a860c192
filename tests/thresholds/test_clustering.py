"""Two clusters of variables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import dendrogram, linkage

from bayesvc import _validation, measures
from bayesvc.thresholds import (
    clustering,
    clusters,
)
from bayesvc.thresholds._linkage import average_linkage, last_split


def feature_matrix(rng, p=30, relevant=4, n_fits=5):
    counts = rng.poisson(0.3, size=(n_fits, p)) / 7
    counts[:, :relevant] += rng.uniform(3, 9, size=relevant)
    return measures.vc_measure(type("Draws", (), {"vc": counts}))


def cluster_all_rows(Z, ddof=0):
    """The paper's pseudo code, row by row, with scipy alone."""
    logs = np.log1p(Z)
    full = linkage((logs - logs.mean(axis=0)) / logs.std(axis=0, ddof=ddof), method="average")
    second = last_split(full)
    return second if Z[second, 0].mean() > Z[~second, 0].mean() else ~second


def test_clustering_worked_out_by_hand():
    # One column: 10 and 9 against 0, 1, 2, whose mean distance is 8.5.
    split = clusters([[10.0], [1], [9], [0], [2]], transform=False)
    assert split.mask.tolist() == [True, False, True, False, False]
    assert split.heights.tolist() == [1, 1, 1.5, 8.5]
    assert split.threshold.tolist() == [5.5] * 5
    assert split.margin.tolist() == [8, -8, 7, -9, -7]
    assert split.separation == pytest.approx(1 - 1.5 / 8.5)
    assert clustering([10.0, 1, 9, 0, 2], False, keep="low").tolist() == [0, 1, 0, 1, 1]


@pytest.mark.parametrize("ddof", [0, 1])
def test_merged_rows_select_what_all_rows_select(rng, ddof):
    for _ in range(20):
        Z = feature_matrix(rng, p=60)
        assert len(np.unique(Z, axis=0)) < 60, "some variables are alike"
        np.testing.assert_array_equal(clustering(Z), cluster_all_rows(Z, ddof))


def test_a_hundred_thousand_variables_most_of_them_never_split_on(rng, monkeypatch):
    few = feature_matrix(rng, p=300)
    p = 100_000
    counts = np.zeros((10, p))
    place = rng.permutation(p)[:300]
    counts[:, place] = rng.poisson(0.3, size=(10, 300)) / 7
    counts[:, place[:4]] += rng.uniform(3, 9, size=4)
    draws = type("Draws", (), {"vc": counts})
    monkeypatch.setattr(_validation, "available_memory", lambda: 50_000_000)
    clustered = []

    def linked(points, sizes):
        clustered.append(len(points))
        return average_linkage(points, sizes)

    monkeypatch.setattr("bayesvc.thresholds._clustering.average_linkage", linked)
    mask = clustering(measures.vc_measure(draws))
    assert sorted(np.flatnonzero(mask)) == sorted(place[:4])
    assert len(clustered) == 1
    assert clustered[0] <= 300 + 1, "variables never split on are one point"
    assert clustering(few).sum() == 4


def test_a_mean_rank_of_many_distinct_values_needs_no_matrix(rng, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 0)
    ranks = np.append(rng.uniform(1, 10, size=5), rng.uniform(5000, 9000, size=9995))
    assert clustering(ranks, transform=False, keep="low").nonzero()[0].tolist() == [0, 1, 2, 3, 4]


def test_too_many_distinct_rows_are_refused(rng, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 100_000)
    with pytest.raises(MemoryError, match=r"1,000 distinct variables needs.*screen"):
        clustering(rng.uniform(size=(1000, 4)))


@pytest.mark.parametrize("p", [1, 2, 50])
@pytest.mark.parametrize("transform", [True, False])
def test_equal_counts_select_nothing(p, transform):
    Z = np.tile([0.1, 0.1, (p + 1) / 2, (p + 1) / 2], (p, 1))
    split = clusters(Z, transform)
    assert split.mask.tolist() == [p == 1] * p, "a single variable that was split on is kept"
    assert np.isnan(split.margin).all()
    assert math.isnan(split.separation)
    Z[:, :2] = 0
    assert not clustering(Z, transform).any()


def test_two_variables():
    assert clustering([[3.0, 3, 1, 1], [1, 1, 2, 2]]).tolist() == [True, False]
    assert clustering([1.0, 2], transform=False, keep="low").tolist() == [True, False]


def test_clusters_alike_in_the_first_column_select_nothing():
    Z = [[2.0, 5], [2, 5], [2, 1]]
    split = clusters(Z)
    assert not split.mask.any()
    assert len(split.tree) == 1
    assert clustering([[0.1, 5]] * 3 + [[0.1, 1]] * 7).sum() == 0, "means of 0.1 that round"


def test_a_constant_column_and_a_weight_of_zero_contribute_nothing(rng):
    Z = feature_matrix(rng)
    expected = clustering(Z)
    np.testing.assert_array_equal(clustering(np.column_stack([Z, np.full(30, 0.1)])), expected)
    noise = 1000 * rng.uniform(size=30)
    with_noise = clustering(np.column_stack([Z, noise]), weights=[1, 1, 1, 1, 0])
    np.testing.assert_array_equal(with_noise, expected)
    np.testing.assert_array_equal(clustering(Z, weights=np.full(4, 2.5)), expected)


def test_weights_decide_between_columns():
    Z = np.array([[1.0, 0], [1.1, 9], [8, 1], [8.1, 9.5]])
    assert clustering(Z, weights=[1, 0]).tolist() == [False, False, True, True]
    assert clustering(Z, weights=[0, 1]).tolist() == [False, True, False, True]
    assert clustering(Z, False, weights=[10, 0.1]).tolist() == [False, False, True, True]


def test_tiny_and_huge_numbers(rng):
    column = np.append(rng.uniform(0, 1, size=20), [8.0, 9])
    for scale in (1e-300, 1e-200, 1e-9):
        mask = clustering(np.column_stack([column, column**2]) * scale)
        assert np.flatnonzero(mask).tolist() == [20, 21], scale
    assert clustering([1e300, 1.0, 1.5, 2.0]).tolist() == [True, False, False, False]


def test_the_dendrogram_can_be_drawn(rng):
    split = clusters(feature_matrix(rng))
    assert len(dendrogram(split.tree, no_plot=True)["leaves"]) == len(split.points)
    assert split.points[split.leaf].shape == (30, 4)
    assert np.all((split.margin > 0) == split.mask)
    assert 0 < split.separation < 1


MATRICES = arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.one_of(st.integers(0, 3), st.floats(0, 50, width=32)),
)


@settings(deadline=None)
@given(MATRICES, st.booleans(), st.sampled_from(["high", "low"]), st.randoms(use_true_random=False))
def test_permuting_variables_permutes_the_clusters(Z, transform, keep, random):
    order = random.sample(range(len(Z)), len(Z))
    before, after = clusters(Z, transform, keep=keep), clusters(Z[order], transform, keep=keep)
    for part in ("mask", "threshold", "margin", "leaf"):
        np.testing.assert_array_equal(getattr(after, part), getattr(before, part)[order])
    np.testing.assert_array_equal(after.tree, before.tree)
    if before.mask.any() and len(Z) > 1:
        means = Z[before.mask, 0].mean(), Z[~before.mask, 0].mean()
        assert (means[0] > means[1]) == (keep == "high")
        assert np.all((before.margin > 0) == before.mask)


@settings(deadline=None)
@given(MATRICES, st.booleans())
def test_equal_variables_share_their_fate(Z, transform):
    doubled = clustering(np.vstack([Z, Z]), transform)
    np.testing.assert_array_equal(doubled[: len(Z)], doubled[len(Z) :])
