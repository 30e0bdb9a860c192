"""How the prediction changes with one column: by accumulation, by averaging, and row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.column_source import ArrayColumns
from bayesvc.data.encode import EncodedX
from bayesvc.draws.draws import Draws
from bayesvc.draws.prediction import rescaled, tails, tree_sums
from bayesvc.estimators.partial_dependence import labels_of, partial_dependence

CurveKind = Literal["ale", "pd"]
N_BINS = 20
_MOST_ROWS = 1000  # of an accumulated local effect
_MOST_ROWS_AVERAGED = 300  # of a partial dependence


@dataclass(frozen=True, eq=False, repr=False)
class EffectCurve:
    """Posterior of the mean prediction along the values of one column.

    Attributes
    ----------
    variable : str
        Name of the column.
    kind : {"ale", "pd"}
        Accumulated local effect, or partial dependence.
    x : ndarray (n_values,)
        Values of the column; of categories the labels.
    samples : ndarray (n_draws, n_values)
        The curve of every draw, in the units of the prediction.
    mean, low, high : ndarray (n_values,)
        Posterior mean, and bounds of the central credible interval at each value.
    interval : float
        Probability of that interval.

    Examples
    --------
    See `bayesvc.Effects.curve`.
    """

    variable: str
    kind: CurveKind
    x: NDArray[Any]
    samples: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    interval: float

    @property
    def categorical(self) -> bool:
        """Whether the values are labels."""
        return self.x.dtype == object

    def __repr__(self) -> str:
        name = {"ale": "accumulated local effect", "pd": "partial dependence"}[self.kind]
        return (
            f"<EffectCurve: {name} of {self.variable}, {len(self.x)} values, "
            f"{len(self.samples)} draws, {100 * self.interval:g} % intervals>"
        )


def effect_curve(
    draws: Draws, X: EncodedX, column: int, kind: CurveKind, interval: float, n_threads: int = 1
) -> EffectCurve:
    """Return a curve of one column; of categories the partial dependence, whatever the kind.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.data.encode import encode_X
    >>> from bayesvc.explain.curves import effect_curve
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> draws = bv.sample(
    ...     X,
    ...     10 * X[:, 0] + X[:, 1],
    ...     n_replicates=1,
    ...     burn_in=200,
    ...     n_draws=50,
    ...     random_state=0,
    ...     keep_trees=True,
    ... )
    >>> curve = effect_curve(draws, encode_X(X), 0, "ale", 0.9)
    >>> bool(8 < curve.mean[-1] - curve.mean[0] < 11)
    True
    """
    schema = X.schema
    name = str(schema.names[column])
    values = X.values[:, column]
    if column in schema.categories:
        kind = "pd"
    if kind == "pd":
        grid = _observed(schema.labels(column), values) if column in schema.categories else None
        rows = _part(X, evenly(len(values), _MOST_ROWS_AVERAGED))
        found = partial_dependence(
            draws, rows, schema.names[column], grid=grid, interval=interval, n_jobs=n_threads
        )
        return EffectCurve(
            name, kind, found.grid[0], found.samples, found.mean, found.low, found.high, interval
        )
    edges = bin_edges(values)
    samples = _accumulated(draws, X, column, edges, n_threads)
    low, high = np.quantile(samples, tails(interval), axis=0)
    labels = np.array(labels_of(schema, column), dtype=object)
    x = labels[edges.astype(np.intp)] if len(labels) else edges
    return EffectCurve(name, kind, x, samples, samples.mean(axis=0), low, high, interval)


def individual_curves(
    draws: Draws, X: EncodedX, column: int, n_rows: int, n_threads: int = 1
) -> tuple[NDArray[Any], FloatArray, IntArray]:
    """Return values of a column, the posterior mean there of some rows, and which rows these are.

    Examples
    --------
    See `bayesvc.Effects.individual_curves`.
    """
    schema, values = X.schema, X.values[:, column]
    if column in schema.categories:
        grid = np.flatnonzero(np.isin(np.arange(len(schema.labels(column))), values)).astype(float)
    else:
        grid = bin_edges(values)
    chosen = evenly(len(values), n_rows)
    found = np.empty((len(chosen), len(grid)))
    for k, value in enumerate(grid):
        own = np.array(X.values[chosen], order="F")
        own[:, column] = value
        found[:, k] = rescaled(draws, tree_sums(draws, own, n_threads)).mean(axis=0)
    labels = np.array(labels_of(schema, column), dtype=object)
    return labels[grid.astype(np.intp)] if len(labels) else grid, found, chosen


def bin_edges(values: FloatArray) -> FloatArray:
    """Return the observed values if they are few, otherwise quantiles that are observed.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.explain.curves import bin_edges
    >>> bin_edges(np.array([1.0, 0.0, np.nan, 1.0]))
    array([0., 1.])
    >>> len(bin_edges(np.arange(1000.0)))
    21
    """
    observed = values[~np.isnan(values)]
    distinct = np.unique(observed)
    if len(distinct) <= N_BINS + 1:
        return distinct
    at = np.linspace(0, 1, N_BINS + 1)
    return np.unique(np.quantile(observed, at, method="inverted_cdf"))


def along(edges: FloatArray, values: FloatArray) -> FloatArray:
    """Return the weights of the edges in a linear interpolation, averaged over some values.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.explain.curves import along
    >>> along(np.array([0.0, 1.0, 2.0]), np.array([0.25]))
    array([0.75, 0.25, 0.  ])
    """
    return np.array([np.interp(values, edges, unit).mean() for unit in np.eye(len(edges))])


def evenly(n: int, most: int) -> IntArray:
    """Return at most so many of n positions, evenly spaced.

    Examples
    --------
    >>> from bayesvc.explain.curves import evenly
    >>> evenly(5, 3).tolist()
    [0, 2, 4]
    """
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def _observed(labels: tuple[str, ...], values: FloatArray) -> list[str]:
    return [label for k, label in enumerate(labels) if (values == k).any()]


def _part(X: EncodedX, rows: IntArray) -> EncodedX:
    return EncodedX(ArrayColumns(X.values[rows]), X.schema, X.names_given)


def _accumulated(
    draws: Draws, X: EncodedX, column: int, edges: FloatArray, n_threads: int
) -> FloatArray:
    """Return the accumulated local effect of every draw, of the mean of its predictions."""
    values = X.values[:, column]
    observed = np.flatnonzero(~np.isnan(values))
    order = observed[np.argsort(values[observed], kind="stable")]
    rows = order[evenly(len(order), _MOST_ROWS)]
    which, bins = _in_bins(values[rows], edges)
    own = np.asfortranarray(X.values[rows])
    centre = rescaled(draws, tree_sums(draws, own, n_threads)).mean(axis=1)[:, np.newaxis]
    if len(edges) < 2:
        return np.repeat(centre, len(edges), axis=1)
    ends = np.asfortranarray(np.concatenate([own[which], own[which]]))
    ends[:, column] = np.concatenate([edges[bins], edges[bins + 1]])
    sums = tree_sums(draws, ends, n_threads, [column])
    rest = tree_sums(draws, own, n_threads, [column], using_held=False)[:, which]
    lower, upper = np.split(rescaled(draws, sums + np.tile(rest, 2)), 2, axis=1)
    starts = np.searchsorted(bins, np.arange(len(edges) - 1))
    counts = np.diff(starts, append=len(bins))
    steps = np.add.reduceat(upper - lower, starts, axis=1) / counts
    curve = np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)
    return np.asarray(curve - (curve @ along(edges, values[observed]))[:, np.newaxis] + centre)


def _in_bins(values: FloatArray, edges: FloatArray) -> tuple[IntArray, IntArray]:
    """Return rows and their bins, sorted by bin; a row at an edge is in the bins on both sides.

    A bin that holds no row gets the nearest one.
    """
    n_bins = len(edges) - 1
    places = np.arange(len(values))
    below = np.searchsorted(edges, values, side="left") - 1  # the bin that ends at or after a value
    above = np.searchsorted(edges, values, side="right") - 1  # the bin that begins at or before it
    pairs = {(b, i) for own in (below, above) for b, i in zip(own, places, strict=True)}
    found = sorted((int(b), int(i)) for b, i in pairs if 0 <= b < n_bins)
    for empty in set(range(n_bins)) - {b for b, _ in found}:
        middle = (edges[empty] + edges[empty + 1]) / 2
        found.append((empty, int(np.abs(values - middle).argmin())))
    ordered = np.array(sorted(found), dtype=np.intp).reshape(-1, 2)
    return ordered[:, 1], ordered[:, 0]
