"""Probability of relevance."""

from __future__ import annotations

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.measures._relevance_model import probability
from bayesvc.measures._tally import _tally


def relevance(draws: object) -> FloatArray:
    """Probability of relevance: how likely a variable matters, from what the fits agree on.

    Learned on problems whose truth is known, with BART and DART forests of 20 trees; see
    `bayesvc.measures._relevance_model`. It needs several fits: a variable that only one of them
    uses is in doubt.
    Of one fit it is what that would mean if others agreed with it as much as they usually do.

    Returns
    -------
    ndarray (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import relevance
    >>> vc = np.array([[2.0, 1.0] + [0.02] * 48, [2.5, 0.0] + [0.03] * 48])
    >>> relevance(SimpleNamespace(vc=vc, mpvip=np.minimum(vc, 1)))[:3].round(2)
    array([0.9 , 0.01, 0.  ])
    """
    return probability(_tally(draws, "vc"), _tally(draws, "mpvip"))


def _relevance_alone(draws: object) -> FloatArray:
    counts, inclusion = _tally(draws, "vc"), _tally(draws, "mpvip")
    fits = range(len(counts))
    return np.array([probability(counts[[fit]], inclusion[[fit]]) for fit in fits])
