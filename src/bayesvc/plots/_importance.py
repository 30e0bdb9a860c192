"""The importance of the leading variables, with its spread over the replicates."""

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
    name_ticks,
    names_of,
    notable,
    replicates_text,
    row_lines,
)
from bayesvc.plots.style import GREY, LEFT_OUT, SELECTED

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from bayesvc.selection.result import Selection


def importance(selection: Any, *, most: int = 25, ax: Any = None) -> Plot:
    """Draw the importance of the leading variables and how far the replicates differ about it.

    A dot is the importance that the method uses; the thick line spans the middle half of the
    replicates, the thin one all of them. The lines of a probability of relevance show what each
    replicate says alone: a single one cannot show that others agree with it, so the dot may lie
    beyond all of them. For a VIP Rank or VC Rank all of these are ranks, of which low ones are
    good. The threshold is drawn if it is a number, for all variables or for each.

    Parameters
    ----------
    selection : Selection or fitted VariableSelector
    most : int, default 25
        Maximal number of variables to show: the selected ones, then the next by importance.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per variable shown, from the top: variable, selected, value, low, q25, q75,
        high (over the replicates), threshold.

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> plot = bv.plots.importance(bv.select_from(draws, "dart-vc"), most=2)
    >>> plot.data["low"].tolist(), plot.data["high"].tolist()
    ([8.0, 7.0], [9.0, 9.0])
    """
    selection = as_selection(selection)
    top = notable(selection, check_integer("most", most, 1))
    top = top[np.argsort(selection.ranks[top], kind="stable")]
    data = _numbers(selection, top)
    with canvas(ax, 6.4, 1.6 + 0.2 * len(top)) as panels:
        axes = panels.ax
        row_lines(axes, len(top))
        if selection.method.measure.scale == "log":
            log1p_axis(axes, "x", np.concatenate([data["low"], data["high"]]))
        handles = _draw(axes, data)
        handles += _draw_threshold(axes, selection, data["threshold"])
        name_ticks(axes.yaxis, np.arange(len(top)), names_of(selection, top))
        axes.set_xlabel(_axis_label(selection))
        axes.set_title(_title(selection, len(top)), loc="left")
        panels.legend(handles)
    return Plot((axes,), data)


def _numbers(selection: Selection, top: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    quantiles = np.quantile(selection.per_replicate[:, top], (0, 0.25, 0.75, 1), axis=0)
    low, q25, q75, high = quantiles
    return {
        "variable": np.array(names_of(selection, top), dtype=object),
        "selected": selection.mask[top],
        "value": selection.importance[top],
        "low": low,
        "q25": q25,
        "q75": q75,
        "high": high,
        "threshold": selection.threshold[top],
    }


def _draw(axes: Axes, data: dict[str, NDArray[Any]]) -> list[Artist]:
    rows = np.arange(len(data["value"]))
    mask = data["selected"]
    handles: list[Artist] = []
    for chosen, colour, label in ((mask, SELECTED, "selected"), (~mask, LEFT_OUT, "not selected")):
        part = {key: column[chosen] for key, column in data.items()}
        axes.hlines(rows[chosen], part["low"], part["high"], colors=colour, linewidth=0.9)
        axes.hlines(rows[chosen], part["q25"], part["q75"], colors=colour, linewidth=3.2, alpha=0.5)
        face = colour if label == "selected" else "white"
        dots = axes.scatter(
            part["value"], rows[chosen], s=28, facecolors=face, edgecolors=colour, zorder=3,
            label=label,
        )  # fmt: skip
        if chosen.any():
            handles.append(dots)
    return handles


def _draw_threshold(axes: Axes, selection: Selection, threshold: FloatArray) -> list[Artist]:
    everywhere = selection.threshold
    if np.isnan(everywhere).any():
        return []
    if (everywhere == everywhere[0]).all():
        line = axes.axvline(
            everywhere[0], color=GREY, linestyle="--", linewidth=1.2, label="threshold"
        )
        return [line]
    rows = np.arange(len(threshold))
    own = axes.scatter(
        threshold, rows, s=60, marker="|", color=GREY, linewidths=1.8, zorder=2,
        label="threshold of each variable",
    )  # fmt: skip
    return [own]


def _axis_label(selection: Selection) -> str:
    measure = selection.method.measure
    if selection.draws.n_replicates == 1:
        return measure.axis_label
    alone = "" if measure.replicates_average else ", each alone"
    replicates = f"{replicates_text(selection.draws)}{alone}"
    return f"{measure.axis_label}\nlines: middle half and range of {replicates}"


def _title(selection: Selection, n_shown: int) -> str:
    hidden = len(selection.indices) - n_shown
    if hidden > 0:
        return f"{headline(selection)}; {n_shown} shown"
    return headline(selection)
