"""Tiny data: plain columns of every kind, and with gaps, categories, groups and weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.messy import MessyData
from tests.helpers.stat.reference.trees import Data

Matrix = NDArray[np.float64]


def continuous(rng: np.random.Generator, n: int, p: int) -> Matrix:
    """No ties: a variable is never exhausted before all are."""
    return np.column_stack([rng.permutation(n) + 0.5 for _ in range(p)])


def binary(rng: np.random.Generator, n: int, p: int) -> Matrix:
    """Two values a column: exhausted after one split."""
    return _varied(lambda: rng.integers(0, 2, size=(n, p)).astype(float))


def tied(rng: np.random.Generator, n: int, p: int) -> Matrix:
    """Few values, unequally often, so that uniform over values is not uniform over rows."""
    return _varied(lambda: rng.choice([0.0, 1.0, 3.0, 7.0], size=(n, p), p=[0.55, 0.2, 0.15, 0.1]))


def mixed(rng: np.random.Generator, n: int, p: int) -> Matrix:
    """Continuous, binary and tied columns in turn."""
    makers = [continuous, binary, tied]
    return np.column_stack([makers[j % 3](rng, n, 1) for j in range(p)])


def _varied(draw: Callable[[], Matrix]) -> Matrix:
    while True:
        X = draw()
        if all(len(np.unique(column)) > 1 for column in X.T):
            return X


MAKERS = {"continuous": continuous, "binary": binary, "tied": tied, "mixed": mixed}


def with_gaps(rng: np.random.Generator, X: Matrix) -> Matrix:
    """A quarter of the values gone, in every other column half of them."""
    lost = rng.random(X.shape) < np.where(np.arange(X.shape[1]) % 2, 0.5, 0.25)
    lost[0], lost[1] = True, False  # each column has some of either
    return np.where(lost, np.nan, X)


def categories(rng: np.random.Generator, n: int, sizes: list[int]) -> Matrix:
    """Categories, unequally often; not each of them need occur."""
    return _varied(
        lambda: np.column_stack([rng.binomial(k - 1, 0.4, size=n).astype(float) for k in sizes])
    )


def make_data(
    kind: str, rng: np.random.Generator, n: int, p: int, min_samples_leaf: int = 1
) -> Data:
    """Data with p variables of a kind of columns."""
    if kind in MAKERS:
        return Data(MAKERS[kind](rng, n, p), min_samples_leaf)
    row_weights = rng.uniform(0.2, 3.0, size=n) if kind.endswith("row-weights") else ()
    sizes = [3, 4, 2, 5][:p]
    X, n_categories, groups = mixed(rng, n, p), [0] * p, [[j] for j in range(p)]
    if kind == "missing":
        X = with_gaps(rng, X)
    elif kind == "categories":
        X, n_categories = categories(rng, n, sizes), sizes
    elif kind == "groups":
        X = mixed(rng, n, 2 * p)
        n_categories, groups = [0] * (2 * p), [[j, 2 * p - 1 - j] for j in range(p)]
    elif kind.startswith("messy"):  # complete, missing, category; the rest grouped across kinds
        X = np.column_stack(
            [categories(rng, n, sizes), with_gaps(rng, mixed(rng, n, p)), mixed(rng, n, p)]
        )
        n_categories = [*sizes, *[0] * (2 * p)]
        groups = [[j] if j % 2 else [j, p + j] for j in range(p - 1)]
        taken = {j for group in groups for j in group}
        groups.append([j for j in range(3 * p) if j not in taken][:4])
        used = sorted({j for group in groups for j in group})
        X, n_categories = X[:, used], [n_categories[j] for j in used]
        groups = [[used.index(j) for j in group] for group in groups]
    return MessyData(X, min_samples_leaf, n_categories, groups, tuple(row_weights))


KINDS_OF_COLUMNS = [
    *MAKERS,
    *("missing", "categories", "groups", "messy", "row-weights", "messy-row-weights"),
]

# Fixed small matrices whose trees can all be listed.
LISTABLE = {
    "continuous": np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 4.0], [4.0, 2.0]]),
    "binary": np.array(
        [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]], dtype=float
    ),
    "tied": np.array([[0, 2, 0], [0, 2, 1], [0, 1, 0], [1, 1, 1], [2, 2, 1]], dtype=float),
    "constant": np.array([[0, 5, 0], [1, 5, 0], [2, 5, 1], [0, 5, 1], [2, 5, 1]], dtype=float),
}


NAN = float("nan")


def listable_data(kind: str, n: int | None = None, min_samples_leaf: int = 1) -> Data:
    """Data so small that all their trees can be listed; the first n rows of them."""
    if kind in LISTABLE:
        return Data(LISTABLE[kind][:n], min_samples_leaf)
    X, n_categories, groups, weights = LISTABLE_MESSY[kind]
    return MessyData(np.array(X)[:n], min_samples_leaf, n_categories, groups, weights[:n])


LISTABLE_MESSY: dict[str, tuple[list[list[float]], list[int], list[list[int]], list[float]]] = {
    "missing": ([[NAN, 1], [0, NAN], [1, 0], [1, 1], [NAN, 0]], [0, 0], [[0], [1]], []),
    "categories": ([[0, 1], [2, 0], [1, 1], [2, 1], [0, 0]], [3, 2], [[0], [1]], []),
    "groups": (
        [[0, NAN, 1], [0, 0, 0], [1, 1, 0], [1, NAN, 2], [0, 1, 2]],
        [0, 0, 3],
        [[0, 1], [2]],
        [],
    ),
    "row-weights": (
        [[0, 2, 0], [0, 2, 1], [0, 1, 0], [1, 1, 1], [2, 2, 1]],
        [0, 0, 0],
        [[0], [1], [2]],
        [0.3, 2.0, 0.7, 1.0, 1.6],
    ),
}
