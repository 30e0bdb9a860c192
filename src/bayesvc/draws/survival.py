"""Survival functions from the trees of a log-normal accelerated failure time model."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr, stdtr

from bayesvc._typing import FloatArray
from bayesvc._validation import check_memory, must_be, resolve_n_jobs, shown
from bayesvc.data.interop import one_per_row
from bayesvc.draws.draws import Draws
from bayesvc.draws.prediction import errors_of, new_rows, sum_blocks


def survival_function(draws: Draws, X: Any, times: Any, n_jobs: int | None = -1) -> FloatArray:
    """Return the posterior probability that the event has not happened by each time.

    Parameters
    ----------
    draws : Draws
        Of censored times, with trees.
    X : array or data frame (n_rows, n_features)
        Rows to predict at.
    times : array (n_times,)
        Positive, in the units of the fitted times.
    n_jobs : int or None, default -1
        Number of threads.

    Returns
    -------
    probability : ndarray (n_rows, n_times)
        Mean over all draws.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.draws.survival import survival_function
    >>> X = np.random.default_rng(0).uniform(size=(50, 3))
    >>> y = bv.Surv(np.exp(X[:, 0]), np.arange(50) % 4 > 0)
    >>> draws = bv.sample(
    ...     X, y, n_replicates=1, burn_in=50, n_draws=50, random_state=0, keep_trees=True
    ... )
    >>> probability = survival_function(draws, X[:2], [0.1, 10.0])
    >>> bool((probability[:, 0] > 0.9).all() and (probability[:, 1] < 0.1).all())
    True
    """
    if draws.response is not None and draws.response != "survival":
        raise ValueError(
            f"`draws` must be of censored times. Got draws of a {draws.response} response instead. "
            "Fit them with y=bayesvc.Surv(time, event)."
        )
    logs = np.log(check_times(times))
    new = new_rows(draws, X)
    check_memory("the survival functions", (len(new), len(logs)), 8, "pass fewer rows or times")
    found = np.empty((len(new), len(logs)))
    sigma, df = errors_of(draws)
    assert draws.calibration is not None
    for block, sums in sum_blocks(draws, new, resolve_n_jobs(n_jobs)):
        centres = draws.calibration.unscale(sums)
        for k, log_time in enumerate(logs):
            beyond = (centres - log_time) / sigma
            alive = ndtr(beyond) if df is None else stdtr(df, beyond)
            found[block, k] = alive.mean(axis=0)
    return found


def check_times(times: Any) -> FloatArray:
    """Return times at which to evaluate a survival function: positive and rising.

    Examples
    --------
    >>> from bayesvc.draws.survival import check_times
    >>> check_times([1, 2.5])
    array([1. , 2.5])
    """
    wanted = "rising positive numbers"
    try:
        values = one_per_row("times", times).astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(must_be("times", wanted, shown(times))) from None
    rising = len(values) > 0 and bool(np.all(np.diff(values) > 0))
    if not (rising and values[0] > 0 and np.isfinite(values[-1])):
        remedy = "pass each time once, in rising order, such as [1, 2, 5]"
        raise ValueError(must_be("times", wanted, shown(times), remedy))
    return values
