"""Compare a measure with what it is in fits to permuted responses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_flag, check_number
from bayesvc.measures import Measure
from bayesvc.thresholds._pvalues import check_pair, moments
from bayesvc.thresholds.base import ThresholdResult


@dataclass(frozen=True)
class Permutation:
    """Compare a measure with what it is in fits to permuted responses.

    Parameters
    ----------
    kind : {"local", "gse", "gmax"}
        "local": above the 1 - alpha quantile of the variable's own null values; "gse": above their
        mean plus so many of their sd that the same number serves all variables; "gmax": above the
        1 - alpha quantile of the largest null value of each permuted fit.
    alpha : float, default 0.05
    joint : bool, default True
        Only for "gse"; see `bayesvc.gse`.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Permutation("gse", alpha=0.1).name
    'gse'
    """

    kind: Literal["local", "gse", "gmax"]
    alpha: float = 0.05
    joint: bool = True

    needs_null: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, ("local", "gse", "gmax"))
        check_number("alpha", self.alpha, above=0, below=1, remedy="pass a level such as 0.05")
        check_flag("joint", self.joint)

    @property
    def name(self) -> str:
        """Name of the threshold in recipes."""
        return self.kind

    def refuses(self, measure: Measure) -> str | None:
        """Say why this threshold cannot cut the measure, or None."""
        if measure.least_fits > 1:
            return "it takes several fits, and there is one to each permuted response"
        if measure.shape == "scores":
            return None
        what = (
            "ranks, of which low ones are good" if measure.shape == "ranks" else "several columns"
        )
        return f"the measure has {what}"

    def cut(self, measure: Measure, values: FloatArray, null: FloatArray | None) -> ThresholdResult:
        """Cut the values of a measure; `null` holds a row per permuted fit."""
        assert null is not None
        if self.kind == "local":
            return local(values, null, self.alpha)
        if self.kind == "gmax":
            return gmax(values, null, self.alpha)
        return gse(values, null, self.alpha, self.joint)


def local(observed: ArrayLike, null: ArrayLike, alpha: float = 0.05) -> ThresholdResult:
    """Select the variables above the 1 - alpha quantile of their own null values.

    Parameters
    ----------
    observed : array (n_features,)
        A measure such as VIP, MI or VC; it must be above 0 for a variable to be selected.
    null : array (n_permutations, n_features)
        The measure in fits to permuted responses.
    alpha : float, default 0.05

    Examples
    --------
    >>> from bayesvc.thresholds import local
    >>> cut = local([0.9, 0.1], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]], alpha=0.5)
    >>> cut.selected, cut.threshold
    (array([ True, False]), array([0.5, 0.5]))
    """
    observed, null = check_pair(observed, null)
    level = float(1 - _exact_alpha(alpha))
    return _above(observed, np.quantile(null, level, axis=0))


def gmax(observed: ArrayLike, null: ArrayLike, alpha: float = 0.05) -> ThresholdResult:
    """Select the variables above the 1 - alpha quantile of the largest null value of each fit.

    Parameters
    ----------
    observed, null, alpha
        As in `local`.

    Examples
    --------
    >>> from bayesvc.thresholds import gmax
    >>> cut = gmax([0.9, 0.1], [[0.4, 0.6], [0.5, 0.5], [0.3, 0.7]], alpha=0.5)
    >>> cut.selected, cut.threshold
    (array([ True, False]), array([0.6, 0.6]))
    """
    observed, null = check_pair(observed, null)
    level = float(1 - _exact_alpha(alpha))
    return _above(observed, np.full(observed.shape, np.quantile(null.max(axis=1), level)))


def gse(
    observed: ArrayLike, null: ArrayLike, alpha: float = 0.05, joint: bool = True
) -> ThresholdResult:
    """Select the variables above m + C s, m and s the mean and sd of their null values.

    Parameters
    ----------
    observed, null, alpha
        As in `local`.
    joint : bool, default True
        C is the least number for which more than 1 - alpha of the permuted fits have no variable
        above its threshold. False: for which more than 1 - alpha of the null values of each
        variable are not above its threshold (the text of the paper; a smaller C).

    Examples
    --------
    >>> from bayesvc.thresholds import gse
    >>> cut = gse([0.9, 0.1], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]])
    >>> cut.selected, cut.threshold.round(3)
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


def _above(observed: FloatArray, threshold: FloatArray) -> ThresholdResult:
    """Cut strictly above the threshold and above 0."""
    threshold = np.maximum(threshold, 0)
    margin = observed - threshold
    return ThresholdResult(margin > 0, threshold, margin)


def _exact_alpha(alpha: Any) -> Fraction:
    """Return alpha as the decimal that was written, so that 1 - alpha is not a rounding off."""
    remedy = "pass a level such as 0.05"
    return Fraction(repr(check_number("alpha", alpha, above=0, below=1, remedy=remedy)))
