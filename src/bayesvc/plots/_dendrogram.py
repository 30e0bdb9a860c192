"""The dendrogram of a clustering, with its early merges collapsed."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
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
    name_ticks,
    names_of,
    row_lines,
    say,
    shown,
)
from bayesvc.plots.style import GREY, LEFT_OUT, SELECTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayesvc.selection.result import Selection
    from bayesvc.thresholds import ClusteringResult

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class _Branch:
    """A leaf of the picture: variables, the most important first, that merge below `height`."""

    node: int
    variables: Indices
    height: float
    selected: bool


def dendrogram(selection: Any, *, most: int = 30, n_others: int = 10, ax: Any = None) -> Plot:
    """Draw the dendrogram of a method that clusters, and where it divides in two.

    Each cluster is drawn from its last merges; what merged before is a triangle as wide as the
    height of its own last merge, named after its most important variable.

    Parameters
    ----------
    selection : Selection or fitted VariableSelector
        Of a method with threshold "clustering", such as "dart-vc".
    most, n_others : int, default=30 and 10
        Maximal number of branches of the selected cluster and of the other one.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per branch, from the top: variable (the most important one), n_variables,
        selected, height (0 where all are equal).

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> plot = bv.plots.dendrogram(bv.select_from(draws, "dart-vc"))
    >>> plot.data["variable"].tolist(), plot.data["n_variables"].tolist()
    (['d', 'a', 'b'], [1, 1, 2])
    """
    selection = as_selection(selection)
    most, n_others = check_integer("most", most, 1), check_integer("n_others", n_others, 1)
    result = selection.threshold_result
    if not hasattr(result, "tree"):
        raise ValueError(
            f"Method {selection.method.name!r} does not cluster, so it has no dendrogram. Use a "
            "method with threshold 'clustering', such as 'dart-vc'."
        )
    if not result.has_dendrogram:
        return _nothing(selection, ax)
    branches, tree = _collapse(selection, result, most, n_others)
    branches = _draw_order(tree, branches)
    with canvas(ax, 6.4, 1.4 + 0.2 * len(branches)) as panels:
        axes = panels.ax
        row_lines(axes, len(branches))
        _draw_links(axes, tree, [b.selected for b in _by_node(branches)])
        _draw_triangles(axes, branches)
        heights = result.heights
        middle = (float(heights[-1]) + (float(heights[-2]) if len(heights) > 1 else 0)) / 2
        line = axes.axvline(middle, color=GREY, linestyle="--", linewidth=1.2)
        line.set_label(f"division into two clusters (separation {result.separation:.2f})")
        _label(axes, selection, branches)
        axes.set_xlim(0, 1.03 * float(heights[-1]))
        axes.set_xlabel("distance of the clusters that merge (average linkage)")
        axes.set_title(headline(selection), loc="left")
        panels.legend([line])
    return Plot((axes,), _numbers(selection, branches))


def _nothing(selection: Selection, ax: Any) -> Plot:
    with canvas(ax, 6.4, 2) as panels:
        axes = panels.ax
        alone = len(selection.mask) == 1
        say(axes, "one variable: no clusters" if alone else "all variables are alike: no clusters")
        axes.set_title(headline(selection), loc="left")
    return Plot((axes,), _numbers(selection, []))


def _collapse(
    selection: Selection, result: ClusteringResult, most: int, n_others: int
) -> tuple[list[_Branch], FloatArray]:
    """Return the branches to draw, by number, and the tree above them in scipy's layout."""
    m = len(result.points)
    children = result.tree[:, :2].astype(np.intp)
    best = _best_ranks(selection, result)
    kept = np.zeros(m, dtype=bool)
    kept[result.leaf[selection.mask]] = True
    ends: list[int] = []
    for side in children[-1].tolist():
        limit = most if kept[_leaves(side, children, m)[0]] else n_others
        ends += _expand(side, result.tree, m, limit)
    inner = _ancestors(ends, children, m)
    number = {node: i for i, node in enumerate(ends)}
    number |= {node: len(ends) + i for i, node in enumerate(inner)}
    n_below = dict.fromkeys(ends, 1)
    tree = np.empty((len(inner), 4))
    for i, node in enumerate(inner):
        pair = sorted(children[node - m].tolist(), key=lambda child: best[child])
        n_below[node] = n_below[pair[0]] + n_below[pair[1]]
        tree[i] = number[pair[0]], number[pair[1]], result.tree[node - m, 2], n_below[node]
    branches = [_branch(selection, result, node, number[node], children) for node in ends]
    return branches, tree


def _best_ranks(selection: Selection, result: ClusteringResult) -> NDArray[np.int64]:
    """Return the place of the most important variable below every node."""
    m = len(result.points)
    best = np.full(2 * m - 1, len(selection.mask) + 1, dtype=np.int64)
    np.minimum.at(best, result.leaf, selection.ranks)
    for i, (one, other) in enumerate(result.tree[:, :2].astype(np.intp).tolist()):
        best[m + i] = min(best[one], best[other])
    return best


def _expand(top: int, tree: FloatArray, m: int, limit: int) -> list[int]:
    """Undo the last merges below a node until there are `limit` branches."""
    waiting = [(-tree[top - m, 2], top)] if top >= m else []
    ends = [] if waiting else [top]
    while waiting and len(waiting) + len(ends) < limit:
        _, node = heapq.heappop(waiting)
        for child in tree[node - m, :2].astype(np.intp).tolist():
            if child >= m:
                heapq.heappush(waiting, (-tree[child - m, 2], child))
            else:
                ends.append(child)
    return ends + [node for _, node in waiting]


def _ancestors(ends: list[int], children: Indices, m: int) -> list[int]:
    """Return the nodes above the ends, ascending."""
    waiting, above, stop = [m + len(children) - 1], [], set(ends)
    while waiting:
        node = waiting.pop()
        if node not in stop:
            above.append(node)
            waiting += children[node - m].tolist()
    return sorted(above)


def _leaves(top: int, children: Indices, m: int) -> list[int]:
    waiting, found = [top], []
    while waiting:
        node = waiting.pop()
        if node < m:
            found.append(node)
        else:
            waiting += children[node - m].tolist()
    return found


def _branch(
    selection: Selection, result: ClusteringResult, node: int, number: int, children: Indices
) -> _Branch:
    m = len(result.points)
    inside = np.zeros(m, dtype=bool)
    inside[_leaves(node, children, m)] = True
    variables = np.flatnonzero(inside[result.leaf])
    variables = variables[np.argsort(selection.ranks[variables], kind="stable")]
    height = float(result.tree[node - m, 2]) if node >= m else 0.0
    return _Branch(number, variables, height, bool(selection.mask[variables[0]]))


def _by_node(branches: list[_Branch]) -> list[_Branch]:
    return sorted(branches, key=lambda branch: branch.node)


def _layout(tree: FloatArray, colours: dict[int, str]) -> dict[str, Any]:
    from scipy.cluster.hierarchy import dendrogram as scipy_dendrogram

    found: dict[str, Any] = scipy_dendrogram(
        tree, no_plot=True, link_color_func=lambda node: colours.get(node, GREY)
    )
    return found


def _draw_order(tree: FloatArray, branches: list[_Branch]) -> list[_Branch]:
    by_node = _by_node(branches)
    return [by_node[node] for node in _layout(tree, {})["leaves"]]


def _draw_links(axes: Axes, tree: FloatArray, selected: list[bool]) -> None:
    """Draw a merge in the colour of what is merged; the last one merges both."""
    n = len(selected)
    side = list(selected)
    for one, _ in tree[:, :2].astype(int).tolist():
        side.append(side[one])
    colours = {n + i: SELECTED if side[n + i] else LEFT_OUT for i in range(len(tree) - 1)}
    layout = _layout(tree, colours | {n + len(tree) - 1: GREY})
    for places, heights, colour in zip(
        layout["icoord"], layout["dcoord"], layout["color_list"], strict=True
    ):
        axes.plot(heights, (np.array(places) - 5) / 10, color=colour, linewidth=1.2)


def _draw_triangles(axes: Axes, branches: list[_Branch]) -> None:
    for row, branch in enumerate(branches):
        if len(branch.variables) > 1:
            colour = SELECTED if branch.selected else LEFT_OUT
            corners = ([0, 0, branch.height], [row - 0.35, row + 0.35, row])
            axes.fill(*corners, color=colour, alpha=0.5, linewidth=0.8)


def _label(axes: Axes, selection: Selection, branches: list[_Branch]) -> None:
    labels = name_ticks(axes.yaxis, np.arange(len(branches)), [""] * len(branches))
    texts = []
    for branch in branches:
        first, more = names_of(selection, branch.variables[:1])[0], len(branch.variables) - 1
        texts.append(shown(first) + (f" and {more} more" if more else ""))
    axes.yaxis.set_ticklabels(texts)
    for label, branch in zip(labels, branches, strict=True):
        if branch.selected:
            label.set_color(SELECTED)


def _numbers(selection: Selection, branches: list[_Branch]) -> dict[str, NDArray[Any]]:
    firsts = np.array([branch.variables[0] for branch in branches], dtype=np.intp)
    return {
        "variable": np.array(names_of(selection, firsts), dtype=object),
        "n_variables": np.array([len(branch.variables) for branch in branches], dtype=np.intp),
        "selected": np.array([branch.selected for branch in branches], dtype=bool),
        "height": np.array([branch.height for branch in branches], dtype=np.float64),
    }
