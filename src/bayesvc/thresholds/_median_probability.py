"""Select the variables with at least a given probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesvc._text import probability
from bayesvc._typing import FloatArray
from bayesvc._validation import check_flag, check_number
from bayesvc.exceptions import Note
from bayesvc.measures import Measure
from bayesvc.thresholds.base import ROUNDING, Threshold, ThresholdResult, check_probabilities


def median_probability(
    probability: ArrayLike, at: float = 0.5, at_least_one: bool = False
) -> ThresholdResult:
    """Select the variables whose probability is at least `at`.

    Parameters
    ----------
    probability : array-like of shape (n_features,)
        Probabilities, such as the MPVIP. A rounding error below the threshold counts as equal.
    at : float, default=0.5
        The threshold; 0.5 gives the median probability model.
    at_least_one : bool, default=False
        If no variable is that probable, select the most probable one (with its ties), unless all
        probabilities are 0.

    Examples
    --------
    >>> from bayesvc.thresholds import median_probability
    >>> median_probability([0.9, 0.5, 0.4]).mask
    array([ True,  True, False])
    >>> median_probability([0.3, 0.1], at_least_one=True).mask
    array([ True, False])
    """
    at = _check_at(at)
    values = check_probabilities("probability", probability)
    if check_flag("at_least_one", at_least_one) and 0 < values.max() < at - ROUNDING:
        at = float(values.max())
    margin = values - at
    margin[np.abs(margin) <= ROUNDING] = 0
    return ThresholdResult(margin >= 0, np.full(margin.shape, at), margin)


@dataclass(frozen=True)
class MedianProbability(Threshold):
    """Select the variables with at least a given probability.

    Parameters
    ----------
    at : float, default=0.5
        The threshold; 0.5 gives the median probability model.
    at_least_one : bool, default=False
        If no variable is that probable, select the most probable one.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.MedianProbability(0.6)
    MedianProbability(at=0.6, at_least_one=False)
    """

    at: float = 0.5
    at_least_one: bool = False

    default_measure = "mpvip"
    default_replicates = 1

    def __post_init__(self) -> None:
        _check_at(self.at)
        check_flag("at_least_one", self.at_least_one)

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the threshold in methods."""
        return "most-probable" if self.at_least_one else "median-probability"

    @property
    def description(self) -> str:  # type: ignore[override]
        """One sentence."""
        otherwise = ", or else the most probable one" if self.at_least_one else ""
        return f"Selects the variables with a probability of at least {self.at:g}{otherwise}."

    def incompatibility(self, measure: Measure) -> str | None:
        """Return why the measure has no probabilities, or None."""
        return None if measure.is_probability else "the measure is not a probability"

    def apply(
        self, measure: Measure, values: FloatArray, null: FloatArray | None
    ) -> ThresholdResult:
        """Select the probable variables."""
        return median_probability(values, self.at, self.at_least_one)

    def unreached(self, result: ThresholdResult) -> float | None:
        """Return the probability asked for if only the most probable variable is selected."""
        if not result.mask.any():
            return None
        return self.at if (result.threshold < self.at).all() else None

    def explain(self, result: ThresholdResult, importance: FloatArray, j: int) -> str:
        """Return a clause that says how far variable j is from the probability asked for."""
        side = "above" if importance[j] >= self.at else "below"
        text = (
            f"its probability ({probability(importance[j])}) is {side} the threshold of {self.at:g}"
        )
        if self.unreached(result) is None:
            return text
        mark = ", but it is the most probable" if result.mask[j] else ""
        return text + mark

    def notes(self, result: ThresholdResult) -> tuple[Note, ...]:
        """Say that no variable is as probable as was asked for."""
        if self.unreached(result) is None:
            return ()
        text = (
            f"No variable reaches a probability of {self.at:g}, so only the most probable one is "
            "selected. Use more rows or longer chains."
        )
        return (Note("unreached", "warning", text),)


def _check_at(at: Any) -> float:
    return check_number("at", at, above=0, most=1, remedy="pass a probability such as 0.5")
