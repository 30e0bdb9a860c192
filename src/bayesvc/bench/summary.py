"""Tables made of result rows: cell means, first places, sensitivity to the fits, runtimes.

A row is one data set, method and number of fits. A cell is one kind of data, n and SNR. Means are
the paper's: over the seeds of an equation first, then over equations.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from bayesvc.bench import paper
from bayesvc.selection.methods import RECIPES

CELL = ("data", "n", "snr")
_ONE_FIT = {"dart-vc": "dart/vc/clustering", "bart-vc": "bart/vc/clustering"}
TASK = ("data", "problem", "n", "snr", "seed")
FITS = ("method", "n_replicates", "n_permutations")
SCORES = ("f1", "tpr", "fpr")

_TYPES = {
    "problem": pl.String,
    "data": pl.String,
    "n": pl.Int64,
    "snr": pl.Float64,
    "seed": pl.Int64,
    "p": pl.Int64,
    "method": pl.String,
    "n_replicates": pl.Int64,
    "n_permutations": pl.Int64,
    "n_selected": pl.Int64,
    "fn": pl.Int64,
    "f1": pl.Float64,
    "tpr": pl.Float64,
    "fpr": pl.Float64,
    "seconds": pl.Float64,
    "error": pl.String,
}


def study_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the paper's equations, with the columns and types that tables need.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> summary.study_rows(paper.as_rows()).shape
    (4320, 16)
    """
    missing = [name for name in _TYPES if name not in rows.columns]
    if missing:
        raise ValueError(
            f"rows lacks the columns {', '.join(missing)}; pass the rows of a benchmark's store"
        )
    chosen = rows.select(pl.col(name).cast(kind) for name, kind in _TYPES.items())
    return chosen.filter(pl.col("problem").str.starts_with("feynman_"))


def one_kind(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows on the authors' data or, where there are none, on fresh data.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> summary.one_kind(paper.as_rows())["data"].unique().to_list()
    ['authors']
    """
    rows = study_rows(rows)
    kind = "authors" if (rows["data"] == "authors").any() else "fresh"
    return rows.filter(data=kind)


def default_fits(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with as many fits as the recipe says; methods of users are kept.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> rows = summary.default_fits(paper.as_rows()).filter(method="dart-vc")
    >>> rows["n_replicates"].unique().to_list()
    [10]
    """
    own = pl.DataFrame(
        {
            "method": list(RECIPES),
            "_replicates": [recipe.n_replicates for recipe in RECIPES.values()],
            "_permutations": [recipe.n_permutations for recipe in RECIPES.values()],
        }
    )
    kept = rows.join(own, on="method", how="left", maintain_order="left").filter(
        pl.col("_replicates").is_null()
        | (pl.col("n_replicates") == pl.col("_replicates"))
        & (pl.col("n_permutations") == pl.col("_permutations"))
    )
    return kept.drop("_replicates", "_permutations")


def usual_fits(rows: pl.DataFrame) -> pl.DataFrame:
    """Return `default_fits`; of methods that were only run with other numbers, the largest.

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.bench import paper, summary
    >>> few = paper.as_rows().filter(pl.col("n_replicates").is_between(1, 3), method="dart-vc")
    >>> summary.usual_fits(few)["n_replicates"].unique().to_list()
    [3]
    """
    usual = default_fits(rows)
    others = rows.join(usual.select("method").unique(), on="method", how="anti")
    most = pl.col("n_replicates") == pl.col("n_replicates").max().over("method")
    return pl.concat([usual, others.filter(most)])


def common_tasks(rows: pl.DataFrame, methods: Iterable[str]) -> pl.DataFrame:
    """Return the rows of `methods` on the data sets that all those run in a cell have in common.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> rows = summary.default_fits(paper.as_rows())
    >>> summary.common_tasks(rows, ["dart-vc", "bart-vc"]).height == 2 * 36 * 8
    True
    """
    chosen = rows.filter(pl.col("method").is_in(list(methods)))
    everywhere = pl.col("method").n_unique().over(TASK) == pl.col("method").n_unique().over(CELL)
    return chosen.filter(everywhere)


def cell_means(rows: pl.DataFrame) -> pl.DataFrame:
    """Return mean scores by cell, method and number of fits.

    Returns
    -------
    polars.DataFrame
        `n_problems`, `n_seeds`, `n_runs`, `n_failed`; `f1`, `tpr`, `fpr`, `seconds`; `se`, the
        standard error of `f1` with equations as units; and `runs_per_problem`, their harmonic
        mean, on which the error from the seeds depends.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> cells = summary.cell_means(paper.as_rows())
    >>> cells.filter(method="bart-vc", n=500, snr=1.0)["f1"].round(4).item()
    0.8225
    """
    rows = study_rows(rows)
    by_cell = [*CELL, *FITS]
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
    """Return mean scores over all cells, by method and number of fits, best F1 first.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> summary.over_cells(paper.as_rows())["method"][0]
    'dart-vc'
    """
    cells = cell_means(rows).group_by("method", "n_replicates")
    means = cells.agg(pl.col("n_failed").sum(), pl.col(*SCORES).mean(), cells=pl.len())
    return means.sort("f1", descending=True).select(pl.exclude("n_failed"), "n_failed")


def failures(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the methods that failed, on how many of how many data sets, and the first reason.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> summary.failures(paper.as_rows().with_columns(error=None)).height
    0
    """
    lost = pl.col("error").is_not_null()
    found = rows.group_by("method", "n_replicates", maintain_order=True).agg(
        failed=lost.sum(), runs=pl.len(), error=pl.col("error").drop_nulls().first()
    )
    return found.filter(pl.col("failed") > 0)


def held(rows: pl.DataFrame) -> str:
    """Return in words which methods there are, with which numbers of fits.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> summary.held(paper.as_rows().filter(method="bart-vc"))
    "'bart-vc' (10 fits)"
    """
    fits = rows.group_by("method").agg(pl.col("n_replicates").unique().sort()).sort("method")
    words = []
    for name, numbers in fits.iter_rows():
        listed = ", ".join(str(number) for number in numbers if number > 0)
        words.append(f"{name!r} ({listed} fits)" if listed else repr(name))
    return ", ".join(words) or "none at all"


def first_places(rows: pl.DataFrame, method: str = "dart-vc") -> pl.DataFrame:
    """Return, for each cell, the rank of a method in F1 among the paper's methods that were run.

    Cells in which no other of them was run are left out. `margin` is to the best other method.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> places = summary.first_places(paper.as_rows())
    >>> (places["rank"] == 1).sum()
    36
    """
    shared = common_tasks(default_fits(study_rows(rows)), {*paper.PAPER_NAMES, method})
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
    """Return the change in F1 when fewer fits are taken than the most that were run.

    Each run is compared with the run on the same data with `reference` fits, the most in the cell.
    `change` is the mean over seeds, then equations; `change_median` the median over seeds, then
    the mean over equations, as in the paper, which had ten seeds. `paper` is the paper's change
    from the same reference; for one below 20 a difference of two medians' means.

    With one fit the authors cut the counts alone: for dart-vc those results, of the method
    "dart/vc/clustering", are taken where there are any.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> table = summary.sensitivity(paper.as_rows())
    >>> table.filter(n=500, snr=0.25, n_replicates=2)["change"].round(4).item()
    -0.0109
    """
    runs = study_rows(rows).filter(pl.col("n_replicates") > 0)
    alone = runs.filter(pl.col("method") == _ONE_FIT.get(method, ""), n_replicates=1)
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
    """Return, for each cell, the best of the paper's seven existing methods that were run.

    `change` is its F1 less that of dart-vc with the most fits in the cell.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> best = summary.next_best(paper.as_rows())
    >>> best.filter(n=500, snr=5.0).select("method", "n_methods").row(0)
    ('bart-vip-gse', 7)
    """
    rows = study_rows(rows)
    others = default_fits(rows.filter(pl.col("method").is_in(paper.EXISTING)))
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
    """Return seconds per run by (n, p), or by n, beside the authors'.

    Ours are medians over runs and equations, so that a run during which the machine slept does not
    count. `ratio` is the authors' time over ours. A run that failed has no time. By n it is the
    mean over the values of p that the rows hold, each counting once: that is what the paper's
    table is.

    Examples
    --------
    >>> from bayesvc.bench import paper, summary
    >>> table = summary.runtimes(paper.as_rows())
    >>> table.filter(method="dart-vc", n=500, p=51)["seconds"].round(1).item()
    82.3
    """
    runs = default_fits(study_rows(rows)).filter(pl.col("error").is_null())
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
