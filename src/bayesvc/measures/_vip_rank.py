"""Mean rank by inclusion proportion."""

from __future__ import annotations

from typing import Literal

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice
from bayesvc.measures._tally import _VIP_TALLY, _mean, _ranks, _tally


def vip_rank(draws: object, of: Literal["draws", "sums"] = "draws") -> FloatArray:
    """VIP Rank: the mean over the fits of a variable's rank by VIP.

    Rank 1 is the largest VIP of a fit; equal ones share the mean of their ranks.

    Parameters
    ----------
    draws : Draws
    of : {"draws", "sums"}, default "draws"
        As in `vip`.

    Returns
    -------
    ndarray (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip_rank
    >>> vip_rank(SimpleNamespace(vip=np.array([[0.7, 0.3, 0.0], [1.0, 0.0, 0.0]])))
    array([1.  , 2.25, 2.75])
    """
    return _mean(_ranks(_tally(draws, _VIP_TALLY[check_choice("of", of, _VIP_TALLY)])))
