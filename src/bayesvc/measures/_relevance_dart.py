"""The probability that a variable is relevant, from DART replicates: version 2 of the formula.

A logistic regression, learned on tables of many kinds (``studies/world``), on four numbers of each
variable: the count of its splits, the proportion of the draws that contain it, how far the
replicates differ in that proportion, and the count that it would have if all splits of trees with
nothing to explain were spread evenly over the variables. The last is known beforehand, so that it
does not matter how many variables are relevant.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from bayesvc._logarithms import log
from bayesvc._typing import FloatArray

# For 1, log count, log odds of inclusion, its standard error, and the log count of idle splits.
COEFFICIENTS = (-1.738, 0.129, 1.631, -3.947, -1.093)
IDLE_SPLITS = 1.51  # mean number of splits of a tree that has nothing to explain
# Added to the log odds by what the signal test says. Without a test, nothing is added.
GIVEN_EVIDENCE, GIVEN_NO_EVIDENCE = 0.3, -2.0

_COUNT_GUARD, _INCLUSION_GUARD, _IDLE_GUARD = 0.05, 0.01, 0.1  # keep logarithms finite
_USUAL_VARIANCE = 0.006  # of inclusion, between replicates; counts as one replicate more
_LEVEL = 0.05


def evidence(vc: FloatArray, mpvip: FloatArray, n_trees: int) -> FloatArray:
    """Return the features of each variable that `COEFFICIENTS` weigh: (n_features, 5).

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.measures._relevance_dart import evidence
    >>> vc = np.array([[2.0, 0.0], [3.0, 0.1]])
    >>> evidence(vc, np.minimum(vc, 1), n_trees=20).shape
    (2, 5)
    """
    n_replicates, p = mpvip.shape
    inclusion = mpvip.mean(axis=0)
    count = log(vc + _COUNT_GUARD).mean(axis=0)
    odds = log((inclusion + _INCLUSION_GUARD) / (1 + _INCLUSION_GUARD - inclusion))
    between = mpvip.var(axis=0, ddof=1) if n_replicates > 1 else np.zeros(p)
    error = np.sqrt((between + _USUAL_VARIANCE / n_replicates) / n_replicates)
    idle = np.full(p, float(log(np.array([IDLE_SPLITS * n_trees / p + _IDLE_GUARD]))[0]))
    return np.column_stack([np.ones(p), count, odds, error, idle])


def probability(vc: FloatArray, mpvip: FloatArray, n_trees: int = 20) -> FloatArray:
    """Return the probability that each variable is relevant: (n_features,).

    Parameters
    ----------
    vc, mpvip : ndarray (n_replicates, n_features)
        Mean number of splits on a variable in a draw, and the proportion of draws with any.
    n_trees : int, default 20

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.measures._relevance_dart import probability
    >>> vc = np.array([[2.0, 1.0] + [0.02] * 48, [2.5, 0.0] + [0.03] * 48])
    >>> probability(vc, np.minimum(vc, 1))[:3].round(2)
    array([1.  , 0.03, 0.  ])
    """
    log_odds = np.zeros(mpvip.shape[1])
    # Not a matrix product, whose last digits may depend on the processor.
    for coefficient, feature in zip(COEFFICIENTS, evidence(vc, mpvip, n_trees).T, strict=True):
        log_odds += coefficient * feature
    return np.asarray(expit(log_odds))


def given_signal(probability: FloatArray, p_value: float) -> FloatArray:
    """Return the probabilities in the light of the p-value of the signal test.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.measures._relevance_dart import given_signal
    >>> given_signal(np.array([0.5, 0.9]), 0.01).round(2)
    array([0.57, 0.92])
    >>> given_signal(np.array([0.5, 0.9]), 0.5).round(2)
    array([0.12, 0.55])
    """
    shift = GIVEN_EVIDENCE if p_value <= _LEVEL else GIVEN_NO_EVIDENCE
    return np.asarray(expit(logit(probability) + shift))
