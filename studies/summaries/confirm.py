"""Compare a rule with another on the rows of ``score.py``, cell by cell and over all.

    python studies/summaries/confirm.py confirmed.parquet

What is compared, and what would count as success, is in the README of this folder.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import t as student

from bayesvc.bench import feynman

FloatArray = NDArray[np.float64]

NEW = "probability of relevance >= 0.5"
OLD = "VC-measure, as in the paper"
ORACLE = "the best cut of the mean count, knowing the truth"
CELL = ["n", "snr"]


def differences(rows: pl.DataFrame, prior: str, fits: int, new: str, old: str) -> pl.DataFrame:
    """Return F1, TPR and FPR of both rules, and of the best cut, one row per data set."""
    own = rows.filter(prior=prior, fits=fits)
    keys = [*CELL, "problem", "seed"]
    parts = {
        name: own.filter(rule=rule).select(*keys, *(pl.col(s).alias(f"{name}_{s}") for s in
                                                    ("f1", "tpr", "fpr")))
        for name, rule in (("new", new), ("old", old), ("best", ORACLE))
    }  # fmt: skip
    found = parts["new"].join(parts["old"], on=keys).join(parts["best"], on=keys)
    classes = {name: feynman.equation(name).equiv_class for name in found["problem"].unique()}
    return found.with_columns(
        unit=pl.col("problem").replace_strict(classes),
        difference=(pl.col("new_f1") - pl.col("old_f1")).round(6),
    )


def mean_and_error(difference: FloatArray, unit: NDArray[Any]) -> tuple[float, float, int]:
    """Return the mean, its standard error with classes of equations as units, and their number."""
    names = np.unique(unit)
    residual = difference - difference.mean()
    sums = np.array([residual[unit == name].sum() for name in names])
    k = len(names)
    return (
        float(difference.mean()),
        float(np.sqrt((sums**2).sum() * k / max(k - 1, 1)) / len(difference)),
        k,
    )


def by_cell(found: pl.DataFrame) -> pl.DataFrame:
    """Return the difference in every cell, with the probability that it is that low by chance."""
    rows = []
    for key, part in found.group_by(CELL, maintain_order=True):
        mean, error, k = mean_and_error(part["difference"].to_numpy(), part["unit"].to_numpy())
        lower = float(student.cdf(mean / error, k - 1)) if error > 0 else 1.0
        both_perfect = bool((part["new_f1"] == 1).all() and (part["old_f1"] == 1).all())
        rows.append(
            {
                **dict(zip(CELL, key, strict=True)), "data_sets": part.height,
                **{c: part[c].mean() for c in ("new_f1", "old_f1", "best_f1", "new_tpr", "old_tpr",
                                               "new_fpr", "old_fpr")},
                "difference": mean, "se": error, "p_worse": lower, "both_perfect": both_perfect,
            }
        )  # fmt: skip
    table = pl.DataFrame(rows).sort(CELL)
    return table.with_columns(holm=pl.Series(holm(table["p_worse"].to_numpy())))


def holm(p: FloatArray) -> FloatArray:
    """Return p-values after Holm's correction."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    found = np.empty(len(p))
    found[order] = np.minimum(stepped, 1)
    return found


def summarise(rows: pl.DataFrame, prior: str, fits: int, new: str = NEW, old: str = OLD) -> str:
    """Return the verdict in words, and the table of cells."""
    found = differences(rows, prior, fits, new, old)
    cells = by_cell(found)
    mean, error, k = mean_and_error(found["difference"].to_numpy(), found["unit"].to_numpy())
    by_cells = cells["difference"].mean()
    better, worse = (cells["difference"] > 0).sum(), (cells["difference"] < 0).sum()
    lines = [
        f"{prior}, {fits} fits: {new} against {old}",
        f"F1 {cells['new_f1'].mean():.4f} against {cells['old_f1'].mean():.4f} "
        f"(mean of {cells.height} cells; best cut {cells['best_f1'].mean():.4f})",
        f"mean difference over {found.height} data sets {mean:.4f}, se {error:.4f} ({k} classes); "
        f"over cells {by_cells:.4f}",
        f"better in {better} cells, worse in {worse}, equal in {cells.height - better - worse}, of "
        f"them perfect both {cells['both_perfect'].sum()}",
        f"cells worse after Holm's correction (5 %): {(cells['holm'] < 0.05).sum()}",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    options = parser.parse_args()
    rows = pl.read_parquet(options.rows)
    for prior in ("dart", "bart"):
        for fits in (10, 5, 2):
            print(summarise(rows, prior, fits), end="\n\n")
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_formatting="ASCII_MARKDOWN", float_precision=4):
        print(by_cell(differences(rows, "dart", 10, NEW, OLD)))


if __name__ == "__main__":
    main()
