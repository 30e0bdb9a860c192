"""Inclusion proportions and ranks together, for clustering."""

from __future__ import annotations

from typing import Literal

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice
from bayesvc.measures._tally import _VIP_TALLY, _summary, _tally


def vip_measure(
    draws: object,
    one_column_if_single: bool = False,
    of: Literal["draws", "sums"] = "draws",
) -> FloatArray:
    """VIP-measure: as `vc_measure`, with inclusion proportions in the place of counts.

    Parameters
    ----------
    draws : Draws
    one_column_if_single : bool, default False
        With one replicate return its VIP alone, as a matrix of one column.
    of : {"draws", "sums"}, default "draws"
        As in `vip`.

    Returns
    -------
    ndarray (n_features, 4)
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
    name = _VIP_TALLY[check_choice("of", of, _VIP_TALLY)]
    return _summary(_tally(draws, name), one_column_if_single)
