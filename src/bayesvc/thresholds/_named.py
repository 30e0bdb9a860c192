"""The thresholds by name, and their settings as JSON holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bayesvc._validation import check_choice
from bayesvc.thresholds._clustering import Clustering
from bayesvc.thresholds._median_probability import MedianProbability
from bayesvc.thresholds._permutation import Permutation

Threshold = Permutation | MedianProbability | Clustering


THRESHOLDS: dict[str, Threshold] = {
    "local": Permutation("local"),
    "gse": Permutation("gse"),
    "gmax": Permutation("gmax"),
    "median-probability": MedianProbability(),
    "most-probable": MedianProbability(at_least_one=True),
    "clustering": Clustering(),
}


def check_threshold(threshold: Any) -> Threshold:
    """Return the threshold of this name, or the object itself."""
    if isinstance(threshold, Permutation | MedianProbability | Clustering):
        return threshold
    return THRESHOLDS[check_choice("threshold", threshold, THRESHOLDS)]


def threshold_to_dict(threshold: Threshold) -> dict[str, Any]:
    """Return the settings of a threshold as a dict that JSON can hold."""
    return {"kind_": type(threshold).__name__, **asdict(threshold)}


def threshold_from_dict(settings: Mapping[str, Any]) -> Threshold:
    """Return the threshold that `threshold_to_dict` described."""
    kinds = {kind.__name__: kind for kind in (Permutation, MedianProbability, Clustering)}
    arguments = dict(settings)
    return kinds[arguments.pop("kind_")](**arguments)
