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
from sklearn.model_selection import train_test_split

from bayesvc._typing import FloatArray, IntArray

POOL_ROWS = 100_000
TRAINING_ROWS = 75_000
SEEDS = (11284, 11964, 15795, 21575, 22118, 23654, 29802, 5390, 6265, 860)

_POOL_SEED = 12345
_COPIES = 50
_ROWS_AT_A_TIME = 5_000


def rows_and_noise(n: int, seed: int, noisy: bool) -> tuple[IntArray, FloatArray]:
    """Return the training rows of the pool, and their standard normal noise."""
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
    rng = np.random.Generator(_start(*place))
    p0 = len(ranges)
    pool = np.column_stack([rng.uniform(*bounds, size=POOL_ROWS) for bounds in ranges])
    irrelevant = np.empty((len(rows), _COPIES * p0))
    for k, bounds in enumerate(ranges):
        block = irrelevant[:, k * _COPIES : (k + 1) * _COPIES]
        for first in range(0, POOL_ROWS, _ROWS_AT_A_TIME):
            drawn = rng.uniform(*bounds, size=(_ROWS_AT_A_TIME, _COPIES))
            here = (rows >= first) & (rows < first + _ROWS_AT_A_TIME)
            block[here] = drawn[rows[here] - first]
    order = rng.permutation(irrelevant.shape[1])
    return pool, np.hstack([pool[rows], irrelevant[:, order]])


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
        before: Any = bits.state
        bits.advance(POOL_ROWS * p0 * (1 + _COPIES))  # one step per number
        after: Any = bits.state  # without the half word left over from the last permutation
        bits.state = after | {key: before[key] for key in ("has_uint32", "uinteger")}
        rng.permutation(_COPIES * p0)
    return states
