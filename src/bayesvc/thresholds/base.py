"""What a threshold returns."""

from __future__ import annotations

from dataclasses import dataclass

from bayesvc._typing import BoolArray, FloatArray

# Differences this small, relative to numbers of the order of 1, are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class ThresholdResult:
    """Which variables a threshold selects, and by how much.

    Attributes
    ----------
    selected : ndarray of bool (n_features,)
    threshold : ndarray (n_features,)
        What the measure of each variable is compared with; NaN where a cut is not one number.
    margin : ndarray (n_features,)
        Distance to the cut: positive for selected variables, negative for the others (a tie has
        0); NaN where no cut was made.

    Examples
    --------
    >>> from bayesvc.thresholds import median_probability
    >>> cut = median_probability([0.75, 0.25])
    >>> cut.selected, cut.threshold, cut.margin
    (array([ True, False]), array([0.5, 0.5]), array([ 0.25, -0.25]))
    """

    selected: BoolArray
    threshold: FloatArray
    margin: FloatArray
