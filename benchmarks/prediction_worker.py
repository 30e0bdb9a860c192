"""One package in a process of its own: fits Friedman #1 and predicts f at new rows.

Started by ``prediction.py``, which sets the environment and pins the core first.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from peers_worker import answer
from problem import Array

N_TRAIN = N_TEST = 1000
N_COLUMNS = 10
N_TREES = 200
TAILS = (0.05, 0.95)
# (X, y, X_test, n_draws, seed) -> mean, low, high, and the moment the fit was done
Predict = Callable[[Array, Array, Array, int, int], tuple[Array, Array, Array, float]]


def friedman1(seed: int) -> tuple[Array, Array, Array]:
    """Return X, f and y = f + standard normal noise; rows for the fit come first."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(N_TRAIN + N_TEST, N_COLUMNS))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    f += 10 * X[:, 3] + 5 * X[:, 4]
    return X, f, f + rng.standard_normal(len(X))


def predict_bayesvc(
    n_chains: int, X: Array, y: Array, X_test: Array, n_draws: int, seed: int
) -> tuple[Array, Array, Array, float]:
    """Time the estimator as a user would call it; its default is two chains of that length."""
    import bayesvc as bv

    model = bv.BARTRegressor(
        n_trees=N_TREES,
        n_replicates=n_chains,
        burn_in=n_draws,
        n_draws=n_draws,
        random_state=seed,
        n_jobs=1,
    )
    model.fit(X, y)
    fitted = time.perf_counter()
    return *model.predict(X_test, return_interval=TAILS[1] - TAILS[0]), fitted


def predict_stochtree(
    num_gfr: int, X: Array, y: Array, X_test: Array, n_draws: int, seed: int
) -> tuple[Array, Array, Array, float]:
    """Time ``BARTModel``; all but the lengths, and the warm start if it is off, are its defaults.

    The test rows go to ``predict``, not to ``sample``, so that both parts are seen apart; the work
    is the same.
    """
    from stochtree import BARTModel

    model = BARTModel()
    model.sample(
        X_train=X,
        y_train=y,
        num_gfr=num_gfr,
        num_burnin=n_draws,
        num_mcmc=n_draws,
        general_params={"random_seed": seed, "num_threads": 1},
        mean_forest_params={"num_trees": N_TREES},
    )
    fitted = time.perf_counter()
    values = model.predict(X=X_test, terms="y_hat", type="posterior")
    low, high = np.quantile(values, TAILS, axis=1)
    return values.mean(axis=1), low, high, fitted


def load(sampler: str) -> Predict:
    """Import a package and return its fit."""
    if sampler.startswith("bayesvc"):
        from bayesvc import BARTRegressor

        one = sampler == "bayesvc-one-chain"
        return partial(predict_bayesvc, 1 if one else BARTRegressor().n_replicates)
    import stochtree  # noqa: F401

    return partial(predict_stochtree, 0 if sampler == "stochtree-mcmc" else 5)


def run(predict: Predict, n_draws: int, seed: int) -> dict[str, Any]:
    X, f, y = friedman1(seed)
    truth = f[N_TRAIN:]
    wall, cpu = time.perf_counter(), time.process_time()
    mean, low, high, fitted = predict(X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:], n_draws, seed)
    done, cpu = time.perf_counter(), time.process_time() - cpu
    return {
        "seconds": done - wall,
        "cpu_seconds": cpu,
        "fit_seconds": fitted - wall,
        "rmse": float(np.sqrt(np.mean((mean - truth) ** 2))),
        "coverage": float(np.mean((low <= truth) & (truth <= high))),
        "width": float(np.mean(high - low)),
    }


def main() -> None:
    predict = load(sys.argv[1])
    answer(ready=True)
    for line in sys.stdin:
        answer(**run(predict, **json.loads(line)))


if __name__ == "__main__":
    main()
