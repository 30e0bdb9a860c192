"""Marginal posterior inclusion probability."""

from __future__ import annotations

from bayesvc._typing import FloatArray
from bayesvc.measures._tally import _mean, _tally


def mpvip(draws: object) -> FloatArray:
    """Marginal posterior inclusion probability: the share of draws that split on a variable.

    Returns
    -------
    ndarray (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import mpvip
    >>> mpvip(SimpleNamespace(mpvip=np.array([[1.0, 0.25], [1.0, 0.75]])))
    array([1. , 0.5])
    """
    return _mean(_tally(draws, "mpvip"))
