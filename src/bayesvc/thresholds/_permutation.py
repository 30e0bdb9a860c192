"""Compare a measure with its values in null replicates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_flag, check_number
from bayesvc.measures import Measure
from bayesvc.thresholds._pvalues import check_pair, moments
from bayesvc.thresholds.base import Limits, Threshold, ThresholdResult


def local(observed: ArrayLike, null: ArrayLike, alpha: float = 0.05) -> ThresholdResult:
    """Select the variables above the 1 - alpha quantile of their own null values.

    Parameters
    ----------
    observed : array-like of shape (n_features,)
        A measure such as VIP, MI or VC. It must be above 0 for a variable to be selected.
    null : array-like of shape (n_permutations, n_features)
        The measure in null replicates.
    alpha : float, default=0.05
        Level: the probability of selecting an irrelevant variable.

    Examples
    --------
    >>> from bayesvc.thresholds import local
    >>> result = local([0.9, 0.1], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]], alpha=0.5)
    >>> result.mask, result.threshold
    (array([ True, False]), array([0.5, 0.5]))
    """
    observed, null = check_pair(observed, null)
    level = float(1 - _exact_alpha(alpha))
    return _above(observed, np.quantile(null, level, axis=0))


def gmax(observed: ArrayLike, null: ArrayLike, alpha: float = 0.05) -> ThresholdResult:
    """Select the variables above the 1 - alpha quantile of the largest null values.

    Parameters
    ----------
    observed, null
        The measure, and its values in null replicates, as in `local`.
    alpha : float, default=0.05
        Level: the probability of selecting any variable if none is relevant.

    Examples
    --------
    >>> from bayesvc.thresholds import gmax
    >>> result = gmax([0.9, 0.1], [[0.4, 0.6], [0.5, 0.5], [0.3, 0.7]], alpha=0.5)
    >>> result.mask, result.threshold
    (array([ True, False]), array([0.6, 0.6]))
    """
    observed, null = check_pair(observed, null)
    level = float(1 - _exact_alpha(alpha))
    return _above(observed, np.full(observed.shape, np.quantile(null.max(axis=1), level)))


def gse(
    observed: ArrayLike, null: ArrayLike, alpha: float = 0.05, joint: bool = True
) -> ThresholdResult:
    """Select the variables above m + C s, with m and s the mean and sd of their null values.

    Parameters
    ----------
    observed, null
        The measure, and its values in null replicates, as in `local`.
    alpha : float, default=0.05
        Level: the probability of selecting any variable if none is relevant.
    joint : bool, default=True
        C is the smallest number for which more than 1 - alpha of the null replicates have no
        variable above its threshold. False: for which more than 1 - alpha of the null values of
        each variable are not above its threshold (the text of the paper; a smaller C).

    Examples
    --------
    >>> from bayesvc.thresholds import gse
    >>> result = gse([0.9, 0.1], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]])
    >>> result.mask, result.threshold.round(3)
    (array([ True, False]), array([0.6, 0.6]))
    """
    observed, null = check_pair(observed, null)
    check_flag("joint", joint)
    covered = math.floor((1 - _exact_alpha(alpha)) * len(null))  # one more is the least above
    mean, sd = moments(null)
    varies = sd > 0
    if not varies.any():
        return _above(observed, mean)
    standardised = (null[:, varies] - mean[varies]) / sd[varies]
    if joint:
        constant = np.sort(standardised.max(axis=1))[covered]
    else:
        constant = np.sort(standardised, axis=0)[covered].max()
    return _above(observed, mean + constant * sd)


@dataclass(frozen=True)
class Permutation(Threshold):
    """Compare a measure with its values in null replicates, whose response is permuted.

    Parameters
    ----------
    kind : {"local", "gse", "gmax"}
        "local": above the 1 - alpha quantile of the variable's own null values. "gse": above their
        mean plus a multiple of their standard deviation, the same multiple for all variables.
        "gmax": above the 1 - alpha quantile of the largest null value of each null replicate.
    alpha : float, default=0.05
        Level of the threshold.
    joint : bool, default=True
        Used by "gse" only; see `bayesvc.thresholds.gse`.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Permutation("gse", alpha=0.1).name
    'gse'
    """

    kind: Literal["local", "gse", "gmax"]
    alpha: float = 0.05
    joint: bool = True

    needs_null = True
    default_measure = "vip"
    plot = "nulls"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, _DESCRIPTIONS)
        check_number("alpha", self.alpha, above=0, below=1, remedy="pass a level such as 0.05")
        check_flag("joint", self.joint)

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the threshold in methods."""
        return self.kind

    @property
    def description(self) -> str:  # type: ignore[override]
        """One sentence."""
        return _DESCRIPTIONS[self.kind]

    @property
    def min_permutations(self) -> int:  # type: ignore[override]
        """Number of null replicates without which nothing is significant at this level."""
        return max(2, math.ceil(1 / self.alpha - 1e-9) - 1)

    def incompatibility(self, measure: Measure) -> str | None:
        """Return why null replicates cannot be compared by the measure, or None."""
        if measure.min_replicates > 1:
            return (
                f"the measure needs {measure.min_replicates} replicates, and each permuted "
                "response has one"
            )
        if measure.lower_is_better:
            return "low values of the measure are good, and the threshold selects high ones"
        if measure.n_columns is not None and measure.n_columns > 1:
            return f"the measure has {measure.n_columns} columns, and the threshold takes one"
        return None

    def apply(
        self, measure: Measure, values: FloatArray, null: FloatArray | None
    ) -> ThresholdResult:
        """Select the variables above their threshold."""
        assert null is not None
        if values.ndim == 2:
            raise ValueError(
                f"Measure {measure.name!r} is not compatible with threshold {self.name!r}: it "
                f"returns {values.shape[1]} columns, and the threshold takes one. Use threshold "
                "'clustering'."
            )
        if self.kind == "local":
            return local(values, null, self.alpha)
        if self.kind == "gmax":
            return gmax(values, null, self.alpha)
        return gse(values, null, self.alpha, self.joint)

    def limits(self, result: ThresholdResult, values: FloatArray, null: FloatArray) -> Limits:
        """Return all three thresholds at this level."""
        return {
            "local": local(values, null, self.alpha).threshold,
            "gse": gse(values, null, self.alpha, self.joint).threshold,
            "gmax": gmax(values, null, self.alpha).threshold,
        }


_DESCRIPTIONS = {
    "local": "Selects the variables above the upper quantile of their own null values.",
    "gse": "Selects the variables above the mean of their null values plus a number of "
    "standard deviations that is the same for all variables.",
    "gmax": "Selects the variables above the upper quantile of the largest null values.",
}


def _above(observed: FloatArray, threshold: FloatArray) -> ThresholdResult:
    """Select strictly above the threshold and above 0."""
    threshold = np.maximum(threshold, 0)
    margin = observed - threshold
    return ThresholdResult(margin > 0, threshold, margin)


def _exact_alpha(alpha: Any) -> Fraction:
    """Return alpha as the decimal that was written, so that 1 - alpha has no rounding error."""
    remedy = "pass a level such as 0.05"
    return Fraction(repr(check_number("alpha", alpha, above=0, below=1, remedy=remedy)))
