"""The settings of the sampler that are compared, and the summaries that score them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bayesvc as bv
from bayesvc import measures

FloatArray = NDArray[np.float64]
BASE = "k=2"


# arguments of `sample`
SETTINGS: dict[str, Mapping[str, Any]] = {
    BASE: {"prior": bv.DART()},
    "k=4": {"prior": bv.DART(k=4.0)},
    "learned": {"prior": bv.DART(k="learned")},
    "scores": {"prior": bv.DART(transform="normal-scores")},
    "learned, scores": {"prior": bv.DART(k="learned", transform="normal-scores")},
    "student": {"prior": bv.DART(errors="student")},
    "learned, student": {"prior": bv.DART(k="learned", errors="student")},
    "learned, student, scores": {
        "prior": bv.DART(k="learned", errors="student", transform="normal-scores")
    },
    "learned, auto": {"prior": bv.DART(k="learned", errors="auto", transform="auto")},
}


def sample(setting: str, X: FloatArray, y: FloatArray, seed: int) -> bv.Draws:
    """Sample ten replicates with this setting."""
    return bv.sample(X, y, n_replicates=10, n_jobs=1, random_state=seed, **SETTINGS[setting])


def _vc_measure(draws: bv.Draws) -> NDArray[np.bool_]:
    return bv.select_from(draws, "dart-vc").mask


def _relevance(draws: bv.Draws) -> NDArray[np.bool_]:
    probability = measures.relevance(draws)
    return probability >= min(0.5, probability.max())


def _inclusion(draws: bv.Draws) -> NDArray[np.bool_]:
    return draws.mpvip.mean(axis=0) >= 0.5


SUMMARIES: dict[str, Callable[[bv.Draws], NDArray[np.bool_]]] = {
    "VC-measure": _vc_measure,
    "relevance": _relevance,
    "inclusion": _inclusion,
}
