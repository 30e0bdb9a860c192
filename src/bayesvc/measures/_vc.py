"""Variable count."""

from __future__ import annotations

from bayesvc._typing import FloatArray
from bayesvc.measures._tally import _mean, _tally


def vc(draws: object) -> FloatArray:
    """Variable count: the mean number of splits on a variable in a draw.

    Returns
    -------
    ndarray (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc
    >>> vc(SimpleNamespace(vc=np.array([[6.0, 0.5], [4.0, 1.5]])))
    array([5., 1.])
    """
    return _mean(_tally(draws, "vc"))
