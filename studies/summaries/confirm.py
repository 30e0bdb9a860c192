"""Compare a rule with another on the rows of ``score.py``, cell by cell and over all.

    python studies/summaries/confirm.py confirmed.parquet

What is compared, and what would count as success, is in the README of this folder.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl
from score import NEW, OLD, ORACLE

from bayesvc.bench import paired
from bayesvc.bench.result_rows import TASK


def pairs_of(
    rows: pl.DataFrame, prior: str, fits: int, new: str = NEW, old: str = OLD
) -> pl.DataFrame:
    """Return both rules' scores, one row per data set, and the F1 of the best cut."""
    as_results = rows.filter(prior=prior).select(
        pl.lit("authors").alias("data"), pl.col("problem").cast(str), "n", "snr", "seed",
        pl.col("rule").cast(str).alias("method"), pl.col("fits").alias("n_replicates"),
        pl.col("f1", "tpr", "fpr").cast(pl.Float64).round(6),
        pl.lit(None, pl.String).alias("error"),
    )  # fmt: skip
    best = as_results.filter(method=ORACLE, n_replicates=fits).select(*TASK, best="f1")
    return paired.paired(as_results, new, old, fits).join(best, on=TASK)


def by_cell(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the difference in every cell, with the mean F1 of the best cut."""
    cells = paired.by_cell(pairs)
    best = pairs.group_by("n", "snr").agg(pl.col("best").mean())
    return cells.drop("data").join(best, on=["n", "snr"]).sort("n", "snr")


def by_seed(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the difference of every seed, and their mean with its standard error."""
    seeds = pairs.group_by("seed").agg(pl.col("f1", "f1_against", "difference").mean()).sort("seed")
    mean, se, _, _ = paired.mean_difference(pairs.with_columns(unit="seed"))
    means = [seeds[name].mean() for name in ("f1", "f1_against")]
    whole = pl.DataFrame([["mean", *means, mean, se]], [*seeds.columns, "se"], orient="row")
    return pl.concat([seeds.with_columns(pl.col("seed").cast(str)), whole], how="diagonal")


def summarise(rows: pl.DataFrame, prior: str, fits: int, new: str = NEW, old: str = OLD) -> str:
    """Return the verdict in words."""
    pairs = pairs_of(rows, prior, fits, new, old)
    cells, found = by_cell(pairs), paired.summarize_pairs(pairs)
    classes = pairs.group_by("unit").agg(pl.col("difference").sum())["difference"].round(6)
    return (
        f"{prior}, {fits} fits: {new} against {old}\n"
        f"F1 {cells['f1'].mean():.4f} against {cells['f1_against'].mean():.4f} "
        f"(mean of {found['cells']} cells; best cut {cells['best'].mean():.4f})\n"
        f"mean difference over {found['data_sets']} data sets {found['mean']:.4f}, "
        f"se {found['se']:.4f}; over cells {found['mean_of_cells']:.4f}\n"
        f"data sets better {(pairs['difference'] > 0).sum()}, "
        f"worse {(pairs['difference'] < 0).sum()}; of {found['classes']} classes of equations "
        f"better {(classes > 0).sum()}, worse {(classes < 0).sum()}\n"
        f"cells better {found['cells_better']}, worse {found['cells_worse']}, equal "
        f"{found['cells_equal']}, of them both perfect {found['cells_both_perfect']}; worse after "
        f"Holm's correction (5 %) {found['cells_worse_after_holm']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    options = parser.parse_args()
    rows = pl.read_parquet(options.rows)
    for prior in sorted(rows["prior"].cast(str).unique(), reverse=True):
        for fits in (10, 5, 2):
            print(summarise(rows, prior, fits), end="\n\n")


if __name__ == "__main__":
    main()
