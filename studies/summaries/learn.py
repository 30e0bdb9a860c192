"""Learn the coefficients of `relevance.py` on the equations of the first half and on random
functions, and say how well they do on problems that they were not learned on.

    python studies/summaries/learn.py SLICE RANDOM
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from kept_sets import KeptSet, of_equations, of_problems
from numpy.typing import NDArray
from problems import halves
from relevance import Coefficients, evidence, noise_floor, probability
from sklearn.linear_model import LogisticRegression

from bayesvc.bench import feynman

FloatArray = NDArray[np.float64]

RESULTS = Path(__file__).parent / "results" / "coefficients.json"
FITS = (2, 5, 10)
FOLDS = 5
RANDOM_WEIGHT = 1.0


@dataclass(frozen=True, eq=False)
class Example:
    """What a number of fits to one data set says, and the truth."""

    vc: FloatArray
    mpvip: FloatArray
    truth: NDArray[np.bool_]
    fold: int
    weight: float
    source: str


def examples(sets: Iterator[KeptSet], prior: str, folds: dict[str, int], weight: float,
             source: str) -> Iterator[Example]:  # fmt: skip
    """Yield the first 2, 5 and 10 fits of each data set."""
    for kept in sets:
        if prior not in kept.fits:
            continue
        whole = kept.fits[prior]
        truth = np.zeros(whole.vc.shape[1], dtype=bool)
        truth[kept.relevant] = True
        fold = folds.get(kept.problem, kept.seed % FOLDS)
        for number in FITS:
            fits = whole.first(number)
            yield Example(fits.vc, fits.mpvip, truth, fold, weight, source)


def learn(data: list[Example]) -> Coefficients:
    """Fit the two regressions, the second with the floor that the first leads to."""
    seen = [evidence(e.vc, e.mpvip) for e in data]
    truth = np.concatenate([e.truth for e in data])
    weight = np.concatenate([np.full(len(e.truth), e.weight) for e in data])
    inclusion = [e.mpvip.mean(axis=0) for e in data]
    rows = np.vstack(seen)
    alone = _regression(rows, truth, weight)
    first = [1 / (1 + np.exp(-part @ alone)) for part in seen]
    irrelevant = np.concatenate(inclusion)[~truth]
    usual = float(np.average(irrelevant, weights=weight[~truth]))
    floors = [noise_floor(i, p, usual) for i, p in zip(inclusion, first, strict=True)]
    column = np.concatenate(
        [np.full(len(e.truth), np.log(f + 0.01)) for e, f in zip(data, floors, strict=True)]
    )
    floored = _regression(np.column_stack([rows, column]), truth, weight)
    return Coefficients(_rounded(alone), _rounded(floored), round(usual, 4))


def _regression(rows: FloatArray, truth: NDArray[np.bool_], weight: FloatArray) -> FloatArray:
    """Return the coefficients; the first column is the constant. Evident negatives are thinned."""
    low = (rows[:, 2] < -2.5) & ~truth
    keep = ~low | (np.random.default_rng(0).uniform(size=len(low)) < 0.05)
    weight = np.where(low, 20.0, 1.0) * weight
    centre, sd = rows[keep].mean(axis=0), rows[keep].std(axis=0)
    sd[0], centre[0] = 1.0, 0.0
    model = LogisticRegression(C=10.0, max_iter=1000, fit_intercept=False)
    model.fit((rows[keep] - centre) / sd, truth[keep], sample_weight=weight[keep])
    found = model.coef_[0] / sd
    found[0] -= found[1:] @ centre[1:]
    return np.asarray(found)


def _rounded(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(v) for v in np.round(values, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slice", type=Path)
    parser.add_argument("random", type=Path)
    options = parser.parse_args()
    chosen, _ = halves()
    classes = sorted({feynman.equation(name).equiv_class for name in chosen})
    fold_of = {c: i % FOLDS for i, c in enumerate(classes)}
    folds = {name: fold_of[feynman.equation(name).equiv_class] for name in chosen}
    found = {}
    for prior in ("dart", "bart"):
        data = [
            *examples(of_equations(options.slice, chosen), prior, folds, 1.0, "equations"),
            *examples(of_problems(options.random, "random"), prior, {}, RANDOM_WEIGHT, "random"),
        ]
        found[prior] = learn(data)
        print(prior, found[prior])
        for k in range(FOLDS):
            left_out = learn([e for e in data if e.fold != k])
            report(prior, k, [e for e in data if e.fold == k], left_out)
    RESULTS.parent.mkdir(exist_ok=True)
    text = json.dumps({prior: vars(c) for prior, c in found.items()}, indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")


def report(prior: str, fold: int, data: list[Example], coefficients: Coefficients) -> None:
    """Print mean F1 and the logarithmic loss on data that were left out."""
    for source in ("equations", "random"):
        for number in FITS:
            part = [e for e in data if e.source == source and len(e.vc) == number]
            scores, losses = [], []
            for e in part:
                p = np.clip(probability(e.vc, e.mpvip, coefficients), 1e-9, 1 - 1e-9)
                losses.append(-np.log(np.where(e.truth, p, 1 - p)).sum())
                if e.truth.any():
                    hits = (p >= 0.5) & e.truth
                    scores.append(2 * hits.sum() / ((p >= 0.5).sum() + e.truth.sum()))
            if scores:
                means = f"F1 {np.mean(scores):.4f}, loss per data set {np.mean(losses):.3f}"
                print(f"{prior} fold {fold} {source:9} {number:2} fits, {len(part)} sets: {means}")


if __name__ == "__main__":
    main()
