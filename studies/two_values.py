"""Is a driver of two values found among few columns and among many?

    python studies/two_values.py

It needs one split where others need many, so it has few of them. Two continuous columns drive y
beside it; the noise has a standard deviation of 1. Ten DART fits with the default settings.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import bayesvc as bv

RESULTS = Path(__file__).parent / "results" / "two_values.json"
METHODS = ("dart-relevance", "dart-vc")
COLUMNS = (5, 10, 30, 300)
EFFECTS = (2.0, 0.7)
DATA_SETS = 20
ROWS = 400


def found(p: int, effect: float, seed: int) -> tuple[float, list[bool], list[int]]:
    """Return the probability of relevance of the driver; for each method whether it selects it,
    and how many irrelevant columns it selects.
    """
    rng = np.random.default_rng([seed, p, round(10 * effect)])
    X = rng.uniform(-2, 2, size=(ROWS, p))
    X[:, 0] = rng.integers(0, 2, ROWS)
    y = effect * X[:, 0] + 3 * np.sin(X[:, 1]) + X[:, 2] ** 2 + rng.normal(size=ROWS)
    both = bv.compare(X, y, METHODS, random_state=seed, signal_test=False, n_jobs=1)
    masks = [both[method].mask for method in METHODS]
    finds, false = [bool(mask[0]) for mask in masks], [int(mask[3:].sum()) for mask in masks]
    return float(both["dart-relevance"].values[0]), finds, false


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for p in COLUMNS:
        for effect in EFFECTS:
            work = (delayed(found)(p, effect, seed) for seed in range(DATA_SETS))
            probability, finds, false = zip(*Parallel(n_jobs=options.jobs)(work), strict=True)
            low, middle, high = np.quantile(probability, (0, 0.5, 1)).round(3).tolist()
            rows.append(
                {
                    "columns": p, "effect": effect, "data_sets": DATA_SETS,
                    "found": dict(zip(METHODS, np.sum(finds, axis=0).tolist(), strict=True)),
                    "false": dict(zip(METHODS, np.sum(false, axis=0).tolist(), strict=True)),
                    "least_probability": low, "median": middle, "largest": high,
                }
            )  # fmt: skip
            print(rows[-1], flush=True)
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
