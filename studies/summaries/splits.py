"""Do the splits themselves say more than how many of them there are?

    python studies/summaries/splits.py

Ten DART fits with their trees to each equation of the first half, n = 500, SNR 0.25 and 1. What the
splits on a variable explain, and where they are, goes beside the evidence of the probability of
relevance; left out by classes of equations, as in ``learn.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from learn import ALL, FOLDS, regression
from numpy.typing import NDArray
from problems import halves
from rules import vc
from scipy.special import expit

import bayesvc as bv
from bayesvc.bench import feynman
from bayesvc.bench.scores import score
from bayesvc.measures._relevance_model import evidence

FloatArray = NDArray[np.float64]

RESULTS = Path(__file__).parent / "results" / "splits.json"
ABOUT = ("explained", "explained by a split", "evenness", "size of the node", "at the root")
THIN = 50  # every so many draws
GUARD = 0.02


def of_trees(arrays: dict[str, Any], X: FloatArray, sigma: FloatArray) -> FloatArray:
    """Return sums over the splits of a draw: number, and what `ABOUT` says of them."""
    variable, right, value = arrays["variable"], arrays["right"], arrays["value"]
    starts = arrays["tree_start"].astype(int).reshape(-1, int(arrays["n_trees"][0]))
    n = len(X)
    sums = np.zeros((5, X.shape[1]))

    def visit(k: int, rows: NDArray[np.intp], variance: float, depth: int) -> tuple[int, float]:
        if variable[k] < 0:
            return len(rows), value[k]
        goes_left = X[rows, variable[k]] <= value[k]
        a, mean_a = visit(k + 1, rows[goes_left], variance, depth + 1)
        b, mean_b = visit(k + right[k], rows[~goes_left], variance, depth + 1)
        explained = a * b / (a + b) * (mean_a - mean_b) ** 2 / variance
        sums[:, variable[k]] += 1, explained, min(a, b) / (a + b), (a + b) / n, depth == 0
        return a + b, (a * mean_a + b * mean_b) / (a + b)

    draws = range(THIN - 1, len(starts), THIN)
    for d in draws:
        for k in starts[d]:
            visit(int(k), np.arange(n), sigma[d] ** 2, 0)
    return sums / len(draws)


def of_data(name: str, snr: float) -> dict[str, Any]:
    """Fit one data set and return the evidence, what the splits say, and the truth."""
    data = feynman.load_authors(name, 500, snr)
    fits = bv.sample(
        data.X, data.y, n_replicates=10, random_state=0, keep_trees=True, n_jobs=1
    )  # fmt: skip
    scaled = fits.sigma / np.ptp(data.y)
    sums = np.mean(
        [of_trees(f.to_arrays(), data.X, s) for f, s in zip(fits.forests, scaled, strict=True)],
        axis=0,
    )
    number, explained, even, size, root = sums
    usual = np.array([[0.1], [0.2], [0.7], [0.4]])
    shares = (np.array([explained, even, size, root]) + GUARD * usual) / (number + GUARD)
    further = np.vstack([np.log(explained + 0.1), np.log(shares[0] + 0.1), shares[1:]]).T
    truth = np.isin(np.arange(data.X.shape[1]), data.relevant)
    return {
        "class": feynman.equation(name).equiv_class, "truth": truth, "relevant": data.relevant,
        "rows": np.hstack([evidence(fits.vc, fits.mpvip), further]),
        "vc_f1": score(vc(fits), data.relevant).f1,
    }  # fmt: skip


def main() -> None:
    names = halves()[0]
    work = (delayed(of_data)(name, snr) for snr in (0.25, 1.0) for name in names)
    sets = Parallel(n_jobs=2)(work)
    classes = sorted({one["class"] for one in sets})
    fold = {c: i % FOLDS for i, c in enumerate(classes)}
    variants = {"evidence alone": ALL}
    variants |= {f"with {name}": [*ALL, 7 + i] for i, name in enumerate(ABOUT)}
    variants["with all of these"] = list(range(12))
    found = []
    for name, columns in variants.items():
        learned = []
        for k in range(FOLDS):
            part = [one for one in sets if fold[one["class"]] != k]
            rows = np.vstack([one["rows"][:, columns] for one in part])
            truth = np.concatenate([one["truth"] for one in part])
            learned.append(regression(rows, truth, np.ones(len(truth))))
        given = [expit(one["rows"][:, columns] @ learned[fold[one["class"]]]) for one in sets]
        pairs = list(zip(given, sets, strict=True))
        right = [np.where(one["truth"], p, 1 - p) for p, one in pairs]
        gain = [score(p >= 0.5, one["relevant"]).f1 - one["vc_f1"] for p, one in pairs]
        losses = [-np.log(np.clip(p, 1e-9, 1)).sum() for p in right]
        found.append(
            {"evidence": name, "loss": round(float(np.mean(losses)), 3),
             "gain over the VC-measure": round(float(np.mean(gain)), 4)}
        )  # fmt: skip
        print(found[-1])
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
