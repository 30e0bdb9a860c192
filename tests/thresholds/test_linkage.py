from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import is_valid_linkage, linkage

from bayesvc import _validation
from bayesvc.thresholds._linkage import average_linkage, distinct_rows, last_split


def partition(side):
    """A split in two, whichever of the parts is called the second."""
    return frozenset({frozenset(np.flatnonzero(side)), frozenset(np.flatnonzero(~side))})


def sorted_rows(rng, m, d):
    return distinct_rows(rng.normal(size=(m, d)))[0]


def brute_force_heights(rows, weights):
    """Average linkage from its definition: the mean distance over all pairs of rows."""
    between = np.linalg.norm(rows[:, np.newaxis] - rows, axis=2)
    clusters = [[i] for i in range(len(rows))]
    heights = []

    def distance(a, b):
        pairs = list(itertools.product(a, b))
        shares = [weights[i] * weights[j] for i, j in pairs]
        return np.average([between[i, j] for i, j in pairs], weights=shares)

    while len(clusters) > 1:
        a, b = min(itertools.combinations(clusters, 2), key=lambda pair: distance(*pair))
        heights.append(distance(a, b))
        clusters = [c for c in clusters if c not in (a, b)] + [a + b]
    return heights


def test_distinct_rows_are_sorted_and_counted():
    rows = np.array([[2.0, 1.0], [1.0, 5.0], [2.0, 0.0], [1.0, 5.0]])
    distinct, place, counts = distinct_rows(rows)
    assert distinct.tolist() == [[1, 5], [2, 0], [2, 1]]
    assert place.tolist() == [2, 0, 1, 0]
    assert counts.tolist() == [2, 1, 1]


def test_rows_without_columns_are_all_equal():
    distinct, place, counts = distinct_rows(np.empty((3, 0)))
    assert distinct.shape == (1, 0)
    assert place.tolist() == [0, 0, 0]
    assert counts.tolist() == [3]


@pytest.mark.parametrize("d", [1, 3])
def test_a_dendrogram_worked_out_by_hand(d):
    # On a line: 0 (three times) and 1 merge at 1, mean 1/4; 7 joins at 7 - 1/4.
    rows = np.zeros((3, d))
    rows[:, 0] = 0, 1, 7
    tree = average_linkage(rows, np.array([3, 1, 1]))
    assert tree.tolist() == [[0, 1, 1, 2], [2, 3, 6.75, 3]]
    assert last_split(tree).tolist() == [True, True, False]


@pytest.mark.parametrize("m", [2, 3, 7, 40, 200])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_weighted_rows_give_the_dendrogram_of_all_rows(rng, m, d):
    rows = sorted_rows(rng, m, d)
    weights = rng.integers(1, 6, size=m)
    tree = average_linkage(rows, weights)
    owner = np.repeat(np.arange(m), weights)
    full = linkage(rows[owner], method="average")
    np.testing.assert_allclose(tree[:, 2], full[-(m - 1) :, 2], rtol=1e-10)
    assert np.all(full[: -(m - 1), 2] == 0)
    assert partition(last_split(tree)[owner]) == partition(last_split(full))
    assert is_valid_linkage(tree)


@pytest.mark.parametrize("m", [2, 3, 50])
@pytest.mark.parametrize("d", [1, 2])
def test_agrees_with_scipy_where_no_weights_are_needed(rng, m, d):
    rows = sorted_rows(rng, m, d)
    expected = linkage(rows, method="average")
    tree = average_linkage(rows, np.ones(m, dtype=np.intp))
    # Both sum up in another order, on a line over up to m members.
    np.testing.assert_allclose(tree, expected, rtol=1e-12 if d > 1 else 1e-9)


@pytest.mark.parametrize("d", [1, 2])
def test_heights_against_the_definition(rng, d):
    rows, weights = sorted_rows(rng, 9, d), rng.integers(1, 5, size=9)
    heights = average_linkage(rows, weights)[:, 2]
    np.testing.assert_allclose(heights, brute_force_heights(rows, weights), rtol=1e-12)


GRID = arrays(
    np.float64, st.tuples(st.integers(2, 25), st.integers(1, 3)), elements=st.integers(0, 3)
)


@settings(deadline=None)
@given(GRID)
def test_with_ties_the_dendrogram_is_still_one(values):
    rows, _, weights = distinct_rows(values)
    if len(rows) < 2:
        return
    tree = average_linkage(rows, weights)
    assert is_valid_linkage(tree)
    assert np.all(np.diff(tree[:, 2]) >= 0)
    second = last_split(tree)
    assert 0 < second.sum() < len(rows)
    # The height of the last merge is the mean distance between the two sides.
    apart = np.linalg.norm(rows[second][:, np.newaxis] - rows[~second], axis=2)
    shares = np.outer(weights[second], weights[~second])
    assert tree[-1, 2] == pytest.approx(np.average(apart, weights=shares))


def test_more_rows_than_the_matrix_holds(rng):
    rows, _, weights = distinct_rows(rng.integers(0, 15, size=(4000, 3)).astype(np.float64))
    rows = rows + 1e-3 * rng.normal(size=rows.shape)
    tree = average_linkage(rows[np.lexsort(rows.T[::-1])], np.ones_like(weights))
    expected = linkage(rows, method="average")
    assert len(rows) > 2000
    np.testing.assert_allclose(tree[:, 2], expected[:, 2], rtol=1e-10)


def test_equal_distances_stay_equal_when_averaged(rng):
    corners = np.eye(12)[::-1].copy()
    for _ in range(20):
        tree = average_linkage(corners, rng.integers(1, 100, size=12))
        assert np.all(tree[:, 2] == np.sqrt(2))


def test_a_line_of_equal_gaps_merges_the_leftmost_pair_first():
    tree = average_linkage(np.arange(5.0)[:, np.newaxis], np.ones(5, dtype=np.intp))
    assert tree.tolist() == [[0, 1, 1, 2], [2, 3, 1, 2], [4, 6, 1.5, 3], [5, 7, 2.5, 5]]


def test_one_column_is_never_refused(rng, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 0)
    rows = sorted_rows(rng, 5000, 1)
    assert len(average_linkage(rows, np.ones(5000, dtype=np.intp))) == 4999


def test_too_many_rows_are_refused(rng, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**5)
    rows = sorted_rows(rng, 400, 2)
    with pytest.raises(MemoryError, match=r"400 distinct variables needs.*VIP Rank.*DART"):
        average_linkage(rows, np.ones(400, dtype=np.intp))


def test_numbers_whose_squares_overflow_are_refused():
    with pytest.raises(ValueError, match=r"Got numbers up to 1e\+200 instead. Divide"):
        average_linkage(np.array([[0.0, 1], [1e200, 2]]), np.array([1, 1]))
