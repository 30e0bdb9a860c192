"""Tables of different kinds; the relevant columns of most of them are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes

from bayesvc.bench import feynman
from bayesvc.data.examples import load_feynman

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """Columns, a response, and the columns it depends on if they are known."""

    X: Any
    y: FloatArray
    relevant: NDArray[np.intp] | None = None


def friedman(n: int, p: int, sd: float, seed: int, rho: float = 0.0) -> Table:
    """Return Friedman's first function of five of p columns, which may be correlated."""
    rng = np.random.default_rng(seed)
    own, common = rng.normal(size=(n, p)), rng.normal(size=(n, 1))
    latent = np.sqrt(1 - rho) * own + np.sqrt(rho) * common
    ranks = np.argsort(np.argsort(latent, axis=0), axis=0)
    X = ranks / n if rho > 0.0 else rng.uniform(size=(n, p))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    f += 10 * X[:, 3] + 5 * X[:, 4]
    return Table(X, f + sd * rng.normal(size=n), np.arange(5))


def equation(name: str, snr: float, n: int = 500, seed: int = 860) -> Table:
    """Return one of the paper's problems."""
    problem = feynman.load_authors(name, n, snr, seed)
    return Table(problem.X, problem.y, problem.relevant)


def tied() -> Table:
    """Return columns of 2, 4 and 10 values beside categories; five of them matter."""
    import pandas as pd

    rng = np.random.default_rng(4)
    n = 500
    levels = [2, 2, 4, 4, 10, 10] * 5
    X = pd.DataFrame({f"x{j}": rng.integers(m, size=n).astype(float) for j, m in enumerate(levels)})
    for j in range(6):
        X[f"c{j}"] = pd.Categorical(np.array(list("abcdefgh"))[rng.integers(8, size=n)])
    good = X["c0"].isin(list("ace")).to_numpy()
    f = 2.0 * X["x0"] + X["x2"] + 0.5 * np.abs(X["x4"] - 5) + 2.0 * good + (X["c1"] == "b")
    return Table(X, (f + rng.normal(size=n)).to_numpy(), np.array([0, 2, 4, 30, 31]))


def binary() -> Table:
    """Return Friedman's function cut at its median, with noise."""
    table = friedman(500, 50, 2.0, 3)
    return Table(table.X, (table.y > np.median(table.y)).astype(float), table.relevant)


def diabetes() -> Table:
    data = load_diabetes()
    return Table(data.data, data.target.astype(float))


def breast_cancer() -> Table:
    data = load_breast_cancer()
    return Table(data.data, data.target.astype(float))


def demo() -> Table:
    data = load_feynman()
    relevant = [data.feature_names.index(name) for name in data.relevant]
    return Table(data.X, data.y, np.array(relevant))


TABLES: dict[str, Callable[[], Table]] = {
    "demo (II.11.17, SNR 10)": demo,
    "Friedman": lambda: friedman(500, 50, 1.0, 1),
    "I.6.2, SNR 1": lambda: equation("I.6.2", 1.0),
    "I.12.11, SNR 5": lambda: equation("I.12.11", 5.0),
    "II.11.3, noiseless": lambda: equation("II.11.3", np.inf),
    "correlated columns": lambda: friedman(500, 50, 1.0, 2, rho=0.7),
    "p > n": lambda: friedman(100, 500, 1.0, 5),
    "ties and categories": tied,
    "binary Friedman": binary,
    "diabetes": diabetes,
    "breast cancer": breast_cancer,
}
