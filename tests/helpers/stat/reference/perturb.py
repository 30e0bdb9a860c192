"""Perturb from its definition: where the cut of a rule may go, and how likely."""

from __future__ import annotations

from collections.abc import Iterator

from tests.helpers.stat.reference.trees import (
    Cut,
    Data,
    Shape,
    n_nodes,
    rows_by_node,
    subtrees,
)

FRACTIONS = tuple(0.5**k for k in range(1, 7))  # of the codes that the rules above let through
LEAST_VALUES = 2.0  # of the node, on average, in a window


def near_cuts(data: Data, shape: Shape, node: int) -> dict[Cut, float]:
    """Every cut that perturb may draw for a node, with its probability; also the same again."""
    rows = rows_by_node(data, shape)[node]
    variable, cut, left, right = list(subtrees(shape))[node]
    coding, codes, n_categories = data.coding_of(variable, cut)
    at = cut[1] if isinstance(cut, tuple) else cut
    if n_categories:
        present = sorted({int(code) for code in codes[list(rows)]})
        return {(coding, at ^ (1 << category)): 1.0 / len(present) for category in present}
    low, high = 0, int(max(codes))
    for above, went_left in _path(shape, node):
        if data.coding_of(above[0], above[1])[0] == coding:
            limit = above[1][1] if isinstance(above[1], tuple) else above[1]
            low, high = (low, min(high, limit)) if went_left else (max(low, limit + 1), high)
    fractions = [min(1.0, max(fraction, LEAST_VALUES / len(rows))) for fraction in FRACTIONS]
    widths = [max(1, int(fraction * (high - low))) for fraction in fractions]
    low = max([low, *(c + 1 for c in _cuts_below(data, left, coding))])
    high = min([high, *(c - 1 for c in _cuts_below(data, right, coding))])
    values = sorted({int(code) for code in codes[list(rows)]})
    chances = dict.fromkeys(values, 0.0)
    for width in widths:
        for start in range(at - width, at + 1):
            window = [v for v in values if max(low, start) <= v <= min(high, start + width)]
            for value in window:
                chances[value] += 1.0 / (len(widths) * (width + 1) * len(window))
    return {
        (cut[0], value) if isinstance(cut, tuple) else value: chance
        for value, chance in chances.items()
        if chance > 0.0
    }


def _path(shape: Shape, node: int) -> Iterator[tuple[Shape, bool]]:
    while node > 0:
        in_left = n_nodes(shape[2])
        yield shape, node <= in_left
        shape, node = (shape[2], node - 1) if node <= in_left else (shape[3], node - 1 - in_left)


def _cuts_below(data: Data, shape: Shape, coding: int) -> list[int]:
    found = [s[:2] for s in subtrees(shape) if s is not None]
    return [
        cut[1] if isinstance(cut, tuple) else cut
        for variable, cut in found
        if data.coding_of(variable, cut)[0] == coding
    ]
