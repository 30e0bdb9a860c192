"""The checks of scikit-learn that are expected to fail, and why."""

from __future__ import annotations

from typing import Any

_REASON = (
    "a weight is the precision of a row and not a number of copies: scaled to mean 1, it leaves "
    "the number of observations behind sigma as it is"
)
WEIGHTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": _REASON for kind in ("dense", "sparse")
}


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that this estimator is expected to fail; one without weights fails none."""
    return WEIGHTED if type(estimator).__name__ != "BARTClassifier" else {}
