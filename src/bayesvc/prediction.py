"""What follows from the kept trees: predictions, their intervals, and partial dependence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from bayesvc._validation import (
    check_choice,
    check_integer,
    check_level,
    check_memory,
    check_vector,
    resolve_n_jobs,
)
from bayesvc.draws import Draws, FloatArray
from bayesvc.encode import EncodedX, encode_X

_GRID_ENDS = (0.05, 0.95)
_NEWTON_STEPS = 100  # far more than Newton needs, and enough for bisection alone
_PREDICTED_NUMBERS_PER_BLOCK = 8_000_000
_STACKED_NUMBERS = 8_000_000
_TOLERANCE = 1e-9  # in standard deviations of the observation


def predict(
    draws: Draws, X: Any, interval: float | None = None, n_jobs: int | None = None
) -> FloatArray | tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of f, or of the probability, at each row; see `Draws.predict`."""
    if interval is not None:
        interval = check_level("interval", interval)
    threads = resolve_n_jobs(n_jobs)
    new = new_rows(draws, X)
    mean, low, high = (np.empty(len(new)) for _ in range(3))
    for block, values in _posterior_blocks(draws, new, threads):
        mean[block] = values.mean(axis=0)
        if interval is not None:
            low[block], high[block] = np.quantile(values, _tails(interval), axis=0)
    return mean if interval is None else (mean, low, high)


def posterior(draws: Draws, X: Any, n_jobs: int | None = None) -> FloatArray:
    """Return f, or the probability, of every draw at each row; see `Draws.posterior`."""
    threads = resolve_n_jobs(n_jobs)
    new = new_rows(draws, X)
    # twice: the sums of each replicate's trees, and all of them in one array
    shape = (2, draws.n_replicates * draws.n_draws, len(new))
    check_memory("the posterior", shape, 8, "pass fewer rows at a time, or use predict")
    return _posterior(draws, new, threads)


def predict_observation(
    draws: Draws, X: Any, interval: float, n_jobs: int | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and central interval of a new observation at each row, noise included.

    The posterior predictive distribution is the mixture over the draws of normal distributions
    with mean f and standard deviation sigma; the bounds are its exact quantiles.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.prediction import predict_observation
    >>> X = np.random.default_rng(0).uniform(size=(50, 3))
    >>> draws = bv.sample(
    ...     X, X[:, 0], n_replicates=1, burn_in=20, n_draws=30, random_state=0, keep_trees=True
    ... )
    >>> mean, low, high = predict_observation(draws, X[:5], 0.9)
    >>> bool((low < mean).all() and (mean < high).all())
    True
    """
    interval = check_level("interval", interval)
    if draws.response == "binary":
        raise ValueError("a binary response has no interval; ask for that of its probability")
    threads = resolve_n_jobs(n_jobs)
    new = new_rows(draws, X)
    mean, low, high = (np.empty(len(new)) for _ in range(3))
    sigma = draws.sigma.reshape(-1, 1)
    for block, values in _posterior_blocks(draws, new, threads):
        mean[block] = values.mean(axis=0)
        low[block], high[block] = (_mixture_quantile(t, values, sigma) for t in _tails(interval))
    return mean, low, high


def _mixture_quantile(probability: float, means: FloatArray, sds: FloatArray) -> FloatArray:
    """Return a quantile of each column's mixture of normals, by Newton steps kept in a bracket."""
    z = float(ndtri(probability))
    of_each = means + z * sds
    low, high = of_each.min(axis=0), of_each.max(axis=0)
    spread = np.sqrt(means.var(axis=0) + (sds**2).mean())
    x: FloatArray = np.clip(means.mean(axis=0) + z * spread, low, high)
    moving = np.ones(x.shape, dtype=bool)
    for _ in range(_NEWTON_STEPS):
        standard = (x - means) / sds
        excess = ndtr(standard).mean(axis=0) - probability
        low, high = np.where(excess < 0, x, low), np.where(excess > 0, x, high)
        density = (np.exp(-0.5 * standard**2) / sds).mean(axis=0) / math.sqrt(2 * math.pi)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            newton = x - excess / density
        step = np.where((low < newton) & (newton < high), newton, (low + high) / 2)
        step = np.where(excess == 0, x, step)
        moved = np.abs(step - x) > _TOLERANCE * spread
        x = np.where(moving, step, x)  # a row that has arrived stays, whatever its neighbours do
        moving &= moved
        if not moving.any():
            break
    return x


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence:
    """Posterior of the average prediction with one or two columns held at grid values.

    Attributes
    ----------
    features : tuple of str
        The columns that were held.
    grid : tuple of ndarray
        Grid values of each of them.
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
    grid: tuple[FloatArray, ...]
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
    features: int | str | Sequence[int | str],
    *,
    grid: Any = None,
    grid_resolution: int = 20,
    interval: float = 0.9,
    n_jobs: int | None = None,
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
        Columns to hold, by position or name.
    grid : array, or two arrays for two columns, optional
        Values to hold them at. By default the distinct values of a column in X, or where these
        are more than `grid_resolution` its quantiles from 5 % to 95 %.
    grid_resolution : int, default 20
        Most grid values per column.
    interval : float, default 0.9
        Probability of the credible interval.
    n_jobs : int, optional
        Threads; all CPUs by default.

    Returns
    -------
    PartialDependence

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.prediction import partial_dependence
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
    columns = _columns(draws, features)
    rows = np.asfortranarray(new_rows(draws, X))
    if not len(rows):
        raise ValueError(f"X has no rows (shape {rows.shape}); pass rows to average over")
    if grid is None:
        values = tuple(_quantile_grid(rows[:, j], grid_resolution) for j in columns)
    else:
        values = _given_grid(grid, len(columns))
    points = np.array(list(itertools.product(*values)))
    samples = _averages(draws, rows, columns, points, threads)
    shape = tuple(len(axis) for axis in values)
    low, high = np.quantile(samples, _tails(interval), axis=0)
    return PartialDependence(
        features=tuple(draws.feature_names[j] for j in columns),
        grid=values,
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
    per_block = _rows_per_block(draws)
    for first in range(0, n, per_block):
        some = np.asfortranarray(rows[first : first + per_block])
        rest = _tree_sums(draws, some, n_threads, columns, using_held=False)
        at_once = max(1, min(per_block // len(some), _STACKED_NUMBERS // some.size))
        for start in range(0, len(points), at_once):
            here = points[start : start + at_once]
            stacked = np.tile(some.T, len(here)).T  # keeps the values of a column together
            stacked[:, columns] = np.repeat(here, len(some), axis=0)
            sums = _tree_sums(draws, stacked, n_threads, columns)
            sums = sums.reshape(n_samples, len(here), len(some))
            sums += rest[:, np.newaxis]
            totals[:, start : start + at_once] += _rescaled(draws, sums).sum(axis=2)
    return totals / n


def _tails(interval: float) -> tuple[float, float]:
    return (1 - interval) / 2, (1 + interval) / 2


def new_rows(draws: Draws, X: Any) -> FloatArray:
    """Check and encode rows to predict at."""
    if draws.prior is None:
        raise ValueError(
            f"these draws were made of split counts (source={draws.source!r}), which hold no "
            "trees; predict with the model that was fitted, or call bayesvc.sample with "
            "keep_trees=True"
        )
    if draws.abc is not None:
        raise ValueError(
            "these draws hold no trees: the forests of prior=SpikeForest are there to select "
            "variables; predict with draws of BART or DART and keep_trees=True"
        )
    if draws.forests is None:
        raise ValueError(
            "these draws hold no trees (keep_trees=False); call sample with keep_trees=True"
        )
    new = encode_X(X, min_rows=0)
    check_columns(draws, new)
    return new.values


def _rows_per_block(draws: Draws) -> int:
    return max(1, _PREDICTED_NUMBERS_PER_BLOCK // (draws.n_replicates * draws.n_draws))


def _posterior_blocks(
    draws: Draws, X: FloatArray, n_threads: int
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of rows and their posterior, in little memory."""
    step = _rows_per_block(draws)
    for start in range(0, len(X), step):
        block = slice(start, start + step)
        yield block, _posterior(draws, X[block], n_threads)


def _posterior(draws: Draws, X: FloatArray, n_threads: int) -> FloatArray:
    """Return f, or the probability, for each draw of each replicate: (draws, rows)."""
    return _rescaled(draws, _tree_sums(draws, np.asfortranarray(X), n_threads))


def _tree_sums(
    draws: Draws,
    X: FloatArray,
    n_threads: int,
    held: Sequence[int] = (),
    using_held: bool = True,
) -> FloatArray:
    """Return the sum of all trees, or of those that split on a column in `held` or on none."""
    assert draws.forests is not None
    parts = [forest.predict(X, n_threads, held, using_held) for forest in draws.forests]
    return np.concatenate(parts)


def _rescaled(draws: Draws, sums: FloatArray) -> FloatArray:
    """Turn sums of trees, in their place, into f or the probability."""
    assert draws.calibration is not None
    if draws.response == "binary":
        sums += draws.calibration.offset
        return np.asarray(ndtr(sums, out=sums))
    sums += 0.5
    sums *= draws.calibration.y_range
    sums += draws.calibration.y_low
    return sums


def check_columns(draws: Draws, new: EncodedX) -> None:
    """Raise ValueError if `new` has other columns than the data of the fits."""
    fitted = draws.feature_names
    if len(new.names) != len(fitted):
        raise ValueError(
            f"X has {len(new.names)} columns but the fits had {len(fitted)}; "
            "pass the same columns in the same order"
        )
    fitted_with_names = fitted != tuple(f"x{j}" for j in range(len(fitted)))
    if new.names_given and fitted_with_names and new.names != fitted:
        j = next(j for j in range(len(fitted)) if new.names[j] != fitted[j])
        raise ValueError(
            f"column {j} of X is {new.names[j]!r} but was {fitted[j]!r} in the fits; "
            "pass the same columns in the same order"
        )


def _columns(draws: Draws, features: int | str | Sequence[int | str]) -> list[int]:
    given = [features] if isinstance(features, str) or np.ndim(features) == 0 else list(features)  # type: ignore[arg-type]
    if len(given) not in (1, 2):
        raise ValueError(f"features={features!r} holds {len(given)} columns; pass one or two")
    found = [column_number(draws, feature) for feature in given]
    if len(set(found)) < len(found):
        raise ValueError(f"features={features!r} names one column twice; pass different ones")
    return found


def column_number(draws: Draws, feature: Any) -> int:
    """Return the position of a column that is given by position or name."""
    if isinstance(feature, str):
        return draws.feature_names.index(check_choice("features", feature, draws.feature_names))
    j = check_integer("features", feature, 0, "or the name of a column")
    if j >= draws.n_features:
        last = draws.n_features - 1
        raise ValueError(f"features={j} is past the last column; pass at most {last}")
    return j


def _quantile_grid(values: FloatArray, resolution: int) -> FloatArray:
    distinct = np.unique(values)
    if len(distinct) <= resolution:
        return distinct
    return np.unique(np.quantile(values, np.linspace(*_GRID_ENDS, resolution)))


def _given_grid(grid: Any, n_columns: int) -> tuple[FloatArray, ...]:
    if n_columns == 1:
        return (check_vector("grid", grid),)
    if len(grid) != n_columns:
        raise ValueError(f"grid holds {len(grid)} arrays for {n_columns} columns; pass one each")
    return tuple(check_vector(f"grid[{i}]", axis) for i, axis in enumerate(grid))
