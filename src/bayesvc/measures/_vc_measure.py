"""Split counts and their ranks together, for clustering (VC-measure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesvc._typing import FloatArray
from bayesvc.measures._families import QuartileMeasure
from bayesvc.measures._tally import tally_of, with_quartiles


def vc_measure(draws: object, one_column_if_single: bool = False) -> FloatArray:
    """Return counts and ranks with their quartiles, for clustering (VC-measure).

    Parameters
    ----------
    draws : Draws
    one_column_if_single : bool, default False
        With one replicate, ranks and quantiles add nothing to the count; True then returns the
        counts alone, as a matrix of one column. The clusters can differ between the two forms.

    Returns
    -------
    ndarray of shape (n_features, 4)
        Mean count, 25 % quantile of the counts, mean rank, 75 % quantile of the ranks, over the
        replicates, without any transformation.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc_measure
    >>> vc_measure(SimpleNamespace(vc=np.array([[6.0, 0.0], [4.0, 0.0], [5.0, 8.0]])))
    array([[5.        , 4.5       , 1.33333333, 1.5       ],
           [2.66666667, 0.        , 1.66666667, 2.        ]])
    """
    return with_quartiles(tally_of(draws, "vc"), one_column_if_single)


@dataclass(frozen=True)
class VariableCountMeasure(QuartileMeasure):
    """The measure "vc-measure"."""

    name = "vc-measure"
    label = "VC-measure"
    description = "Mean and lower quartile of the split count, mean and upper quartile of its rank."
    tally = "vc"
    scale = "log"

    def compute(self, draws: Any) -> FloatArray:
        """Return `vc_measure`."""
        return vc_measure(draws)
