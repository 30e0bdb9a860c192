"""The importance beside null replicates, with the thresholds that compare the two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import check_integer
from bayesvc.plots._canvas import (
    Plot,
    as_selection,
    canvas,
    headline,
    name_ticks,
    names_of,
)
from bayesvc.plots.style import FAINT, GREY, LEFT_OUT, SELECTED, STYLES

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from bayesvc.selection.result import Selection

_LOOKS = {
    "local": ("Local", STYLES["bart-vip-local"][0], "_"),
    "gse": ("G.SE", STYLES["bart-vip-gse"][0], "x"),
    "gmax": ("G.Max", STYLES["bart-vip-gmax"][0], None),
}


def nulls(selection: Any, *, most: int = 40, ax: Any = None) -> Plot:
    """Draw the importance of the leading variables beside its values in null replicates.

    As in bartMachine's plot, the variables go from the largest to the smallest, and all three
    permutation thresholds are shown, whichever the method uses: Local and G.SE for each variable,
    G.Max as a line. A filled dot is a variable that the method selects.

    Parameters
    ----------
    selection : Selection or fitted VariableSelector
        Of a method that permutes, such as "bart-vip-gse".
    most : int, default 40
        Maximal number of variables to show.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per variable shown, from the left: variable, selected, value, null_low,
        null_median, null_high (over the null replicates), and the thresholds: local, gse and
        gmax, or those of a threshold of your own.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> found = bv.select(
    ...     X, X[:, 1], "bart-vip-gse", n_replicates=2, burn_in=100, n_draws=100, random_state=0
    ... )
    >>> plot = bv.plots.nulls(found)
    >>> plot.data["variable"][0]
    'x1'
    >>> bool(plot.data["value"][0] > plot.data["gmax"][0])
    True
    """
    selection = as_selection(selection)
    most = check_integer("most", most, 1)
    if selection.null is None:
        raise ValueError(
            f"Method {selection.method.name!r} permutes nothing, so there are no null replicates. "
            "Use a method with threshold 'local', 'gse' or 'gmax', such as 'bart-vip-gse'."
        )
    top = np.argsort(selection.ranks, kind="stable")[:most]
    limits = _limits(selection, top)
    data = _numbers(selection, top) | limits
    with canvas(ax, max(5.0, 1.6 + 0.19 * len(top)), 4.6) as panels:
        axes = panels.ax
        handles = _draw(axes, data, list(limits), len(selection.null))
        name_ticks(axes.xaxis, np.arange(len(top)), names_of(selection, top), rotation=90)
        axes.set_xlim(-0.7, len(top) - 0.3)
        axes.set_ylim(bottom=0)
        axes.set_ylabel(selection.method.measure.axis_label)
        shown = f"; {len(top)} shown" if len(top) < len(selection.mask) else ""
        axes.set_title(headline(selection) + shown, loc="left")
        panels.legend(handles)
    return Plot((axes,), data)


def _numbers(selection: Selection, top: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    null = selection.null
    assert null is not None
    low, median, high = np.quantile(null[:, top], (0, 0.5, 1), axis=0)
    return {
        "variable": np.array(names_of(selection, top), dtype=object),
        "selected": selection.mask[top],
        "value": selection.importance[top],
        "null_low": low,
        "null_median": median,
        "null_high": high,
    }


def _limits(selection: Selection, top: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    """Return the limits that the threshold wants drawn, for the variables shown."""
    assert selection.null is not None
    found = selection.method.threshold.limits(
        selection.threshold_result, selection.importance, selection.null
    )
    return {label: np.asarray(limit)[top] for label, limit in found.items()}


def _draw(
    axes: Axes, data: dict[str, NDArray[Any]], limits: list[str], n_permutations: int
) -> list[Artist]:
    places = np.arange(len(data["value"]))
    mask = data["selected"]
    handles: list[Artist] = [
        axes.vlines(
            places, data["null_low"], data["null_high"], colors=GREY, alpha=FAINT,
            linewidth=6, zorder=1, label=f"range of {n_permutations} null replicates",
        )
    ]  # fmt: skip
    axes.scatter(places, data["null_median"], s=30, marker="_", color=GREY, zorder=1.5)
    for key in limits:
        label, colour, marker = _LOOKS.get(key, (key, GREY, "_"))
        if marker is None:
            line = axes.axhline(
                data[key][0], color=colour, linestyle="--", linewidth=1, label=label
            )
            handles.append(line)
        else:
            marks = axes.scatter(
                places,
                data[key],
                s=36,
                marker=marker,
                color=colour,
                linewidths=1.3,
                zorder=2,
                label=label,
            )  # fmt: skip
            handles.append(marks)
    for chosen, colour, label in ((mask, SELECTED, "selected"), (~mask, LEFT_OUT, "not selected")):
        dots = axes.scatter(
            places[chosen], data["value"][chosen], s=30, zorder=3, edgecolors=colour,
            facecolors=colour if label == "selected" else "white", label=label,
        )  # fmt: skip
        if chosen.any():
            handles.append(dots)
    return handles
