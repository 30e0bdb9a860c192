"""Which methods select which variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import check_integer
from bayesvc.plots._canvas import Plot, canvas, name_ticks, row_lines, say
from bayesvc.plots.style import FAINT, GREY, SELECTED
from bayesvc.selection.result import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def agreement(comparison: Any, *, most: int = 40, ax: Any = None) -> Plot:
    """Draw a dot for every variable that a method selects, without variables that none selects.

    Parameters
    ----------
    comparison : Comparison
        The result of `bayesvc.compare`, or any dict from names to `Selection` of the same
        variables.
    most : int, default 40
        Maximal number of variables to show: those that most methods select.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per variable shown, from the top: variable, methods (how many select it),
        and a boolean column per method.

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> both = {"vc": bv.select_from(draws), "rank": bv.select_from(draws, measure="vc-rank")}
    >>> plot = bv.plots.agreement(both)
    >>> plot.data["variable"].tolist(), plot.data["methods"].tolist()
    (['d', 'a'], [2, 2])
    """
    most = check_integer("most", most, 1)
    names, masks, order_by = _check(comparison)
    votes = masks.sum(axis=0)
    order = np.lexsort((order_by, -votes))[: int((votes > 0).sum())]
    top = order[:most]
    width = 2.2 + 0.34 * len(masks)
    with canvas(ax, max(5.6, width), 1.6 + 0.2 * max(len(top), 1)) as panels:
        axes = panels.ax
        if len(top) == 0:
            say(axes, "no method selects anything")
        else:
            _draw(axes, masks[:, top], votes[top])
            name_ticks(axes.yaxis, np.arange(len(top)), [names[j] for j in top])
            _name_methods(axes, list(comparison), masks.sum(axis=1))
        left_out = f"; {len(top)} shown" if len(top) < len(order) else ""
        axes.set_title(
            f"{len(order)} of {len(names)} variables selected by some method{left_out}", loc="left"
        )
    data: dict[str, NDArray[Any]] = {
        "variable": np.array([names[j] for j in top], dtype=object),
        "methods": votes[top],
    }
    for method, mask in zip(comparison, masks, strict=True):
        data[method] = mask[top]
    return Plot((axes,), data)


def _check(comparison: Any) -> tuple[tuple[str, ...], NDArray[np.bool_], NDArray[np.float64]]:
    """Return the names, a mask per method, and the mean rank of the variables."""
    remedy = "Pass the result of `bayesvc.compare`, or a dict from names to Selection."
    if not isinstance(comparison, Mapping) or not comparison:
        raise TypeError(
            "`comparison` must be a mapping with at least one Selection. Got a "
            f"{type(comparison).__name__} instead. {remedy}"
        )
    found = list(comparison.values())
    for selection in found:
        if not isinstance(selection, Selection):
            raise TypeError(
                f"`comparison` must hold Selections. Got a {type(selection).__name__} instead. "
                f"{remedy}"
            )
        if selection.feature_names != found[0].feature_names:
            raise ValueError(f"`comparison` must hold selections of the same variables. {remedy}")
    masks = np.array([selection.mask for selection in found])
    places = np.mean([selection.ranks for selection in found], axis=0)
    return found[0].labels, masks, places


def _draw(axes: Axes, masks: NDArray[np.bool_], votes: NDArray[np.intp]) -> None:
    n_methods, n_rows = masks.shape
    row_lines(axes, n_rows)
    for chosen, colour, size in ((~masks, GREY, 16), (masks, SELECTED, 42)):
        columns, rows = np.nonzero(chosen)
        alpha = FAINT if colour == GREY else 1
        axes.scatter(columns, rows, s=size, color=colour, alpha=alpha, linewidths=0, zorder=2)
    axes.set_xlim(-0.6, n_methods + 0.3)
    for row, count in enumerate(votes.tolist()):
        axes.text(n_methods - 0.2, row, f"{count}", ha="center", va="center", fontsize=8)


def _name_methods(axes: Axes, methods: list[str], n_selected: NDArray[np.intp]) -> None:
    labels = [f"{name} ({n})" for name, n in zip(methods, n_selected.tolist(), strict=True)]
    places = np.append(np.arange(len(labels)), len(labels) - 0.2)
    axes.xaxis.tick_top()
    name_ticks(
        axes.xaxis, places, [*labels, "methods"], rotation=45, ha="left", rotation_mode="anchor"
    )
    axes.tick_params(axis="x", length=0)
    axes.spines[["bottom", "left", "top", "right"]].set_visible(False)
