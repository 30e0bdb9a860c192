"""Divide the variables into two clusters by average linkage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from bayesvc._text import counted
from bayesvc._typing import BoolArray, FloatArray
from bayesvc._validation import check_choice, check_flag, check_floats
from bayesvc.exceptions import Note
from bayesvc.measures import Measure
from bayesvc.thresholds._linkage import average_linkage, last_split, leaf_points
from bayesvc.thresholds.base import ROUNDING, Threshold, ThresholdResult

_FEW = 10  # with no more variables, more than half of them may well be relevant


@dataclass(frozen=True, eq=False)
class ClusteringResult(ThresholdResult):
    """A division into two clusters, with the dendrogram behind it. See `clusters`.

    Attributes
    ----------
    mask, threshold, margin
        As in `ThresholdResult`. `margin` is the distance, in the space of the clustering, to the
        nearest variable of the other cluster. `threshold` lies half-way between the clusters if
        there is one column, and is NaN otherwise.
    tree : ndarray of shape (n_leaves - 1, 4)
        Dendrogram of the leaves in the layout of `scipy.cluster.hierarchy.linkage`, for its
        `dendrogram`. Empty if all rows are equal.
    leaf : ndarray of int of shape (n_features,)
        The leaf of each variable; variables with equal rows share one.
    points : ndarray of shape (n_leaves, n_columns)
        The leaves in the space of the clustering (without constant columns).

    Examples
    --------
    >>> from bayesvc.thresholds import clusters
    >>> split = clusters([[9.0], [0.0], [8.0], [0.0]], transform=False)
    >>> split.leaf, split.heights, split.separation
    (array([2, 0, 1, 0]), array([1. , 8.5]), 0.88...)
    """

    tree: FloatArray
    leaf: NDArray[np.intp]
    points: FloatArray

    @property
    def has_dendrogram(self) -> bool:
        """Whether the variables differ, so that there is a dendrogram to draw."""
        return len(self.tree) > 0

    @property
    def heights(self) -> FloatArray:
        """Heights of the merges, ascending; the last is the distance of the two clusters."""
        return self.tree[:, 2]

    @property
    def separation(self) -> float:
        """How clear the division is: 1 - (height of the last merge but one) / (that of the last).

        0 means that another division would have been as good; NaN that there is none.
        """
        if len(self.tree) == 0 or self.heights[-1] == 0:
            return math.nan
        before = float(self.heights[-2]) if len(self.tree) > 1 else 0.0
        return 1 - before / float(self.heights[-1])


def clustering(
    Z: ArrayLike,
    transform: bool = True,
    weights: ArrayLike | None = None,
    keep: Literal["high", "low"] = "high",
) -> BoolArray:
    """Divide the variables into two clusters by average linkage and select one.

    Parameters
    ----------
    Z : array-like of shape (n_features, n_columns) or (n_features,)
        One row per variable, such as the VC-measure, without any transformation.
    transform : bool, default=True
        Take log(1 + Z) and standardise its columns; constant columns drop out. Turn it off for
        the VIP Rank.
    weights : array-like of shape (n_columns,), optional
        Factors of at least 0 that multiply the (standardised) columns; 1 by default.
    keep : {"high", "low"}, default="high"
        Select the cluster with the higher or the lower mean of the first column of `Z`.

    Returns
    -------
    ndarray of bool of shape (n_features,)
        The mask. Nothing is selected if all rows are equal, or if the clusters do not differ in the
        mean of the first column. A single variable is selected if its first column is above 0.

    Notes
    -----
    The two clusters are those of the last merge. Rows are sorted and equal rows merged into one
    weighted row first, so the result does not depend on the order of the variables, and many
    variables that were never split on cost as much as one. The time grows with the square of the
    number of distinct rows (20 seconds for 100,000), the memory with their number. MemoryError is
    raised if there is too little of it.

    Examples
    --------
    >>> from bayesvc.thresholds import clustering
    >>> clustering([[9.0, 1.0], [0.5, 3.0], [8.0, 2.0], [0.0, 4.0]])
    array([ True, False,  True, False])
    >>> clustering([1.5, 3.5, 1.5, 3.5], transform=False, keep="low")
    array([ True, False,  True, False])
    """
    return clusters(Z, transform, weights, keep).mask


def clusters(
    Z: ArrayLike,
    transform: bool = True,
    weights: ArrayLike | None = None,
    keep: Literal["high", "low"] = "high",
) -> ClusteringResult:
    """Divide the variables as `clustering` does, and return the dendrogram and the margins too.

    Examples
    --------
    >>> from bayesvc.thresholds import clusters
    >>> split = clusters([1.5, 3.5, 1.5, 4.0], transform=False, keep="low")
    >>> split.mask, float(split.threshold[0]), split.margin
    (array([ True, False,  True, False]), 2.5, array([ 2. , -2. ,  2. , -2.5]))
    """
    raw = _check_features(Z)
    n_columns = raw.shape[1]
    factors = np.ones(n_columns) if weights is None else check_column_weights(weights, n_columns)
    if check_flag("transform", transform) and raw.min() <= -1:
        raise ValueError(
            f"`Z` must be above -1 for log(1 + Z). Got {raw.min():g} instead. Pass transform=False."
        )
    check_choice("keep", keep, ("high", "low"))
    points, leaf, sizes = leaf_points(raw, transform, factors)
    if len(points) == 1:
        alone = len(raw) == 1 and raw[0, 0] > 0
        return _undivided(np.full(len(raw), alone), np.empty((0, 4)), leaf, points)
    tree = average_linkage(points, sizes)
    second = last_split(tree)
    means = [_exact_mean(raw[side[leaf], 0]) for side in (~second, second)]
    if abs(means[1] - means[0]) <= ROUNDING * max(map(abs, means)):
        return _undivided(np.zeros(len(raw), dtype=bool), tree, leaf, points)
    kept = second if (means[1] > means[0]) == (keep == "high") else ~second
    margin = np.empty(len(points))
    margin[kept] = cKDTree(points[~kept]).query(points[kept])[0]
    margin[~kept] = -cKDTree(points[kept]).query(points[~kept])[0]
    mask = kept[leaf]
    threshold = _between(raw, mask) if raw.shape[1] == 1 else math.nan
    return ClusteringResult(mask, np.full(len(raw), threshold), margin[leaf], tree, leaf, points)


@dataclass(frozen=True)
class Clustering(Threshold):
    """Divide the variables into two clusters by average linkage, and select the better one.

    Parameters
    ----------
    weights : tuple of float, optional
        One factor per column of the measure; all 1 by default. A larger one makes a column count
        more.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Clustering(weights=(1, 1, 2, 2)).name
    'clustering'
    """

    weights: tuple[float, ...] | None = None

    name = "clustering"
    description = "Divides the variables into two clusters and selects the more important one."
    partitions = True

    def __post_init__(self) -> None:
        if self.weights is not None:
            weights = check_column_weights(self.weights)
            object.__setattr__(self, "weights", tuple(weights.tolist()))

    def incompatibility(self, measure: Measure) -> str | None:
        """Return that the weights are not one per column of the measure, or None."""
        if self.weights is None or measure.n_columns in (None, len(self.weights)):
            return None
        columns = counted(measure.n_columns, "column")
        return f"it has {len(self.weights)} weights, and the measure has {columns}"

    def apply(
        self, measure: Measure, values: FloatArray, null: FloatArray | None
    ) -> ThresholdResult:
        """Cluster the rows of the measure."""
        if measure.lower_is_better:
            return clusters(values, transform=False, weights=self.weights, keep="low")
        return clusters(values, weights=self.weights)

    def explain(self, result: ThresholdResult, importance: FloatArray, j: int) -> str:
        """Return a clause that says how far variable j is from the other cluster."""
        margin = float(result.margin[j])
        if math.isnan(margin):
            return "all variables look alike, so there are no clusters"
        if math.isnan(float(result.threshold[j])):
            return (
                "on the standardised log scale of the clustering, its distance to the nearest "
                f"variable of the other cluster is {abs(margin):.2f}"
            )
        return super().explain(result, importance, j)

    def notes(self, result: ThresholdResult) -> tuple[Note, ...]:
        """Say that more than half of many variables are selected."""
        n_selected, p = int(result.mask.sum()), len(result.mask)
        if n_selected <= max(_FEW, p / 2):
            return ()
        text = (
            f"More than half of the variables are selected ({n_selected} of {p}): the clustering "
            "separated a few unusual variables instead of the relevant ones. Do not rely on it. "
            "Use measure 'mpvip' with threshold 'median-probability', more replicates, or fewer "
            "columns."
        )
        return (Note("more-than-half", "warning", text),)


def _exact_mean(values: FloatArray) -> float:
    """Return the mean, whatever the order of the values."""
    return math.fsum(values) / len(values)


def _between(raw: FloatArray, mask: BoolArray) -> float:
    """Return the middle of the gap between the clusters of one column."""
    one, other = raw[mask, 0], raw[~mask, 0]
    low, high = (one, other) if one.max() < other.min() else (other, one)
    return float(low.max() + (high.min() - low.max()) / 2)


def _undivided(
    mask: BoolArray, tree: FloatArray, leaf: NDArray[np.intp], points: FloatArray
) -> ClusteringResult:
    nothing = np.full(len(mask), math.nan)
    return ClusteringResult(mask, nothing, nothing.copy(), tree, leaf, points)


def _check_features(Z: ArrayLike) -> FloatArray:
    raw = check_floats("Z", Z)
    raw = raw[:, np.newaxis] if raw.ndim == 1 else raw
    if raw.ndim != 2 or raw.size == 0:
        raise ValueError(
            "`Z` must have one row per variable and at least one column. Got shape "
            f"{raw.shape} instead."
        )
    return raw


def check_column_weights(weights: ArrayLike, n_columns: int | None = None) -> FloatArray:
    """Return factors of the columns of a measure; `n_columns` is None while it is unknown."""
    factors = check_floats("weights", weights)
    expected = (n_columns or max(1, factors.size),)
    if factors.shape != expected:
        count = "" if n_columns is None else f"{n_columns} "
        raise ValueError(
            f"`weights` must be {count}numbers, one per column of the measure. Got shape "
            f"{factors.shape} instead."
        )
    if factors.min() < 0 or factors.max() == 0:
        raise ValueError(
            f"`weights` must be at least 0, and not all of them 0. Got {factors.tolist()} instead."
        )
    return factors
