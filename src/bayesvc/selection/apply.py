"""Apply a method to draws: its measure, then its threshold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesvc._typing import BoolArray, FloatArray
from bayesvc.measures.base import measure_values
from bayesvc.selection.methods import Method
from bayesvc.thresholds.base import ThresholdResult, apply_threshold

if TYPE_CHECKING:
    from bayesvc.selection.signal import SignalTest


def apply_method(
    method: Method, draws: Any, null: FloatArray | None, signal: SignalTest | None = None
) -> tuple[BoolArray, ThresholdResult, FloatArray]:
    """Apply the measure and the threshold of a method.

    Returns the mask, what the threshold returned, and what the measure returned. A variable that no
    draw splits on is never selected, even if it has the best rank, or the largest of probabilities
    that are all next to nothing.
    """
    values = measure_values(method.measure, draws)
    if signal is not None:
        values = method.measure.given_signal(values, signal.p_value)
    result = apply_threshold(method.threshold, method.measure, values, null)
    unused = result.mask & (draws.vc.max(axis=0) == 0)
    if unused.any():
        result = replace(
            result,
            mask=result.mask & ~unused,
            threshold=np.where(unused, np.nan, result.threshold),
            margin=np.where(unused, np.nan, result.margin),
        )
    return result.mask, result, values
