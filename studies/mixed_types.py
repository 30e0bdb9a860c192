"""Do measures treat binary, 5-level and continuous variables alike, and how to code categories?

    python studies/mixed_types.py            # 40 data sets
    python studies/mixed_types.py --quick    # three

Of each kind of column (binary, five unordered levels, continuous) twenty, of which two matter, with
the same share of the signal each; the others have nothing to do with y (500 rows, SNR 1). The
effects of the levels are (0, 2, -1, 2, 0) and (3, 0, 0, 0, 0). The categories are given

native      as one variable, split by subsets of the levels
pooled      as five indicator columns in one group
separate    as five indicator columns on their own; a variable is found if one of them is
numbers     as the numbers 0 to 4

and judged by VIP and MI with permutations, by inclusion, and by the VC-measure.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from joblib import Parallel, delayed

import bayesvc as bv

RESULTS = Path(__file__).parent / "results" / "mixed_types.json"
METHODS = ("bart-vip-local", "bart-mi-local", "bart-vc", "dart-vc", "dart-mpm", "bart-vip-gse")
KINDS = ("binary", "levels", "continuous")
CODINGS = ("native", "pooled", "separate", "numbers")
N, EACH = 500, 20
LEVEL_EFFECTS = np.array([[0.0, 2.0, -1.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0, 0.0]])


def problem(seed: int) -> tuple[pd.DataFrame, np.ndarray[Any, np.dtype[np.float64]]]:
    """Draw the columns, the first two of each kind relevant, and the response."""
    rng = np.random.default_rng([seed, 77])
    columns: dict[str, Any] = {}
    for j in range(EACH):
        columns[f"binary_{j}"] = rng.integers(0, 2, N)
        columns[f"levels_{j}"] = rng.integers(0, 5, N)
        columns[f"continuous_{j}"] = rng.uniform(size=N)
    effects = [
        columns["binary_0"],
        columns["binary_1"] * (columns["continuous_0"] > 0.3),
        LEVEL_EFFECTS[0][columns["levels_0"]],
        LEVEL_EFFECTS[1][columns["levels_1"]],
        np.sin(2 * np.pi * columns["continuous_0"]),
        np.abs(columns["continuous_1"] - 0.5),
    ]
    signal = sum((effect - effect.mean()) / effect.std() for effect in effects)
    return pd.DataFrame(columns), signal + signal.std() * rng.standard_normal(N)


def coded(frame: pd.DataFrame, coding: str) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Return the columns as `coding` says, and which of them belong to each variable."""
    names = [name for name in frame if name.startswith("levels")]
    if coding == "numbers":
        return frame, {}
    if coding == "native":
        return frame.astype(dict.fromkeys(names, "category")), {}
    wide = pd.get_dummies(frame, columns=names, dtype=float)
    return wide, {name: [c for c in wide if c.startswith(f"{name}_")] for name in names}


def rows_of(seed: int, draws: int) -> list[dict[str, Any]]:
    """Run every method on every coding of one data set."""
    frame, y = problem(seed)
    rows = []
    for coding in CODINGS:
        X, members = coded(frame, coding)
        groups = members if coding == "pooled" else None
        compared = bv.compare(
            X, y, list(METHODS), groups=groups, burn_in=draws, n_draws=draws, random_state=seed,
            n_jobs=1, signal_test=False,
        )  # fmt: skip
        for method, found in compared.items():
            chosen = set(found.names)
            for kind in KINDS:
                hits = [
                    bool(chosen & {name, *(members.get(name, ()) if coding == "separate" else ())})
                    for name in (f"{kind}_{j}" for j in range(EACH))
                ]
                rows.append(
                    {
                        "seed": seed, "coding": coding, "method": method, "kind": kind,
                        "tpr": float(np.mean(hits[:2])), "fpr": float(np.mean(hits[2:])),
                    }
                )  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    seeds, draws = (range(3), 300) if options.quick else (range(40), 1000)
    parts = Parallel(n_jobs=options.jobs)(delayed(rows_of)(seed, draws) for seed in seeds)
    table = (
        pl.DataFrame([row for part in parts for row in part])
        .group_by("method", "coding", "kind")
        .agg(
            tpr=pl.col("tpr").mean(),
            tpr_se=pl.col("tpr").std() / pl.len().sqrt(),
            fpr=pl.col("fpr").mean(),
            fpr_se=pl.col("fpr").std() / pl.len().sqrt(),
        )
        .sort("method", "coding", "kind")
    )
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_formatting="ASCII_MARKDOWN", float_precision=3):
        print(table)
    if not options.quick:
        RESULTS.write_text(json.dumps(table.to_dicts(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
