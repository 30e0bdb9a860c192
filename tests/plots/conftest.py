"""Selections to plot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import bayesvc as bv
from tests.helpers.drawn import HOSTILE
from tests.helpers.settings import SEEDED


@pytest.fixture(scope="session")
def problem() -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """80 rows, columns with hostile names; y depends on the first and the last."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(80, 6))
    y = 10 * X[:, 0] + 10 * X[:, 5] + 0.3 * rng.normal(size=80)
    return pd.DataFrame(X, columns=HOSTILE), y


@pytest.fixture(scope="session")
def clustered(problem: Any) -> bv.Selection:
    settings = {"burn_in": 200, "n_draws": 100, "random_state": 0, "n_jobs": 1}
    return bv.select(*problem, "dart-vc", n_replicates=4, **settings)


@pytest.fixture(scope="session")
def probable(problem: Any) -> bv.Selection:
    """By the default method."""
    settings = {"burn_in": 200, "n_draws": 100, "random_state": 0, "n_jobs": 1}
    return bv.select(*problem, n_replicates=4, row_stability=False, **settings)


@pytest.fixture(scope="session")
def permuted(problem: Any) -> bv.Selection:
    return bv.select(*problem, "bart-vip-gse", n_replicates=3, **SEEDED)


@pytest.fixture(scope="session")
def wide() -> bv.Selection:
    """500 variables of which six are used much, and forty a little."""
    rng = np.random.default_rng(0)
    rates = np.concatenate([np.full(6, 8.0), np.full(40, 0.3), np.full(454, 0.01)])
    counts = rng.poisson(rates, size=(10, 50, 500))
    names = [f"gene_{j:03d}" for j in range(500)]
    return bv.select_from(bv.Draws.from_counts(counts, feature_names=names), "dart-vc")
