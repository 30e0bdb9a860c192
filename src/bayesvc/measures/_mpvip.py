"""Marginal posterior variable inclusion probability (MPVIP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesvc._typing import FloatArray
from bayesvc.measures._families import TallyMeasure
from bayesvc.measures._tally import mean_of, tally_of


def mpvip(draws: object) -> FloatArray:
    """Return the proportion of draws that split on each variable (MPVIP).

    Returns
    -------
    ndarray of shape (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import mpvip
    >>> mpvip(SimpleNamespace(mpvip=np.array([[1.0, 0.25], [1.0, 0.75]])))
    array([1. , 0.5])
    """
    return mean_of(tally_of(draws, "mpvip"))


@dataclass(frozen=True)
class InclusionProbability(TallyMeasure):
    """The measure "mpvip"."""

    name = "mpvip"
    label = "MPVIP"
    description = (
        "Marginal posterior inclusion probability: the proportion of draws that split on it."
    )
    tally = "mpvip"
    is_probability = True
    default_threshold = "median-probability"

    def compute(self, draws: Any) -> FloatArray:
        """Return `mpvip`."""
        return mpvip(draws)
