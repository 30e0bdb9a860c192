"""Apply a method to draws: its measure, then its threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

    Returns the mask, what the threshold returned, and what the measure returned.
    """
    values = measure_values(method.measure, draws)
    if signal is not None:
        values = method.measure.given_signal(values, signal.p_value)
    result = apply_threshold(method.threshold, method.measure, values, null)
    mask = result.mask
    if len(mask) == 1:  # a rank among one variable says nothing
        mask = mask & (draws.vc.mean(axis=0) > 0)
    return mask, result, values
