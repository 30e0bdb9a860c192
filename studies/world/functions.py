"""Functions of the relevant columns, each with mean 0 and sd 1 or so when it comes in.

A maker takes a random generator and the scores Z of the relevant columns (n, k), and returns a
function of any such Z. What the function does is fixed by then: evaluating it with one column
permuted shows what that column contributes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

FloatArray = NDArray[np.float64]
Rng = np.random.Generator
Function = Callable[[FloatArray], FloatArray]
Maker = Callable[[Rng, FloatArray], Function]


def _effects(rng: Rng, k: int, ratio: float = 3.0) -> FloatArray:
    """Return effects of random sign, the largest at most `ratio` times the smallest."""
    return np.asarray(ratio ** rng.uniform(-1, 0, k) * rng.choice([-1, 1], k))


def _sum_of(terms: list[Function], effects: FloatArray, Z: FloatArray) -> Function:
    """Return a weighted sum of terms, each of sd 1 on the table."""
    sds = [float(term(Z).std()) for term in terms]
    weights = [e / sd if sd > 1e-9 else 0.0 for e, sd in zip(effects, sds, strict=True)]

    def function(Z: FloatArray) -> FloatArray:
        return np.asarray(sum(w * term(Z) for w, term in zip(weights, terms, strict=True)))

    return function


def _of_one(shape: Callable[[FloatArray], FloatArray], j: int) -> Function:
    return lambda Z: np.asarray(shape(Z[:, j]), dtype=float)


Shape = Callable[[Rng, FloatArray], Callable[[FloatArray], FloatArray]]


def _additive(shape: Shape, ratio: float = 3.0) -> Maker:
    """Return a maker of sums over the columns of one random shape each."""

    def make(rng: Rng, Z: FloatArray) -> Function:
        k = Z.shape[1]
        terms = [_of_one(shape(rng, Z[:, j]), j) for j in range(k)]
        return _sum_of(terms, _effects(rng, k, ratio), Z)

    return make


def _groups(rng: Rng, k: int, size: int) -> list[list[int]]:
    """Split the columns into groups of about `size`, two at least where there are two."""
    order = rng.permutation(k)
    return [part.tolist() for part in np.array_split(order, max(k // size, 1))]


def _grouped(term: Callable[[Rng, FloatArray, list[int]], Function], size: int) -> Maker:
    """Return a maker of sums over groups of columns of one random term each."""

    def make(rng: Rng, Z: FloatArray) -> Function:
        groups = _groups(rng, Z.shape[1], size)
        terms = [term(rng, Z, group) for group in groups]
        return _sum_of(terms, _effects(rng, len(terms), 2.0), Z)

    return make


# ---- shapes of one column ----------------------------------------------------------
def _monotone(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    shapes = (
        np.tanh, expit, lambda z: np.logaddexp(0, 2 * z), lambda z: np.sign(z) * np.abs(z) ** 1.5,
        lambda z: np.exp(0.7 * z),
    )  # fmt: skip
    return shapes[rng.integers(len(shapes))]


def _bump(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    at = rng.uniform(-0.5, 0.5)
    shapes = (
        lambda z: (z - at) ** 2, lambda z: np.abs(z - at), lambda z: np.exp(-2 * (z - at) ** 2),
    )  # fmt: skip
    return shapes[rng.integers(len(shapes))]


def _steps(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    at = np.quantile(z, rng.uniform(0.2, 0.8, int(rng.integers(1, 3))))
    heights = rng.uniform(0.5, 1, len(at))
    return lambda z: (z[:, None] > at) @ heights


def _hinge(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    at, side = np.quantile(z, rng.uniform(0.2, 0.7)), rng.choice([-1, 1])
    return lambda z: np.maximum(side * (z - at), 0)


def _wiggle(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    a, b = rng.standard_normal((2, 3)) / np.arange(1, 4)
    order = np.arange(1, 4)
    return lambda z: (
        np.sin(ndtr(z)[:, None] * np.pi * order) @ a
        + np.cos(ndtr(z)[:, None] * np.pi * order) @ (b + 0.5)
    )


def _wave(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    omega, phase = rng.uniform(1.5, 4), rng.uniform(0, np.pi)
    return lambda z: np.sin(omega * z + phase)


def _saturating(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    at, scale = np.quantile(z, rng.uniform(0.3, 0.7)), rng.uniform(0.2, 1)
    return lambda z: np.arctan((z - at) / scale)


# ---- terms of several columns ------------------------------------------------------
def _product(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    shift = rng.uniform(0.5, 1.5, len(group)) * rng.choice([-1, 1], len(group))
    return lambda Z: np.asarray((Z[:, group] + shift).prod(axis=1))


def _sign_product(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    at = np.quantile(Z[:, group], 0.5, axis=0)
    at = np.where([len(np.unique(Z[:, j])) == 2 for j in group], Z[:, group].mean(axis=0), at)
    return lambda Z: np.asarray(np.where(Z[:, group] > at, 1.0, -1.0).prod(axis=1))


def _wave_product(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    omega = rng.uniform(1.2, 2.2, len(group))
    return lambda Z: np.asarray(np.sin(omega * Z[:, group]).prod(axis=1))


def _ratio(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    above, below = group[: (len(group) + 1) // 2], group[(len(group) + 1) // 2 :]
    return lambda Z: np.asarray(
        (0.3 + ndtr(Z[:, above])).prod(axis=1) / (0.3 + ndtr(Z[:, below])).prod(axis=1)
    )


def _extreme(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    sign = rng.choice([-1, 1], len(group))
    return lambda Z: np.asarray((sign * Z[:, group]).max(axis=1))


def _radial(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    centre, shape = rng.uniform(-0.7, 0.7, len(group)), int(rng.integers(3))
    width = 2.0 * len(group)

    def term(Z: FloatArray) -> FloatArray:
        square = ((Z[:, group] - centre) ** 2).sum(axis=1)
        return np.asarray(
            (np.sqrt(square), np.exp(-2 * square / width), np.log(0.2 + square))[shape]
        )

    return term


def _box(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    """Return the indicator that all columns of the group lie above, or below, a threshold."""
    share = 0.5 ** (1 / len(group)) * rng.uniform(0.8, 1, len(group))
    side = rng.choice([-1.0, 1.0], len(group))
    at = np.array(
        [np.quantile(s * Z[:, j], 1 - q) for j, s, q in zip(group, side, share, strict=True)]
    )
    return lambda Z: np.asarray((side * Z[:, group] >= at).all(axis=1), dtype=float)


def _polynomial(rng: Rng, Z: FloatArray, group: list[int]) -> Function:
    """Return a random polynomial of degree 2 in each column, products of all orders included."""
    a, b = rng.standard_normal((2, len(group)))
    return lambda Z: np.asarray(
        (1 + a * Z[:, group] + 0.5 * b * (Z[:, group] ** 2 - 1)).prod(axis=1)
    )


# ---- functions of all columns at once ----------------------------------------------
def _dominating(shape: Shape) -> Maker:
    """Return a maker of additive functions in which one column has most of the variance."""

    def make(rng: Rng, Z: FloatArray) -> Function:
        k = Z.shape[1]
        terms = [_of_one(shape(rng, Z[:, j]), j) for j in range(k)]
        effects = _effects(rng, k, 1.5)
        effects[0] = rng.uniform(3, 8)
        return _sum_of(terms, effects, Z)

    return make


def _friedman_1(rng: Rng, Z: FloatArray) -> Function:
    def function(Z: FloatArray) -> FloatArray:
        u = ndtr(Z)
        waves = 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2
        return np.asarray(waves + 10 * u[:, 3] + 5 * u[:, 4])

    return function


def _friedman_2_or_3(rng: Rng, Z: FloatArray) -> Function:
    third = rng.random() < 0.5

    def function(Z: FloatArray) -> FloatArray:
        u = ndtr(Z)
        a, b = 0.1 + u[:, 0], 0.1 + u[:, 1]
        inner = b * (0.2 + u[:, 2]) - 0.02 / (b * (0.1 + u[:, 3]))
        return np.asarray(np.arctan(inner / a) if third else np.sqrt((0.6 * a) ** 2 + inner**2))

    return function


@dataclass(frozen=True, eq=False)
class _Tree:
    """A binary tree over the columns: internal nodes ask z[column] > at."""

    columns: list[int]
    at: list[float]
    leaves: FloatArray
    depth: int

    def __call__(self, Z: FloatArray) -> FloatArray:
        node = np.zeros(len(Z), dtype=int)
        for _ in range(self.depth):
            right = Z[np.arange(len(Z)), np.array(self.columns)[node]] > np.array(self.at)[node]
            node = 2 * node + 1 + right
        return np.asarray(self.leaves[node - (2**self.depth - 1)])


def _random_tree(rng: Rng, Z: FloatArray, order: list[int], depth: int) -> _Tree:
    """Return a full tree whose nodes take the columns of `order` in turn."""
    n_nodes = 2**depth - 1
    columns = [order[i % len(order)] for i in range(n_nodes)]
    at = [float(np.quantile(Z[:, j], rng.uniform(0.3, 0.7))) for j in columns]
    return _Tree(columns, at, rng.standard_normal(2**depth), depth)


def _one_tree(rng: Rng, Z: FloatArray) -> Function:
    k = Z.shape[1]
    depth = int(np.ceil(np.log2(k + 1))) + int(k < 4)
    return _random_tree(rng, Z, rng.permutation(k).tolist(), min(depth, 6))


def _many_trees(rng: Rng, Z: FloatArray) -> Function:
    k = Z.shape[1]
    n_trees = max(10, -(-3 * k // 2))
    used = np.concatenate([rng.permutation(k) for _ in range(3 * n_trees // k + 1)])
    trees: list[Function] = [
        _random_tree(rng, Z, used[3 * i : 3 * i + 3].tolist(), 2) for i in range(n_trees)
    ]
    return _sum_of(trees, np.ones(n_trees), Z)


def _network(rng: Rng, Z: FloatArray) -> Function:
    k = Z.shape[1]
    hidden = 2 * k + 4
    inner = rng.standard_normal((k, hidden)) * (rng.random((k, hidden)) < 3 / max(k, 3))
    shift, outer = rng.standard_normal(hidden), rng.standard_normal(hidden)
    return lambda Z: np.asarray(np.tanh(1.5 * Z @ inner + shift) @ outer)


def _gaussian_process(rng: Rng, Z: FloatArray) -> Function:
    """Return a draw of a Gaussian process with a length scale of about 2, by random waves."""
    k, waves = Z.shape[1], 100
    omega = rng.standard_normal((k, waves)) * rng.uniform(0.4, 0.9, (k, 1)) / np.sqrt(max(k / 4, 1))
    phase, height = rng.uniform(0, 2 * np.pi, waves), rng.standard_normal(waves)
    return lambda Z: np.asarray(np.cos(Z @ omega + phase) @ height)


def _multiplicative(rng: Rng, Z: FloatArray) -> Function:
    slopes = _effects(rng, Z.shape[1], 2.0)
    slopes *= rng.uniform(0.8, 1.3) / np.sqrt((slopes**2).sum())
    return lambda Z: np.exp(Z @ slopes)


def _linear(rng: Rng, z: FloatArray) -> Callable[[FloatArray], FloatArray]:
    return lambda z: z


FUNCTIONS: dict[str, Maker] = {
    "linear": _additive(_linear, 4.0), "smooth": _additive(_monotone), "bumps": _additive(_bump),
    "steps": _additive(_steps), "friedman 1": _friedman_1, "products": _grouped(_product, 2),
    "sign products of two": _grouped(_sign_product, 2), "one tree": _one_tree,
    "network": _network, "weak linear": _additive(_linear, 1.5),
    "dominating linear": _dominating(_linear), "extremes": _grouped(_extreme, 2),
    "hinges": _additive(_hinge), "wiggles": _additive(_wiggle, 2.0),
    "periodic": _additive(_wave, 2.0), "ratios": _grouped(_ratio, 2),
    "friedman 2 and 3": _friedman_2_or_3, "sign products of three": _grouped(_sign_product, 3),
    "wave products": _grouped(_wave_product, 2), "radial": _grouped(_radial, 3),
    "boxes": _grouped(_box, 3), "gaussian process": _gaussian_process,
    "many trees": _many_trees, "polynomials": _grouped(_polynomial, 2),
    "weak saturating": _additive(_saturating, 1.5), "dominating wave": _dominating(_wave),
    "multiplicative": _multiplicative, "saturating": _additive(_saturating),
}  # fmt: skip

# How many columns a function takes, where that is not open; and what it cannot do without.
FIXED_NUMBER = {"friedman 1": 5, "friedman 2 and 3": 4}
LEAST_NUMBER = {
    "products": 2, "sign products of two": 2, "sign products of three": 3, "wave products": 2,
    "extremes": 2, "ratios": 2, "radial": 2, "boxes": 2, "polynomials": 2,
    "dominating linear": 2, "dominating wave": 2,
}  # fmt: skip
MULTIPLE_OF = {"sign products of two": 2, "sign products of three": 3, "wave products": 2}
MOST_NUMBER = {
    "sign products of two": 6, "sign products of three": 3, "wave products": 4, "radial": 12,
    "gaussian process": 8, "network": 20, "one tree": 15, "boxes": 9, "multiplicative": 12,
    "polynomials": 20, "products": 30, "ratios": 30, "extremes": 30,
}  # fmt: skip
