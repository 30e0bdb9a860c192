"""Numbers known to lie in intervals: their distribution, by parameters and without."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bayesvc._typing import FloatArray, IntArray

_NORMAL_STEPS = 100
_TURNBULL_STEPS = 200
_TOLERANCE = 1e-11
_NARROW = 1e-4  # intervals, in standard deviations, over which the density hardly changes
_LEAST_SD = 1e-6  # of the sd at the start


@dataclass(frozen=True, eq=False)
class NormalFit:
    """The normal distribution of greatest likelihood, and what it says of each interval.

    `means` and `variances` are those of the distribution given the interval.
    """

    mean: float
    sd: float
    means: FloatArray
    variances: FloatArray


def fit_normal(low: FloatArray, high: FloatArray, counts: IntArray) -> NormalFit:
    """Fit a normal distribution to intervals that occur `counts` times, by the EM algorithm.

    Bounds may be infinite; equal ones are observations.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.intervals import fit_normal
    >>> one, low = np.ones(3, dtype=int), np.array([0.0, 1.0, 2.0])
    >>> float(fit_normal(low, low, one).mean)
    1.0
    >>> censored = fit_normal(low, np.array([0.0, 1.0, np.inf]), one)
    >>> bool(censored.mean > 1.1), bool(censored.means[2] > 2)
    (True, True)
    """
    used = counts > 0
    start = np.where(np.isfinite(low), low, high)
    weights = counts / counts.sum()
    mean = float(weights[used] @ start[used])
    sd = least = math.sqrt(float(weights[used] @ (start[used] - mean) ** 2))
    if (low == high)[used].all():
        return NormalFit(mean, sd, start, np.zeros(len(low)))
    sd = max(sd, 1e-12 * abs(mean), 1e-300)
    least = _LEAST_SD * sd
    for _ in range(_NORMAL_STEPS):
        means, variances = truncated_moments(low, high, mean, sd)
        before = mean, sd
        mean = float(weights[used] @ means[used])
        squares = variances[used] + (means[used] - mean) ** 2
        sd = max(math.sqrt(float(weights[used] @ squares)), least)
        if max(abs(mean - before[0]), abs(sd - before[1])) < _TOLERANCE * sd:
            break
    return NormalFit(mean, sd, *truncated_moments(low, high, mean, sd))


def truncated_moments(
    low: FloatArray, high: FloatArray, mean: float, sd: float
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of a normal distribution within each interval.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.intervals import truncated_moments
    >>> means, variances = truncated_moments(np.array([0.0]), np.array([np.inf]), 0.0, 1.0)
    >>> means.round(3), variances.round(3)
    (array([0.798]), array([0.363]))
    """
    from scipy.special import log_ndtr

    a, b = (low - mean) / sd, (high - mean) / sd
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        flipped = np.abs(a) > np.abs(b)  # so that the nearer end is on the left
        a, b = np.where(flipped, -b, a), np.where(flipped, -a, b)
        log_above = log_ndtr(-a)
        log_mass = log_above + np.log1p(-np.exp(log_ndtr(-b) - log_above))
        at_a, at_b = (np.exp(-0.5 * x**2 - 0.5 * math.log(2 * math.pi) - log_mass) for x in (a, b))
        means = at_a - at_b
        tilt = a * at_a - np.where(np.isinf(b), 0.0, b * at_b)
        variances = 1 + tilt - means**2
        narrow = ~(b - a > _NARROW)
        means = np.where(narrow, (a + b) / 2, np.clip(means, a, b))
        width = np.where(narrow, b - a, 1.0)
        largest = np.where(np.isinf(b), 1.0, (b - a) ** 2 / 4)
        variances = np.where(narrow, width**2 / 12, np.clip(variances, 0.0, largest))
    return mean + sd * np.where(flipped, -means, means), sd**2 * variances


def rank_scores(low: FloatArray, high: FloatArray, counts: IntArray) -> FloatArray:
    """Return the expected proportion of smaller numbers for each interval.

    The distribution is Turnbull's estimate, which is that of Kaplan and Meier if intervals are
    observed numbers or open to the right. Without censoring the scores are ranks divided by their
    number, so they generalise Wilcoxon's (Peto and Peto 1972). An interval holds its upper end but
    not its lower one.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.intervals import rank_scores
    >>> low, one = np.array([1.0, 2.0, 3.0]), np.ones(3, dtype=int)
    >>> rank_scores(low, low, one).round(3)
    array([0.167, 0.5  , 0.833])
    >>> rank_scores(low, np.array([1.0, np.inf, 3.0]), one).round(3)
    array([0.167, 0.667, 0.667])
    """
    first, last = _cells(low, high)
    used = counts > 0
    starts, ends = _innermost(first[used], last[used])
    begin = np.searchsorted(starts, first)
    end = np.searchsorted(ends, last, side="right")
    own = used & (begin < end)
    cumulative = np.linspace(0.0, 1.0, len(starts) + 1)
    weights = counts[own] / counts[own].sum()
    for _ in range(_TURNBULL_STEPS):
        shares = weights / np.maximum(cumulative[end[own]] - cumulative[begin[own]], 1e-300)
        opened, closed = (np.bincount(at[own], shares, len(starts) + 1) for at in (begin, end))
        masses = np.diff(cumulative) * np.maximum(np.cumsum(opened - closed)[:-1], 0.0)
        before = cumulative
        cumulative = np.concatenate([[0.0], np.cumsum(masses) / masses.sum()])
        if np.abs(cumulative - before).max() < _TOLERANCE:
            break
    # the last digits depend on the processor; scores that are equal without them must stay so
    return np.round((cumulative[begin] + cumulative[end]) / 2, 12)


def _cells(low: FloatArray, high: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last cell of each interval.

    Every finite bound is a cell, and so is what lies between two of them, and on either side.
    """
    points = np.unique(np.concatenate([low, high]))
    points = points[np.isfinite(points)]
    exact = low == high
    first = np.where(np.isneginf(low), 0, 2 * np.searchsorted(points, low) + np.where(exact, 1, 2))
    last = np.where(np.isposinf(high), 2 * len(points), 2 * np.searchsorted(points, high) + 1)
    return first, last


def _innermost(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
    """Return the runs of cells that can have mass: from a first one to a last one, none between."""
    starts, ends = np.unique(first), np.unique(last)
    nearest = ends[np.searchsorted(ends, starts)]
    following = np.append(starts[1:], np.iinfo(starts.dtype).max)
    can = following > nearest
    return starts[can], nearest[can]
