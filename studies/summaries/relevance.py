"""How probable it is that a variable is relevant, from what a few fits agree on.

A relevant variable is needed by every fit; one that a chain picked up by chance is in that fit
alone. Three numbers say so: the mean over the fits of the logarithm of the count, the inclusion
probability averaged over the fits, and the inclusion of variables that do not matter in these data,
the noise floor. A logistic regression, learned on problems whose truth is known, turns them into a
probability.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

FloatArray = NDArray[np.float64]

LEARNED_SHARE = 0.02  # of the variables that are relevant, where the coefficients were learned

_COUNT_GUARD = 0.05  # of splits per draw, and of inclusion: keep logarithms finite
_SHARE_GUARD = 0.01
_FLOOR_WEIGHT = 5.0  # the usual floor counts as so many variables


@dataclass(frozen=True)
class Coefficients:
    """Of a logistic regression for one kind of prior.

    Attributes
    ----------
    alone : tuple of float
        Of 1, the count, the inclusion, and the same three over the number of fits.
    floored : tuple of float
        The same, and of the logarithm of the noise floor.
    usual_floor : float
        The mean inclusion of irrelevant variables where the coefficients were learned.
    """

    alone: tuple[float, ...]
    floored: tuple[float, ...]
    usual_floor: float


def evidence(vc: FloatArray, mpvip: FloatArray) -> FloatArray:
    """Return what the fits say of each variable: (n_features, 6).

    Parameters
    ----------
    vc, mpvip : ndarray (n_replicates, n_features)
        Mean number of splits on a variable in a draw, and the share of draws with any.
    """
    n_fits, n_features = vc.shape
    inclusion = mpvip.mean(axis=0)
    count = np.log(vc + _COUNT_GUARD).mean(axis=0)
    odds = np.log((inclusion + _SHARE_GUARD) / (1 + _SHARE_GUARD - inclusion))
    own = np.column_stack([np.ones(n_features), count, odds])
    return np.hstack([own, own / n_fits])


def noise_floor(inclusion: FloatArray, relevant: FloatArray, usual: float) -> float:
    """Return the mean inclusion of what is not relevant.

    `relevant` holds probabilities. Where hardly anything is irrelevant, the floor is near the
    `usual` one.
    """
    weight = 1 - relevant
    total = float(weight @ inclusion) + _FLOOR_WEIGHT * usual
    return total / (float(weight.sum()) + _FLOOR_WEIGHT)


def probability(
    vc: FloatArray, mpvip: FloatArray, coefficients: Coefficients, share: float = LEARNED_SHARE
) -> FloatArray:
    """Return the probability that each variable is relevant: (n_features,).

    Parameters
    ----------
    vc, mpvip : ndarray (n_replicates, n_features)
    coefficients : Coefficients
    share : float
        Of the variables that are thought to be relevant before any fit is seen.
    """
    seen = evidence(vc, mpvip)
    inclusion = mpvip.mean(axis=0)
    shift = float(logit(share) - logit(LEARNED_SHARE))
    first = expit(seen @ np.array(coefficients.alone) + shift)
    floor = noise_floor(inclusion, first, coefficients.usual_floor)
    *own, of_floor = coefficients.floored
    return np.asarray(expit(seen @ np.array(own) + of_floor * np.log(floor + _SHARE_GUARD) + shift))
