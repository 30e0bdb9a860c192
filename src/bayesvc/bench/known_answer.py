"""Benchmark problems whose relevant columns are known."""

from __future__ import annotations

import math
import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray
from bayesvc._validation import check_integer, check_number


class BenchProblem(NamedTuple):
    """Data, and the columns that the response depends on.

    Attributes
    ----------
    X : ndarray (n, p)
    y : ndarray (n,)
    relevant : ndarray of int
        Columns of X that y depends on.
    feature_names : tuple of str
    noise_sd : float
        Standard deviation of the noise in y.
    name : str

    Examples
    --------
    >>> from bayesvc.bench import feynman
    >>> X, y, relevant, *rest = feynman.load("I.12.1", n=100, snr=5, seed=1)
    >>> relevant
    array([0, 1])
    """

    X: FloatArray
    y: FloatArray
    relevant: NDArray[np.intp]
    feature_names: tuple[str, ...]
    noise_sd: float
    name: str


def check_size(n: Any, most: int | None = None) -> int:
    """Return the number of rows, checked."""
    number = check_integer("n", n, 1, "pass a number of rows such as 500")
    if most is not None and number > most:
        raise ValueError(
            f"`n` must be at most {most}, the number of rows there are. Got {number} instead."
        )
    return number


def check_snr(snr: Any) -> float:
    """Return the signal-to-noise ratio, checked; infinite means no noise."""
    remedy = "pass a positive ratio of variances such as 5, or inf for no noise"
    if isinstance(snr, float) and math.isinf(snr) and snr > 0:
        return math.inf
    return check_number("snr", snr, above=0, remedy=remedy)


def generator(kind: str, seed: Any) -> np.random.Generator:
    """Return a random generator of its own for each kind of problem and seed."""
    seed = check_integer("seed", seed, 0, "pass a whole number such as 1")
    return np.random.default_rng(
        np.random.SeedSequence(seed, spawn_key=(zlib.crc32(kind.encode()),))
    )


def with_noise(
    signal: FloatArray, signal_sd: float, snr: float, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """Return the signal with normal noise of variance signal_sd^2 / snr, and the noise's sd."""
    noise_sd = 0.0 if math.isinf(snr) else signal_sd / math.sqrt(snr)
    return signal + rng.normal(0.0, 1.0, size=len(signal)) * noise_sd, noise_sd
