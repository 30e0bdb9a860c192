"""Inclusion proportions and their ranks together, for clustering (VIP-measure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice
from bayesvc.measures._families import QuartileMeasure
from bayesvc.measures._tally import VIP_TALLY, tally_of, with_quartiles


def vip_measure(
    draws: object,
    one_column_if_single: bool = False,
    of: Literal["draws", "sums"] = "draws",
) -> FloatArray:
    """Return inclusion proportions and ranks with their quartiles (VIP-measure).

    Parameters
    ----------
    draws : Draws
    one_column_if_single : bool, default False
        With one replicate return its VIP alone, as a matrix of one column.
    of : {"draws", "sums"}, default "draws"
        As in `vip`.

    Returns
    -------
    ndarray of shape (n_features, 4)
        Mean VIP, 25 % quantile of the VIPs, mean rank, 75 % quantile of the ranks.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip_measure
    >>> vip_measure(SimpleNamespace(vip=np.array([[0.75, 0.25]])))
    array([[0.75, 0.75, 1.  , 1.  ],
           [0.25, 0.25, 2.  , 2.  ]])
    >>> vip_measure(SimpleNamespace(vip=np.array([[0.75, 0.25]])), one_column_if_single=True)
    array([[0.75],
           [0.25]])
    """
    name = VIP_TALLY[check_choice("of", of, VIP_TALLY)]
    return with_quartiles(tally_of(draws, name), one_column_if_single)


@dataclass(frozen=True)
class InclusionProportionMeasure(QuartileMeasure):
    """The measure "vip-measure"."""

    name = "vip-measure"
    label = "VIP-measure"
    description = (
        "Mean and lower quartile of the inclusion proportion, mean and upper quartile of its rank."
    )
    tally = "vip"

    def compute(self, draws: Any) -> FloatArray:
        """Return `vip_measure`."""
        return vip_measure(draws)
