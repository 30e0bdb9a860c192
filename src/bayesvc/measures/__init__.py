"""Importance measures: functions of draws that give every variable an importance.

What to use when:

- `vc`, `vip`: how much the forests use a variable, as the number or the proportion of its splits.
  Compare them with null replicates ("local", "gse", "gmax").
- `metropolis_importance`: how readily splits on a variable are accepted. Compare it with null
  replicates too.
- `mpvip`: the posterior probability that a variable is used at all. One replicate suffices.
- `relevance`: the probability that a variable is relevant, from what several replicates agree on.
- `vc_rank`, `vip_rank`: mean ranks, which weigh all replicates alike. For clustering.
- `vc_measure`, `vip_measure`: amounts and ranks with their quartiles. For clustering.

Each function takes `Draws`, or any object that holds the (n_replicates, n_features) arrays that it
needs. `select` and `select_from` take a measure by name, as an object (subclass `Measure`), or as
a plain function of draws. `register` gives an object or a function of your own a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from bayesvc._parts import Registry
from bayesvc.measures._mi import MetropolisImportance, metropolis_importance
from bayesvc.measures._mpvip import InclusionProbability, mpvip
from bayesvc.measures._relevance import Relevance, relevance
from bayesvc.measures._vc import VariableCount, vc
from bayesvc.measures._vc_measure import VariableCountMeasure, vc_measure
from bayesvc.measures._vc_rank import VariableCountRank, vc_rank
from bayesvc.measures._vip import InclusionProportion, vip
from bayesvc.measures._vip_measure import InclusionProportionMeasure, vip_measure
from bayesvc.measures._vip_rank import InclusionProportionRank, vip_rank
from bayesvc.measures.base import Measure, SavedMeasure, as_measure

__all__ = [
    "MEASURES",
    "Measure",
    "check_measure",
    "measure_from_dict",
    "metropolis_importance",
    "mpvip",
    "register",
    "relevance",
    "vc",
    "vc_measure",
    "vc_rank",
    "vip",
    "vip_measure",
    "vip_rank",
]

T = TypeVar("T")

MEASURES: Registry[Measure] = Registry(
    "measure",
    [
        InclusionProportion(),
        MetropolisImportance(),
        VariableCount(),
        InclusionProbability(),
        Relevance(),
        InclusionProportionRank(),
        VariableCountRank(),
        VariableCountMeasure(),
        InclusionProportionMeasure(),
    ],
)


def check_measure(measure: Any) -> Measure:
    """Return the measure that a name, an object or a function stands for.

    Examples
    --------
    >>> from bayesvc.measures import check_measure
    >>> check_measure("vip-rank").label
    'VIP Rank'
    """
    if isinstance(measure, str):
        return MEASURES.choose(measure)
    found = as_measure(measure)
    MEASURES.check_name(found)
    return found


def register(measure: T) -> T:
    """Make a measure of your own known by its name, also to files that name it.

    Parameters
    ----------
    measure : Measure or callable
        An object, or a plain function of draws.

    Returns
    -------
    Measure or callable
        What was passed, so that `register` can decorate a function.

    Examples
    --------
    >>> import bayesvc as bv
    >>> @bv.measures.register
    ... def largest_count(draws):
    ...     return draws.vc.max(axis=0)
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> bv.select_from(draws, measure="largest_count").names
    ['a', 'd']
    """
    MEASURES.add(as_measure(measure))
    return measure


def measure_from_dict(about: Mapping[str, Any]) -> Measure:
    """Return the measure that a file describes: the one of that name, or what the file tells.

    Examples
    --------
    >>> from bayesvc.measures import measure_from_dict
    >>> measure_from_dict({"name": "vip", "settings": {}}).label
    'VIP'
    """
    name = str(about["name"])
    if name in MEASURES:
        return MEASURES[name].with_settings(about.get("settings", {}))
    return SavedMeasure(name, about)
