"""Metropolis importance (MI)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.measures._families import TallyMeasure
from bayesvc.measures._tally import tally_of


def metropolis_importance(draws: object) -> FloatArray:
    """Return how readily splits on each variable were accepted (Metropolis importance).

    Returns
    -------
    ndarray of shape (n_features,)
        Median over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import metropolis_importance
    >>> metropolis_importance(SimpleNamespace(mi=np.array([[0.9, 0.1], [0.7, 0.3], [0.1, 0.9]])))
    array([0.7, 0.3])
    """
    return np.asarray(np.median(tally_of(draws, "mi"), axis=0), dtype=np.float64)


@dataclass(frozen=True)
class MetropolisImportance(TallyMeasure):
    """The measure "mi"."""

    name = "mi"
    label = "MI"
    description = "Metropolis importance: how readily splits on the variable are accepted."
    tally = "mi"

    def compute(self, draws: Any) -> FloatArray:
        """Return `metropolis_importance`."""
        return metropolis_importance(draws)
