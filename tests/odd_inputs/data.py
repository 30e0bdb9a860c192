"""Small data for the cases, and short runs on them."""

from __future__ import annotations

from typing import Any

import numpy as np

import bayesvc as bv
from tests.helpers.settings import SEEDED

N = 30


def _data() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(N, 3))
    return X, 3 * X[:, 0] + 0.1 * rng.normal(size=N)


X, Y = _data()
TWO = SEEDED | {"n_replicates": 2, "n_jobs": 1}


def with_value(array: Any, index: Any, value: Any) -> Any:
    """Return a copy with one value changed."""
    changed = array.copy()
    changed[index] = value
    return changed


def select(X: Any = X, y: Any = Y, *method: str, **settings: Any) -> bv.Selection:
    """Select with few and short fits."""
    return bv.select(X, y, *method, **({**TWO, "signal_test": False} | settings))


def sample(X: Any = X, y: Any = Y, **settings: Any) -> bv.Draws:
    """Fit shortly."""
    return bv.sample(X, y, **(TWO | settings))
