"""Which way an effect goes, and how large it is between two values of the column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import visible
from bayesvc._typing import FloatArray
from bayesvc.explain.curves import EffectCurve, along

INCREASING, DECREASING, NOT_MONOTONE = "increasing", "decreasing", "not monotone"
GROUP = "column group"  # which has no direction
# A curve counts as increasing if the nearest increasing one explains this part of its variance.
LEAST_EXPLAINED = 0.95
_SURE = 0.9  # posterior probability at which one category is said to lie above another
_MOST_LEVELS = 8  # in the text of a direction


@dataclass(frozen=True)
class Direction:
    """Direction of an effect, and its size.

    Attributes
    ----------
    text : str
        "increasing", "decreasing" or "not monotone"; for categories their order, the lowest first,
        with "<" between those that differ with a posterior probability of at least 0.9 and "~"
        between the others; "column group" for a group, "no values" for a column of missing ones.
    probability : float
        Posterior probability of the direction; for categories, that the last lies above the first.
        NaN where there is no direction.
    increasing, decreasing, not_monotone : float
        Posterior probabilities; NaN for categories and where there is no direction.
    change, change_low, change_high : float
        Posterior mean and interval of the change between `start` and `end`.
    start, end : object
        The values that the change is between.
    """

    text: str
    probability: float
    increasing: float
    decreasing: float
    not_monotone: float
    change: float
    change_low: float
    change_high: float
    start: object
    end: object


NO_DIRECTION = Direction(GROUP, *(float("nan"),) * 7, start=None, end=None)
_NO_VALUES = replace(NO_DIRECTION, text="no values")


def direction_of(curve: EffectCurve, values: FloatArray, edges: FloatArray) -> Direction:
    """Summarise the curve of a column with the encoded values given.

    Parameters
    ----------
    curve : EffectCurve
    values : ndarray (n_rows,)
        Values of the column.
    edges : ndarray (n_values,)
        Values that the curve was computed at, as numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.explain.curves import EffectCurve
    >>> from bayesvc.explain.direction import direction_of
    >>> x = np.linspace(0, 1, 11)
    >>> samples = np.array([x, 2 * x])
    >>> curve = EffectCurve("dose", "ale", x, samples, 1.5 * x, x, 2 * x, 0.9)
    >>> found = direction_of(curve, x, x)
    >>> found.text, found.probability, round(found.change, 2)
    ('increasing', 1.0, 1.2)
    """
    if curve.categorical and curve.kind == "pd":
        return _of_categories(curve)
    observed = values[~np.isnan(values)]
    if not len(observed):
        return _NO_VALUES
    start, end = np.quantile(observed, (0.1, 0.9), method="inverted_cdf")
    if start == end:
        start, end = observed.min(), observed.max()
    weights = along(edges, np.array([end])) - along(edges, np.array([start]))
    probabilities = monotonicity(curve.samples, edges, observed)
    names = (INCREASING, DECREASING, NOT_MONOTONE)
    best = int(np.argmax(probabilities))
    labels = dict(zip(edges.tolist(), curve.x.tolist(), strict=True))
    up, down, neither = map(float, probabilities)
    change, low, high = _summary(curve.samples @ weights, curve.interval)
    return Direction(
        names[best],
        float(probabilities[best]),
        up,
        down,
        neither,
        change,
        low,
        high,
        start=labels.get(float(start), float(start)),
        end=labels.get(float(end), float(end)),
    )


def monotonicity(samples: FloatArray, edges: FloatArray, observed: FloatArray) -> FloatArray:
    """Return how many of the curves increase, decrease, and do neither, as proportions.

    Only what lies between the 5 % and the 95 % quantile of the column counts, and values count by
    the rows near them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.explain.direction import monotonicity
    >>> x = np.linspace(-1, 1, 21)
    >>> monotonicity(np.array([x, -x, x**2, x**3]), x, x)
    array([0.5 , 0.25, 0.25])
    """
    low, high = np.quantile(observed, (0.05, 0.95), method="inverted_cdf")
    inner = (edges >= low) & (edges <= high)
    if inner.sum() < 2:
        inner = np.ones(len(edges), dtype=bool)
    weights = along(edges, observed)[inner]
    up, down = (
        np.array([_explained(sign * own, weights) >= LEAST_EXPLAINED for own in samples[:, inner]])
        for sign in (1, -1)
    )
    return np.array([up.mean(), down.mean(), (~up & ~down).mean()])


def _explained(values: FloatArray, weights: FloatArray) -> float:
    """Return how much of the variance the nearest increasing values explain; 0 of a constant."""
    from sklearn.isotonic import isotonic_regression

    spread = float(weights @ (values - np.average(values, weights=weights)) ** 2)
    if spread == 0:
        return 0.0
    fitted = isotonic_regression(values, sample_weight=weights)
    return 1 - float(weights @ (values - fitted) ** 2) / spread


def _of_categories(curve: EffectCurve) -> Direction:
    order = np.argsort(curve.mean, kind="stable")
    own = curve.samples[:, order]
    above = (np.diff(own, axis=1) > 0).mean(axis=0)
    top = own[:, -1] - own[:, 0]
    unknown = (float("nan"),) * 3
    return Direction(
        _ordered(curve.x[order], above),
        float((top > 0).mean()),
        *unknown,
        *_summary(top, curve.interval),
        start=curve.x[order[0]],
        end=curve.x[order[-1]],
    )


def _ordered(labels: NDArray[np.object_], above: FloatArray) -> str:
    """Return the labels in one line; of many the first and the last ones."""
    names = [visible(str(label)) for label in labels]
    signs = ["<" if probability >= _SURE else "~" for probability in above]
    if len(names) > _MOST_LEVELS:
        half = _MOST_LEVELS // 2
        names = [*names[:half], "…", *names[-half:]]
        signs = [*signs[: half - 1], "<", "<", *signs[len(signs) - half + 1 :]]
    return " ".join([names[0], *(f"{s} {n}" for s, n in zip(signs, names[1:], strict=True))])


def _summary(samples: FloatArray, interval: float) -> tuple[float, float, float]:
    low, high = np.quantile(samples, ((1 - interval) / 2, (1 + interval) / 2))
    return float(samples.mean()), float(low), float(high)
