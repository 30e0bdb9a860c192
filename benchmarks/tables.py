"""Tables to predict: one function with known truth, and real ones that come with packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files

import numpy as np
from problem import Array

TRAIN_PROPORTION = 0.75


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to fit to and rows to predict; `truth` is the mean of y at the latter, if known."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    binary: bool = False
    truth: Array | None = None


def friedman1(seed: int, n_train: int = 1000, n_test: int = 1000) -> Split:
    """Return ten columns of which five matter, and y = f + standard normal noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_train + n_test, 10))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    f += 10 * X[:, 3] + 5 * X[:, 4]
    y = f + rng.standard_normal(len(X))
    k = n_train
    return Split(X[:k], y[:k], X[k:], y[k:], truth=f[k:])


def _from_islp(name: str, target: str, drop: tuple[str, ...] = ()) -> tuple[Array, Array]:
    """Read a table of the package ISLP; categories become indicators, for all packages alike."""
    import pandas as pd

    with as_file(files("ISLP") / "data" / f"{name}.csv") as path:
        table = pd.read_csv(path)
    table = table.drop(columns=[*drop, *table.columns.intersection(["Unnamed: 0"])]).dropna()
    y = table.pop(target)
    values = y.to_numpy() if y.dtype.kind in "if" else (y == min(y)).to_numpy()
    return pd.get_dummies(table).to_numpy(dtype=float), values.astype(float)


def _from_sklearn(name: str) -> tuple[Array, Array]:
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X, y.astype(float)


def _second_wine() -> tuple[Array, Array]:
    X, y = _from_sklearn("wine")
    return X, (y == 1).astype(float)


CONTINUOUS: dict[str, Callable[[], tuple[Array, Array]]] = {
    "diabetes": lambda: _from_sklearn("diabetes"),
    "Auto": lambda: _from_islp("Auto", "mpg", ("name",)),
    "Boston": lambda: _from_islp("Boston", "medv"),
    "Carseats": lambda: _from_islp("Carseats", "Sales"),
    "College": lambda: _from_islp("College", "Apps"),
    "Hitters": lambda: _from_islp("Hitters", "Salary"),
    "Wage": lambda: _from_islp("Wage", "wage", ("logwage",)),
}
BINARY: dict[str, Callable[[], tuple[Array, Array]]] = {
    "breast cancer": lambda: _from_sklearn("breast_cancer"),
    "wine (second class)": _second_wine,
    "OJ": lambda: _from_islp("OJ", "Purchase"),
    "Smarket": lambda: _from_islp("Smarket", "Direction", ("Today",)),
}
NAMES = ("Friedman", *CONTINUOUS, *BINARY)


def split(name: str, seed: int) -> Split:
    """Return a table by name: a new one for Friedman's function, else a new random split."""
    if name == "Friedman":
        return friedman1(seed)
    X, y = {**CONTINUOUS, **BINARY}[name]()
    order = np.random.default_rng(seed).permutation(len(y))
    k = round(TRAIN_PROPORTION * len(y))
    train, test = order[:k], order[k:]
    return Split(X[train], y[train], X[test], y[test], binary=name in BINARY)
