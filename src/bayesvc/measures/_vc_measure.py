"""Counts and ranks together, for clustering."""

from __future__ import annotations

from bayesvc._typing import FloatArray
from bayesvc.measures._tally import _summary, _tally


def vc_measure(draws: object, one_column_if_single: bool = False) -> FloatArray:
    """VC-measure: what the fits say of a variable's count and of its rank, for clustering.

    Parameters
    ----------
    draws : Draws
    one_column_if_single : bool, default False
        With one replicate, ranks and quantiles say no more than the count; True then returns the
        counts alone, as a matrix of one column. The clusters can differ between the two forms.

    Returns
    -------
    ndarray (n_features, 4)
        Mean count, 25 % quantile of the counts, mean rank, 75 % quantile of the ranks, over the
        replicates; raw, without transformation.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc_measure
    >>> vc_measure(SimpleNamespace(vc=np.array([[6.0, 0.0], [4.0, 0.0], [5.0, 8.0]])))
    array([[5.        , 4.5       , 1.33333333, 1.5       ],
           [2.66666667, 0.        , 1.66666667, 2.        ]])
    """
    return _summary(_tally(draws, "vc"), one_column_if_single)
