"""Select as many variables as an expected proportion of false positives allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesvc._text import probability
from bayesvc._typing import FloatArray
from bayesvc._validation import check_number
from bayesvc.measures import Measure
from bayesvc.thresholds.base import ROUNDING, Threshold, ThresholdResult, check_probabilities


def fdr(probability: ArrayLike, rate: float = 0.1) -> ThresholdResult:
    """Select the largest set whose expected proportion of false positives is at most `rate`.

    A variable of probability 0.97 counts as 0.03 of a false positive. Variables of equal
    probability are selected together or not at all.

    Parameters
    ----------
    probability : array-like of shape (n_features,)
        Probabilities of relevance.
    rate : float, default=0.1
        The Bayesian false discovery rate.

    Examples
    --------
    >>> from bayesvc.thresholds import fdr
    >>> fdr([0.99, 0.9, 0.7, 0.1], rate=0.1).mask
    array([ True,  True, False, False])
    >>> fdr([0.99, 0.9, 0.7, 0.1], rate=0.15).mask
    array([ True,  True,  True, False])
    """
    rate = _check_rate(rate)
    values = check_probabilities("probability", probability)
    ordered = np.sort(values)[::-1]
    expected = np.cumsum(1 - ordered) / np.arange(1, len(ordered) + 1)
    whole = np.append(ordered[1:] < ordered[:-1], True)  # takes all variables that are equal
    allowed = np.flatnonzero(whole & (expected <= rate + ROUNDING))
    limit = float(ordered[allowed[-1]]) if len(allowed) else 1 - rate
    margin = values - limit
    return ThresholdResult(values >= limit, np.full(len(values), limit), margin)


@dataclass(frozen=True)
class FDR(Threshold):
    """Select the largest set whose expected proportion of false positives is at most `rate`.

    What is expected follows from the probabilities of the measure, so the rate is as good as
    their calibration.

    Parameters
    ----------
    rate : float, default=0.1
        The Bayesian false discovery rate.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.FDR(0.05)
    FDR(rate=0.05)
    """

    rate: float = 0.1

    name = "fdr"
    default_measure = "relevance"

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    @property
    def label(self) -> str:
        """Name of the threshold in text."""
        return f"FDR {self.rate:g}"

    @property
    def description(self) -> str:  # type: ignore[override]
        """One sentence."""
        return (
            "Selects the largest set whose expected proportion of false positives is at most "
            f"{self.rate:g}."
        )

    def incompatibility(self, measure: Measure) -> str | None:
        """Return why the measure has no probabilities, or None."""
        return None if measure.is_probability else "the measure is not a probability"

    def apply(
        self, measure: Measure, values: FloatArray, null: FloatArray | None
    ) -> ThresholdResult:
        """Select the largest set."""
        return fdr(values, self.rate)

    def explain(self, result: ThresholdResult, importance: FloatArray, j: int) -> str:
        """Return a clause that says on which side of the set variable j is."""
        side = "belongs" if result.mask[j] else "does not belong"
        return (
            f"by its probability ({probability(importance[j])}) it {side} to the largest set whose "
            f"expected proportion of false positives is at most {self.rate:g}"
        )


def _check_rate(rate: Any) -> float:
    return check_number("rate", rate, above=0, below=1, remedy="pass a rate such as 0.1")
