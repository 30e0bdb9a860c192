"""Average linkage of weighted rows, and the two clusters of its last merge.

A row of weight w stands for w equal rows: those merge first, at height 0, so that the rest of the
dendrogram is the one of all rows. The dendrograms have the layout of scipy.cluster.hierarchy; their
last column counts the rows, not the weights, as scipy's functions want it.
"""

from __future__ import annotations

import heapq

import numpy as np

from bayesvc._core import average_linkage as linkage_of_points
from bayesvc._logarithms import log1p
from bayesvc._typing import BoolArray, FloatArray, IntArray
from bayesvc._validation import check_memory

_LARGEST = 1e150
_BYTES_PER_ROW = 600


def distinct_rows(rows: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the distinct rows in ascending order, each row's place among them, and their counts.

    The order makes whatever follows independent of the order of `rows`, ties included.
    """
    if rows.shape[1] == 0:
        return rows[:1], np.zeros(len(rows), dtype=np.intp), np.array([len(rows)])
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(rows), dtype=np.intp)
    place[order] = np.cumsum(is_new) - 1
    return ordered[is_new], place, np.bincount(place).astype(np.intp)


def leaf_points(
    raw: FloatArray, transform: bool, factors: FloatArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the distinct points to be clustered, the point of each row of `raw`, and their sizes.

    A point is the row after log1p and standardisation (if `transform`), times `factors`, without
    the columns that are constant then.
    """
    rows, place, sizes = distinct_rows(raw[:, factors > 0])
    rows = log1p(rows) if transform else rows
    low, high = rows.min(axis=0), rows.max(axis=0)
    varies = low < high
    rows = rows[:, varies]
    if transform:  # first to [0, 1], where no square can under- or overflow
        rows = (rows - low[varies]) / (high - low)[varies]
        share = (sizes / sizes.sum())[:, np.newaxis]
        rows = rows - (share * rows).sum(axis=0)
        rows = rows / np.sqrt((share * rows**2).sum(axis=0))
    points, again, _ = distinct_rows(rows * factors[factors > 0][varies])
    leaf = again[place]
    return points, leaf, np.bincount(leaf).astype(np.intp)


def average_linkage(rows: FloatArray, weights: IntArray) -> FloatArray:
    """Return the average-linkage dendrogram of Euclidean distances between weighted rows.

    `rows` (m, d) must be sorted, m >= 2. All takes O(m) memory; one column O(m log m) time, more
    columns O(m^2).
    """
    if np.abs(rows).max() > _LARGEST:
        raise ValueError(
            "`Z` must be small enough to be squared after weighting. Got numbers up to "
            f"{np.abs(rows).max():g} instead. Divide it by a constant, or pass transform=True."
        )
    if rows.shape[1] == 1:
        return _line_linkage(rows[:, 0], weights)
    check_memory(
        f"average linkage of {len(rows):,} distinct variables",
        (len(rows), _BYTES_PER_ROW),
        1,
        "cluster one column (the VIP Rank), use a permutation threshold or median_probability, "
        "sample with the DART prior (never-split variables count as one), or screen the columns "
        "first",
    )
    merges = linkage_of_points(rows, weights.astype(np.float64))
    return _dendrogram(merges[np.argsort(merges[:, 2], kind="stable")])


def last_split(tree: FloatArray) -> BoolArray:
    """Return which rows are in the second of the two clusters of the last merge."""
    m = len(tree) + 1
    children = tree[:, :2].astype(np.intp).tolist()
    second = np.zeros(m, dtype=bool)
    waiting = [children[-1][1]]
    while waiting:
        node = waiting.pop()
        if node < m:
            second[node] = True
        else:
            waiting += children[node - m]
    return second


def _dendrogram(merges: FloatArray) -> FloatArray:
    """Give numbers to the clusters of ascending merges, which name one row of both parts."""
    m = len(merges) + 1
    parent = list(range(2 * m - 1))
    n_rows = [1] * m + [0] * (m - 1)

    def cluster_of(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    tree = np.empty((m - 1, 4))
    for step, (x, y, height) in enumerate(merges.tolist()):
        first, second = sorted((cluster_of(int(x)), cluster_of(int(y))))
        new = m + step
        parent[first] = parent[second] = new
        n_rows[new] = n_rows[first] + n_rows[second]
        tree[step] = first, second, height, n_rows[new]
    return tree


def _line_linkage(values: FloatArray, weights: IntArray) -> FloatArray:
    """Merge neighbours: on a line clusters are intervals, and their distance that of the means."""
    m = len(values)
    size = weights.tolist()
    mean = values.tolist()
    node, n_rows = list(range(m)), [1] * m
    before = list(range(-1, m - 1))
    after = list(range(1, m + 1))
    version = [0] * m
    gaps = [(mean[i + 1] - mean[i], i, 0, 0) for i in range(m - 1)]
    heapq.heapify(gaps)
    tree = np.empty((m - 1, 4))
    for step in range(m - 1):
        while True:
            height, i, version_i, version_j = heapq.heappop(gaps)
            j = after[i]
            if j < m and version[i] == version_i and version[j] == version_j:
                break
        both = size[i] + size[j]
        mean[i] += (mean[j] - mean[i]) * (size[j] / both)
        n_rows[i] += n_rows[j]
        tree[step] = *sorted((node[i], node[j])), height, n_rows[i]
        size[i], node[i] = both, m + step
        version[i] += 1
        version[j] = -1
        after[i] = after[j]
        if after[i] < m:
            right = after[i]
            before[right] = i
            heapq.heappush(gaps, (mean[right] - mean[i], i, version[i], version[right]))
        if before[i] >= 0:
            left = before[i]
            heapq.heappush(gaps, (mean[i] - mean[left], left, version[left], version[i]))
    np.maximum.accumulate(tree[:, 2], out=tree[:, 2])
    return tree
