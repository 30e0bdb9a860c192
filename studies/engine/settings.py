"""The settings of the sampler that are compared, and the summaries that score them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

import bayesvc as bv
from bayesvc import measures

FloatArray = NDArray[np.float64]
BASE = "k=2"


def normal_scores(y: FloatArray) -> FloatArray:
    """Return normal quantiles of the ranks of y; ties share a rank."""
    return ndtri((rankdata(y) - 0.5) / len(y))


# prior and further arguments of `sample`, and what is done to y
SETTINGS: dict[str, tuple[Mapping[str, Any], Callable[[FloatArray], FloatArray] | None]] = {
    BASE: ({"prior": bv.DART()}, None),
    "k=4": ({"prior": bv.DART(k=4.0)}, None),
    "learned": ({"prior": bv.DART(k="learned")}, None),
    "scores": ({"prior": bv.DART()}, normal_scores),
    "learned, scores": ({"prior": bv.DART(k="learned")}, normal_scores),
}


def sample(setting: str, X: FloatArray, y: FloatArray, seed: int) -> bv.Draws:
    """Sample ten replicates with this setting."""
    arguments, transform = SETTINGS[setting]
    own = y if transform is None else transform(y)
    return bv.sample(X, own, n_replicates=10, n_jobs=1, random_state=seed, **arguments)


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
