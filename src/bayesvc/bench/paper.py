"""Numbers published by the paper's authors, under the names of our recipes.

Every frame has our names in `method` and numbers in `snr`, which is infinite without noise. The
paper gives no numbers for bart-mpm, bart-vip-measure, dart-vip-rank and abc-vc.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files

import polars as pl

PAPER_NAMES = {
    "dart-vc": "DART VC-measure",
    "bart-vc": "BART VC-measure",
    "dart-mpm": "DART (MPM)",
    "dart-vip-measure": "DART VIP-measure",
    "bart-vip-rank": "BART VIP Rank",
    "bart-vip-local": "BART VIP-Local",
    "bart-vip-gse": "BART VIP-G.SE",
    "bart-vip-gmax": "BART VIP-G.Max",
    "bart-mi-local": "BART MI-Local",
    "abc-mpm": "ABC Bayesian forests",
}
EXISTING = (
    "bart-vip-local",
    "bart-vip-gse",
    "bart-vip-gmax",
    "bart-mi-local",
    "bart-vip-rank",
    "dart-mpm",
    "abc-mpm",
)
"""The seven existing methods that the paper compares its own with."""

SIZES = (500, 1000, 1500, 2000)
SNRS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, math.inf)
N_EQUATIONS = 100
N_SEEDS = 10
EQUATIONS_PER_P = {51: 1, 102: 15, 153: 36, 204: 27, 255: 13, 306: 6, 408: 1, 459: 1}


@cache
def results() -> pl.DataFrame:
    """Return mean F1, TPR and FPR of ten methods in all 36 cells.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> paper.results().filter(method="dart-vc", n=500, snr=1.0)["f1"].item()
    0.885813
    """
    return _load("paper_results.csv")


@cache
def runtimes() -> pl.DataFrame:
    """Return the authors' seconds per run by (n, p), on one core of an AMD EPYC 7642.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> paper.runtimes().filter(method="dart-mpm", n=2000, p=459)["seconds"].round(1).item()
    33.8
    """
    return _load("paper_runtime.csv")


@cache
def sensitivity() -> pl.DataFrame:
    """Return the change in F1 of dart-vc with fewer than 20 replicates.

    It is the mean over equations of the median over ten seeds. Where `n_replicates` is null, the
    row is the paper's "Next Best": F1 of the best method without the VC-measure, named in `method`,
    minus that of dart-vc with 10 replicates, as that with 20 was not published.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> paper.sensitivity().filter(n_replicates=2, n=500, snr=0.25)["delta_f1"].item()
    -0.010895
    """
    return _load("paper_lrep.csv")


@cache
def spread() -> pl.DataFrame:
    """Return how F1 varies, for nine methods and all cells.

    `sd_within_eq` is over the seeds of one equation, `sd_between_eq` over the means of equations,
    `sd_of_seed_means` over the ten seeds' means of all equations.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> paper.spread().filter(method="bart-vc", n=500, snr=1.0)["sd_within_eq"].item()
    0.1239
    """
    return _load("spread.csv")


@cache
def recording_bounds() -> pl.DataFrame:
    """Return how much the authors' recording bug may have cost the three permutation methods.

    Selections of one variable were recorded as empty. `f1_i62a_fixed` corrects them for the
    equation with one variable; `f1_upper` counts every empty selection as one relevant variable.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> paper.recording_bounds().filter(method="bart-vip-gmax", n=500, snr=0.25)["f1_upper"].item()
    0.58001
    """
    return _load("perm_single_selection_bounds.csv")


@cache
def as_rows() -> pl.DataFrame:
    """Convert the paper's tables to result rows, for use by the same functions.

    There is one artificial problem for each p, with the cell's scores and the seconds of (n, p),
    and dart-vc with every number of replicates. Values that the tables do not contain are null.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> paper.as_rows()["problem"].n_unique()
    8
    """
    from bayesvc.selection.methods import RECIPES

    fits = pl.DataFrame(
        {
            "method": list(PAPER_NAMES),
            "n_replicates": [RECIPES[m].n_replicates for m in PAPER_NAMES],
        }
    )
    by_default = results().join(fits, on="method")
    changes = sensitivity().drop_nulls("n_replicates")
    with_ten = changes.filter(n_replicates=10).select("n", "snr", at_ten="delta_f1")
    twenty = with_ten.select("n", "snr", n_replicates=pl.lit(20, pl.Int64), delta_f1=pl.lit(0.0))
    others = pl.concat([changes.drop("method"), twenty], how="diagonal").filter(
        pl.col("n_replicates") != 10
    )
    other_fits = (
        by_default.filter(method="dart-vc")
        .drop("n_replicates", "tpr", "fpr")
        .join(with_ten, on=["n", "snr"])
        .join(others, on=["n", "snr"])
        .with_columns(f1=pl.col("f1") - pl.col("at_ten") + pl.col("delta_f1"))
        .drop("at_ten", "delta_f1")
    )
    # Only the default number of replicates has a published time.
    times = runtimes().join(fits, on="method")
    sizes = pl.DataFrame({"p": list(EQUATIONS_PER_P)})
    return (
        pl.concat([by_default, other_fits], how="diagonal")
        .join(sizes, how="cross")
        .join(times, on=["method", "n_replicates", "n", "p"], how="left")
        .with_columns(
            problem=pl.format("feynman_p{}", "p"),
            data=pl.lit("authors"),
            seed=pl.lit(0, pl.Int64),
            n_permutations=pl.col("method").replace_strict(
                {m: RECIPES[m].n_permutations for m in PAPER_NAMES}, return_dtype=pl.Int64
            ),
            n_selected=pl.lit(None, pl.Int64),
            fn=pl.lit(None, pl.Int64),
            error=pl.lit(None, pl.String),
        )
    )


def _load(name: str) -> pl.DataFrame:
    source = files("bayesvc.bench") / "data" / name
    ours = {theirs: recipe for recipe, theirs in PAPER_NAMES.items()}
    frame = pl.read_csv(source.read_bytes()).with_columns(
        pl.col("method").replace_strict(ours), pl.col("^snr$").cast(pl.Float64)
    )
    return frame.sort([key for key in ("method", "n", "snr", "p") if key in frame.columns])
