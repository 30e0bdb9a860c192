"""How long does an irrelevant variable keep its splits, once a chain has picked it up?

    python studies/summaries/dwell.py

Every sixth equation of the first half, fresh data of 500 and 2,000 rows, four fits of each prior
with the counts of every draw kept. A spell is a run of draws in which a variable has a split; those
that began before the kept draws or had not ended after them are as long as what was seen.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from numpy.typing import NDArray
from problems import halves

import bayesvc as bv
from bayesvc.bench import feynman

RESULTS = Path(__file__).parent / "results" / "dwell.json"
PRIORS = {"dart": bv.DART(), "bart": bv.BART()}
SNRS = (0.25, 1.0, 5.0, 20.0, math.inf)
FITS, DRAWS, LONG = 4, 5000, 1000


def spells(present: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the lengths of the runs of True in each column."""
    edge = np.zeros((1, present.shape[1]), dtype=np.int8)
    steps = np.diff(np.vstack([edge, present.astype(np.int8), edge]), axis=0).T
    return np.nonzero(steps == -1)[1] - np.nonzero(steps == 1)[1]


def row_of(name: str, n: int, snr: float, prior: str) -> dict[str, Any]:
    """Sample one data set and look at its irrelevant variables."""
    problem = feynman.load(name, n, snr, seed=1)
    draws = bv.sample(
        problem.X, problem.y, PRIORS[prior], n_replicates=FITS, burn_in=DRAWS, n_draws=DRAWS,
        random_state=1, n_jobs=1, keep_counts=True,
    )  # fmt: skip
    counts = np.delete(np.asarray(draws.counts), problem.relevant, axis=2)
    lengths = np.concatenate([spells(fit > 0) for fit in counts])
    in_forest = int(lengths.sum())
    return {
        "problem": name, "n": n, "snr": snr, "prior": prior, "p": problem.X.shape[1],
        "variables": float((counts > 0).sum(axis=2).mean()),
        "splits": float(counts[counts > 0].mean()) if in_forest else None,
        "mean_spell": float(lengths.mean()) if in_forest else None,
        "in_long": float(lengths[lengths >= LONG].sum() / in_forest) if in_forest else None,
        "whole_fit": float(((counts > 0).all(axis=1)).sum() / FITS),
    }  # fmt: skip


def main() -> None:
    work = [
        delayed(row_of)(name, n, snr, prior)
        for name in halves()[0][::6]
        for n in (500, 2000)
        for snr in SNRS
        for prior in PRIORS
    ]
    rows = pl.DataFrame(Parallel(n_jobs=2)(work))
    table = (
        rows.group_by("prior", "n", "snr")
        .agg(pl.col("variables", "splits", "mean_spell", "in_long", "whole_fit").mean())
        .sort("prior", "n", "snr", descending=[True, False, False])
    )
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_formatting="ASCII_MARKDOWN", float_precision=2):
        print(table)
    found = [row | {"snr": f"{row['snr']:g}"} for row in table.to_dicts()]
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
