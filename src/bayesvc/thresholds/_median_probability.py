"""Select what has at least a given probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayesvc._typing import FloatArray
from bayesvc._validation import check_flag, check_number, check_vector
from bayesvc.measures import Measure
from bayesvc.thresholds.base import ROUNDING, ThresholdResult


@dataclass(frozen=True)
class MedianProbability:
    """Select what is in the forest, or relevant, with at least this probability.

    Parameters
    ----------
    at : float, default 0.5
    at_least_one : bool, default False
        Where no variable is that probable, select the most probable one.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.MedianProbability(0.6)
    MedianProbability(at=0.6, at_least_one=False)
    """

    at: float = 0.5
    at_least_one: bool = False

    needs_null: ClassVar[bool] = False

    def __post_init__(self) -> None:
        remedy = "pass a probability such as 0.5, the median probability model"
        if check_number("at", self.at, above=0, remedy=remedy) > 1:
            raise ValueError(f"at={self.at!r} is no probability; {remedy}")
        check_flag("at_least_one", self.at_least_one)

    @property
    def name(self) -> str:
        """Name of the threshold in recipes."""
        return "most-probable" if self.at_least_one else "median-probability"

    def refuses(self, measure: Measure) -> str | None:
        """Say why this threshold cannot cut the measure, or None."""
        return None if measure.is_probability else "the measure is no probability"

    def cut(self, measure: Measure, values: FloatArray, null: FloatArray | None) -> ThresholdResult:
        """Cut probabilities."""
        return median_probability(values, self.at, self.at_least_one)


def median_probability(
    inclusion: ArrayLike, cut: float = 0.5, at_least_one: bool = False
) -> ThresholdResult:
    """Select the variables whose inclusion probability is at least `cut`.

    Parameters
    ----------
    inclusion : array (n_features,)
        Probabilities, such as the MPVIP. A rounding error below the cut counts as at it.
    cut : float, default 0.5
    at_least_one : bool, default False
        Where no variable is that probable, select the most probable one (equals together), unless
        all probabilities are 0.

    Examples
    --------
    >>> from bayesvc.thresholds import median_probability
    >>> median_probability([0.9, 0.5, 0.4]).selected
    array([ True,  True, False])
    >>> median_probability([0.3, 0.1], at_least_one=True).selected
    array([ True, False])
    """
    remedy = "pass a probability such as 0.5, the median probability model"
    cut = check_number("cut", cut, above=0, remedy=remedy)
    probability = check_vector("inclusion", inclusion)
    outside = (probability < 0) | (probability > 1 + ROUNDING)
    if outside.any() or cut > 1:
        name = "cut" if cut > 1 else f"inclusion[{outside.argmax()}]"
        value = cut if cut > 1 else probability[outside.argmax()]
        raise ValueError(f"{name}={value:g} is no probability; {remedy}, and shares from 0 to 1")
    if check_flag("at_least_one", at_least_one) and 0 < probability.max() < cut - ROUNDING:
        cut = float(probability.max())
    margin = probability - cut
    margin[np.abs(margin) <= ROUNDING] = 0
    return ThresholdResult(margin >= 0, np.full(margin.shape, cut), margin)
