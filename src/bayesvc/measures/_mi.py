"""Metropolis importance."""

from __future__ import annotations

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.measures._tally import _tally


def mi(draws: object) -> FloatArray:
    """Metropolis importance: how readily the splits on a variable were accepted.

    Returns
    -------
    ndarray (n_features,)
        Median over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import mi
    >>> mi(SimpleNamespace(mi=np.array([[0.9, 0.1], [0.7, 0.3], [0.1, 0.9]])))
    array([0.7, 0.3])
    """
    return np.asarray(np.median(_tally(draws, "mi"), axis=0), dtype=np.float64)
