"""Compare our cell means with the paper's, with the error of a partial replication.

The error of a difference in F1 comes from three places:

Seeds. `sd_within_eq` of the paper's runs gives the variance of one seed's mean over E equations
as ``within**2 / E``, were equations independent. They share rows and noise, so a seed's mean moves
more: the ten seeds' own `sd_of_seed_means` shows it, but with 9 degrees of freedom a cell. Its
square over ``within**2 / 100`` scatters over the cells of one SNR just as chi-squared with 9 does,
so its mean over methods and n is taken there: 1.4 at SNR 0.25, 1.2 at 0.5, 0.9 to 1.1 above.

The paper's own mean over ten seeds. On fresh data it adds a tenth of one seed's variance. On the
authors' data k of its ten seeds are ours: if all of the spread came from the data, the variance of
the difference would be ``v / k - v / 10``, if all of it came from the samplers ``v / k + v / 10``.
Half and half gives ``v / k``, which is taken; for one seed the error is within 5 percent either
way, for ten it may be between 0 and 1.4 times what is said.

Equations. The paper has no means of single equations, so a subset is compared with the mean over
all 100: ``between**2 * (1 / E - 1 / 100)`` is added. That is right for a random subset only; the
basis says so.

The paper's spread of dart-vc is unknown. Where our rows have two seeds or more for at least 30
equations of a cell, its `sd_within_eq` comes from them; elsewhere that of bart-vc is taken.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from bayesvc.bench import paper
from bayesvc.bench.result_rows import CELL, default_replicates, study_rows
from bayesvc.bench.score_tables import cell_means

_LEAST_FREEDOM = 30
_KEYS = ["method", "n", "snr"]


def against_paper(rows: pl.DataFrame) -> pl.DataFrame:
    """Compare every method and cell with the paper.

    Returns
    -------
    polars.DataFrame
        `ours`, `paper`, `difference`, `se` and `z` of F1, and the `basis` of `se`; `z_bug`, for
        which the paper's F1 of the three permutation methods may be anything that its recording
        bug allows, up to `paper_most`; `tpr_difference` and `fpr_difference`. Null where the paper
        has no number.

    Examples
    --------
    >>> from bayesvc.bench import paper, paper_comparison
    >>> table = paper_comparison.against_paper(paper.as_rows())
    >>> table["difference"].abs().max() < 1e-12
    True
    """
    rows = default_replicates(study_rows(rows))
    theirs = paper.results().rename({"f1": "paper", "tpr": "paper_tpr", "fpr": "paper_fpr"})
    bounds = paper.recording_bounds().select(*_KEYS, paper_most="f1_upper")
    table = (
        cell_means(rows)
        .rename({"f1": "ours"})
        .drop("se")
        .join(theirs, on=_KEYS, how="left")
        .join(bounds, on=_KEYS, how="left")
        .join(_spread(rows), on=[*CELL, "method"], how="left")
        .with_columns(
            difference=pl.col("ours") - pl.col("paper"),
            tpr_difference=pl.col("tpr") - pl.col("paper_tpr"),
            fpr_difference=pl.col("fpr") - pl.col("paper_fpr"),
            se=_error(),
        )
    )
    beyond = pl.max_horizontal(0.0, pl.col("ours") - pl.max_horizontal("paper", "paper_most"))
    below = pl.min_horizontal(0.0, pl.col("difference"))
    return table.with_columns(
        z=pl.col("difference") / pl.col("se"),
        z_bug=pl.when(pl.col("paper_most").is_null())
        .then(pl.col("difference"))
        .otherwise(beyond + below)
        / pl.col("se"),
        basis=pl.col("basis")
        + pl.when(pl.col("n_problems") < paper.N_EQUATIONS)
        .then(pl.lit("; as a random subset of equations"))
        .otherwise(pl.lit("")),
    ).select(
        "method", *CELL, "n_problems", "n_seeds", "n_failed", "ours", "paper", "difference",
        "se", "z", "paper_most", "z_bug", "basis", "tpr", "tpr_difference", "fpr",
        "fpr_difference",
    )  # fmt: skip


def count_agreeing_cells(rows: pl.DataFrame) -> pl.DataFrame:
    """Count each method's cells within 2 standard errors of the paper, and beyond 3.

    Examples
    --------
    >>> from bayesvc.bench import paper, paper_comparison
    >>> paper_comparison.count_agreeing_cells(paper.as_rows()).filter(method="dart-vc").select(
    ...     "n_cells", "within_2"
    ... ).row(0)
    (36, 36)
    """
    table = against_paper(rows).drop_nulls("z")
    size = pl.col("z").abs()
    return (
        table.group_by("data", "method")
        .agg(
            n_cells=pl.len(),
            within_2=(size <= 2).sum(),
            beyond_3=(size > 3).sum(),
            within_2_bug=(pl.col("z_bug").abs() <= 2).sum(),
            mean_difference=pl.col("difference").mean(),
            worst_n=pl.col("n").sort_by(size).last(),
            worst_snr=pl.col("snr").sort_by(size).last(),
            worst_z=pl.col("z").sort_by(size).last(),
        )
        .sort("data", "method")
    )


def mean_difference_from_paper(rows: pl.DataFrame, method: str = "dart-vc") -> pl.DataFrame:
    """Compute the mean difference from the paper over all cells, with seeds as units.

    The cells of a seed are correlated, so the error does not shrink with their number. Assume that
    a seed shifts all its cells by the same amount, and let its weight ``w`` be its proportion of
    the runs of a cell, averaged over cells. Then the error is ``sd * sqrt(sum(w**2))``. On the
    basis "own seeds", `sd` is that of the seeds' means over the cells in which several seeds were
    run, and `df` is the number of seeds minus one: with few of them, compare with Student's t. On
    the basis "cells move as one" it is the mean of the cells' standard deviations, an upper bound.

    Examples
    --------
    >>> from bayesvc.bench import paper, paper_comparison
    >>> table = paper_comparison.mean_difference_from_paper(paper.as_rows())
    >>> table["mean_difference"].abs().item() < 1e-12
    True
    """
    chosen = default_replicates(study_rows(rows)).filter(pl.col("method") == method)
    found = []
    for (data,), part in chosen.sort("data").group_by("data", maintain_order=True):
        cells = against_paper(part).drop_nulls("z")
        if cells.height:
            found += _mean_differences(str(data), method, part, cells)
    return pl.DataFrame(found, schema=_MEAN_TYPES)


_MEAN_TYPES = {
    "method": pl.String,
    "data": pl.String,
    "n_cells": pl.Int64,
    "n_seeds": pl.Int64,
    "mean_difference": pl.Float64,
    "se": pl.Float64,
    "z": pl.Float64,
    "df": pl.Int64,
    "basis": pl.String,
}


def _mean_differences(
    data: str, method: str, runs: pl.DataFrame, cells: pl.DataFrame
) -> list[dict[str, Any]]:
    places = runs.join(cells.select("n", "snr"), on=["n", "snr"]).select("n", "snr", "seed")
    share = places.unique().with_columns(share=1 / pl.len().over("n", "snr"))
    weights = share.group_by("seed").agg(pl.col("share").sum() / cells.height)["share"]
    reduction = math.sqrt(float((weights**2).sum()) + _papers_share(data))
    mean = float(cells["difference"].to_numpy().mean())
    one_seed = cells.with_columns(
        sd=pl.col("se") / (1 / pl.col("n_seeds") + _papers_share(data)).sqrt()
    )
    spreads: dict[str, tuple[float, int | None]] = {
        "cells move as one": (float(one_seed["sd"].to_numpy().mean()), None)
    }
    own = _own_seeds(runs)
    if own is not None:
        spreads = {"own seeds": own, **spreads}
    common = {"method": method, "data": data, "n_cells": cells.height, "n_seeds": weights.len()}
    return [
        common
        | {"mean_difference": mean, "se": sd * reduction, "z": mean / (sd * reduction)}
        | {"df": df, "basis": basis}
        for basis, (sd, df) in spreads.items()
        if sd > 0
    ]


def _own_seeds(runs: pl.DataFrame) -> tuple[float, int] | None:
    """Return the sd of the seeds' means over the cells that several seeds share, and its df."""
    by_seed = runs.group_by("n", "snr", "seed").agg(pl.col("f1").mean(), problems=pl.len())
    complete = pl.col("problems") == pl.col("problems").max().over("n", "snr")
    by_seed = by_seed.filter(complete)
    several = by_seed.filter(pl.len().over("n", "snr") > 1)
    n_cells = several.select("n", "snr").n_unique()
    seeds = several.group_by("seed").agg(pl.col("f1").mean(), cells=pl.len())
    means = seeds.filter(pl.col("cells") == n_cells)["f1"].to_numpy()
    return None if len(means) < 2 else (float(means.std(ddof=1)), len(means) - 1)


def _papers_share(data: str) -> float:
    return 0.0 if data == "authors" else 1 / paper.N_SEEDS


def _error() -> pl.Expr:
    """Return the standard error of the difference, of columns of `_spread` and `cell_means`."""
    full = paper.N_EQUATIONS
    within, n_problems = pl.col("within") ** 2, pl.col("n_problems")
    together = within * (pl.col("inflation") - 1) / full
    one_seed = within / n_problems + together
    papers = pl.when(pl.col("data") == "authors").then(0.0).otherwise(1 / paper.N_SEEDS)
    subset = pl.col("between") ** 2 * (1 / n_problems - 1 / full).clip(0)
    seeds = one_seed / pl.col("runs_per_problem")
    return (seeds + papers * (within / full + together) + subset).sqrt()


def _spread(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the sd within and between equations, and the inflation, for every cell of `rows`."""
    table = paper.spread()
    ratio = pl.col("sd_of_seed_means") ** 2 / (pl.col("sd_within_eq") ** 2 / paper.N_EQUATIONS)
    inflation = table.group_by("snr").agg(inflation=ratio.mean())
    known = table.select(
        *_KEYS, within="sd_within_eq", between="sd_between_eq", basis=pl.lit("paper's seeds")
    )
    borrowed = known.filter(method="bart-vc").with_columns(
        method=pl.lit("dart-vc"), basis=pl.lit("bart-vc's spread")
    )
    cells = rows.select(*CELL, "method").unique()
    own = _own_within(rows.filter(method="dart-vc"))
    return (
        cells.join(pl.concat([known, borrowed]), on=_KEYS)
        .join(inflation, on="snr")
        .join(own, on=[*CELL, "method"], how="left")
        .with_columns(
            within=pl.coalesce("own", "within"),
            basis=pl.when(pl.col("own").is_null())
            .then(pl.col("basis"))
            .otherwise(pl.lit("own seeds")),
        )
        .drop("own")
    )


def _own_within(rows: pl.DataFrame) -> pl.DataFrame:
    by_problem = rows.group_by(*CELL, "method", "problem").agg(
        variance=pl.col("f1").var(), df=pl.len().cast(pl.Float64) - 1
    )
    pooled = by_problem.group_by(*CELL, "method").agg(
        own=((pl.col("variance") * pl.col("df")).sum() / pl.col("df").sum()).sqrt(),
        df=pl.col("df").sum(),
    )
    enough = (pl.col("df") >= _LEAST_FREEDOM) & (pl.col("own") > 0)
    return pooled.filter(enough).drop("df")
