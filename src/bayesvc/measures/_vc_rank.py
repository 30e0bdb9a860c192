"""Mean rank by variable count."""

from __future__ import annotations

from bayesvc._typing import FloatArray
from bayesvc.measures._tally import _mean, _ranks, _tally


def vc_rank(draws: object) -> FloatArray:
    """VC Rank: the mean over the fits of a variable's rank by variable count.

    Rank 1 is the largest count of a fit; equal ones share the mean of their ranks.

    Returns
    -------
    ndarray (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc_rank
    >>> vc_rank(SimpleNamespace(vc=np.array([[6.0, 0.5, 0.0], [4.0, 1.5, 2.0]])))
    array([1. , 2.5, 2.5])
    """
    return _mean(_ranks(_tally(draws, "vc")))
