"""The regression problem on which samplers are timed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

N_RELEVANT = 6
Array = NDArray[np.float64]


def response(relevant: Array, noise_seed: int) -> Array:
    """Return y = x1 (1 + x5 x6 cos(x4) / (x2 x3)) + noise at SNR 1.

    Parameters
    ----------
    relevant
        The six relevant columns, shape (n, 6), with values in [1, 3].
    noise_seed
        Seed of the noise, apart from that of X: adding columns leaves y as it is.
    """
    x1, x2, x3, x4, x5, x6 = relevant.T
    signal = x1 * (1.0 + x5 * x6 * np.cos(x4) / (x2 * x3))
    noise = np.random.default_rng([noise_seed, 1]).standard_normal(signal.size)
    noisy: Array = signal + signal.std() * noise
    return noisy


def continuous(n: int, p: int, seed: int = 0) -> tuple[Array, Array]:
    """Draw X ~ U(1, 3) and y. A smaller p gives the first columns of a larger one."""
    X = np.random.default_rng([seed, 0]).uniform(1.0, 3.0, size=(p, n)).T
    return X, response(X[:, :N_RELEVANT], seed)


def genotypes(n: int, p: int, seed: int = 0) -> tuple[Array, Array]:
    """Draw X in {0, 1, 2}, minor allele frequencies in (0.1, 0.5), and y from 1 + X.

    A smaller p gives the first columns of a larger one.
    """
    rng = np.random.default_rng([seed, 2])
    X = np.empty((p, n))
    for column in X:
        column[:] = rng.binomial(2, rng.uniform(0.1, 0.5), size=n)
    return X.T, response(1.0 + X.T[:, :N_RELEVANT], seed)
