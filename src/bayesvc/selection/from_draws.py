"""`select_from`: selection from draws that exist already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice
from bayesvc.draws.draws import Draws
from bayesvc.measures import MEASURES, Measure
from bayesvc.measures.base import replicate_values
from bayesvc.selection.apply import apply_method
from bayesvc.selection.methods import (
    RECIPES,
    Method,
    check_replicates,
    check_same_kind,
    resolve_method,
)
from bayesvc.selection.result import Selection
from bayesvc.thresholds import Threshold, check_threshold


def select_from(
    draws: Draws,
    method: str | None = None,
    *,
    measure: str | Measure | Callable[[Draws], Any] | None = None,
    threshold: str | Threshold | Callable[[FloatArray], Any] | None = None,
    permuted: Draws | None = None,
) -> Selection:
    """Select from draws that exist: from `sample`, from a file, or from another program.

    Parameters
    ----------
    draws : Draws
    method : str, optional
        Name of a method; `bayesvc.recipes` lists them. The draws must be of its prior, if their
        prior is known. By default the probability of relevance, or, with a single replicate or
        another prior than BART and DART, the VC-measure with clustering.
    measure, threshold : optional
        Replace those of the method: a name, an object or a function, as in `select`.
    permuted : Draws, optional
        Null replicates, one per permuted response, for thresholds that need them.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> bv.select_from(draws).names
    ['a', 'd']
    >>> bv.select_from(draws, "dart-mpm").names
    ['a', 'b', 'c', 'd']
    >>> bv.select_from(draws, measure=lambda draws: draws.vc.min(axis=0)).names
    ['a', 'd']
    """
    _check_draws("draws", draws)
    name = _check_method(method, draws)
    prior = None if name is not None else draws.prior
    if name is None and measure is None and draws.n_replicates == 1:
        measure = _measure_of_one(threshold)
    plan = resolve_method(name, prior=prior, measure=measure, threshold=threshold)
    check_replicates(plan.measure, draws.prior, draws.n_replicates)
    null = _null(plan, permuted)
    own = f"{plan.measure.name}-{plan.threshold.name}"
    found = Method(
        own if draws.prior is None else plan.name, draws.prior, plan.measure, plan.threshold,
        draws.n_replicates, 0 if null is None else len(null),
    )  # fmt: skip
    mask, result, values = apply_method(found, draws, null)
    return Selection(
        method=found, mask=mask, threshold_result=result, values=values, null=null, draws=draws,
        permuted=permuted,
    )  # fmt: skip


def _measure_of_one(threshold: Any) -> str:
    """Return the measure to use by default if there is a single replicate."""
    own = None if threshold is None else check_threshold(threshold).default_measure
    return own or "vc-measure"


def _check_method(method: Any, draws: Draws) -> str | None:
    """Return the name of a method that fits the prior of the draws."""
    if method is None:
        return None
    if isinstance(method, str) and method in MEASURES:
        raise ValueError(
            f"`method` must be the name of a method. Got the measure {method!r} instead. Pass "
            f"measure={method!r}."
        )
    recipe = RECIPES[check_choice("method", method, RECIPES)]
    if draws.prior is not None:
        check_same_kind(recipe, draws.prior, "draws")
    return recipe.name


def _null(plan: Method, permuted: Draws | None) -> FloatArray | None:
    """Return the measure of the null replicates, if the threshold needs them."""
    if permuted is not None:
        _check_draws("permuted", permuted)
    if not plan.threshold.needs_null:
        return None
    if permuted is None:
        raise ValueError(
            f"`permuted` must be given, because threshold {plan.threshold.name!r} needs null "
            "replicates. Pass their Draws, or use threshold 'clustering'."
        )
    return replicate_values(plan.measure, permuted)


def _check_draws(name: str, draws: Any) -> None:
    if not isinstance(draws, Draws):
        raise TypeError(
            f"`{name}` must be Draws. Got a {type(draws).__name__} instead. Use "
            "`bayesvc.sample`, or `bayesvc.Draws.from_counts` for split counts."
        )
