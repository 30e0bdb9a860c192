"""Tables with known relevant columns, whose responses are as awkward as real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesvc.bench import feynman

FloatArray = NDArray[np.float64]
Rng = np.random.Generator

STUDY_SNR = (0.25, 1.0, 5.0, np.inf)
SEEDS = {
    "choose": 860, "judge": 11964,
    "again-1": 15795, "again-2": 21575, "again-3": 22118, "again-4": 23654,
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A table, the columns y depends on, and the cell of the study it belongs to."""

    X: FloatArray
    y: FloatArray
    relevant: NDArray[np.intp]


@dataclass(frozen=True)
class Place:
    """Where a table stands in the study; it says how to make it."""

    part: str  # one of SEEDS; kinds are there to choose and to judge on
    group: str  # "equations" or "kinds"
    cell: str
    unit: str

    def table(self) -> Table:
        """Make the table."""
        if self.group == "equations":
            n, snr = self.cell.removeprefix("n=").split(", snr=")
            problem = feynman.load_authors(self.unit, int(n), float(snr), SEEDS[self.part])
            return Table(problem.X, problem.y, problem.relevant)
        shape, number = self.unit.split(" ")
        return make_kind(self.part, self.cell, shape, int(number))


def places(
    group: str,
    part: str,
    n: int | None = None,
    number: int = 10,
    snrs: Sequence[float] = STUDY_SNR,
) -> Iterator[Place]:
    """Yield the places of one group of tables."""
    if group == "equations":
        for name in feynman.equations():
            for snr in snrs:
                for rows in (500, 1000) if n is None else (n,):
                    yield Place(part, group, f"n={rows}, snr={snr:g}", name)
        return
    for index in range(number):
        for kind in KINDS:
            for shape in SHAPES[part]:
                yield Place(part, group, kind, f"{shape} {index}")


# ---- functions -----------------------------------------------------------------
def _friedman(rng: Rng) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    X = rng.uniform(size=(250, 50))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, f + 10 * X[:, 3] + 5 * X[:, 4], np.arange(5)


def _additive(rng: Rng) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    X = rng.normal(size=(200, 30))
    f = np.tanh(X[:, 0]) + np.abs(X[:, 1]) + X[:, 2] + 0.5 * X[:, 3] ** 2
    return X, f, np.arange(4)


def _products(rng: Rng) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    X = rng.uniform(1, 3, size=(400, 120))
    return X, X[:, 0] * X[:, 1] + 2 * X[:, 2] / X[:, 3] + X[:, 4] ** 2 / 2, np.arange(5)


def _steps(rng: Rng) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    X = rng.normal(size=(300, 40))
    X[:, 20:] = X[:, 20:] > rng.normal(scale=0.5, size=20)
    f = 2.0 * (X[:, 0] > 0.2) - 1.5 * (X[:, 1] < -0.3) + 1.2 * X[:, 20]
    return X, f + 1.2 * X[:, 21] * (X[:, 2] > 0), np.array([0, 1, 2, 20, 21])


SHAPES: dict[str, dict[str, Callable[[Rng], tuple[FloatArray, FloatArray, NDArray[np.intp]]]]] = {
    "choose": {"friedman": _friedman, "additive": _additive},
    "judge": {"products": _products, "steps": _steps},
}


# ---- responses: f has mean 0 and variance 1 ------------------------------------
def _noise(f: FloatArray, rng: Rng) -> FloatArray:
    return rng.normal(scale=0.5, size=len(f))


def _with_outliers(f: FloatArray, rng: Rng, share: float, size: float) -> FloatArray:
    y = f + _noise(f, rng)
    hit = rng.choice(len(f), size=max(1, round(share * len(f))), replace=False)
    y[hit] += size * rng.choice([-1, 1], size=len(hit)) * rng.uniform(0.5, 1.5, size=len(hit))
    return y


KINDS: dict[str, Callable[[FloatArray, Rng], FloatArray]] = {
    "normal errors": lambda f, rng: f + _noise(f, rng),
    "normal errors, weak signal": lambda f, rng: f + 1.2 * rng.normal(size=len(f)),
    "t errors, 3 degrees": lambda f, rng: f + 0.4 * rng.standard_t(3, size=len(f)),
    "t errors, 1.5 degrees": lambda f, rng: f + 0.25 * rng.standard_t(1.5, size=len(f)),
    "3 % outliers": lambda f, rng: _with_outliers(f, rng, 0.03, 15),
    "1 % gross outliers": lambda f, rng: _with_outliers(f, rng, 0.01, 200),
    "skewed errors": lambda f, rng: f + 0.25 * (rng.lognormal(0, 1.2, size=len(f)) - 2),
    "lognormal y": lambda f, rng: np.exp(1.5 * (f + 0.4 * rng.normal(size=len(f)))),
    "gamma y": lambda f, rng: np.exp(f) * rng.gamma(4, 0.25, size=len(f)),
    "cubed y": lambda f, rng: (f + 0.4 * rng.normal(size=len(f))) ** 3,
    "spread grows with the signal": lambda f, rng: (
        f + 0.25 * np.exp(0.8 * f) * rng.normal(size=len(f))
    ),
    "seven distinct values": lambda f, rng: np.clip(np.rint(1.5 * (f + _noise(f, rng))), -3, 3),
}
PLAIN = ("normal errors", "normal errors, weak signal", "seven distinct values")


def make_kind(part: str, kind: str, shape: str, number: int) -> Table:
    """Make a table with this kind of response on this kind of function."""
    own = [len(part), list(KINDS).index(kind), sum(shape.encode()), number]
    rng = np.random.default_rng(np.random.SeedSequence(20261118, spawn_key=own))
    X, f, relevant = SHAPES[part][shape](rng)
    return Table(X, KINDS[kind]((f - f.mean()) / f.std(), rng), relevant)
