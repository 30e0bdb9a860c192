"""The importance of every variable against its rank, with the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray
from bayesvc._validation import check_integer
from bayesvc.plots._canvas import (
    Plot,
    as_selection,
    canvas,
    headline,
    log1p_axis,
    names_of,
    notable,
    replicates_text,
)
from bayesvc.plots._labels import label_points
from bayesvc.plots.style import FAINT, GREY, LEFT_OUT, SELECTED

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from bayesvc.selection.result import Selection

_MOST_VECTORS = 10_000  # points beyond which they become one picture within a file of vectors


def scatter(selection: Any, *, n_labels: int = 20, ax: Any = None) -> Plot:
    """Draw the importance of every variable against its mean rank over the replicates.

    For a VC-measure this is VC against VC Rank, for a VIP-measure or the VIP Rank it is VIP against
    VIP Rank, and so on. The threshold is a dashed line if it is one number, a dash per variable if
    each has its own, and a band if there is a gap between two clusters.

    Parameters
    ----------
    selection : Selection or fitted VariableSelector
    n_labels : int, default 20
        Maximal number of names to write: those of the selected variables and of the next three. A
        name without room is left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per variable: variable, selected, rank (mean over the replicates),
        value, threshold (NaN if it is not one number).

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> plot = bv.plots.scatter(bv.select_from(draws))
    >>> plot.data["rank"].tolist()
    [1.5, 3.5, 3.5, 1.5]
    """
    selection = as_selection(selection)
    n_labels = check_integer("n_labels", n_labels, 0)
    view = selection.rank_view
    x, y = view.rank, view.value
    with canvas(ax, 6.4, 4.8) as panels:
        axes = panels.ax
        log1p_axis(axes, "x", x)
        log1p_axis(axes, "y", y)
        handles = _draw_points(axes, x, y, selection.mask)
        handles += _draw_threshold(axes, x, y, selection)
        axes.set_xlabel(
            f"{view.rank_label} (mean over {replicates_text(selection.draws)}; 1 is the highest)"
        )
        axes.set_ylabel(view.value_label)
        axes.set_title(headline(selection), loc="left")
        panels.legend(handles)
        named = notable(selection, min(n_labels, len(selection.indices) + 3))
        own = np.flatnonzero(np.isfinite(selection.threshold))
        label_points(
            axes, x, y, named.tolist(), names_of(selection, named),
            avoid=(x[own], selection.threshold[own]) if view.threshold_on == "value" else None,
        )  # fmt: skip
    data = {
        "variable": np.array(selection.labels, dtype=object),
        "selected": selection.mask,
        "rank": x,
        "value": y,
        "threshold": selection.threshold,
    }
    return Plot((axes,), data)


def _draw_points(axes: Axes, x: FloatArray, y: FloatArray, mask: NDArray[np.bool_]) -> list[Artist]:
    rest = axes.scatter(
        x[~mask], y[~mask], s=18, facecolors="none", edgecolors=LEFT_OUT, linewidths=0.9,
        label=f"not selected ({(~mask).sum()})", rasterized=len(x) > _MOST_VECTORS,
    )  # fmt: skip
    chosen = axes.scatter(
        x[mask], y[mask], s=30, color=SELECTED, zorder=3, label=f"selected ({mask.sum()})"
    )
    return [chosen, rest]


def _draw_threshold(axes: Axes, x: FloatArray, y: FloatArray, selection: Selection) -> list[Artist]:
    """Draw the threshold if it can be drawn in this plane, and return what the legend shows."""
    threshold = selection.threshold
    dashes: dict[str, Any] = {"color": GREY, "linestyle": "--", "linewidth": 1.2, "zorder": 1}
    if np.isnan(threshold).any():
        return _draw_gap(axes, x, y, selection.mask)
    if selection.rank_view.threshold_on == "rank":
        return [axes.axvline(float(threshold[0]), label="threshold", **dashes)]
    if (threshold == threshold[0]).all():
        return [axes.axhline(float(threshold[0]), label="threshold", **dashes)]
    own = axes.scatter(
        x, threshold, s=30, marker="_", color=GREY, zorder=1, label="threshold of each variable",
        rasterized=len(x) > _MOST_VECTORS,
    )  # fmt: skip
    return [own]


def _draw_gap(axes: Axes, x: FloatArray, y: FloatArray, mask: NDArray[np.bool_]) -> list[Artist]:
    """Shade the gap between two clusters, in the first direction that separates them."""
    if mask.all() or not mask.any():
        return []
    look: dict[str, Any] = {"color": GREY, "alpha": FAINT, "linewidth": 0, "zorder": 0}
    if y[mask].min() > y[~mask].max():
        label = "gap between the clusters"
        return [axes.axhspan(y[~mask].max(), y[mask].min(), label=label, **look)]
    if x[mask].max() < x[~mask].min():
        label = "gap between the clusters"
        return [axes.axvspan(x[mask].max(), x[~mask].min(), label=label, **look)]
    return []
