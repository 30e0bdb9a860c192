"""Importance measures: pure functions of what the fits left behind.

Each takes a `Draws`, or any object that holds the one (n_replicates, n_features) array the measure
needs, and returns one number, or one row, per variable.
"""

from __future__ import annotations

from bayesvc.measures._mi import mi
from bayesvc.measures._mpvip import mpvip
from bayesvc.measures._relevance import _relevance_alone, relevance
from bayesvc.measures._vc import vc
from bayesvc.measures._vc_measure import vc_measure
from bayesvc.measures._vc_rank import vc_rank
from bayesvc.measures._vip import vip
from bayesvc.measures._vip_measure import vip_measure
from bayesvc.measures._vip_rank import vip_rank
from bayesvc.measures.base import Measure

__all__ = [
    "MEASURES",
    "Measure",
    "mi",
    "mpvip",
    "relevance",
    "vc",
    "vc_measure",
    "vc_rank",
    "vip",
    "vip_measure",
    "vip_rank",
]

MEASURES = {
    measure.name: measure
    for measure in (
        Measure("vip", "VIP", "scores", 1, "vip", vip),
        Measure("mi", "MI", "scores", 1, "mi", mi),
        Measure("vc", "VC", "scores", 1, "vc", vc),
        Measure("mpvip", "MPVIP", "scores", 1, "mpvip", mpvip, is_probability=True),
        Measure(
            "relevance", "P(relevant)", "scores", 1, "relevance", relevance, is_probability=True,
            least_fits=2, priors=("bart", "dart"), alone=_relevance_alone,
        ),
        Measure("vip-rank", "VIP Rank", "ranks", 1, "vip", vip_rank),
        Measure("vc-rank", "VC Rank", "ranks", 1, "vc", vc_rank),
        Measure("vc-measure", "VC-measure", "matrix", 4, "vc", vc_measure),
        Measure("vip-measure", "VIP-measure", "matrix", 4, "vip", vip_measure),
    )
}  # fmt: skip
# fmt: skip
