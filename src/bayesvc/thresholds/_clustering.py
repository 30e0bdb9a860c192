"""Split the variables in two by average linkage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from bayesvc._typing import BoolArray, FloatArray
from bayesvc._validation import check_choice, check_flag, check_floats
from bayesvc.measures import Measure
from bayesvc.thresholds._linkage import average_linkage, last_split, leaf_points
from bayesvc.thresholds.base import ROUNDING, ThresholdResult


@dataclass(frozen=True)
class Clustering:
    """Cut the variables in two by average linkage.

    Parameters
    ----------
    weights : tuple of float, optional
        One per column of the measure; all 1 by default. A larger one makes a column count more.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Clustering(weights=(1, 1, 2, 2)).name
    'clustering'
    """

    weights: tuple[float, ...] | None = None

    name: ClassVar[str] = "clustering"
    needs_null: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.weights is not None:
            weights = check_column_weights(self.weights)
            object.__setattr__(self, "weights", tuple(weights.tolist()))

    def refuses(self, measure: Measure) -> str | None:
        """Say why this threshold cannot cut the measure, or None."""
        if self.weights is not None and len(self.weights) != measure.n_columns:
            return f"it has {len(self.weights)} weights for {measure.n_columns} columns"
        return None

    def cut(self, measure: Measure, values: FloatArray, null: FloatArray | None) -> ThresholdResult:
        """Cluster the rows of the measure."""
        if measure.shape == "ranks":
            return clusters(values, transform=False, weights=self.weights, keep="low")
        return clusters(values, weights=self.weights)


@dataclass(frozen=True, eq=False)
class ClusteringResult(ThresholdResult):
    """A cut by clustering, with the dendrogram it was made on. See `clusters`.

    Attributes
    ----------
    selected, threshold, margin
        As in `ThresholdResult`. `margin` is the distance, in the space of the clustering, to the
        nearest variable on the other side. `threshold` lies half-way between the clusters if
        there is one column, and is NaN otherwise.
    tree : ndarray (n_leaves - 1, 4)
        Dendrogram of the leaves in the layout of `scipy.cluster.hierarchy.linkage`, for its
        `dendrogram`. Empty if all rows are equal.
    leaf : ndarray of int (n_features,)
        The leaf of each variable; variables with equal rows share one.
    points : ndarray (n_leaves, n_columns)
        The leaves in the space of the clustering (without the columns that tell nothing).

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
    def heights(self) -> FloatArray:
        """Heights of the merges, ascending; the last is the distance of the two clusters."""
        return self.tree[:, 2]

    @property
    def separation(self) -> float:
        """How clear the split is: 1 - (height of the last merge but one) / (that of the last).

        0 means that another split would have been as good; NaN that there is none.
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
    """Split the variables in two by average linkage and select one cluster.

    Parameters
    ----------
    Z : array (n_features, n_columns) or (n_features,)
        What is known of each variable, such as the VC-measure, without any transformation.
    transform : bool, default True
        Take log(1 + Z) and standardise its columns (a constant one then tells nothing).
        Turn it off for the VIP Rank.
    weights : array (n_columns,), optional
        Factors, at least 0, that multiply the (standardised) columns; 1 by default.
    keep : {"high", "low"}, default "high"
        Select the cluster with the higher or the lower mean of the first column of `Z`.

    Returns
    -------
    ndarray of bool (n_features,)
        Nothing is selected if all rows are equal, or if the clusters do not differ in the mean of
        the first column. A single variable is selected if its first column is above 0.

    Notes
    -----
    The two clusters are those of the last merge. Rows are sorted and equal rows merged into one
    weighted row first, so the answer does not depend on the order of the variables, and many
    variables that were never split on cost as much as one. The time grows with the square of the
    number of distinct rows (20 seconds for 100,000), the memory with their number; MemoryError is
    raised if it does not suffice.

    Examples
    --------
    >>> from bayesvc.thresholds import clustering
    >>> clustering([[9.0, 1.0], [0.5, 3.0], [8.0, 2.0], [0.0, 4.0]])
    array([ True, False,  True, False])
    >>> clustering([1.5, 3.5, 1.5, 3.5], transform=False, keep="low")
    array([ True, False,  True, False])
    """
    return clusters(Z, transform, weights, keep).selected


def clusters(
    Z: ArrayLike,
    transform: bool = True,
    weights: ArrayLike | None = None,
    keep: Literal["high", "low"] = "high",
) -> ClusteringResult:
    """Do as `clustering` and return the dendrogram and the margins with the selection.

    Examples
    --------
    >>> from bayesvc.thresholds import clusters
    >>> split = clusters([1.5, 3.5, 1.5, 4.0], transform=False, keep="low")
    >>> split.selected, float(split.threshold[0]), split.margin
    (array([ True, False,  True, False]), 2.5, array([ 2. , -2. ,  2. , -2.5]))
    """
    raw = _check_features(Z)
    n_columns = raw.shape[1]
    factors = np.ones(n_columns) if weights is None else check_column_weights(weights, n_columns)
    if check_flag("transform", transform) and raw.min() <= -1:
        raise ValueError(
            f"Z holds {raw.min():g}, which has no log(1 + Z); pass numbers above -1, "
            "or transform=False"
        )
    check_choice("keep", keep, ("high", "low"))
    points, leaf, sizes = leaf_points(raw, transform, factors)
    if len(points) == 1:
        alone = len(raw) == 1 and raw[0, 0] > 0
        return _no_cut(np.full(len(raw), alone), np.empty((0, 4)), leaf, points)
    tree = average_linkage(points, sizes)
    second = last_split(tree)
    means = [_exact_mean(raw[side[leaf], 0]) for side in (~second, second)]
    if abs(means[1] - means[0]) <= ROUNDING * max(map(abs, means)):
        return _no_cut(np.zeros(len(raw), dtype=bool), tree, leaf, points)
    kept = second if (means[1] > means[0]) == (keep == "high") else ~second
    margin = np.empty(len(points))
    margin[kept] = cKDTree(points[~kept]).query(points[kept])[0]
    margin[~kept] = -cKDTree(points[kept]).query(points[~kept])[0]
    selected = kept[leaf]
    threshold = _between(raw, selected) if raw.shape[1] == 1 else math.nan
    return ClusteringResult(
        selected, np.full(len(raw), threshold), margin[leaf], tree, leaf, points
    )


def _exact_mean(values: FloatArray) -> float:
    """Return the mean, whatever the order of the values."""
    return math.fsum(values) / len(values)


def _between(raw: FloatArray, selected: BoolArray) -> float:
    """Return the middle of the gap between the clusters of one column."""
    one, other = raw[selected, 0], raw[~selected, 0]
    low, high = (one, other) if one.max() < other.min() else (other, one)
    return float(low.max() + (high.min() - low.max()) / 2)


def _no_cut(
    selected: BoolArray, tree: FloatArray, leaf: NDArray[np.intp], points: FloatArray
) -> ClusteringResult:
    nothing = np.full(len(selected), math.nan)
    return ClusteringResult(selected, nothing, nothing.copy(), tree, leaf, points)


def _check_features(Z: ArrayLike) -> FloatArray:
    raw = check_floats("Z", Z)
    raw = raw[:, np.newaxis] if raw.ndim == 1 else raw
    if raw.ndim != 2 or raw.size == 0:
        raise ValueError(f"Z has shape {raw.shape}; pass a row per variable and a column per fact")
    return raw


def check_column_weights(weights: ArrayLike, n_columns: int | None = None) -> FloatArray:
    """Return factors of the columns of a measure; `n_columns` is None while it is unknown."""
    factors = check_floats("weights", weights)
    count = "" if n_columns is None else f"{n_columns} "
    remedy = f"pass {count}numbers of at least 0, one per column of the measure, not all 0"
    expected = (n_columns or max(1, factors.size),)
    if factors.shape != expected:
        raise ValueError(f"weights has shape {factors.shape}; {remedy}")
    if factors.min() < 0 or factors.max() == 0:
        raise ValueError(f"weights={factors.tolist()} cannot weigh the columns; {remedy}")
    return factors
