"""Selection from censored times: the default method, and what one would do without it.

Friedman's function and two equations, p columns of which five or three matter, normal errors. The
response is exp of the standardised signal plus noise; limits are normal too, shifted so that a
given proportion of the rows is right-censored. Compared by F1, over the same data sets:

- observed: the log times before censoring, as a continuous response;
- censored: the censored times, as bv.Surv;
- events: the log times of the rows whose event was observed, the others dropped;
- ignored: the log of what was observed, censored or not, as a continuous response.

    .venv/bin/python studies/censoring.py --data-sets 20 --out studies/results/censoring.json
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

import bayesvc as bv

Array = NDArray[np.float64]


def friedman(X: Array) -> Array:
    """Five of the columns matter."""
    wave = np.sin(np.pi * X[:, 0] * X[:, 1])
    return 10 * wave + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def product(X: Array) -> Array:
    """Three columns, multiplied."""
    return (1 + X[:, 0]) * (1 + X[:, 1]) / (1 + X[:, 2])


def wave(X: Array) -> Array:
    """Three columns, of which two interact without effects of their own."""
    return np.sin(2 * np.pi * X[:, 0]) * (X[:, 1] - 0.5) * 2 + X[:, 2]


EQUATIONS: dict[str, tuple[Callable[[Array], Array], int]] = {
    "friedman": (friedman, 5),
    "product": (product, 3),
    "wave": (wave, 3),
}


def f1(selected: NDArray[np.intp], n_relevant: int) -> float:
    """0 where nothing is selected."""
    right = int((selected < n_relevant).sum())
    return 2 * right / (len(selected) + n_relevant) if len(selected) else 0.0


def one_data_set(
    name: str, n: int, p: int, snr: float, share: float, number: int, settings: dict[str, Any]
) -> dict[str, float]:
    """F1 of each way to treat the censored rows."""
    signal, n_relevant = EQUATIONS[name]
    rng = np.random.default_rng([number, n, p, int(100 * snr), int(100 * share)])
    X = rng.uniform(size=(n, p))
    f = signal(X)
    z = f / f.std() + rng.normal(scale=snr**-0.5, size=n)
    sd = z.std()
    limit = z.mean() + sd * (rng.normal(size=n) - np.sqrt(2) * norm.ppf(share))
    seen, event = np.minimum(z, limit), z <= limit
    responses = {
        "observed": (X, z),
        "censored": (X, bv.Surv(np.exp(seen), event)),
        "events": (X[event], z[event]),
        "ignored": (X, seen),
    }
    found = {"share": float(1 - event.mean())}
    for way, (rows, y) in responses.items():
        chosen = bv.select(rows, y, random_state=number, n_jobs=1, **settings).selected
        found[way] = f1(np.asarray(chosen), n_relevant)
        found[f"{way} false"] = float((np.asarray(chosen) >= n_relevant).sum())
    return found


def summary(rows: list[dict[str, float]]) -> dict[str, list[float]]:
    """Mean and standard error of each number."""
    return {
        name: [
            float(np.mean([row[name] for row in rows])),
            float(np.std([row[name] for row in rows], ddof=1) / np.sqrt(len(rows))),
        ]
        for name in rows[0]
    }


def main() -> None:
    """Run the study, and write a table after every cell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-sets", type=int, default=20)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--snr", type=float, default=2.0)
    parser.add_argument("--iterations", type=int, default=1000, help="burn-in, and draws")
    parser.add_argument("--replicates", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    settings = {
        "n_replicates": given.replicates, "burn_in": given.iterations,
        "n_draws": given.iterations, "row_stability": False,
    }  # fmt: skip
    cells: dict[str, Any] = {}
    warnings.simplefilter("ignore", bv.exceptions.BayesvcWarning)
    for share in (0.3, 0.6):
        for name in EQUATIONS:
            rows = [
                one_data_set(name, given.rows, given.columns, given.snr, share, number, settings)
                for number in range(given.data_sets)
            ]
            cells[f"{name}, {share:.0%} censored"] = summary(rows)
            about = {key: value for key, value in vars(given).items() if key != "out"}
            given.out.write_text(json.dumps({"settings": about, "cells": cells}, indent=1) + "\n")
            means = {way: round(value[0], 3) for way, value in summary(rows).items()}
            print(f"{name}, {share:.0%}: {means}", flush=True)


if __name__ == "__main__":
    main()
