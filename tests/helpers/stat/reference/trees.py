"""Trees as nested tuples, and which rows and rules are possible in each node.

A leaf is ``None``; an internal node is ``(variable, cut, left, right)`` and sends rows with
``code <= cut`` to the left. Nested tuples can be compared, hashed and used as keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cut = int | tuple[int, int]  # a code, or (coding, code or subset of categories)
Shape = Any  # None | tuple[int, Cut, Shape, Shape]: recursive
Rows = tuple[int, ...]
Node = tuple[int, Any]  # (variable, cut), or (-1, value) of a leaf


class Data:
    """Rank codes of a small X, with the eligible variables and cuts of any set of rows."""

    def __init__(self, X: NDArray[np.float64], min_samples_leaf: int = 1) -> None:
        columns = [np.unique(column, return_inverse=True)[1] for column in np.asarray(X).T]
        self.X = np.asarray(X, dtype=float)
        self.codes = np.column_stack(columns)
        self.n, self.p = self.codes.shape
        self.layout: dict[str, Any] = {}  # all columns ordered, complete and variables of their own
        self.row_weights = np.ones(self.n)
        self.min_samples_leaf = min_samples_leaf
        self.all_rows: Rows = tuple(range(self.n))
        self._eligible: dict[Rows, tuple[int, ...]] = {}
        self._cuts: dict[tuple[Rows, int], tuple[Cut, ...]] = {}

    # What the tests ask for again and again.
    @cached_property
    def _cut_distribution(self) -> dict[tuple[Rows, int], NDArray[np.float64]]:
        return {}

    @cached_property
    def _splits(self) -> dict[tuple[Rows, int, Cut], tuple[Rows, Rows]]:
        return {}

    @cached_property
    def canonical_shapes(self) -> dict[Shape, Shape]:
        """The canonical forms of the shapes seen so far."""
        return {}

    def cuts(self, rows: Rows, variable: int) -> tuple[Cut, ...]:
        """Codes seen among ``rows`` that leave enough of them on both sides."""
        key = (rows, variable)
        if key not in self._cuts:
            seen = self.codes[list(rows), variable]
            m = self.min_samples_leaf
            self._cuts[key] = tuple(
                int(code)
                for code in np.unique(seen)
                if np.sum(seen <= code) >= m and np.sum(seen > code) >= m
            )
        return self._cuts[key]

    def log_cut(self, rows: Rows, variable: int, cut: Cut) -> float:
        """Log prior probability of an admissible cut."""
        return -float(np.log(len(self.cuts(rows, variable))))

    def draw_cut(self, rng: np.random.Generator, rows: Rows, variable: int) -> Cut:
        """A cut from its prior."""
        cuts, key = self.cuts(rows, variable), (rows, variable)
        if key not in self._cut_distribution:
            chances = np.exp([self.log_cut(rows, variable, cut) for cut in cuts])
            shares = np.cumsum(chances / chances.sum())
            self._cut_distribution[key] = shares / shares[-1]
        return cuts[int(self._cut_distribution[key].searchsorted(rng.random(), side="right"))]

    def coding_of(self, variable: int, cut: Cut) -> tuple[int, NDArray[np.int64], int]:
        """The coding a rule refers to: its number, the codes of all rows, its categories."""
        return variable, self.codes[:, variable], 0

    def canonical_cut(self, left_rows: Rows, variable: int, cut: Cut) -> Cut:
        """The value among the rows to the left that makes the same split."""
        return int(max(self.codes[list(left_rows), variable]))

    def eligible(self, rows: Rows) -> tuple[int, ...]:
        """Variables with at least one admissible cut among ``rows``."""
        if rows not in self._eligible:
            m, k = self.min_samples_leaf, len(rows)
            ordered = np.sort(self.codes[list(rows)], axis=0)
            steps = ordered[:-1] < ordered[1:]  # a cut after position i leaves i + 1 rows left
            possible = steps[m - 1 : max(k - m, 0)].any(axis=0) if k >= 2 * m else np.zeros(0)
            self._eligible[rows] = tuple(int(j) for j in np.flatnonzero(possible))
        return self._eligible[rows]

    def split(self, rows: Rows, variable: int, cut: Any) -> tuple[Rows, Rows]:
        """Rows to the left and to the right of a rule."""
        key = (rows, variable, cut)
        if key not in self._splits:
            self._splits[key] = self._split(*key)
        return self._splits[key]

    def _split(self, rows: Rows, variable: int, cut: Any) -> tuple[Rows, Rows]:
        column = self.codes[:, variable]
        left = tuple(i for i in rows if column[i] <= cut)
        right = tuple(i for i in rows if column[i] > cut)
        return left, right


def parse(nodes: Sequence[Node]) -> Shape:
    """Nested shape of a preorder list of ``(variable, cut)`` and ``(-1, mu)``."""
    shape, used = _parse_from(nodes, 0)
    assert used == len(nodes), f"{len(nodes) - used} nodes left over in {nodes}"
    return shape


def _parse_from(nodes: Sequence[Node], start: int) -> tuple[Shape, int]:
    variable, cut = nodes[start]
    if variable < 0:
        return None, start + 1
    left, middle = _parse_from(nodes, start + 1)
    right, end = _parse_from(nodes, middle)
    return (int(variable), cut if isinstance(cut, tuple) else int(cut), left, right), end


def leaf_values(nodes: Sequence[Node]) -> list[float]:
    """Leaf means of a preorder list, from left to right."""
    return [float(value) for variable, value in nodes if variable < 0]


def to_preorder(shape: Shape, leaf_means: Sequence[float]) -> list[Node]:
    """Preorder list of a shape, with the leaf means filled in from left to right."""
    means = iter(leaf_means)
    return [(-1, float(next(means))) if s is None else (s[0], s[1]) for s in subtrees(shape)]


def subtrees(shape: Shape) -> Iterator[Shape]:
    """Every subtree, in preorder: the i-th one hangs from preorder node i."""
    yield shape
    if shape is not None:
        yield from subtrees(shape[2])
        yield from subtrees(shape[3])


def n_nodes(shape: Shape) -> int:
    """Number of nodes, leaves included."""
    return sum(1 for _ in subtrees(shape))


def n_splits(shape: Shape) -> int:
    """Number of internal nodes."""
    return 0 if shape is None else 1 + n_splits(shape[2]) + n_splits(shape[3])


def depth(shape: Shape) -> int:
    """Depth of the deepest leaf; 0 for a stump."""
    return 0 if shape is None else 1 + max(depth(shape[2]), depth(shape[3]))


def variable_counts(shapes: Sequence[Shape], p: int) -> NDArray[np.int64]:
    """Splits on each variable over a forest."""
    used = [s[0] for shape in shapes for s in subtrees(shape) if s is not None]
    return np.bincount(np.array(used, dtype=np.int64), minlength=p)


def replace_subtree(shape: Shape, node: int, new: Shape) -> Shape:
    """The shape with the subtree at preorder index ``node`` exchanged for ``new``."""
    if node == 0:
        return new
    variable, cut, left, right = shape
    in_left = n_nodes(left)
    if node <= in_left:
        return (variable, cut, replace_subtree(left, node - 1, new), right)
    return (variable, cut, left, replace_subtree(right, node - 1 - in_left, new))


def rows_by_node(data: Data, shape: Shape, rows: Rows | None = None) -> list[Rows]:
    """Rows in each node, in preorder."""
    here = data.all_rows if rows is None else rows
    if shape is None:
        return [here]
    left, right = data.split(here, shape[0], shape[1])
    return [here, *rows_by_node(data, shape[2], left), *rows_by_node(data, shape[3], right)]


def leaf_rows(data: Data, shape: Shape) -> list[Rows]:
    """Rows in each leaf, from left to right."""
    pairs = zip(rows_by_node(data, shape), subtrees(shape), strict=True)
    return [rows for rows, subtree in pairs if subtree is None]


def fitted_values(data: Data, nodes: Sequence[Node]) -> NDArray[np.float64]:
    """What one tree, given as a preorder list, adds to each row."""
    fitted = np.zeros(data.n)
    for rows, value in zip(leaf_rows(data, parse(nodes)), leaf_values(nodes), strict=True):
        fitted[list(rows)] = value
    return fitted


def canonical(data: Data, shape: Shape) -> Shape:
    """The same partition with every cut at a value seen in its node."""
    if shape not in data.canonical_shapes:
        data.canonical_shapes[shape] = _canonical(data, shape, data.all_rows)
    return data.canonical_shapes[shape]


def _canonical(data: Data, shape: Shape, rows: Rows) -> Shape:
    if shape is None:
        return None
    variable, cut, left, right = shape
    left_rows, right_rows = data.split(rows, variable, cut)
    seen = data.canonical_cut(left_rows, variable, cut)
    return (variable, seen, _canonical(data, left, left_rows), _canonical(data, right, right_rows))
