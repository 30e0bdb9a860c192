"""Partial dependence of the prediction on one or two columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted, quoted
from bayesvc._typing import ColumnName, FloatArray
from bayesvc._validation import (
    check_choice,
    check_integer,
    check_level,
    check_memory,
    check_vector,
    must_be,
    resolve_n_jobs,
)
from bayesvc.data.schema import ColumnSchema
from bayesvc.draws.draws import Draws
from bayesvc.draws.prediction import new_rows, rescaled, rows_per_block, tails, tree_sums

_GRID_ENDS = (0.05, 0.95)
_STACKED_NUMBERS = 8_000_000


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence:
    """Posterior of the average prediction with one or two columns held at grid values.

    Attributes
    ----------
    features : tuple of str
        The columns that were held.
    grid : tuple of ndarray
        Grid values of each of them; of categories the labels.
    samples : ndarray (n_replicates * n_draws, *grid sizes)
        The partial dependence of every draw.
    mean, low, high : ndarray (*grid sizes)
        Posterior mean, and bounds of the central credible interval.
    interval : float
        Probability of that interval.

    Examples
    --------
    See `partial_dependence`.
    """

    features: tuple[str, ...]
    grid: tuple[NDArray[Any], ...]
    samples: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    interval: float

    def __repr__(self) -> str:
        points = " x ".join(str(len(axis)) for axis in self.grid)
        return (
            f"<PartialDependence on {' and '.join(self.features)}: {points} grid values, "
            f"{len(self.samples)} draws, {100 * self.interval:g} % intervals>"
        )


def partial_dependence(
    draws: Draws,
    X: Any,
    features: ColumnName | Sequence[ColumnName],
    *,
    grid: Any = None,
    grid_resolution: int = 20,
    interval: float = 0.9,
    n_jobs: int | None = -1,
) -> PartialDependence:
    """Average f, or the probability, over the rows of X with one or two columns held fixed.

    Parameters
    ----------
    draws : Draws
        Draws with trees (``keep_trees=True``).
    X : array or data frame
        Rows to average over. The cost grows with rows times grid points; a few hundred rows are
        usually enough.
    features : int, str, or one or two of them
        Columns to hold, by position or name. A group of columns cannot be held, but one of its
        columns can.
    grid : array, or two arrays for two columns, optional
        Values to hold them at, or labels of categories. By default all categories; of numbers the
        distinct values of a column in X, or where these are more than `grid_resolution` its
        quantiles from 5 % to 95 %.
    grid_resolution : int, default 20
        Most grid values per column.
    interval : float, default 0.9
        Probability of the credible interval.
    n_jobs : int or None, default -1
        Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.

    Returns
    -------
    PartialDependence

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.estimators.partial_dependence import partial_dependence
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> draws = bv.sample(
    ...     X, X[:, 0], n_replicates=1, burn_in=50, n_draws=50, random_state=0, keep_trees=True
    ... )
    >>> effect = partial_dependence(draws, X, 0, grid=[0.1, 0.9])
    >>> bool(effect.mean[0] < effect.mean[1])
    True
    """
    interval = check_level("interval", interval)
    grid_resolution = check_integer("grid_resolution", grid_resolution, 2)
    threads = resolve_n_jobs(n_jobs)
    schema = draws.columns
    columns = _columns(schema, features)
    rows = np.asfortranarray(new_rows(draws, X))
    if not len(rows):
        raise ValueError(
            f"`X` must have rows to average over. Got none (shape {rows.shape}) instead."
        )
    if grid is None:
        values = tuple(_own_grid(schema, j, rows[:, j], grid_resolution) for j in columns)
    else:
        values = _given_grid(schema, columns, grid)
    points = np.array(list(itertools.product(*values)))
    samples = _averages(draws, rows, columns, points, threads)
    shape = tuple(len(axis) for axis in values)
    low, high = np.quantile(samples, tails(interval), axis=0)
    return PartialDependence(
        features=tuple(str(schema.names[j]) for j in columns),
        grid=tuple(_shown(schema, j, axis) for j, axis in zip(columns, values, strict=True)),
        samples=samples.reshape(-1, *shape),
        mean=samples.mean(axis=0).reshape(shape),
        low=low.reshape(shape),
        high=high.reshape(shape),
        interval=interval,
    )


def _averages(
    draws: Draws, rows: FloatArray, columns: list[int], points: FloatArray, n_threads: int
) -> FloatArray:
    """Return the mean over rows of every draw at every point: (draws, points).

    Trees that do not split on the held columns, mostly the greater part, are evaluated once.
    """
    n, n_samples = len(rows), draws.n_replicates * draws.n_draws
    check_memory("the grid", (n_samples, len(points)), 8, "use a smaller grid")
    totals = np.zeros((n_samples, len(points)))
    per_block = rows_per_block(draws)
    for first in range(0, n, per_block):
        some = np.asfortranarray(rows[first : first + per_block])
        rest = tree_sums(draws, some, n_threads, columns, using_held=False)
        at_once = max(1, min(per_block // len(some), _STACKED_NUMBERS // some.size))
        for start in range(0, len(points), at_once):
            here = points[start : start + at_once]
            stacked = np.tile(some.T, len(here)).T  # keeps the values of a column together
            stacked[:, columns] = np.repeat(here, len(some), axis=0)
            sums = tree_sums(draws, stacked, n_threads, columns)
            sums = sums.reshape(n_samples, len(here), len(some))
            sums += rest[:, np.newaxis]
            totals[:, start : start + at_once] += rescaled(draws, sums).sum(axis=2)
    return totals / n


def _columns(schema: ColumnSchema, features: ColumnName | Sequence[ColumnName]) -> list[int]:
    given = [features] if isinstance(features, str) or np.ndim(features) == 0 else list(features)  # type: ignore[arg-type]
    if len(given) not in (1, 2):
        raise ValueError(must_be("features", "one or two columns", f"{len(given)} columns"))
    found = [column_number(schema, feature) for feature in given]
    if len(set(found)) < len(found):
        raise ValueError(must_be("features", "different columns", f"{features!r}"))
    return found


def column_number(schema: ColumnSchema, feature: Any, argument: str = "features") -> int:
    """Return the position of a column that is given by position or name.

    Examples
    --------
    >>> from bayesvc.data.schema import ColumnSchema
    >>> from bayesvc.estimators.partial_dependence import column_number
    >>> column_number(ColumnSchema(("a", "b")), "b")
    1
    """
    grouped = dict(schema.groups).get(feature) if isinstance(feature, str) else None
    if grouped is not None and feature not in schema.places:
        own = quoted([schema.names[j] for j in grouped])
        most = "one or two" if argument == "features" else "one"
        raise ValueError(
            must_be(
                argument,
                "single columns",
                f"the column group {feature!r}",
                f"pass {most} of its columns: {own}",
            )
        )
    return schema.position(argument, feature)


def labels_of(schema: ColumnSchema, j: int) -> tuple[str, ...]:
    """Return the labels of the numbers 0, 1, ... in a column; none if it holds plain numbers.

    Examples
    --------
    >>> from bayesvc.data.schema import ColumnSchema
    >>> from bayesvc.estimators.partial_dependence import labels_of
    >>> labels_of(ColumnSchema(("a", "b"), levels={1: ("low", "high")}), 1)
    ('low', 'high')
    """
    return schema.levels.get(j, ()) or schema.labels(j)


def _own_grid(schema: ColumnSchema, j: int, values: FloatArray, resolution: int) -> FloatArray:
    labels = labels_of(schema, j)
    if labels:
        return np.arange(float(len(labels)))
    observed = values[~np.isnan(values)]
    if not len(observed):
        raise ValueError(
            f"Column {schema.names[j]!r} of `X` must have a value in some row. Got missing values "
            "only. Pass a grid, or other rows."
        )
    distinct = np.unique(observed)
    if len(distinct) <= resolution:
        return distinct
    return np.unique(np.quantile(observed, np.linspace(*_GRID_ENDS, resolution)))


def _given_grid(schema: ColumnSchema, columns: list[int], grid: Any) -> tuple[FloatArray, ...]:
    if len(columns) == 1:
        return (_axis(schema, columns[0], "grid", grid),)
    if len(grid) != len(columns):
        wanted = f"{len(columns)} arrays, one for each column"
        raise ValueError(must_be("grid", wanted, counted(len(grid), "array")))
    return tuple(
        _axis(schema, j, f"grid[{i}]", axis)
        for i, (j, axis) in enumerate(zip(columns, grid, strict=True))
    )


def _axis(schema: ColumnSchema, j: int, name: str, axis: Any) -> FloatArray:
    labels = labels_of(schema, j)
    if not labels:
        return check_vector(name, axis)
    given = [str(label) for label in np.atleast_1d(np.asarray(axis, dtype=object))]
    if not given:
        wanted = f"labels of column {schema.names[j]!r}"
        raise ValueError(must_be(name, wanted, "none"))
    return np.array([float(labels.index(check_choice(name, label, labels))) for label in given])


def _shown(schema: ColumnSchema, j: int, axis: FloatArray) -> NDArray[Any]:
    labels = labels_of(schema, j)
    return np.array(labels, dtype=object)[axis.astype(np.intp)] if labels else axis
