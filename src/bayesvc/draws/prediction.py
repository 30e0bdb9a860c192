"""Predictions from kept trees, and their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import gammaln, ndtr, ndtri, stdtr, stdtrit

from bayesvc._typing import FloatArray
from bayesvc._validation import check_level, check_memory, resolve_n_jobs
from bayesvc.data.encode import encode_new_X
from bayesvc.draws.draws import Draws

_MOST_STEPS = 100  # far more than Halley needs, and enough for bisection alone
_NUMBERS_PER_STEP = 64_000  # that a processor's cache holds
_PREDICTED_NUMBERS_PER_BLOCK = 8_000_000
_TOLERANCE = 1e-9  # in standard deviations of the observation


def predict(
    draws: Draws, X: Any, interval: float | None = None, n_jobs: int | None = -1
) -> FloatArray | tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of f, or of the probability, at each row; see `Draws.predict`."""
    if interval is not None:
        interval = check_level("interval", interval)
    threads = resolve_n_jobs(n_jobs)
    new = new_rows(draws, X)
    mean, low, high = (np.empty(len(new)) for _ in range(3))
    for block, fitted in _fitted_blocks(draws, new, threads):
        values = _mean_of_y(draws, fitted)
        mean[block] = _average(draws, values)
        if interval is not None:
            low[block], high[block] = np.quantile(values, tails(interval), axis=0)
    return mean if interval is None else (mean, low, high)


def posterior(draws: Draws, X: Any, n_jobs: int | None = -1) -> FloatArray:
    """Return f, or the probability, of every draw at each row; see `Draws.posterior`."""
    threads = resolve_n_jobs(n_jobs)
    new = new_rows(draws, X)
    # twice: the sums of each replicate's trees, and all of them in one array
    shape = (2, draws.n_replicates * draws.n_draws, len(new))
    check_memory("the posterior", shape, 8, "pass fewer rows at a time, or use predict")
    return _posterior(draws, new, threads)


def predict_observation(
    draws: Draws, X: Any, interval: float, n_jobs: int | None = -1
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and central interval of a new observation at each row, noise included.

    The posterior predictive distribution is the mixture over the draws of normal or Student-t
    distributions with centre f and scale sigma; the bounds are its exact quantiles. Those of normal
    scores are turned into the units of y.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.draws.prediction import predict_observation
    >>> X = np.random.default_rng(0).uniform(size=(50, 3))
    >>> draws = bv.sample(
    ...     X, X[:, 0], n_replicates=1, burn_in=20, n_draws=30, random_state=0, keep_trees=True
    ... )
    >>> mean, low, high = predict_observation(draws, X[:5], 0.9)
    >>> bool((low < mean).all() and (mean < high).all())
    True
    """
    interval = check_level("interval", interval)
    model = draws.response_model
    if model is not None and not model.has_noise_variance:
        raise ValueError(
            f"`draws` must be of a continuous response. Got a {model.label} one instead, which has "
            "no interval. Use `predict` for the interval of its probability."
        )
    threads = resolve_n_jobs(n_jobs)
    new = new_rows(draws, X)
    mean, low, high = (np.empty(len(new)) for _ in range(3))
    assert model is not None
    assert draws.calibration is not None
    score_map, sigma, df = draws.calibration.score_map, *errors_of(draws)
    for block, sums in sum_blocks(draws, new, threads):
        centres = draws.calibration.unscale(sums.copy())
        bounds = [_mixture_quantile(t, centres, sigma, df) for t in tails(interval)]
        bounds = [model.from_errors_scale(bound) for bound in bounds]
        if score_map is not None:
            bounds = [score_map.to_y(bound) for bound in bounds]
        low[block], high[block] = bounds
        mean[block] = _average(draws, rescaled(draws, sums))
    return mean, low, high


def errors_of(draws: Draws) -> tuple[FloatArray, FloatArray | None]:
    """Return scale and degrees of freedom of the errors of every draw, as columns."""
    df = None if draws.df is None else draws.df.reshape(-1, 1)
    return draws.sigma.reshape(-1, 1), df


def _mixture_quantile(
    probability: float, means: FloatArray, sds: FloatArray, df: FloatArray | None = None
) -> FloatArray:
    """Return a quantile of each column's mixture, by Halley's steps kept in a bracket.

    The parts are normal or, with degrees of freedom, of Student's t.
    """
    z = ndtri(probability) if df is None else stdtrit(df, probability)
    of_each = means + z * sds
    low, high = of_each.min(axis=0), of_each.max(axis=0)
    spread = np.sqrt(means.var(axis=0) + (sds**2).mean())
    x: FloatArray = np.clip(means.mean(axis=0) + np.mean(z) * spread, low, high)
    n_rows = max(1, _NUMBERS_PER_STEP // len(means))
    for start in range(0, len(x), n_rows):
        rows = slice(start, start + n_rows)
        centres = np.ascontiguousarray(means[:, rows].T)
        x[rows] = _mixture_roots(
            probability, centres, sds.T, None if df is None else df.T,
            x[rows], low[rows], high[rows], _TOLERANCE * spread[rows],
        )  # fmt: skip
    return x


def _mixture_roots(
    probability: float, centres: FloatArray, sds: FloatArray, df: FloatArray | None,
    x: FloatArray, low: FloatArray, high: FloatArray, tolerance: FloatArray,
) -> FloatArray:  # fmt: skip
    """Return the quantiles of mixtures, one per row, from a start and a bracket of each.

    A row has arrived when the error of its last step is bounded by the tolerance: for Halley's
    steps it is the third power of the step times the factor below.
    """
    found = np.empty_like(x)
    rows = np.arange(len(x))  # those that have not arrived
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        third = (1 / sds**3).mean() / 6  # the third derivative's part in the error, at most
        for _ in range(_MOST_STEPS):
            below, density, slope = _mixture(x[:, np.newaxis], centres, sds, df)
            excess = below - probability
            low, high = np.where(excess < 0, x, low), np.where(excess > 0, x, high)
            newton = excess / density
            bend = slope / (2 * density)
            halley = newton / (1 - np.clip(bend * newton, -0.5, 0.5))
            left = (bend**2 + third / density) * np.abs(halley) ** 3
            inside = (low <= x - halley) & (x - halley <= high)
            step = np.where(inside, x - halley, (low + high) / 2)
            arrived = (inside & (left <= tolerance)) | (np.abs(step - x) <= tolerance)
            found[rows], x = step, step
            if arrived.all():
                break
            if arrived.any():
                rows, x, low, high, tolerance, centres = (
                    own[~arrived] for own in (rows, x, low, high, tolerance, centres)
                )
    return found


def _mixture(
    x: FloatArray, centres: FloatArray, sds: FloatArray, df: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return distribution function, density and its slope of the mixture of each row."""
    standard = (x - centres) / sds
    below = ndtr(standard) if df is None else stdtr(df, standard)
    squared = standard**2
    if df is None:
        density = np.exp(-0.5 * squared) / (math.sqrt(2 * math.pi) * sds)
        slope = -density * standard / sds
    else:
        peak = np.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) / np.sqrt(math.pi * df)
        density = peak / sds * np.exp(-(df + 1) / 2 * np.log1p(squared / df))
        slope = -density * standard / sds * (df + 1) / (df + squared)
    return below.mean(axis=1), density.mean(axis=1), slope.mean(axis=1)


def tails(interval: float) -> tuple[float, float]:
    """Return the probabilities at the ends of a central interval."""
    return (1 - interval) / 2, (1 + interval) / 2


def new_rows(draws: Draws, X: Any) -> FloatArray:
    """Check and encode rows to predict at."""
    if draws.prior is None:
        raise ValueError(
            f"These draws were made from split counts (source={draws.source!r}), without trees. "
            "Predict with the model that was fitted, or call bayesvc.sample with keep_trees=True."
        )
    if draws.abc is not None:
        raise ValueError(
            f"These draws hold no trees, because prior={draws.prior.label} keeps only the tallies "
            "of each forest. Predict with draws of BART or DART and keep_trees=True."
        )
    if draws.forests is None:
        raise ValueError(
            "These draws hold no trees (keep_trees=False). Call bayesvc.sample with "
            "keep_trees=True."
        )
    if draws.response_model is None:
        raise ValueError(
            f"These draws are of a {draws.response!r} response, which is unknown here. Pass "
            "it to `bayesvc.responses.register` first."
        )
    return encode_new_X(X, draws.columns).values


def rows_per_block(draws: Draws) -> int:
    """Return how many rows to predict at once, to save memory."""
    return max(1, _PREDICTED_NUMBERS_PER_BLOCK // (draws.n_replicates * draws.n_draws))


def _fitted_blocks(
    draws: Draws, X: FloatArray, n_threads: int
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of rows and f there for each draw, as normal scores where these are fitted.

    In blocks, to save memory.
    """
    for block, sums in sum_blocks(draws, X, n_threads):
        yield block, _fitted(draws, sums)


def sum_blocks(draws: Draws, X: FloatArray, n_threads: int) -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of rows and the sum of trees there for each draw."""
    step = rows_per_block(draws)
    for start in range(0, len(X), step):
        block = slice(start, start + step)
        yield block, tree_sums(draws, np.asfortranarray(X[block]), n_threads)


def _posterior(draws: Draws, X: FloatArray, n_threads: int) -> FloatArray:
    """Return the mean of y, or the probability, for each draw of each replicate: (draws, rows)."""
    return rescaled(draws, tree_sums(draws, np.asfortranarray(X), n_threads))


def tree_sums(
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


def rescaled(draws: Draws, sums: FloatArray) -> FloatArray:
    """Turn sums of trees, in their place, into the mean of y or the probability."""
    return _mean_of_y(draws, _fitted(draws, sums))


def _fitted(draws: Draws, sums: FloatArray) -> FloatArray:
    """Turn sums of trees, in their place, into f or the probability, or into normal scores."""
    assert draws.response_model is not None
    assert draws.calibration is not None
    return draws.response_model.mean(sums, draws.calibration)


def _average(draws: Draws, values: FloatArray) -> FloatArray:
    assert draws.response_model is not None
    return draws.response_model.average(values)


def _mean_of_y(draws: Draws, fitted: FloatArray) -> FloatArray:
    """Turn normal scores, in their place, into the mean of y; leave the rest as it is."""
    assert draws.calibration is not None
    score_map = draws.calibration.score_map
    if score_map is None:
        return fitted
    df = None if draws.df is None else draws.df.ravel()
    return score_map.mean_of_y(fitted, draws.sigma.ravel(), df)
