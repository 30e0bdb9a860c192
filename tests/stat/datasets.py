"""Tiny matrices: continuous, binary, tied and mixed columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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

# Fixed small matrices whose trees can all be listed.
LISTABLE = {
    "continuous": np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 4.0], [4.0, 2.0]]),
    "binary": np.array(
        [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]], dtype=float
    ),
    "tied": np.array([[0, 2, 0], [0, 2, 1], [0, 1, 0], [1, 1, 1], [2, 2, 1]], dtype=float),
    "constant": np.array([[0, 5, 0], [1, 5, 0], [2, 5, 1], [0, 5, 1], [2, 5, 1]], dtype=float),
}
