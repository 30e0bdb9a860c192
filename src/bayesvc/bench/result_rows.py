"""Pick rows of results: those of the study, of one kind of data, of the usual replicates.

A row is one data set, method and number of replicates. A cell is one kind of data, n and SNR.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from bayesvc.selection.methods import RECIPES

CELL = ("data", "n", "snr")
TASK = ("data", "problem", "n", "snr", "seed")
RUN = ("method", "n_replicates", "n_permutations")
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
    >>> from bayesvc.bench import paper, result_rows
    >>> result_rows.study_rows(paper.as_rows()).shape
    (4320, 16)
    """
    missing = [name for name in _TYPES if name not in rows.columns]
    if missing:
        raise ValueError(
            "`rows` must have the columns of a benchmark's results. Missing: "
            f"{', '.join(missing)}. Use `read_rows` or `Store.rows`."
        )
    chosen = rows.select(pl.col(name).cast(kind) for name, kind in _TYPES.items())
    return chosen.filter(pl.col("problem").str.starts_with("feynman_"))


def one_kind(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows on the authors' data or, if there are none, on fresh data.

    Examples
    --------
    >>> from bayesvc.bench import paper, result_rows
    >>> result_rows.one_kind(paper.as_rows())["data"].unique().to_list()
    ['authors']
    """
    rows = study_rows(rows)
    kind = "authors" if (rows["data"] == "authors").any() else "fresh"
    return rows.filter(data=kind)


def default_replicates(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the default number of replicates; users' own methods are kept.

    Examples
    --------
    >>> from bayesvc.bench import paper, result_rows
    >>> rows = result_rows.default_replicates(paper.as_rows()).filter(method="dart-vc")
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


def usual_replicates(rows: pl.DataFrame) -> pl.DataFrame:
    """Return `default_replicates`, or the most replicates of methods without such rows.

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.bench import paper, result_rows
    >>> few = paper.as_rows().filter(pl.col("n_replicates").is_between(1, 3), method="dart-vc")
    >>> result_rows.usual_replicates(few)["n_replicates"].unique().to_list()
    [3]
    """
    usual = default_replicates(rows)
    others = rows.join(usual.select("method").unique(), on="method", how="anti")
    most = pl.col("n_replicates") == pl.col("n_replicates").max().over("method")
    return pl.concat([usual, others.filter(most)])


def common_tasks(rows: pl.DataFrame, methods: Iterable[str]) -> pl.DataFrame:
    """Return the rows of `methods` on the data sets that, cell by cell, all of them were run on.

    Examples
    --------
    >>> from bayesvc.bench import paper, result_rows
    >>> rows = result_rows.default_replicates(paper.as_rows())
    >>> result_rows.common_tasks(rows, ["dart-vc", "bart-vc"]).height == 2 * 36 * 8
    True
    """
    chosen = rows.filter(pl.col("method").is_in(list(methods)))
    everywhere = pl.col("method").n_unique().over(TASK) == pl.col("method").n_unique().over(CELL)
    return chosen.filter(everywhere)


def failures(rows: pl.DataFrame) -> pl.DataFrame:
    """Return each method that failed: on how many of how many data sets, and the first error.

    Examples
    --------
    >>> from bayesvc.bench import paper, result_rows
    >>> result_rows.failures(paper.as_rows().with_columns(error=None)).height
    0
    """
    lost = pl.col("error").is_not_null()
    found = rows.group_by("method", "n_replicates", maintain_order=True).agg(
        failed=lost.sum(), runs=pl.len(), error=pl.col("error").drop_nulls().first()
    )
    return found.filter(pl.col("failed") > 0)


def describe_methods(rows: pl.DataFrame) -> str:
    """List the methods in the rows and their numbers of replicates.

    Examples
    --------
    >>> from bayesvc.bench import paper, result_rows
    >>> result_rows.describe_methods(paper.as_rows().filter(method="bart-vc"))
    "'bart-vc' (10 replicates)"
    """
    found = rows.group_by("method").agg(pl.col("n_replicates").unique().sort()).sort("method")
    words = []
    for name, counts in found.iter_rows():
        shown = ", ".join(str(count) for count in counts if count > 0)
        noun = "replicate" if shown == "1" else "replicates"
        words.append(f"{name!r} ({shown} {noun})" if shown else repr(name))
    return ", ".join(words) or "none"
