"""Thresholds: rules that say which variables are selected, given their importance.

What to use when:

- `clustering`, `clusters`: for measures without a natural scale, such as counts and ranks. Divides
  the variables into two clusters; even on pure noise it selects at least one variable.
- `median_probability`: for probabilities, such as `mpvip` and `relevance`.
- `fdr`: for calibrated probabilities, such as `relevance`: bounds the expected proportion of false
  positives.
- `local`, `gse`, `gmax`: for measures that can be compared with null replicates, from the most
  lenient to the strictest. `gse` and `gmax` select anything with a chance of about 5 % if no
  variable is relevant.
- `permutation_pvalues`: p-values for the same comparison.

The classes `Clustering`, `FDR`, `MedianProbability` and `Permutation` hold the settings of these
rules, under the same argument names. `select` and `select_from` take a threshold by name, as an
object (one of these, or your own subclass of `Threshold`), or as a plain function from the
importance to a boolean mask. `register` gives an object or a function of your own a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from bayesvc._parts import Registry
from bayesvc.thresholds._clustering import (
    Clustering,
    ClusteringResult,
    clustering,
    clusters,
)
from bayesvc.thresholds._fdr import FDR, fdr
from bayesvc.thresholds._median_probability import MedianProbability, median_probability
from bayesvc.thresholds._permutation import Permutation, gmax, gse, local
from bayesvc.thresholds._pvalues import permutation_pvalues
from bayesvc.thresholds.base import (
    SavedThreshold,
    Threshold,
    ThresholdResult,
    as_threshold,
    describe_threshold,
)

__all__ = [
    "FDR",
    "THRESHOLDS",
    "Clustering",
    "ClusteringResult",
    "MedianProbability",
    "Permutation",
    "Threshold",
    "ThresholdResult",
    "check_threshold",
    "clustering",
    "clusters",
    "fdr",
    "gmax",
    "gse",
    "local",
    "median_probability",
    "permutation_pvalues",
    "register",
    "threshold_from_dict",
    "threshold_to_dict",
]

T = TypeVar("T")

THRESHOLDS: Registry[Threshold] = Registry(
    "threshold",
    [
        Permutation("local"),
        Permutation("gse"),
        Permutation("gmax"),
        MedianProbability(),
        MedianProbability(at_least_one=True),
        FDR(),
        Clustering(),
    ],
)


def check_threshold(threshold: Any) -> Threshold:
    """Return the threshold that a name, an object or a function stands for.

    Examples
    --------
    >>> from bayesvc.thresholds import check_threshold
    >>> check_threshold("gse")
    Permutation(kind='gse', alpha=0.05, joint=True)
    """
    if isinstance(threshold, str):
        return THRESHOLDS.choose(threshold)
    found = as_threshold(threshold)
    THRESHOLDS.check_name(found)
    return found


def register(threshold: T) -> T:
    """Make a threshold of your own known by its name, also to files that name it.

    Parameters
    ----------
    threshold : Threshold or callable
        An object, or a plain function from the importance to a boolean mask.

    Returns
    -------
    Threshold or callable
        What was passed, so that `register` can decorate a function.

    Examples
    --------
    >>> import bayesvc as bv
    >>> @bv.thresholds.register
    ... def above_average(values):
    ...     return values > values.mean()
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]]], feature_names=list("abcd"))
    >>> bv.select_from(draws, measure="vc", threshold="above_average").names
    ['a', 'd']
    """
    THRESHOLDS.add(as_threshold(threshold))
    return threshold


def threshold_to_dict(threshold: Threshold) -> dict[str, Any]:
    """Return a threshold as JSON holds it: its name, its settings, and what to show of it.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.thresholds import threshold_to_dict
    >>> about = threshold_to_dict(bv.Permutation("gse", alpha=0.1))
    >>> about["name"], about["settings"]["alpha"]
    ('gse', 0.1)
    """
    return {"name": threshold.name, **describe_threshold(threshold)}


def threshold_from_dict(about: Mapping[str, Any]) -> Threshold:
    """Return the threshold that a file describes: the one of that name, or what the file tells.

    Examples
    --------
    >>> from bayesvc.thresholds import threshold_from_dict
    >>> threshold_from_dict({"name": "gse", "settings": {"alpha": 0.1}})
    Permutation(kind='gse', alpha=0.1, joint=True)
    """
    if "kind_" in about:
        return _first_format(about)
    name = str(about["name"])
    if name in THRESHOLDS:
        return THRESHOLDS[name].with_settings(about["settings"])
    return SavedThreshold(name, about)


def _first_format(about: Mapping[str, Any]) -> Threshold:
    """Return a threshold of version 1 of the files, which names its class as "kind_"."""
    settings = dict(about)
    kinds = {kind.__name__: kind for kind in (Permutation, MedianProbability, Clustering)}
    found: Threshold = kinds[settings.pop("kind_")](**settings)
    return found
