"""Variable inclusion proportion (VIP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice
from bayesvc.measures._families import TallyMeasure
from bayesvc.measures._tally import VIP_TALLY, mean_of, tally_of


def vip(draws: object, of: Literal["draws", "sums"] = "draws") -> FloatArray:
    """Return the proportion of the splits that are on each variable (VIP).

    Parameters
    ----------
    draws : Draws
    of : {"draws", "sums"}, default "draws"
        "draws" averages the proportions of the draws; "sums" divides the number of splits on a
        variable, over all draws of a replicate, by the number of all splits.

    Returns
    -------
    ndarray of shape (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip
    >>> vip(SimpleNamespace(vip=np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])))
    array([0.5, 0.5])
    """
    return mean_of(tally_of(draws, VIP_TALLY[check_choice("of", of, VIP_TALLY)]))


@dataclass(frozen=True)
class InclusionProportion(TallyMeasure):
    """The measure "vip"."""

    name = "vip"
    label = "VIP"
    description = (
        "Variable inclusion proportion: the proportion of the splits that are on the variable."
    )
    tally = "vip"

    def compute(self, draws: Any) -> FloatArray:
        """Return `vip`."""
        return vip(draws)
