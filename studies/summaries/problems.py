"""The data of the study: two halves of the equations, random functions, problems of other kinds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayesvc.bench import feynman, problems
from bayesvc.bench.problem import BenchProblem

FloatArray = NDArray[np.float64]


def halves() -> tuple[list[str], list[str]]:
    """Return the equations to choose on and those to confirm on.

    Equations that are the same function up to scaling are in the same half. The halves follow from
    the names alone.
    """
    equations = [feynman.equation(name) for name in feynman.equations()]
    classes = sorted({e.equiv_class for e in equations}, key=_hash)
    first = set(classes[::2])
    chosen = [e.name for e in equations if e.equiv_class in first]
    return chosen, [e.name for e in equations if e.name not in set(chosen)]


def random_function(seed: int) -> BenchProblem:
    """Return a problem of random size, design, function and noise.

    The function is a sum of products of one to three transformed columns. One problem in ten has no
    signal, one in ten no noise; in one of five y is only known to be high or low.
    """
    rng = np.random.default_rng([seed, 20_000])
    n = round(np.exp(rng.uniform(np.log(100), np.log(1500))))
    p = round(np.exp(rng.uniform(np.log(8), np.log(1000))))
    p0 = 0 if rng.uniform() < 0.1 else int(rng.integers(1, min(10, p // 2) + 1))
    return _function(rng, n, p, p0)


def small_table(seed: int) -> BenchProblem:
    """Return such a problem with 2 to 20 columns, of which any number can matter."""
    rng = np.random.default_rng([seed, 30_000])
    n = round(np.exp(rng.uniform(np.log(60), np.log(1000))))
    p = int(rng.integers(2, 21))
    p0 = 0 if rng.uniform() < 0.25 else int(rng.integers(1, min(10, p) + 1))
    return _function(rng, n, p, p0)


def _function(rng: np.random.Generator, n: int, p: int, p0: int) -> BenchProblem:
    X = _design(rng, n, p)
    relevant = np.sort(rng.choice(p, size=p0, replace=False))
    signal = _signal(rng, X[:, relevant])
    if p0 == 0:
        noise_sd = 1.0
    elif rng.uniform() < 0.1:
        noise_sd = 0.0
    else:
        snr = np.exp(rng.uniform(np.log(0.25), np.log(20)))
        noise_sd = float(signal.std() / np.sqrt(snr))
    y = signal + noise_sd * rng.standard_normal(n)
    if rng.uniform() < 0.2:
        y = (y > np.median(y)).astype(np.float64)
    names = tuple(f"x{j + 1}" for j in range(p))
    return BenchProblem(X, y, relevant, names, noise_sd, "random_function")


def _design(rng: np.random.Generator, n: int, p: int) -> FloatArray:
    kind = rng.choice(["uniform", "normal", "correlated", "mixed"])
    if kind == "uniform":
        return rng.uniform(size=(n, p))
    X = rng.standard_normal((n, p))
    if kind == "correlated":
        rho = rng.uniform(0.2, 0.7)
        for j in range(1, p):
            X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    if kind == "mixed":
        for j in np.flatnonzero(rng.uniform(size=p) < 0.5):
            X[:, j] = X[:, j] > rng.normal(scale=0.7)
    return X


_SHAPES: tuple[Callable[[FloatArray], FloatArray], ...] = (
    lambda x: x,
    np.square,
    np.abs,
    lambda x: np.sin(2.5 * x),
    lambda x: np.tanh(2 * x),
    lambda x: np.exp(x / 2),
    lambda x: (x > 0.3).astype(np.float64),
)


def _signal(rng: np.random.Generator, columns: FloatArray) -> FloatArray:
    n, p0 = columns.shape
    order = rng.permutation(p0)
    signal = np.zeros(n)
    while order.size:
        size = min(int(rng.integers(1, 4)), order.size)
        term = np.ones(n)
        for j in order[:size]:
            shape = _SHAPES[rng.integers(len(_SHAPES))]
            term = term * (shape(columns[:, j]) + rng.normal(scale=0.5))
        signal += rng.normal() * (term - term.mean()) / (term.std() + 1e-9)
        order = order[size:]
    return signal


OTHER_KINDS: dict[str, Callable[[int], BenchProblem]] = {
    "friedman, n = 250, p = 100": lambda seed: problems.friedman(250, 100, 3.0, seed),
    "friedman, n = 500, p = 10": lambda seed: problems.friedman(500, 10, 5.0, seed),
    "friedman, n = 100, p = 1000": lambda seed: problems.friedman(100, 1000, 1.0, seed),
    "friedman, n = 200, p = 5000": lambda seed: problems.friedman(200, 5000, 1.0, seed),
    "checkerboard, n = 500, p = 100": lambda seed: problems.checkerboard(500, 100, 1.0, seed),
    "checkerboard, n = 300, p = 50, correlation 0.6": lambda seed: problems.checkerboard(
        300, 50, 1.0, seed, correlation=0.6
    ),
    "mixed independent, n = 500, p = 84": lambda seed: problems.mixed_independent(
        500, 84, 3.0, seed
    ),
    "mixed correlated, n = 500": lambda seed: problems.mixed_correlated(500, 1.5, seed),
    "friedman, n = 200, p = 6": lambda seed: problems.friedman(200, 6, 3.0, seed),
    "noise, n = 200, p = 8": lambda seed: problems.pure_noise(200, 8, seed=seed),
    "noise, n = 200, p = 50": lambda seed: problems.pure_noise(200, 50, seed=seed),
    "noise, n = 500, p = 200": lambda seed: problems.pure_noise(500, 200, seed=seed),
}


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
