"""Plots of a selection. They need matplotlib: ``pip install 'bayesvc[plot]'``.

Every function returns a `Plot`: its axes, and the numbers in them. It makes a figure of its own,
without pyplot, unless `ax` says where to draw. ``Selection.plot(kind)`` calls them by name.

Examples
--------
>>> import bayesvc as bv
>>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
>>> found = bv.select_from(draws)
>>> bv.plots.scatter(found).data["selected"].tolist()
[True, False, False, True]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayesvc._validation import check_choice
from bayesvc.plots._agreement import agreement
from bayesvc.plots._canvas import Plot
from bayesvc.plots._dendrogram import dendrogram
from bayesvc.plots._effects import effect_curves, predictive_loss, variance_shares
from bayesvc.plots._importance import importance
from bayesvc.plots._nulls import nulls
from bayesvc.plots._partial import partial_dependence
from bayesvc.plots._scatter import scatter
from bayesvc.plots._stability import stability
from bayesvc.plots._traces import traces

if TYPE_CHECKING:
    from bayesvc.explain.result import Effects
    from bayesvc.selection.result import Selection

__all__ = [
    "EFFECT_KINDS",
    "KINDS",
    "Plot",
    "agreement",
    "dendrogram",
    "effect_curves",
    "importance",
    "nulls",
    "partial_dependence",
    "plot_effects",
    "plot_selection",
    "predictive_loss",
    "scatter",
    "stability",
    "traces",
    "variance_shares",
]

KINDS: dict[str, Callable[..., Plot]] = {
    "scatter": scatter,
    "importance": importance,
    "nulls": nulls,
    "dendrogram": dendrogram,
    "stability": stability,
    "traces": traces,
    "partial_dependence": partial_dependence,
}

EFFECT_KINDS: dict[str, Callable[..., Plot]] = {
    "curves": effect_curves,
    "shares": variance_shares,
    "loss": predictive_loss,
}


def plot_effects(effects: Effects, kind: str = "curves", **options: Any) -> Plot:
    """Draw one of `EFFECT_KINDS`.

    Examples
    --------
    See `Effects.plot`.
    """
    return EFFECT_KINDS[check_choice("kind", kind, EFFECT_KINDS)](effects, **options)


def plot_selection(selection: Selection, kind: str | None = None, **options: Any) -> Plot:
    """Draw one of `KINDS`; by default the one that suits the method best.

    Examples
    --------
    See `Selection.plot`.
    """
    if kind is None:
        kind = selection.method.threshold.plot or selection.method.measure.plot
    return KINDS[check_choice("kind", kind, KINDS)](selection, **options)
