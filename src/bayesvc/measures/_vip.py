"""Variable inclusion proportion."""

from __future__ import annotations

from typing import Literal

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice
from bayesvc.measures._tally import _VIP_TALLY, _mean, _tally


def vip(draws: object, of: Literal["draws", "sums"] = "draws") -> FloatArray:
    """Variable inclusion proportion: the share of the splits that are on a variable.

    Parameters
    ----------
    draws : Draws
    of : {"draws", "sums"}, default "draws"
        "draws" averages the share of each draw; "sums" divides all splits on a variable, over the
        draws of a fit, by all splits.

    Returns
    -------
    ndarray (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip
    >>> vip(SimpleNamespace(vip=np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])))
    array([0.5, 0.5])
    """
    return _mean(_tally(draws, _VIP_TALLY[check_choice("of", of, _VIP_TALLY)]))
