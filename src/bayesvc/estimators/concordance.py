"""Harrell's concordance index."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc._validation import must_be
from bayesvc.responses.surv import as_intervals

_MOST_PAIRS = 10_000_000  # in memory at a time


def concordance_index(y: Any, predicted: FloatArray) -> float:
    """Return how often, of two rows, the one with the longer predicted time lives longer.

    Parameters
    ----------
    y : Surv, or a structured array like those of scikit-survival
        Times. Two rows can be compared if it is known which event came first: an event at time t
        comes before all censored at t or later.
    predicted : ndarray (n_rows,)
        Predicted times, or anything that rises with them. Equal ones count one half.

    Returns
    -------
    concordance : float
        The proportion of the pairs that can be compared in which the order is right.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.estimators.concordance import concordance_index
    >>> y = bv.Surv([1.0, 2.0, 3.0, 4.0], [True, False, True, True])
    >>> concordance_index(y, np.array([1.0, 2.0, 4.0, 3.0]))
    0.75
    """
    times = as_intervals(y)
    if times is None:
        remedy = "pass bayesvc.Surv(time, event)"
        raise TypeError(must_be("y", "censored times", f"a {type(y).__name__}", remedy))
    if len(times) != len(predicted):
        raise ValueError(
            f"`y` must have one time per row of X, {len(predicted)}. Got {len(times)} instead."
        )
    low, high, exact = times["low"], times["high"], times["low"] == times["high"]
    earlier = np.flatnonzero(np.isfinite(high))
    concordant = pairs = 0.0
    step = max(1, _MOST_PAIRS // max(len(times), 1))
    for start in range(0, len(earlier), step):
        i = earlier[start : start + step, None]
        comes_first = (high[i] < low) | ((high[i] == low) & ~exact)
        difference = predicted - predicted[i]
        pairs += float(comes_first.sum())
        concordant += float(((difference > 0) & comes_first).sum())
        concordant += 0.5 * float(((difference == 0) & comes_first).sum())
    if pairs == 0:
        raise ValueError(
            "`y` must hold two times of which one is known to come first. Got none instead. Pass "
            "more rows."
        )
    return concordant / pairs
