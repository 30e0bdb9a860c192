"""The probability that a variable is relevant, from what a few replicates agree on.

Every replicate needs a relevant variable. One that a chain picked up by chance is in that replicate
only, though it may stay there to the end. The model therefore looks at four things: how often the
replicates split on the variable, the proportion of their draws that contain it, how far the
replicates agree at all, and how many splits irrelevant variables have. A logistic regression,
learned on problems with known answers (``studies/summaries/learn.py``), turns them into a
probability.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from bayesvc._logarithms import log
from bayesvc._typing import FloatArray

LEARNED_TREES = 20

# For 1, count and inclusion; for these three times the variance of the mean; for the noise floor.
COEFFICIENTS = (-3.446, 1.301, 0.783, -7.417, 3.105, -1.813, -0.878)

_COUNT_GUARD = 0.05  # added to splits per draw and, below, to inclusion: keeps logarithms finite
_SHARE_GUARD = 0.01
_USUAL_FLOOR = 0.06  # counts as one variable
_USUAL_SHARE, _SHARE_WEIGHT = 0.3, 0.3  # counts as so much variance of an inclusion


def evidence(vc: FloatArray, mpvip: FloatArray) -> FloatArray:
    """Return the features of each variable that `COEFFICIENTS` weigh: (n_features, 7).

    Parameters
    ----------
    vc, mpvip : ndarray (n_replicates, n_features)
        Mean number of splits on a variable in a draw, and the proportion of draws with any.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.measures._relevance_model import evidence
    >>> evidence(np.array([[2.0, 0.0], [3.0, 0.1]]), np.array([[1.0, 0.0], [1.0, 0.1]])).shape
    (2, 7)
    """
    inclusion = mpvip.mean(axis=0)
    count = log(vc + _COUNT_GUARD).mean(axis=0)
    odds = log((inclusion + _SHARE_GUARD) / (1 + _SHARE_GUARD - inclusion))
    own = np.column_stack([np.ones(len(count)), count, odds])
    floor = np.full(len(count), math.log(noise_floor(vc.mean(axis=0)) + _SHARE_GUARD))
    return np.column_stack([own, own * (between_share(mpvip) / len(mpvip)), floor])


def between_share(mpvip: FloatArray) -> float:
    """Return the proportion of the variance of inclusion that lies between the replicates.

    0 means that the replicates agree and any draw is as good as another; 1 that each replicate
    keeps to its own variables, so that all its draws count as one. Divided by the number of
    replicates it is the variance of the mean inclusion, in units of that of a single draw.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.measures._relevance_model import between_share
    >>> stuck = np.array([[1.0, 0.0] * 20, [0.0, 1.0] * 20])
    >>> mixed = np.full((2, 40), 0.5)
    >>> round(between_share(stuck), 2), round(between_share(mixed), 2)
    (0.99, 0.01)
    """
    n_replicates = len(mpvip)
    if n_replicates == 1:
        return _USUAL_SHARE
    mean, between = mpvip.mean(axis=0), mpvip.var(axis=0, ddof=1)
    whole = mean * (1 - mean) + between / n_replicates
    prior = _SHARE_WEIGHT * _USUAL_SHARE
    return float((between.sum() + prior) / (whole.sum() + _SHARE_WEIGHT))


def noise_floor(counts: FloatArray) -> float:
    """Return the number of splits per draw that an irrelevant variable has.

    It is the mean over the half of the variables with the fewest splits. It is near 0 if there are
    many columns, and several if there are few, since the trees have to split on something.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.measures._relevance_model import noise_floor
    >>> round(noise_floor(np.array([8.0, 3.0] + [0.02] * 98)), 3)
    0.021
    >>> round(noise_floor(np.array([9.0, 4.0, 3.0, 3.0])), 1)
    2.0
    """
    low = np.sort(counts)[: (len(counts) + 1) // 2]
    return float((low.sum() + _USUAL_FLOOR) / (len(low) + 1))


def probability(vc: FloatArray, mpvip: FloatArray) -> FloatArray:
    """Return the probability that each variable is relevant: (n_features,).

    Parameters
    ----------
    vc, mpvip : ndarray (n_replicates, n_features)
        As in `evidence`. With one replicate, the usual agreement is assumed.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.measures._relevance_model import probability
    >>> vc = np.array([[2.0, 1.0] + [0.02] * 48, [2.5, 0.0] + [0.03] * 48])
    >>> probability(vc, np.minimum(vc, 1))[:3].round(2)
    array([0.9 , 0.01, 0.  ])
    """
    return np.asarray(expit(evidence(vc, mpvip) @ np.array(COEFFICIENTS)))
