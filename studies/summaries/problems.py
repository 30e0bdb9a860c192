"""The data of the study: two halves of the equations, random functions, problems of other kinds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayesvc.bench import feynman, problems
from bayesvc.bench.known_answer import BenchProblem

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


def study_formula(seed: int) -> BenchProblem:
    """Return a problem whose function is a formula of random operations, as those of physics are.

    Sizes and noise are those of the paper's study; 36 seeds go through its cells.
    """
    rng = np.random.default_rng([seed, 60_000])
    n, snr = STUDY_CELLS[seed % len(STUDY_CELLS)]
    p0 = int(rng.choice(np.arange(1, 10), p=np.array([2, 4, 6, 5, 3, 2, 1, 1, 1]) / 25))
    p = 51 * p0
    low = rng.choice([0, 1, 1, 1, 2, 3], size=p0).astype(np.float64)
    width = rng.choice([1, 2, 4, 4, 9], size=p0)
    while True:
        formula = _formula(rng, p0)
        points = low + width * rng.uniform(size=(4000, p0))
        if _uses_all(formula, points, rng):
            break
    source = np.r_[np.arange(p0), rng.integers(p0, size=p - p0)]
    X = low[source] + width[source] * rng.uniform(size=(n, p))
    signal = formula(X[:, :p0])
    noise_sd = 0.0 if np.isinf(snr) else float(formula(points).std() / np.sqrt(snr))
    y = signal + noise_sd * rng.standard_normal(n)
    names = tuple(f"x{j + 1}" for j in range(p))
    return BenchProblem(X, y, np.arange(p0), names, noise_sd, "formula")


STUDY_SNR = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, np.inf)
STUDY_CELLS = [(n, snr) for n in (500, 1000, 1500, 2000) for snr in STUDY_SNR]


_UNARY: tuple[Callable[[FloatArray], FloatArray], ...] = (
    np.square,
    lambda x: np.sqrt(np.abs(x)),
    lambda x: 1 / (0.3 + np.abs(x)),
    lambda x: np.exp(-np.abs(x) / 2),
    np.sin,
    np.cos,
    np.tanh,
    lambda x: x**3,
)
_BINARY: tuple[Callable[[FloatArray, FloatArray], FloatArray], ...] = (
    np.multiply,
    np.multiply,
    np.multiply,
    lambda a, b: a / np.where(np.abs(b) < 0.2, 0.2, b),
    lambda a, b: a / np.where(np.abs(b) < 0.2, 0.2, b),
    np.add,
    np.subtract,
)


def _formula(rng: np.random.Generator, p0: int) -> Callable[[FloatArray], FloatArray]:
    """Return a formula that has each of `p0` columns once."""
    first = [_UNARY[rng.integers(len(_UNARY))] if rng.uniform() < 0.4 else None for _ in range(p0)]
    pairs = [sorted(rng.choice(size, 2, replace=False)) for size in range(p0, 1, -1)]
    joins = [_BINARY[rng.integers(len(_BINARY))] for _ in pairs]
    after = [_UNARY[rng.integers(len(_UNARY))] if rng.uniform() < 0.2 else None for _ in pairs]

    def formula(X: FloatArray) -> FloatArray:
        terms = [f(X[:, j]) if f else X[:, j] for j, f in enumerate(first)]
        for (a, b), join, then in zip(pairs, joins, after, strict=True):
            right = terms.pop(b)
            joined = join(terms[a], right)
            terms[a] = then(joined) if then else joined
        return terms[0]

    return formula


def _uses_all(
    formula: Callable[[FloatArray], FloatArray], points: FloatArray, rng: np.random.Generator
) -> bool:
    """Say whether each column accounts for at least a thousandth of the variance."""
    whole = formula(points)
    if not np.isfinite(whole).all() or whole.std() < 1e-6:
        return False
    scaled = (whole - whole.mean()) / whole.std()
    if (scaled**4).mean() > 60:  # a few points would be all of the variance
        return False
    for j in range(points.shape[1]):
        shuffled = points.copy()
        shuffled[:, j] = rng.permutation(points[:, j])
        if ((formula(shuffled) - whole) ** 2).mean() < 2e-3 * whole.var():
            return False
    return True


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
