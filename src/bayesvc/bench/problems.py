"""Problems from the literature: Friedman's, correlated columns, mixed types, pure noise."""

from __future__ import annotations

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc._validation import check_integer, check_number
from bayesvc.bench.known_answer import BenchProblem, check_size, generator


def friedman(n: int, p: int = 100, sd: float = 1.0, seed: int = 0) -> BenchProblem:
    """Draw Friedman's problem, in which five of `p` uniform columns matter.

    Friedman (1991), Annals of Statistics 19, 1-67.

    Examples
    --------
    >>> from bayesvc.bench import problems
    >>> problems.friedman(100, p=20).relevant
    array([0, 1, 2, 3, 4])
    """
    n, p, sd = _check(n, p, 5, sd)
    rng = generator("friedman", seed)
    X = rng.uniform(size=(n, p))
    return _problem("friedman", X, _friedman(*X[:, :5].T), range(5), sd, rng)


def checkerboard(
    n: int, p: int = 100, sd: float = 1.0, seed: int = 0, correlation: float = 0.3
) -> BenchProblem:
    """Draw a problem with two products of correlated normal columns.

    After Zhu, Zeng and Kosorok (2015), Journal of the American Statistical Association 110,
    1770-1784: columns j and k have correlation ``correlation ** abs(j - k)``.

    Examples
    --------
    >>> from bayesvc.bench import problems
    >>> problems.checkerboard(100, p=20).relevant
    array([0, 3, 6, 9])
    """
    n, p, sd = _check(n, p, 10, sd)
    remedy = "pass a correlation of neighbouring columns such as 0.3"
    rho = check_number("correlation", correlation, above=-1, below=1, remedy=remedy)
    rng = generator("checkerboard", seed)
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    signal = 2 * X[:, 0] * X[:, 3] + 2 * X[:, 6] * X[:, 9]
    return _problem("checkerboard", X, signal, (0, 3, 6, 9), sd, rng)


def mixed_independent(n: int, p: int = 100, sd: float = 1.0, seed: int = 0) -> BenchProblem:
    """Draw Friedman's function of two binary and three uniform columns.

    The first scenario with mixed types of Luo and Daniels (2024), Statistical Science 39, 286-304:
    the first half of the columns is binary, the rest uniform.

    Examples
    --------
    >>> from bayesvc.bench import problems
    >>> problems.mixed_independent(100, p=20).relevant
    array([ 0,  1, 10, 11, 12])
    """
    n, p, sd = _check(n, p, 6, sd)
    rng = generator("mixed_independent", seed)
    half = (p + 1) // 2
    X = np.hstack([rng.binomial(1, 0.5, size=(n, half)), rng.uniform(size=(n, p - half))])
    relevant = (0, 1, half, half + 1, half + 2)
    signal = _friedman(X[:, half], X[:, half + 1], X[:, half + 2], X[:, 0], X[:, 1])
    return _problem("mixed_independent", X, signal, relevant, sd, rng)


def mixed_correlated(n: int, sd: float = 1.0, seed: int = 0) -> BenchProblem:
    """Draw a problem in which six of 84 binary or correlated normal columns matter.

    Forty columns are binary, the others normal with correlation 0.3. This is the second scenario
    with mixed types of Luo and Daniels (2024), Statistical Science 39, 286-304.

    Examples
    --------
    >>> from bayesvc.bench import problems
    >>> problems.mixed_correlated(100).relevant
    array([ 0, 20, 40, 41, 42, 43])
    """
    n, _, sd = _check(n, 84, 84, sd)
    rng = generator("mixed_correlated", seed)
    binary = [rng.binomial(1, share, size=(n, 20)) for share in (0.2, 0.5)]
    shared, own = rng.normal(size=(n, 1)), rng.normal(size=(n, 44))
    X = np.hstack([*binary, np.sqrt(0.3) * shared + np.sqrt(0.7) * own])
    rare, even, a, b, c, d = X[:, [0, 20, 40, 41, 42, 43]].T
    signal = (
        -4 + rare + np.sin(np.pi * rare * d) - even + 0.6 * a * b
        - np.exp(-2 * (b + 1) ** 2) - c**2 + 0.5 * d
    )  # fmt: skip
    return _problem("mixed_correlated", X, signal, (0, 20, 40, 41, 42, 43), sd, rng)


def pure_noise(n: int, p: int = 50, sd: float = 1.0, seed: int = 0) -> BenchProblem:
    """Draw normal noise that is independent of all `p` uniform columns.

    Examples
    --------
    >>> from bayesvc.bench import problems
    >>> len(problems.pure_noise(100).relevant)
    0
    """
    n, p, sd = _check(n, p, 1, sd)
    rng = generator("pure_noise", seed)
    return _problem("pure_noise", rng.uniform(size=(n, p)), np.zeros(n), (), sd, rng)


def _friedman(
    a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, e: FloatArray
) -> FloatArray:
    found: FloatArray = 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
    return found


def _check(n: int, p: int, least: int, sd: float) -> tuple[int, int, float]:
    p = check_integer("p", p, least, f"the problem needs {least} columns")
    sd = check_number("sd", sd, least=0, remedy="pass the sd of the noise, 0 for none")
    return check_size(n), p, sd


def _problem(
    name: str,
    X: FloatArray,
    signal: FloatArray,
    relevant: range | tuple[int, ...],
    sd: float,
    rng: np.random.Generator,
) -> BenchProblem:
    names = tuple(f"x{j + 1}" for j in range(X.shape[1]))
    y = signal + sd * rng.normal(size=len(X))
    return BenchProblem(X, y, np.array(relevant, dtype=np.intp), names, sd, name)
