"""Learn the probability of relevance on kept fits of the learning half, and try other forms of it.

    python studies/world/learn.py FITS/own --out studies/world/results

Writes the coefficients of `bayesvc.measures._relevance_dart` (learned.json), and a table of all
forms that were tried (tried.csv): scores in cross-validation that leaves out whole kinds, for ten,
five and two replicates.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from kinds import kinds_of
from numpy.typing import NDArray
from records import Chains, Record, records
from score import score_mask, score_probabilities
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from summaries import APART, by_kind, over_kinds

from bayesvc._archive import write_text
from bayesvc.measures import _relevance_dart, _relevance_model

FloatArray = NDArray[np.float64]
REPLICATES = (10, 5, 2)
FOLDS = 5
N_TREES = 20
IDLE = _relevance_dart.IDLE_SPLITS * N_TREES
_THIN = 0.1  # of the hardly used columns of tables with more than 400: kept, with weight 1 / 0.1


def features(record: Record, fit: Chains) -> pd.DataFrame:
    """Return all that forms of the formula may look at, a row for each column of the table."""
    vc, mpvip, p = fit.vc, fit.mpvip, record.p
    own = _relevance_dart.evidence(vc, mpvip, N_TREES)
    count, between = vc.mean(axis=0), _relevance_model.between_share(mpvip) / len(mpvip)
    odds = own[:, 2]
    found = {
        "count": own[:, 1], "odds": odds, "error": own[:, 3], "idle": own[:, 4],
        "idle, guard .3": np.log(IDLE / p + 0.3), "idle, guard 1": np.log(IDLE / p + 1),
        "relative count": np.log(count * p / IDLE + 0.05),
        "lower quartile of counts": np.log(np.quantile(vc, 0.25, axis=0) + 0.05),
        "lowest inclusion": _log_odds(mpvip.min(axis=0)),
        "agreement": between, "agreement x count": between * own[:, 1],
        "agreement x odds": between * odds,
        "floor, lower half": np.log(_relevance_model.noise_floor(count) + 0.01),
        "floor, lowest": np.log(count.min() + 0.01),
        "floor, below even": np.log(_below_even(count, p) + 0.01),
        "effective number": np.log(_effective_number(count)), "splits": np.log(count.sum()),
        "alpha": np.log(max(float(np.nanmean(fit.trace("alpha"))), 1e-3)),
        "explained": float(fit.explained.mean()), "rows": np.log(record.n),
        "two-valued": np.array([name.startswith("two") for name in record.types], dtype=float),
        "p-value": np.log(record.p_value), "evidence": float(record.p_value <= 0.05),
    }  # fmt: skip
    return pd.DataFrame(found)


def _log_odds(share: FloatArray) -> FloatArray:
    return np.asarray(np.log((share + 0.01) / (1.01 - share)))


def _below_even(count: FloatArray, p: int) -> float:
    low = count[count < IDLE / p]
    return float((low.sum() + 0.06) / (len(low) + 1))


def _effective_number(count: FloatArray) -> float:
    share = count / count.sum()
    return float(np.exp(-(share * np.log(np.maximum(share, 1e-300))).sum()))


_OLD = ("count", "odds", "agreement", "agreement x count", "agreement x odds")
FORMS: dict[str, tuple[str, ...]] = {
    "chosen": ("count", "odds", "error", "idle"),
    "without count": ("odds", "error", "idle"),
    "without error": ("count", "odds", "idle"),
    "without idle": ("count", "odds", "error"),
    "without odds": ("count", "error", "idle"),
    "first formula, learned again": (*_OLD, "floor, lower half"),
    "agreement, idle": (*_OLD, "idle"),
    "agreement, relative count": (*_OLD, "relative count"),
    "guard .3": ("count", "odds", "error", "idle, guard .3"),
    "guard 1": ("count", "odds", "error", "idle, guard 1"),
    "relative count": ("count", "odds", "error", "relative count"),
    "lower quartile": ("count", "odds", "lower quartile of counts", "relative count"),
    "lowest inclusion": ("count", "odds", "lowest inclusion", "relative count"),
    "floor, lowest": (*_OLD, "floor, lowest"),
    "floor, below even": (*_OLD, "floor, below even"),
    "and rows": ("count", "odds", "error", "idle", "rows"),
    "and alpha": ("count", "odds", "error", "idle", "alpha"),
    "and explained": ("count", "odds", "error", "idle", "explained"),
    "and effective number": ("count", "odds", "error", "idle", "effective number"),
    "and splits": ("count", "odds", "error", "idle", "splits"),
    "and two-valued": ("count", "odds", "error", "idle", "two-valued"),
    "and evidence": ("count", "odds", "error", "idle", "evidence"),
}
Model = Callable[[FloatArray, FloatArray, FloatArray], Callable[[FloatArray], FloatArray]]


def logistic(X: FloatArray, y: FloatArray, weight: FloatArray) -> Callable[..., FloatArray]:
    """Fit a logistic regression, practically without a penalty."""
    fit = LogisticRegression(C=1e6, max_iter=10_000, tol=1e-8).fit(X, y, sample_weight=weight)
    return lambda new: np.asarray(fit.predict_proba(new)[:, 1])


def boosted(X: FloatArray, y: FloatArray, weight: FloatArray) -> Callable[..., FloatArray]:
    """Fit boosted trees, to see what more flexible forms could gain."""
    fit = HistGradientBoostingClassifier(
        max_iter=300, learning_rate=0.05, max_leaf_nodes=8, min_samples_leaf=100,
        l2_regularization=1, random_state=0,
    ).fit(X, y, sample_weight=weight)  # fmt: skip
    return lambda new: np.asarray(fit.predict_proba(new)[:, 1])


class Tables:
    """Features, truth, weights and folds of all tables, with each number of replicates."""

    def __init__(self, folder: Path) -> None:
        self.units: list[tuple[Record, int, pd.DataFrame]] = []
        truth, weight, fold, rows = [], [], [], []
        folds = _folds()
        for record in records(folder, "learn"):
            number = folds.get(record.kind, record.number % FOLDS)
            for r in REPLICATES:
                fit = record.fit.take(slice(r))
                own = features(record, fit)
                kept, own_weight = _thinned(record, fit)
                self.units.append((record, r, own))
                rows.append(own[kept])
                truth.append(record.truth[kept])
                weight.append(own_weight[kept] / np.sqrt(record.p))
                fold.append(np.full(kept.sum(), number))
        self.features = pd.concat(rows, ignore_index=True)
        self.truth, self.weight = np.concatenate(truth), np.concatenate(weight)
        self.fold, self.folds = np.concatenate(fold), folds

    def fold_of(self, record: Record) -> int:
        """Return the fold in which the kind of a table is left out."""
        return self.folds.get(record.kind, record.number % FOLDS)


def _folds() -> dict[str, int]:
    """Return the fold of each kind; tables of the others are divided by their numbers."""
    names = [name for name in sorted(kinds_of("learn")) if name not in APART]
    order = np.random.default_rng(1).permutation(len(names))
    return {names[k]: i % FOLDS for i, k in enumerate(order)}


def _thinned(record: Record, fit: Chains) -> tuple[NDArray[np.bool_], FloatArray]:
    """Return which columns to learn from, and their weights."""
    if record.p <= 400:
        return np.ones(record.p, dtype=bool), np.ones(record.p)
    used = record.truth | (fit.mpvip.mean(axis=0) > 0.02)
    some = np.random.default_rng(record.number).random(record.p) < _THIN
    return used | some, np.where(used, 1.0, 1 / _THIN)


def rows_of(
    tables: Tables, name: str, form: Sequence[str], model: Model
) -> list[dict[str, object]]:
    """Return the scores of a form in cross-validation."""
    X, names = tables.features[list(form)].to_numpy(float), list(form)
    fits = [
        model(X[keep], tables.truth[keep], tables.weight[keep])
        for keep in (tables.fold != k for k in range(FOLDS))
    ]
    found = []
    for record, r, own in tables.units:
        p = fits[tables.fold_of(record)](own[names].to_numpy(float))
        place = {
            "part": "learn", "kind": record.kind, "number": record.number,
            "n_relevant": len(record.relevant), "rule": f"{name}, {r} replicates",
        }  # fmt: skip
        mask = p >= min(0.5, float(p.max()))
        found.append(place | score_mask(mask, record) | score_probabilities(p, record))
    return found


def summary(rows: pl.DataFrame) -> pl.DataFrame:
    """Return mean scores of each form, and how often some probability is .5 or more on noise."""
    base = rows["rule"][0]
    means = over_kinds(by_kind(rows, base))
    mixture = rows.filter(pl.col("kind") == "mixture", pl.col("n_relevant") > 0)
    noise = rows.filter(kind="noise").group_by("rule").agg(noise=pl.col("half").mean())
    loss = rows.filter(pl.col("kind") != "noise").group_by("rule").agg(pl.col("log_loss").mean())
    mixed = mixture.group_by("rule").agg(mixture_f1=pl.col("f1").mean())
    columns = ("rule", "f1", "fp", "exact", "below_90", "gain", "gain_se")
    return (
        means.select(columns)
        .join(mixed, "rule")
        .join(noise, "rule")
        .join(loss, "rule")
        .sort("rule")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fits", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    tables = Tables(given.fits)
    X = tables.features[list(FORMS["chosen"])].to_numpy(float)
    fit = LogisticRegression(C=1e6, max_iter=10_000, tol=1e-8)
    fit.fit(X, tables.truth, sample_weight=tables.weight)
    learned = {
        "tables": len(tables.units) // len(REPLICATES),
        "coefficients": np.round([*fit.intercept_, *fit.coef_[0]], 3).tolist(),
    }
    write_text(given.out / "learned.json", json.dumps(learned, indent=1) + "\n")
    rows: list[dict[str, object]] = []
    for name, form in FORMS.items():
        rows += rows_of(tables, name, form, logistic)
    everything = tuple(tables.features.columns)
    rows += rows_of(tables, "boosted trees, everything", everything, boosted)
    table = summary(pl.DataFrame(rows, infer_schema_length=None))
    table.write_csv(given.out / "tried.csv", float_precision=4)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, fmt_str_lengths=50):
        print(table)


if __name__ == "__main__":
    main()
