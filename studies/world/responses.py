"""Responses: from f, with mean 0 and variance 1, to y.

`r2` is the proportion of variance that f has where errors are normal. Other errors have the same
interquartile range as normal ones would, so that it stays comparable where a variance is not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Rng = np.random.Generator
Response = Callable[[FloatArray, float, Rng], FloatArray]

_NORMAL_HALF_RANGE = 0.6745


def _scale(r2: float) -> float:
    """Return the sd of normal errors; 0 where there are none."""
    return float(np.sqrt((1 - r2) / r2))


def _like_normal(errors: FloatArray) -> FloatArray:
    """Return errors of median 0 with the interquartile range of standard normal ones."""
    low, middle, high = np.quantile(errors, (0.25, 0.5, 0.75))
    return np.asarray((errors - middle) * 2 * _NORMAL_HALF_RANGE / (high - low))


def _plus(errors: Callable[[Rng, int], FloatArray]) -> Response:
    return lambda f, r2, rng: f + _scale(r2) * _like_normal(errors(rng, len(f)))


def _normal(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
    return f + _scale(r2) * rng.standard_normal(len(f))


def _outliers(sides: tuple[int, ...]) -> Response:
    def response(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
        y, n = _normal(f, r2, rng), len(f)
        hit = rng.choice(n, max(1, round(rng.uniform(0.01, 0.05) * n)), replace=False)
        size = np.sqrt(1 / r2) * 10 ** rng.uniform(0.7, 2)
        y[hit] += size * rng.choice(sides, len(hit)) * rng.uniform(0.5, 1.5, len(hit))
        return y

    return response


def _exponential(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
    return np.asarray(np.exp(rng.uniform(0.7, 1.5) * np.sqrt(r2) * _normal(f, r2, rng)))


def _gamma(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
    """Return gamma values whose logarithm has f as its mean and about the noise that r2 says."""
    shape = float(np.clip(1 / _scale(r2) ** 2, 0.5, 50)) if r2 < 1 else 50.0
    return np.asarray(np.exp(f) * rng.gamma(shape, 1 / shape, len(f)))


def _power(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
    y = _normal(f, r2, rng)
    return np.asarray(np.sign(y) * np.abs(y) ** rng.choice([2, 3]))


def _spread_by_signal(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
    return _with_spread(f, np.exp(rng.uniform(0.5, 1) * f), r2, rng)


def _spread_by_distance(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
    return _with_spread(f, 0.3 + np.abs(f), r2, rng)


def _with_spread(f: FloatArray, spread: FloatArray, r2: float, rng: Rng) -> FloatArray:
    errors = spread / np.sqrt((spread**2).mean()) * rng.standard_normal(len(f))
    return np.asarray(f + _scale(r2) * errors)


def _rounded(least: int, most: int) -> Response:
    def response(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
        y, n_values = _normal(f, r2, rng), int(rng.integers(least, most + 1))
        width = float(np.quantile(y, 0.975) - np.quantile(y, 0.025)) / n_values
        return np.asarray(np.clip(np.rint(y / width), -(n_values // 2), n_values // 2))

    return response


def _poisson(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
    """Return counts; their own variance is part of the noise, so that r2 is a ceiling."""
    log_mean = 1 + 0.8 * np.sqrt(r2) * _normal(f, r2, rng)
    return np.asarray(rng.poisson(np.exp(np.clip(log_mean, -5, 6))), dtype=float)


def _binary(low: float, high: float, logistic: bool) -> Response:
    """Return 1 where f plus noise is above a quantile: a share of ones between `low` and `high`."""

    def response(f: FloatArray, r2: float, rng: Rng) -> FloatArray:
        n, share = len(f), rng.uniform(low, high)
        errors = _like_normal(rng.logistic(size=n)) if logistic else rng.standard_normal(n)
        latent = f + _scale(r2) * errors
        n_ones = int(np.clip(round(share * n), min(8, n // 3), n - min(8, n // 3)))
        y = np.zeros(n)
        y[np.argsort(latent)[n - n_ones :]] = 1
        return y

    return response


RESPONSES: dict[str, Response] = {
    "normal": _normal,
    "noiseless": lambda f, r2, rng: f.copy(),
    "t errors": _plus(lambda rng, n: rng.standard_t(rng.uniform(2.5, 5), n)),
    "outliers": _outliers((-1, 1)),
    "lognormal y": _exponential,
    "spread by distance": _spread_by_distance,
    "counts": _poisson,
    "binary": _binary(0.35, 0.65, logistic=True),
    "binary, uneven": _binary(0.15, 0.35, logistic=True),
    "laplace errors": _plus(lambda rng, n: rng.laplace(size=n)),
    "very heavy errors": _plus(lambda rng, n: rng.standard_t(rng.uniform(1.3, 2.2), n)),
    "one-sided outliers": _outliers((1,)),
    "skewed errors": _plus(lambda rng, n: rng.lognormal(0, rng.uniform(0.7, 1.3), n)),
    "gamma y": _gamma,
    "power of y": _power,
    "spread by signal": _spread_by_signal,
    "few values": _rounded(2, 9),
    "binary, threshold": _binary(0.4, 0.6, logistic=False),
    "binary, rare": _binary(0.05, 0.15, logistic=False),
}

BINARY = {"binary", "binary, uneven", "binary, threshold", "binary, rare"}


def draw(kind: str, f: FloatArray | None, n: int, r2: float, rng: Rng) -> FloatArray:
    """Return y; without f it is noise of this kind."""
    if f is not None:
        return RESPONSES[kind](f, r2, rng)
    nothing = rng.standard_normal(n)
    # what stands for f is a column that nobody has, so that noise has the same shapes
    return RESPONSES[kind](nothing, min(r2, 0.5), rng)
