"""Random numbers: one tree of seeds from the run to each role and number."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import IntArray


class Role(IntEnum):
    """What a stream of random numbers is for. The values are part of the results."""

    REPLICATE = 0
    PERMUTATION = 1
    NULL_REPLICATE = 2
    ABC_SAMPLE = 3
    NULL_ABC_SAMPLE = 4
    BOOTSTRAP = 5
    FOLDS = 6
    SIGNAL_PERMUTATION = 7
    SIGNAL_REPLICATE = 8
    SUBSAMPLE_ROWS = 9
    SUBSAMPLE_SEED = 10
    SIGNAL_CORRELATION = 11
    SIGNAL_ROWS = 12
    HALF_SAMPLE = 13
    HELD_OUT_BLOCKS = 14
    HELD_OUT_CHAIN = 15
    HELD_OUT_PERMUTATION = 16
    EFFECT_ROWS = 20
    EFFECT_BOOTSTRAP = 21
    EFFECT_FOLDS = 22
    EFFECT_CHAIN = 23


def random_words(entropy: int, role: Role, number: int, n_words: int) -> NDArray[np.uint64]:
    """Return random words that no other role or number shares, the same in every numpy.

    Examples
    --------
    >>> from bayesvc.sampling.seeds import Role, random_words
    >>> random_words(0, Role.FOLDS, 0, 2).shape
    (2,)
    """
    sequence = np.random.SeedSequence(entropy, spawn_key=(int(role), number))
    return sequence.generate_state(n_words, np.uint64).astype(np.uint64, copy=False)


def derived_entropy(entropy: int, role: Role, number: int) -> int:
    """Return the entropy of a run within a run, which no other role or number shares.

    Examples
    --------
    >>> from bayesvc.sampling.seeds import Role, derived_entropy
    >>> derived_entropy(0, Role.HALF_SAMPLE, 0) == derived_entropy(0, Role.HALF_SAMPLE, 1)
    False
    """
    words = random_words(entropy, role, number, 2)
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


def random_order(entropy: int, role: Role, number: int, n_items: int) -> IntArray:
    """Return 0, ..., n_items - 1 in random order."""
    return np.argsort(random_words(entropy, role, number, n_items), kind="stable")


def chain_seed(entropy: int, role: Role, number: int) -> NDArray[np.uint64]:
    """Return the seed of one chain, which no other role or number shares."""
    return random_words(entropy, role, number, 4)
