"""Mean rank by variable inclusion proportion (VIP Rank)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice
from bayesvc.measures._families import RankMeasure
from bayesvc.measures._tally import VIP_TALLY, mean_of, ranks_of, tally_of


def vip_rank(draws: object, of: Literal["draws", "sums"] = "draws") -> FloatArray:
    """Return the mean rank of each variable by VIP, over the replicates (VIP Rank).

    Rank 1 is the largest VIP of a replicate; ties share the mean of their ranks.

    Parameters
    ----------
    draws : Draws
    of : {"draws", "sums"}, default "draws"
        As in `vip`.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip_rank
    >>> vip_rank(SimpleNamespace(vip=np.array([[0.7, 0.3, 0.0], [1.0, 0.0, 0.0]])))
    array([1.  , 2.25, 2.75])
    """
    return mean_of(ranks_of(tally_of(draws, VIP_TALLY[check_choice("of", of, VIP_TALLY)])))


@dataclass(frozen=True)
class InclusionProportionRank(RankMeasure):
    """The measure "vip-rank"."""

    name = "vip-rank"
    label = "VIP Rank"
    description = "Mean rank of the variable by inclusion proportion, over the replicates."
    tally = "vip"

    def compute(self, draws: Any) -> FloatArray:
        """Return `vip_rank`."""
        return vip_rank(draws)
