"""Concordance of `BARTSurvival` beside a random survival forest and a linear log-normal model.

Five-fold cross-validation, twice, on data that scikit-survival and lifelines ship. Both must be
installed beside bayesvc; dummies for categories, medians for missing values.

    python studies/concordance.py --out studies/results/concordance.json
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lifelines import LogNormalAFTFitter
from lifelines.datasets import load_lung
from sklearn.model_selection import StratifiedKFold
from sksurv.datasets import load_gbsg2, load_veterans_lung_cancer, load_whas500
from sksurv.ensemble import RandomSurvivalForest

import bayesvc as bv
from bayesvc.estimators.concordance import concordance_index


def lung() -> tuple[pd.DataFrame, Any]:
    """The columns and the times of lifelines' data set, in scikit-survival's form."""
    table = load_lung().drop(columns=["inst"])
    event = table["status"] == table["status"].max()
    y = np.array(list(zip(event, table["time"], strict=True)), dtype=[("e", "?"), ("t", "f8")])
    return table.drop(columns=["status", "time"]), y


LOADERS: dict[str, Callable[[], tuple[pd.DataFrame, Any]]] = {
    "veteran": load_veterans_lung_cancer,
    "lung": lung,
    "whas500": load_whas500,
    "gbsg2": load_gbsg2,
}


def load(name: str) -> tuple[pd.DataFrame, Any]:
    """Columns of numbers, and times that are positive."""
    X, y = LOADERS[name]()
    X = pd.get_dummies(X, drop_first=True).astype(float)
    X = X.fillna(X.median())
    own = y[y.dtype.names[1]] > 0
    return X[own].reset_index(drop=True), y[own]


def of_bart(X: pd.DataFrame, y: Any, new: pd.DataFrame, seed: int) -> Any:
    """Median times."""
    return bv.BARTSurvival(burn_in=500, n_draws=500, random_state=seed).fit(X, y).predict(new)


def of_forest(X: pd.DataFrame, y: Any, new: pd.DataFrame, seed: int) -> Any:
    """Risks, with the sign changed."""
    model = RandomSurvivalForest(n_estimators=300, min_samples_leaf=10, random_state=seed)
    return -model.fit(X.to_numpy(), y).predict(new.to_numpy())


def of_linear(X: pd.DataFrame, y: Any, new: pd.DataFrame, seed: int) -> Any:
    """Median times."""
    event, time = y.dtype.names
    table = X.assign(time=y[time], event=y[event])
    return LogNormalAFTFitter(penalizer=0.01).fit(table, "time", "event").predict_median(new)


MODELS = {"BARTSurvival": of_bart, "random survival forest": of_forest, "linear": of_linear}


def main() -> None:
    """Write the mean concordance of each model, and differences with their standard errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, list[float]]] = {}
    for name in LOADERS:
        X, y = load(name)
        event = y[y.dtype.names[0]]
        rows = []
        for seed in range(given.repeats):
            folds = StratifiedKFold(5, shuffle=True, random_state=seed)
            for known, held in folds.split(X, event):
                parts = X.iloc[known], y[known], X.iloc[held], seed
                rows.append(
                    [concordance_index(y[held], np.asarray(of(*parts))) for of in MODELS.values()]
                )
        scores = np.array(rows)
        less = scores[:, :1] - scores
        error = less.std(axis=0, ddof=1) / np.sqrt(len(scores))
        found[name] = {
            model: [round(float(value), 4) for value in (scores[:, k].mean(), less[:, k].mean(),
                                                         error[k])]
            for k, model in enumerate(MODELS)
        }  # fmt: skip
        print(name, found[name], flush=True)
    about = "mean concordance; BARTSurvival less this model, and its standard error over folds"
    given.out.write_text(json.dumps({"columns": about, "data": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
