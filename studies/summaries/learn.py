"""Learn the coefficients of `bayesvc.measures._relevance_model`, and try what it could do without.

    python studies/summaries/learn.py SLICE RANDOM

The equations of the first half and random functions, DART and BART fits alike. What is printed,
and written to results/learned.json, was judged on classes of equations, and random functions, that
the coefficients of that fold were not learned on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from kept_sets import KeptSet, of_equations, of_problems
from numpy.typing import NDArray
from problems import halves
from rules import vc
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from bayesvc.bench import feynman
from bayesvc.bench.kept import KeptTallies
from bayesvc.measures._relevance_model import COEFFICIENTS, evidence

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Learned = Callable[[FloatArray, str], FloatArray]  # from the evidence and the name of the prior

RESULTS = Path(__file__).parent / "results" / "learned.json"
FITS = (2, 5, 10)
FOLDS = 5
ALL = list(range(7))
# Columns of the evidence: 1, count, inclusion; the same times the variance of the mean; floor.
# Those after them are of `further`.
VARIANTS: dict[str, list[int]] = {
    "probability of relevance": ALL,
    "without the noise floor": list(range(6)),
    "without the agreement of the fits": [0, 1, 2, 6],
    "without counts": [0, 2, 3, 5, 6],
    "without inclusion": [0, 1, 3, 4, 6],
    "with the largest count": [*ALL, 7],
    "with the gap to the next": [*ALL, 8],
    "with the number of doubtful variables": [*ALL, 9],
    "with the clusters of the VC-measure": [*ALL, 10],
    "with Metropolis importance": [*ALL, 11],
    "with floor times count and inclusion": [*ALL, 12, 13],
    "with all of these": list(range(14)),
}


@dataclass(frozen=True, eq=False)
class Example:
    """What a number of fits to one data set says (evidence, then `further`), and the truth."""

    prior: str
    fits: int
    cell: tuple[int, float] | str
    fold: int
    evidence: FloatArray
    truth: BoolArray


def examples(sets: Iterator[KeptSet], folds: dict[str, int]) -> Iterator[Example]:
    """Yield the first 2, 5 and 10 fits of each prior to each data set."""
    for kept in sets:
        fold = folds.get(kept.problem, kept.seed % FOLDS)
        cell = (kept.n, kept.snr) if kept.problem in folds else kept.problem
        for prior in ("dart", "bart"):
            if prior not in kept.fits:
                continue
            whole = kept.fits[prior]
            truth = np.zeros(whole.vc.shape[1], dtype=bool)
            truth[kept.relevant] = True
            for number in FITS:
                fits = whole.first(number)
                rows = evidence(fits.vc, fits.mpvip)
                rows = np.hstack([rows, further(fits, rows)])
                yield Example(prior, number, cell, fold, rows, truth)


def further(fits: KeptTallies, rows: FloatArray) -> FloatArray:
    """Return what else the fits say of each variable."""
    count = fits.vc.mean(axis=0)
    score = rows @ np.array(COEFFICIENTS)  # of all folds, which can only help these
    p = expit(score)
    order = np.argsort(-score, kind="stable")
    gap = np.zeros(len(p))
    gap[order[:-1]] = np.minimum(-np.diff(score[order]), 5)
    doubt = p * (1 - p)
    columns = [
        np.full(len(p), np.log(count.max() + 0.01)), gap, np.log(doubt.sum() - doubt + 0.05),
        vc(fits).astype(np.float64), fits.mi.mean(axis=0), rows[:, 6] * rows[:, 1],
        rows[:, 6] * rows[:, 2],
    ]  # fmt: skip
    return np.column_stack(columns)


def learn(data: list[Example], columns: list[int] = ALL) -> Learned:
    """Return the logistic regression on columns of the evidence, as a function of it."""
    coefficients = regression(*stacked(data, columns))
    return lambda rows, prior: np.asarray(expit(rows[:, columns] @ coefficients))


def each_prior(data: list[Example]) -> Learned:
    """Return a regression for each prior, as a function of the evidence and the prior's name."""
    models = {prior: learn([e for e in data if e.prior == prior]) for prior in ("dart", "bart")}
    return lambda rows, prior: models[prior](rows, prior)


def boosted(data: list[Example]) -> Learned:
    """Return boosted trees on the evidence, as a function of it."""
    rows, truth, weight = stacked(data, ALL)
    model = HistGradientBoostingClassifier(max_iter=100, learning_rate=0.05, random_state=0)
    model.fit(rows, truth, sample_weight=weight)
    return lambda rows, prior: np.asarray(model.predict_proba(rows[:, ALL])[:, 1])


def stacked(data: list[Example], columns: list[int]) -> tuple[FloatArray, BoolArray, FloatArray]:
    """Return evidence, truth and weights of all variables; the evident negatives are thinned."""
    rows = np.vstack([e.evidence for e in data])
    truth = np.concatenate([e.truth for e in data])
    low = (rows[:, 2] < -2.5) & ~truth
    keep = ~low | (np.random.default_rng(0).uniform(size=len(low)) < 0.05)
    return rows[keep][:, columns], truth[keep], np.where(low, 20.0, 1.0)[keep]


def regression(rows: FloatArray, truth: BoolArray, weight: FloatArray) -> FloatArray:
    """Return the coefficients; the first column is the constant."""
    centre, sd = rows.mean(axis=0), rows.std(axis=0)
    sd[0], centre[0] = 1.0, 0.0
    model = LogisticRegression(C=10.0, max_iter=1000, fit_intercept=False)
    model.fit((rows - centre) / sd, truth, sample_weight=weight)
    found = model.coef_[0] / sd
    found[0] -= found[1:] @ centre[1:]
    return np.asarray(found)


def best_expected(p: FloatArray) -> BoolArray:
    """Return about the set whose expected F1 is highest if the probabilities are right."""
    order = np.argsort(-p, kind="stable")
    expected = 2 * np.cumsum(p[order]) / (np.arange(1, len(p) + 1) + p.sum())
    mask = np.zeros(len(p), dtype=bool)
    mask[order[: np.argmax(expected) + 1]] = True
    return mask


def judged(data: list[Example], given: list[FloatArray], cut: Callable[[FloatArray], BoolArray],
           rule: str) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield mean F1 over the cells of equations, over random functions, and the loss."""
    for prior in ("dart", "bart"):
        for number in FITS:
            cells: dict[Any, list[float]] = {}
            losses = []
            for e, p in zip(data, given, strict=True):
                if (e.prior, e.fits) != (prior, number):
                    continue
                clipped = np.clip(p, 1e-9, 1 - 1e-9)
                losses.append(-np.log(np.where(e.truth, clipped, 1 - clipped)).sum())
                if e.truth.any():
                    mask = cut(p)
                    f1 = 2 * (mask & e.truth).sum() / (mask.sum() + e.truth.sum())
                    cells.setdefault(e.cell, []).append(f1)
            equations = [np.mean(own) for cell, own in cells.items() if isinstance(cell, tuple)]
            yield {
                "rule": rule, "prior": prior, "fits": number,
                "equations": round(float(np.mean(equations)), 4),
                "random": round(float(np.mean(cells["random"])), 4),
                "small": round(float(np.mean(cells["small"])), 4),
                "loss": round(float(np.mean(losses)), 3),
            }  # fmt: skip


def left_out(data: list[Example], learned: Callable[[list[Example]], Learned]) -> list[FloatArray]:
    """Return the probabilities from what was learned on the other folds."""
    models = [learned([e for e in data if e.fold != k]) for k in range(FOLDS)]
    return [models[e.fold](e.evidence, e.prior) for e in data]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slice", type=Path)
    parser.add_argument("random", type=Path)
    options = parser.parse_args()
    chosen, _ = halves()
    classes = sorted({feynman.equation(name).equiv_class for name in chosen})
    fold_of = {c: i % FOLDS for i, c in enumerate(classes)}
    folds = {name: fold_of[feynman.equation(name).equiv_class] for name in chosen}
    data = [
        *examples(of_equations(options.slice, chosen), folds),
        *examples(of_problems(options.random, "random"), {}),
        *examples(of_problems(options.random, "small"), {}),
    ]
    coefficients = regression(*stacked(data, ALL))
    print("coefficients", coefficients.round(3).tolist())

    def half(p: FloatArray) -> BoolArray:
        return p >= 0.5

    found: list[dict[str, Any]] = []
    for name, columns in VARIANTS.items():
        given = left_out(data, lambda part, columns=columns: learn(part, columns))
        found += judged(data, given, half, name)
        if name == "probability of relevance":
            found += judged(data, given, best_expected, "the set of highest expected F1")
    found += judged(data, left_out(data, boosted), half, "boosted trees on the same")
    alone = left_out(data, each_prior)
    found += judged(data, alone, half, "each prior on its own")
    for row in found:
        print(row)
    RESULTS.parent.mkdir(exist_ok=True)
    whole = {"coefficients": coefficients.round(3).tolist(), "left_out": found}
    RESULTS.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
