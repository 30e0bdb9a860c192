"""Thresholds: pure functions from measures to the variables that are selected.

Permutation thresholds compare a measure with its values in fits to a permuted response, where
nothing is relevant; the median probability model needs no comparison; clustering splits the
variables in two.
"""

from __future__ import annotations

from bayesvc.thresholds._clustering import (
    Clustering,
    ClusteringResult,
    check_column_weights,
    clustering,
    clusters,
)
from bayesvc.thresholds._median_probability import MedianProbability, median_probability
from bayesvc.thresholds._named import (
    THRESHOLDS,
    Threshold,
    check_threshold,
    threshold_from_dict,
    threshold_to_dict,
)
from bayesvc.thresholds._permutation import Permutation, gmax, gse, local
from bayesvc.thresholds._pvalues import permutation_pvalues
from bayesvc.thresholds.base import ThresholdResult

__all__ = [
    "THRESHOLDS",
    "Clustering",
    "ClusteringResult",
    "MedianProbability",
    "Permutation",
    "Threshold",
    "ThresholdResult",
    "check_column_weights",
    "check_threshold",
    "clustering",
    "clusters",
    "gmax",
    "gse",
    "local",
    "median_probability",
    "permutation_pvalues",
    "threshold_from_dict",
    "threshold_to_dict",
]
