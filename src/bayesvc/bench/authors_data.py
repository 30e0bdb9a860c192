"""Regenerate the random numbers of the authors' data sets in their order.

One generator drew, for all equations in turn, a pool of 100,000 rows: the relevant columns, 50
irrelevant ones per relevant one, and a permutation of the latter. Each run added noise from its own
generator and picked its training rows. None of this is stored: the generator is advanced to the
start of an equation, and only the requested rows are kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray, IntArray

POOL_ROWS = 100_000
TRAINING_ROWS = 75_000
SEEDS = (11284, 11964, 15795, 21575, 22118, 23654, 29802, 5390, 6265, 860)

_POOL_SEED = 12345
_COPIES = 50
_SMALL_PART, _LARGE_PART = 20, 5_000  # rows at a time, for few rows and for many


def rows_and_noise(n: int, seed: int, noisy: bool) -> tuple[IntArray, FloatArray]:
    """Return the training rows of the pool, and their standard normal noise."""
    from sklearn.model_selection import train_test_split  # takes long, and other data need none

    legacy = np.random.RandomState(seed)
    noise = legacy.normal(0, 1, POOL_ROWS) if noisy else np.zeros(POOL_ROWS)
    training, _ = train_test_split(
        np.arange(POOL_ROWS), train_size=0.75, test_size=0.25, random_state=seed
    )
    rows = training[legacy.choice(TRAINING_ROWS, n, replace=False)]
    return rows, noise[rows]


def columns(
    ranges: tuple[tuple[float, float], ...], place: tuple[tuple[int, ...], int], rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the relevant columns of the whole pool, and the given rows of all columns.

    `place` holds the numbers of variables of all equations, and the index of this one.
    """
    bits = _start(*place)
    rng = np.random.Generator(bits)
    pool = np.column_stack([rng.uniform(*bounds, size=POOL_ROWS) for bounds in ranges])
    irrelevant = np.hstack([_irrelevant(bits, bounds, rows) for bounds in ranges])
    order = rng.permutation(irrelevant.shape[1])
    return pool, np.hstack([pool[rows], irrelevant[:, order]])


def _irrelevant(bits: np.random.PCG64, bounds: tuple[float, float], rows: IntArray) -> FloatArray:
    """Return the given rows of the irrelevant columns of one variable.

    All rows of the pool pass, but only parts with a row that is asked for are drawn.
    """
    rng = np.random.Generator(bits)
    size = _SMALL_PART if len(rows) < _LARGE_PART else _LARGE_PART
    order = np.argsort(rows, kind="stable")
    parts, starts = np.unique(rows[order] // size, return_index=True)
    found = np.empty((len(rows), _COPIES))
    passed = 0
    for part, own in zip(parts.tolist(), np.split(order, starts[1:]), strict=True):
        first = part * size
        _advance(bits, (first - passed) * _COPIES)
        drawn = rng.uniform(*bounds, size=(size, _COPIES))
        found[own] = drawn[rows[own] - first]
        passed = first + size
    _advance(bits, (POOL_ROWS - passed) * _COPIES)
    return found


def _advance(bits: np.random.PCG64, n_numbers: int) -> None:
    """Skip so many numbers, and keep the half word that the last permutation left over."""
    before: Any = bits.state
    bits.advance(n_numbers)  # one step per number
    after: Any = bits.state
    bits.state = after | {key: before[key] for key in ("has_uint32", "uinteger")}


def _start(numbers: tuple[int, ...], place: int) -> np.random.PCG64:
    """Return the bit generator in its state before the equation at `place`."""
    generator = np.random.PCG64()
    generator.state = _states(numbers)[place]
    return generator


@lru_cache(maxsize=1)
def _states(numbers: tuple[int, ...]) -> list[Any]:
    bits = np.random.PCG64(_POOL_SEED)
    rng = np.random.Generator(bits)
    states: list[Any] = []
    for p0 in numbers:
        states.append(bits.state)
        _advance(bits, POOL_ROWS * p0 * (1 + _COPIES))
        rng.permutation(_COPIES * p0)
    return states
