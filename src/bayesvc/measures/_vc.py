"""Variable count (VC)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesvc._typing import FloatArray
from bayesvc.measures._families import TallyMeasure
from bayesvc.measures._tally import mean_of, tally_of


def vc(draws: object) -> FloatArray:
    """Return the mean number of splits on each variable in a draw (VC).

    Returns
    -------
    ndarray of shape (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc
    >>> vc(SimpleNamespace(vc=np.array([[6.0, 0.5], [4.0, 1.5]])))
    array([5., 1.])
    """
    return mean_of(tally_of(draws, "vc"))


@dataclass(frozen=True)
class VariableCount(TallyMeasure):
    """The measure "vc"."""

    name = "vc"
    label = "VC"
    description = "Variable count: the mean number of splits on the variable in a draw."
    tally = "vc"
    scale = "log"

    def compute(self, draws: Any) -> FloatArray:
        """Return `vc`."""
        return vc(draws)
