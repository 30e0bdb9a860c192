"""What a careful user of other packages would select on the same tables; run again to go on.

    python studies/world/rivals.py judge FOLDER --tables 30 --jobs 2

Text columns are one-hot encoded, gaps filled with the median or the most frequent level, and marked
by a column of their own where there are any. A column is selected if any column made of it is.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fits import file_of, seed_of, too_large, works
from joblib import Parallel, delayed
from kinds import PARTS
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, lasso_path
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tables import Table, make

from bayesvc._archive import write_text

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

MOST_PERMUTED = 100  # columns of the forest whose importance is looked at, by impurity
SMALL = 50_000  # cells of a table
FOLDS, ORDERS, TREES = 5, 5, 200


@dataclass(frozen=True, eq=False)
class Matrix:
    """A table as numbers, and the column of the table that each was made of."""

    X: FloatArray
    y: FloatArray
    owner: NDArray[np.intp]
    p: int
    binary: bool

    def owners(self, mask: BoolArray) -> BoolArray:
        """Return the columns of the table of which any part was selected."""
        found = np.zeros(self.p, dtype=bool)
        found[self.owner[mask]] = True
        return found


def matrix_of(table: Table) -> Matrix:
    """Encode the table as numbers."""
    frame = table.X if isinstance(table.X, pd.DataFrame) else pd.DataFrame(table.X)
    parts, owner = [], []
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        gap = column.isna().to_numpy()
        if isinstance(column.dtype, pd.CategoricalDtype):
            filled = column.fillna(column.mode().iloc[0])
            own = pd.get_dummies(filled.cat.remove_unused_categories()).to_numpy(dtype=float)
        else:
            own = column.fillna(column.median()).to_numpy(dtype=float)[:, None]
        if gap.any():
            own = np.column_stack([own, gap])
        parts.append(own)
        owner += [j] * own.shape[1]
    X = np.hstack(parts)
    return Matrix(X, table.y, np.array(owner), frame.shape[1], table.response == "binary")


# ---- lasso -------------------------------------------------------------------------
def lasso(data: Matrix, seed: int) -> dict[str, BoolArray]:
    """Return nonzero coefficients at the best penalty, and at the one-standard-error penalty."""
    X = StandardScaler().fit_transform(data.X)
    fit = _logistic if data.binary else _linear
    best, sparse = fit(X, data.y, seed)
    return {"lasso": data.owners(best), "lasso, one standard error": data.owners(sparse)}


def _linear(X: FloatArray, y: FloatArray, seed: int) -> tuple[BoolArray, BoolArray]:
    model = LassoCV(cv=FOLDS, random_state=seed).fit(X, y)
    mean, se = model.mse_path_.mean(axis=1), model.mse_path_.std(axis=1, ddof=1) / np.sqrt(FOLDS)
    least = int(mean.argmin())
    sparse = model.alphas_[mean <= mean[least] + se[least]].max()
    _, path, _ = lasso_path(X - X.mean(axis=0), y - y.mean(), alphas=[sparse])
    return model.coef_ != 0, path[:, 0] != 0


def _logistic(X: FloatArray, y: FloatArray, seed: int) -> tuple[BoolArray, BoolArray]:
    model = LogisticRegressionCV(
        Cs=15, cv=FOLDS, l1_ratios=(1.0,), solver="liblinear", scoring="neg_log_loss",
        random_state=seed, use_legacy_attributes=False,
    ).fit(X, y)  # fmt: skip
    scores = np.asarray(model.scores_).reshape(FOLDS, -1)
    mean, se = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(FOLDS)
    best = int(mean.argmax())
    sparse = float(np.min(np.asarray(model.Cs_)[mean >= mean[best] - se[best]]))
    again = LogisticRegression(C=sparse, l1_ratio=1.0, solver="liblinear", random_state=seed)
    return np.ravel(model.coef_) != 0, np.ravel(again.fit(X, y).coef_) != 0


# ---- forests -----------------------------------------------------------------------
def _forest(data: Matrix, seed: int, trees: int, **settings: Any) -> Any:
    if data.binary:
        return RandomForestClassifier(
            trees, class_weight="balanced", random_state=seed, n_jobs=1, **settings
        )
    return RandomForestRegressor(trees, random_state=seed, n_jobs=1, **settings)


def forest_permutation(data: Matrix, seed: int) -> dict[str, BoolArray]:
    """Select by permutation importance in rows that were held out.

    A column is selected if its mean loss exceeds two standard deviations of the losses. Only
    the columns with the largest impurity importance are permuted; others could hardly matter.
    """
    X_fit, X_rest, y_fit, y_rest = train_test_split(
        data.X, data.y, test_size=0.4, random_state=seed, stratify=data.y if data.binary else None
    )
    features = "sqrt" if data.binary else 1 / 3
    forest = _forest(data, seed, TREES, max_features=features).fit(X_fit, y_fit)
    impurity = np.bincount(data.owner, forest.feature_importances_, data.p)
    whole = _quality(data, forest, X_rest, y_rest)[0]
    rng, mask = np.random.default_rng(seed), np.zeros(data.p, dtype=bool)
    for j in np.argsort(-impurity)[:MOST_PERMUTED]:
        own, n = data.owner == j, len(y_rest)
        permuted = np.tile(X_rest, (ORDERS, 1))
        rows = np.concatenate([rng.permutation(n) for _ in range(ORDERS)])
        permuted[:, own] = X_rest[rows][:, own]
        losses = whole - _quality(data, forest, permuted, y_rest)
        mask[j] = losses.mean() > 2 * losses.std()
    return {"forest permutation": mask}


def _quality(data: Matrix, forest: Any, X: FloatArray, y: FloatArray) -> FloatArray:
    """Return R2, or the area under the curve, of each stretch of as many rows as y has."""
    found = forest.predict_proba(X)[:, 1] if data.binary else forest.predict(X)
    measure = roc_auc_score if data.binary else r2_score
    return np.array([measure(y, part) for part in found.reshape(-1, len(y))])


def boruta(data: Matrix, seed: int) -> dict[str, BoolArray]:
    """Return what Boruta confirms after 100 iterations, with its usual settings.

    In small tables each split looks at a third of the columns. In others it looks at their square
    root, as in the original in R; a third would take minutes for each table.
    """
    from boruta import BorutaPy

    features = 1 / 3 if data.X.size <= SMALL and not data.binary else "sqrt"
    forest = _forest(data, seed, 100, max_depth=5, max_features=features)
    selector = BorutaPy(forest, n_estimators="auto", max_iter=100, random_state=seed)
    selector.fit(data.X, data.y)
    return {"boruta": data.owners(np.asarray(selector.support_))}


RIVALS: dict[str, Callable[[Matrix, int], dict[str, BoolArray]]] = {
    "lasso": lasso,
    "forest": forest_permutation,
    "boruta": boruta,
}


def run(
    part: str, kind: str, number: int, folder: Path, names: list[str], size: tuple[int, float]
) -> None:
    """Run what is missing on one table."""
    table = None
    for name in names:
        path = file_of(folder / name, part, kind, number).with_suffix(".json")
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        table = make(kind, number, part) if table is None else table
        if too_large(table, *size):
            return
        began = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", FutureWarning)
                masks = RIVALS[name](matrix_of(table), seed_of(part, kind, number) % 2**31)
        except Exception:
            write_text(path.with_suffix(".error.txt"), traceback.format_exc())
            continue
        selected = {rule: np.flatnonzero(mask).tolist() for rule, mask in masks.items()}
        own = {"kind": kind, "number": number, "selected": selected}
        write_text(path, json.dumps(own | {"seconds": time.process_time() - began}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--kinds", help="such as 'hinges;noise'; all by default")
    parser.add_argument("--rivals", default=";".join(RIVALS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most-columns", type=int, default=5000)
    parser.add_argument("--most-cells", type=float, default=5e6)
    given = parser.parse_args()
    kinds = given.kinds.split(";") if given.kinds else None
    size = (given.most_columns, given.most_cells)
    Parallel(n_jobs=given.jobs, batch_size=1)(
        delayed(run)(given.part, kind, number, given.folder, given.rivals.split(";"), size)
        for kind, number in works(given.part, given.tables, kinds, given.first)
    )


if __name__ == "__main__":
    main()
