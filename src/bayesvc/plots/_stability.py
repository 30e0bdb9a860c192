"""What fewer replicates would have selected."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import BoolArray, FloatArray
from bayesvc._validation import check_integer
from bayesvc.plots._canvas import Plot, as_selection, canvas, headline, name_ticks, names_of
from bayesvc.plots.style import LEFT_OUT, SELECTED
from bayesvc.sampling.seeds import Role, random_order
from bayesvc.selection.methods import not_recomputable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayesvc.selection.result import Selection


_MOST_SIZES = 12
_LEAST_SHARE = (
    0.1  # an unselected variable is shown if some number of replicates selects it as often
)


def stability(selection: Any, *, n_subsets: int = 30, most: int = 25, ax: Any = None) -> Plot:
    """Draw how often each variable would be selected with fewer replicates.

    For every number of replicates, the method is applied to random subsets of the replicates (to
    all subsets if there are few). The first row shows how often they select exactly the same
    variables. Null replicates are not left out.

    Parameters
    ----------
    selection : Selection or fitted VariableSelector
    n_subsets : int, default 30
        Maximal number of subsets of each size; there are about 12 sizes at most.
    most : int, default 25
        Maximal number of variables to show: the selected ones by importance, then others that
        fewer replicates select at least one time in ten.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per variable shown and number of replicates: variable, selected,
        n_replicates, share (proportion of the subsets that select it), same (proportion that
        select exactly what all replicates do).

    Examples
    --------
    >>> import bayesvc as bv
    >>> counts = [[[9, 1, 0, 8]], [[7, 0, 1, 9]], [[9, 0, 0, 0]]]
    >>> found = bv.select_from(bv.Draws.from_counts(counts))
    >>> plot = bv.plots.stability(found)
    >>> plot.data["n_replicates"].tolist()[:3]
    [1, 2, 3]
    >>> plot.data["share"][:3].round(2).tolist()
    [1.0, 1.0, 1.0]
    """
    selection = as_selection(selection)
    n_subsets, most = check_integer("n_subsets", n_subsets, 1), check_integer("most", most, 1)
    if not selection.method.recomputable:
        raise ValueError(not_recomputable(selection.method))
    sizes = _sizes(selection.draws.n_replicates)
    masks = [_masks(selection, size, n_subsets) for size in sizes]
    shares = np.array([mask.mean(axis=0) for mask in masks])
    same = np.array([(mask == selection.mask).all(axis=1).mean() for mask in masks])
    top = _rows(selection, shares, most)
    with canvas(ax, max(5.6, 2.2 + 0.42 * len(sizes)), 1.6 + 0.22 * (len(top) + 1)) as panels:
        axes = panels.ax
        _draw(axes, same, shares[:, top].T, selection.mask[top])
        labels = ["exactly this selection", *names_of(selection, top)]
        name_ticks(axes.yaxis, [-1.3, *range(len(top))], labels)
        kind = "replicates" if selection.draws.abc is None else "kept forests"
        name_ticks(axes.xaxis, np.arange(len(sizes)), [str(size) for size in sizes])
        meaning = "cells: % of the subsets of that size"
        if selection.draws.n_replicates == 1:
            meaning = "one replicate does not show how stable this is"
        axes.set_xlabel(f"number of {kind}; {meaning}")
        axes.set_title(_title(selection, top), loc="left")
    return Plot((axes,), _numbers(selection, top, sizes, shares, same))


def _sizes(n_replicates: int) -> list[int]:
    """Return numbers of replicates from 1 to all, evenly spaced on a log scale if many."""
    if n_replicates <= _MOST_SIZES:
        return list(range(1, n_replicates + 1))
    spaced = np.geomspace(1, n_replicates, _MOST_SIZES).round().astype(int)
    return [int(size) for size in np.unique(spaced)]


def _masks(selection: Selection, size: int, n_subsets: int) -> BoolArray:
    """Return what subsets of this size select: (subsets, variables)."""
    n = selection.draws.n_replicates
    if comb(n, size) <= n_subsets:
        subsets = [list(subset) for subset in combinations(range(n), size)]
    else:
        entropy = selection.draws.random_state or 0
        # Number 0 of this role is the bootstrap of Selection.stability.
        numbers = range(1 + size * n_subsets, 1 + (size + 1) * n_subsets)
        orders = [random_order(entropy, Role.BOOTSTRAP, number, n) for number in numbers]
        subsets = [sorted(order[:size].tolist()) for order in orders]
    return np.array([selection._mask_of(subset) for subset in subsets])


def _rows(selection: Selection, shares: FloatArray, most: int) -> NDArray[np.intp]:
    chosen = selection.indices[np.argsort(selection.ranks[selection.mask], kind="stable")]
    others = np.flatnonzero(~selection.mask & (shares.max(axis=0) >= _LEAST_SHARE))
    others = others[np.argsort(-shares[:, others].mean(axis=0), kind="stable")]
    return np.concatenate([chosen, others])[:most]


def _draw(axes: Axes, same: FloatArray, shares: FloatArray, mask: BoolArray) -> None:
    """Draw a cell per row and subset size, darker for a larger percentage, with its number."""
    rows = np.concatenate([[-1.3], np.arange(len(mask))])
    colours = ["#555555", *(SELECTED if chosen else LEFT_OUT for chosen in mask)]
    for y, colour, row in zip(rows, colours, np.vstack([same, shares]), strict=True):
        for x, share in enumerate(row.tolist()):
            axes.fill(
                x + np.array([-0.46, 0.46, 0.46, -0.46]), y + np.array([-0.42, -0.42, 0.42, 0.42]),
                color=colour, alpha=0.05 + 0.8 * share, linewidth=0,
            )  # fmt: skip
            ink = "white" if share > 0.6 else None
            axes.text(x, y, f"{100 * share:.0f}", ha="center", va="center", fontsize=7, color=ink)
    axes.set_xlim(-0.6, len(same) - 0.4)
    axes.set_ylim(len(mask) - 0.4, -1.9)
    axes.tick_params(length=0)
    axes.spines[["bottom", "left", "top", "right"]].set_visible(False)


def _title(selection: Selection, top: NDArray[np.intp]) -> str:
    hidden = len(selection.indices) > len(top)
    return headline(selection) + (f"; {len(top)} shown" if hidden else "")


def _numbers(
    selection: Selection,
    top: NDArray[np.intp],
    sizes: list[int],
    shares: FloatArray,
    same: FloatArray,
) -> dict[str, NDArray[Any]]:
    return {
        "variable": np.repeat(np.array(names_of(selection, top), dtype=object), len(sizes)),
        "selected": np.repeat(selection.mask[top], len(sizes)),
        "n_replicates": np.tile(sizes, len(top)),
        "share": shares[:, top].T.ravel(),
        "same": np.tile(same, len(top)),
    }
