"""Columns: how they depend on each other, and what they hold.

Everything starts from columns that are standard normal one by one (`DEPENDENCES`). `MARGINS` turn
each into the values that a table holds; the order of the values follows the normal column, so that
dependence carries over. Missing values come last (`MISSING`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Rng = np.random.Generator


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column, its type, and the levels if it is categorical.

    A categorical column holds the numbers of its levels.
    """

    values: FloatArray
    type: str  # "continuous", "integer", "two-valued" or "categorical"
    n_levels: int = 0


# ---- dependence: (n, p), each column standard normal ------------------------------
def _independent(rng: Rng, n: int, p: int) -> FloatArray:
    return rng.standard_normal((n, p))


def _autoregressive(rng: Rng, n: int, p: int) -> FloatArray:
    rho, G = rng.uniform(0.3, 0.9), rng.standard_normal((n, p))
    for j in range(1, p):
        G[:, j] = rho * G[:, j - 1] + np.sqrt(1 - rho**2) * G[:, j]
    return G


def _blocks(rng: Rng, n: int, p: int) -> FloatArray:
    size, rho = int(rng.integers(3, 11)), rng.uniform(0.3, 0.8)
    shared = rng.standard_normal((n, p // size + 1))[:, np.arange(p) // size]
    return np.asarray(np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.standard_normal((n, p)))


def _factors(rng: Rng, n: int, p: int) -> FloatArray:
    n_factors, common = int(rng.integers(1, 6)), rng.uniform(0.2, 0.8)
    loadings = rng.standard_normal((n_factors, p))
    loadings *= np.sqrt(common * rng.uniform(0.3, 1, p) / (loadings**2).sum(axis=0))
    own = np.sqrt(1 - (loadings**2).sum(axis=0))
    common_part = rng.standard_normal((n, n_factors)) @ loadings
    return np.asarray(common_part + own * rng.standard_normal((n, p)))


def _near_copies(rng: Rng, n: int, p: int) -> FloatArray:
    """Make a third of the columns copies of others, with correlations from 0.9 to 0.999."""
    G, n_copies = rng.standard_normal((n, p)), p // 3
    r = 1 - 10 ** rng.uniform(-3, -1, n_copies)
    source = rng.integers(0, p - n_copies, n_copies)
    G[:, p - n_copies :] = r * G[:, source] + np.sqrt(1 - r**2) * G[:, p - n_copies :]
    return G


def _moving_average(rng: Rng, n: int, p: int) -> FloatArray:
    width = int(rng.integers(2, 7))
    weights = rng.uniform(0.3, 1, width)
    G = rng.standard_normal((n, p + width - 1))
    out = sum(w * G[:, i : i + p] for i, w in enumerate(weights))
    return np.asarray(out / np.sqrt((weights**2).sum()))


def _curved(rng: Rng, n: int, p: int) -> FloatArray:
    """Make every other column a curved function of an earlier one, plus noise."""
    G = rng.standard_normal((n, p))
    shapes = (np.sin, np.square, np.abs, lambda g: g**3)
    for j in range(1, p, 2):
        curve = shapes[rng.integers(len(shapes))](1.5 * G[:, rng.integers(j)])
        mixed = curve / curve.std() + rng.uniform(0.3, 1.5) * G[:, j]
        G[:, j] = _to_normal(mixed)
    return G


def _to_normal(values: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    return np.asarray(ndtri((rankdata(values) - 0.5) / len(values)))


DEPENDENCES: dict[str, Callable[[Rng, int, int], FloatArray]] = {
    "independent": _independent, "autoregressive": _autoregressive, "blocks": _blocks,
    "factors": _factors, "near-copies": _near_copies, "moving average": _moving_average,
    "curved": _curved,
}  # fmt: skip


# ---- margins: from a standard normal column to what the table holds ---------------
def _heavy(g: FloatArray, rng: Rng) -> FloatArray:
    from scipy.stats import t

    return np.asarray(t(rng.uniform(2, 5)).ppf(np.clip(ndtr(g), 1e-12, 1 - 1e-12)))


def _two_values(g: FloatArray, low: float, high: float, rng: Rng) -> Column:
    """Cut at a share of ones between `low` and `high`; each value occurs three times at least."""
    n = len(g)
    ones = int(np.clip(round(rng.uniform(low, high) * n), 3, n - 3))
    values = np.zeros(n)
    values[np.argsort(g)[n - ones :]] = 1
    return Column(values, "two-valued")


def _levels(g: FloatArray, rng: Rng, least: int, most: int, even: bool) -> Column:
    """Cut into levels of even or uneven size, whose numbers have nothing to do with their order."""
    n_levels = min(int(rng.integers(least, most + 1)), max(len(g) // 6, 2))
    share = np.ones(n_levels) if even else rng.dirichlet(np.full(n_levels, 2.0)) + 0.3 / n_levels
    edges = np.cumsum(share / share.sum())[:-1]
    level = np.searchsorted(edges, (rankdata(g, "ordinal") - 0.5) / len(g))
    return Column(rng.permutation(n_levels)[level].astype(float), "categorical", n_levels)


def _integers(g: FloatArray, low: float, high: float, rng: Rng) -> Column:
    from scipy.stats import poisson

    return Column(poisson(rng.uniform(low, high)).ppf(ndtr(g)), "integer")


def _grid(g: FloatArray, rng: Rng) -> Column:
    return Column(np.floor(rng.integers(3, 13) * ndtr(g)), "integer")


def _continuous(function: Callable[[FloatArray], FloatArray]) -> Callable[..., Column]:
    return lambda g, rng: Column(np.asarray(function(g), dtype=float), "continuous")


MARGINS: dict[str, Callable[[FloatArray, Rng], Column]] = {
    "normal": _continuous(lambda g: g),
    "uniform": _continuous(ndtr),
    "uniform from 1": _continuous(lambda g: 1 + 4 * ndtr(g)),
    "t": lambda g, rng: Column(_heavy(g, rng), "continuous"),
    "lognormal": lambda g, rng: Column(np.exp(rng.uniform(0.5, 1.5) * g), "continuous"),
    "two humps": _continuous(lambda g: g + 1.5 * np.sign(g)),
    "zero-inflated": _continuous(lambda g: np.maximum(g, 0)),
    "counts": lambda g, rng: _integers(g, 1, 8, rng),
    "grid": _grid,
    "two-valued": lambda g, rng: _two_values(g, 0.3, 0.5, rng),
    "two-valued, rare": lambda g, rng: _two_values(g, 0.04, 0.15, rng),
    "few levels": lambda g, rng: _levels(g, rng, 3, 5, even=True),
    "many levels": lambda g, rng: _levels(g, rng, 4, 12, even=False),
}


# ---- missing values: a mask for each column, given all normal columns -------------
def _missing_at_random(g: FloatArray, other: FloatArray, rng: Rng) -> BoolArray:
    """Return gaps that depend on nothing, or on another column."""
    rate = rng.uniform(0.03, 0.25)
    if rng.random() < 0.5:
        return rng.random(len(g)) < rate
    return np.asarray(rng.random(len(g)) < np.clip(2 * rate * ndtr(other), 0, 0.9))


def _missing_by_value(g: FloatArray, other: FloatArray, rng: Rng) -> BoolArray:
    """Return gaps that are frequent where the value itself is high, or extreme."""
    rate, side = rng.uniform(0.03, 0.25), rng.integers(3)
    odd = (ndtr(g), ndtr(-g), 2 * ndtr(np.abs(g)) - 1)[side]
    return np.asarray(rng.random(len(g)) < np.clip(3 * rate * odd**2, 0, 0.9))


MISSING: dict[str, Callable[[FloatArray, FloatArray, Rng], BoolArray]] = {
    "at random": _missing_at_random,
    "by value": _missing_by_value,
}


def add_missing(
    kind: str, values: FloatArray, G: FloatArray, share: float, rng: Rng
) -> tuple[FloatArray, FloatArray]:
    """Return the values with gaps in a share of the columns, and the rate of each column."""
    out = values.copy()
    for j in np.flatnonzero(rng.random(values.shape[1]) < share):
        other = G[:, rng.integers(G.shape[1])]
        gaps = MISSING[kind](G[:, j], other, rng)
        kept = values[~gaps, j]
        if len(kept) >= 10 and np.ptp(kept) > 0:
            out[gaps, j] = np.nan
    return out, np.isnan(out).mean(axis=0)


def as_table(values: FloatArray, columns: list[Column]) -> FloatArray | pd.DataFrame:
    """Return an array if all columns are numbers, or else a data frame with text for levels."""
    if not any(column.n_levels for column in columns):
        return values
    frame = {}
    for j, column in enumerate(columns):
        own: object = values[:, j]
        if column.n_levels:
            names = np.array([f"level {i}" for i in range(column.n_levels)], dtype=object)
            gap = np.isnan(values[:, j])
            text = names[np.where(gap, 0, values[:, j]).astype(int)]
            text[gap] = None
            own = pd.Categorical(text, categories=list(names))
        frame[f"x{j}"] = own
    return pd.DataFrame(frame)
