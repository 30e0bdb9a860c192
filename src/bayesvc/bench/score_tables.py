"""Tables of scores: means of cells, ranks, sensitivity to the replicates, runtimes.

Means are the paper's: over the seeds of an equation first, then over equations.
"""

from __future__ import annotations

import polars as pl

from bayesvc.bench import paper
from bayesvc.bench.result_rows import (
    CELL,
    RUN,
    SCORES,
    TASK,
    common_tasks,
    default_replicates,
    study_rows,
)

_ONE_REPLICATE = {"dart-vc": "dart/vc/clustering", "bart-vc": "bart/vc/clustering"}


def cell_means(rows: pl.DataFrame) -> pl.DataFrame:
    """Compute mean scores by cell, method and number of replicates.

    Returns
    -------
    polars.DataFrame
        `n_problems`, `n_seeds`, `n_runs`, `n_failed`; `f1`, `tpr`, `fpr`, `seconds`; `se`, the
        standard error of `f1` with equations as units; and `runs_per_problem`, their harmonic
        mean, on which the error from the seeds depends.

    Examples
    --------
    >>> from bayesvc.bench import paper, score_tables
    >>> cells = score_tables.cell_means(paper.as_rows())
    >>> cells.filter(method="bart-vc", n=500, snr=1.0)["f1"].round(4).item()
    0.8225
    """
    rows = study_rows(rows)
    by_cell = [*CELL, *RUN]
    seeds = rows.group_by(by_cell).agg(
        n_seeds=pl.col("seed").n_unique(),
        n_runs=pl.len(),
        n_failed=pl.col("error").is_not_null().sum(),
    )
    by_problem = rows.group_by([*by_cell, "problem"]).agg(
        pl.col(*SCORES, "seconds").mean(), runs=pl.len()
    )
    means = by_problem.group_by(by_cell).agg(
        pl.col(*SCORES, "seconds").mean(),
        n_problems=pl.len(),
        se=pl.col("f1").std() / pl.len().sqrt(),
        runs_per_problem=1 / (1 / pl.col("runs")).mean(),
    )
    return means.join(seeds, on=by_cell).sort("method", "n_replicates", *CELL)


def over_cells(rows: pl.DataFrame) -> pl.DataFrame:
    """Compute mean scores over all cells by method and number of replicates, best F1 first.

    Examples
    --------
    >>> from bayesvc.bench import paper, score_tables
    >>> score_tables.over_cells(paper.as_rows())["method"][0]
    'dart-vc'
    """
    cells = cell_means(rows).group_by("method", "n_replicates")
    means = cells.agg(pl.col("n_failed").sum(), pl.col(*SCORES).mean(), cells=pl.len())
    return means.sort("f1", descending=True).select(pl.exclude("n_failed"), "n_failed")


def first_places(rows: pl.DataFrame, method: str = "dart-vc") -> pl.DataFrame:
    """Rank a method by F1 among the paper's methods that were run, cell by cell.

    Cells in which no other of them was run are left out. `margin` is to the best other method.

    Examples
    --------
    >>> from bayesvc.bench import paper, score_tables
    >>> places = score_tables.first_places(paper.as_rows())
    >>> (places["rank"] == 1).sum()
    36
    """
    shared = common_tasks(default_replicates(study_rows(rows)), {*paper.PAPER_NAMES, method})
    cells = cell_means(shared)
    other = pl.col("method") != method
    own = pl.col("f1").filter(~other).first()
    return (
        cells.sort("f1", descending=True)
        .group_by(CELL)
        .agg(
            own.alias("f1"),
            n_methods=pl.len(),
            n_problems=pl.col("n_problems").first(),
            rank=1 + (pl.col("f1").filter(other) > own).sum(),
            best_other=pl.col("method").filter(other).first(),
            margin=own - pl.col("f1").filter(other).max(),
        )
        .drop_nulls("margin")
        .sort(CELL)
    )


def sensitivity(rows: pl.DataFrame, method: str = "dart-vc") -> pl.DataFrame:
    """Compute the change in F1 with fewer replicates than the most that were run.

    Each run is compared with the run on the same data with `reference` replicates, the most in the
    cell.
    `change` is the mean over seeds, then equations; `change_median` the median over seeds, then
    the mean over equations, as in the paper, which had ten seeds. `paper` is the paper's change
    from the same reference; for one below 20 a difference of two medians' means.

    With one replicate the authors clustered the split counts alone: for dart-vc the results of the
    method "dart/vc/clustering" are used where there are any.

    Examples
    --------
    >>> from bayesvc.bench import paper, score_tables
    >>> table = score_tables.sensitivity(paper.as_rows())
    >>> table.filter(n=500, snr=0.25, n_replicates=2)["change"].round(4).item()
    -0.0109
    """
    runs = study_rows(rows).filter(pl.col("n_replicates") > 0)
    alone = runs.filter(pl.col("method") == _ONE_REPLICATE.get(method, ""), n_replicates=1)
    alone = alone.with_columns(method=pl.lit(method))
    runs = pl.concat([alone, runs.filter(pl.col("method") == method)])
    runs = runs.unique([*TASK, "n_replicates"], keep="first", maintain_order=True)
    runs = runs.with_columns(reference=pl.col("n_replicates").max().over(CELL))
    most = runs.filter(pl.col("n_replicates") == pl.col("reference"))
    pairs = runs.join(most.select(*TASK, best="f1"), on=TASK).with_columns(
        change=pl.col("f1") - pl.col("best")
    )
    keys = [*CELL, "n_replicates", "reference"]
    by_problem = pairs.group_by([*keys, "problem"]).agg(
        pl.col("change").mean(), change_median=pl.col("change").median()
    )
    means = by_problem.group_by(keys).agg(
        pl.col("change", "change_median").mean(), n_problems=pl.len()
    )
    seeds = pairs.group_by(keys).agg(n_seeds=pl.col("seed").n_unique())
    table = means.join(seeds, on=keys).filter(pl.col("n_replicates") < pl.col("reference"))
    return _with_papers_changes(table, method).sort(*CELL, "n_replicates")


def next_best(rows: pl.DataFrame) -> pl.DataFrame:
    """Find the best of the paper's seven existing methods that were run, cell by cell.

    `change` is its F1 minus that of dart-vc with the most replicates in the cell.

    Examples
    --------
    >>> from bayesvc.bench import paper, score_tables
    >>> best = score_tables.next_best(paper.as_rows())
    >>> best.filter(n=500, snr=5.0).select("method", "n_methods").row(0)
    ('bart-vip-gse', 7)
    """
    rows = study_rows(rows)
    others = default_replicates(rows.filter(pl.col("method").is_in(paper.EXISTING)))
    most = pl.col("n_replicates").max().over(CELL)
    own = rows.filter(method="dart-vc").filter(pl.col("n_replicates") == most)
    cells = cell_means(common_tasks(pl.concat([others, own]), {*paper.EXISTING, "dart-vc"}))
    other = pl.col("method") != "dart-vc"
    return (
        cells.sort("f1", descending=True)
        .group_by(CELL)
        .agg(
            pl.col("method", "f1").filter(other).first(),
            n_methods=other.sum(),
            n_problems=pl.col("n_problems").first(),
            change=pl.col("f1").filter(other).first() - pl.col("f1").filter(~other).first(),
        )
        .drop_nulls("change")
        .sort(CELL)
    )


def runtimes(rows: pl.DataFrame, *, by_n: bool = False) -> pl.DataFrame:
    """Compute seconds per run by (n, p), or by n, beside the authors'.

    Ours are medians over runs and equations, so that a run during which the machine slept does not
    count. `ratio` is the authors' time divided by ours. A run that failed has no time. By n it is
    the mean over the values of p in the rows, each counted once, as in the paper's table.

    Examples
    --------
    >>> from bayesvc.bench import paper, score_tables
    >>> table = score_tables.runtimes(paper.as_rows())
    >>> table.filter(method="dart-vc", n=500, p=51)["seconds"].round(1).item()
    82.3
    """
    runs = default_replicates(study_rows(rows)).filter(pl.col("error").is_null())
    by_problem = runs.group_by("method", "n", "p", "problem").agg(pl.col("seconds").median())
    theirs = paper.runtimes().rename({"seconds": "paper"})
    both = by_problem.join(theirs, on=["method", "n", "p"], how="left")
    keys = ["method", "n", "p"]
    times = both.group_by(keys).agg(pl.col("seconds", "paper").median(), n_problems=pl.len())
    if by_n:
        keys = ["method", "n"]
        times = times.group_by(keys).agg(
            pl.col("seconds", "paper").mean(), pl.col("n_problems").sum()
        )
    return times.with_columns(ratio=pl.col("paper") / pl.col("seconds")).sort(keys)


def _with_papers_changes(table: pl.DataFrame, method: str) -> pl.DataFrame:
    if method != "dart-vc":
        return table.with_columns(paper=pl.lit(None, pl.Float64))
    keys = ["n", "snr", "n_replicates"]
    changes = paper.sensitivity().drop_nulls("n_replicates").select(*keys, paper="delta_f1")
    twenty = changes.select("n", "snr").unique().with_columns(n_replicates=20, paper=0.0)
    changes = pl.concat([changes, twenty.cast({"n_replicates": pl.Int64})])
    base = changes.rename({"n_replicates": "reference", "paper": "_base"})
    joined = table.join(changes, on=keys, how="left").join(
        base, on=["n", "snr", "reference"], how="left"
    )
    return joined.with_columns(paper=pl.col("paper") - pl.col("_base")).drop("_base")
