"""Mean rank by variable count (VC Rank)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesvc._typing import FloatArray
from bayesvc.measures._families import RankMeasure
from bayesvc.measures._tally import mean_of, ranks_of, tally_of


def vc_rank(draws: object) -> FloatArray:
    """Return the mean rank of each variable by split count, over the replicates (VC Rank).

    Rank 1 is the largest count of a replicate; ties share the mean of their ranks.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc_rank
    >>> vc_rank(SimpleNamespace(vc=np.array([[6.0, 0.5, 0.0], [4.0, 1.5, 2.0]])))
    array([1. , 2.5, 2.5])
    """
    return mean_of(ranks_of(tally_of(draws, "vc")))


@dataclass(frozen=True)
class VariableCountRank(RankMeasure):
    """The measure "vc-rank"."""

    name = "vc-rank"
    label = "VC Rank"
    description = "Mean rank of the variable by split count, over the replicates."
    tally = "vc"

    def compute(self, draws: Any) -> FloatArray:
        """Return `vc_rank`."""
        return vc_rank(draws)
