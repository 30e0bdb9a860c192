"""One package in a process of its own: fits a table and predicts its other rows.

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
from tables import Split, split

N_TREES = 200
LEVEL = 0.9
# (table, n_draws, seed) -> mean or probability, low, high, and the moment the fit was done
Predict = Callable[[Split, int, int], tuple[Array, Array, Array, float]]


def predict_bayesvc(
    n_chains: int | None, table: Split, n_draws: int, seed: int
) -> tuple[Array, Array, Array, float]:
    """Time the estimators as a user would call them, but for the lengths and one thread."""
    import bayesvc as bv

    estimator = bv.BARTClassifier if table.binary else bv.BARTRegressor
    chains = {} if n_chains is None else {"n_replicates": n_chains}
    model = estimator(burn_in=n_draws, n_draws=n_draws, random_state=seed, n_jobs=1, **chains)
    model.fit(table.X, table.y)
    fitted = time.perf_counter()
    if table.binary:
        p = model.predict_proba(table.X_test)[:, 1]
        return p, p, p, fitted
    of = "observation" if table.truth is None else "mean"
    return *model.predict(table.X_test, return_interval=LEVEL, interval_of=of), fitted


def predict_stochtree(
    num_gfr: int, table: Split, n_draws: int, seed: int
) -> tuple[Array, Array, Array, float]:
    """Time ``BARTModel``; all but the lengths, and the warm start if it is off, are its defaults.

    The test rows go to ``predict``, not to ``sample``, so that both parts are seen apart; the work
    is the same.
    """
    from scipy.special import ndtr
    from stochtree import BARTModel, OutcomeModel

    model = BARTModel()
    general: dict[str, Any] = {"random_seed": seed, "num_threads": 1}
    if table.binary:
        general["outcome_model"] = OutcomeModel(outcome="binary", link="probit")
    model.sample(
        X_train=table.X,
        y_train=table.y,
        num_gfr=num_gfr,
        num_burnin=n_draws,
        num_mcmc=n_draws,
        general_params=general,
        mean_forest_params={"num_trees": N_TREES},
    )
    fitted = time.perf_counter()
    values = np.asarray(model.predict(X=table.X_test, terms="y_hat", type="posterior"))
    if table.binary:
        p = ndtr(values).mean(axis=1)
        return p, p, p, fitted
    seen = values
    if table.truth is None:
        noise = np.random.default_rng(seed).standard_normal(values.shape)
        seen = values + np.sqrt(np.asarray(model.global_var_samples)) * noise
    low, high = np.quantile(seen, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=1)
    return values.mean(axis=1), low, high, fitted


def load(package: str) -> Predict:
    """Import a package and return its fit."""
    if package.startswith("bayesvc"):
        import bayesvc  # noqa: F401

        return partial(predict_bayesvc, 1 if package == "bayesvc-one-chain" else None)
    import stochtree  # noqa: F401

    return partial(predict_stochtree, 0 if package == "stochtree-mcmc" else 5)


def loss(table: Split, predicted: Array) -> float:
    """Return log loss for two classes, else the root mean squared error."""
    if table.binary:
        from sklearn.metrics import log_loss

        return float(log_loss(table.y_test, predicted, labels=[0, 1]))
    wanted = table.y_test if table.truth is None else table.truth
    return float(np.sqrt(np.mean((predicted - wanted) ** 2)))


def run(predict: Predict, name: str, n_draws: int, seed: int) -> dict[str, Any]:
    """Fit and predict one table."""
    table = split(name, seed)
    wall, cpu = time.perf_counter(), time.process_time()
    predicted, low, high, fitted = predict(table, n_draws, seed)
    done, cpu = time.perf_counter(), time.process_time() - cpu
    found = {
        "seconds": done - wall,
        "cpu_seconds": cpu,
        "fit_seconds": fitted - wall,
        "loss": loss(table, predicted),
    }
    if not table.binary:
        wanted = table.y_test if table.truth is None else table.truth
        found["coverage"] = float(np.mean((low <= wanted) & (wanted <= high)))
        found["width"] = float(np.mean(high - low))
    return found


def main() -> None:
    predict = load(sys.argv[1])
    answer(ready=True)
    for line in sys.stdin:
        answer(**run(predict, **json.loads(line)))


if __name__ == "__main__":
    main()
