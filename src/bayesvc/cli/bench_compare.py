"""`bayesvc bench compare`: two methods on the same data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bayesvc.cli.bench_options import RESULTS
from bayesvc.cli.errors import report_errors
from bayesvc.cli.output import say, show_frame

if TYPE_CHECKING:
    import polars as pl


@click.command()
@RESULTS
@click.argument("method")
@click.argument("against")
@click.option(
    "--replicates",
    type=int,
    help="Number of replicates of both methods; by default each method's own number or, if "
    "RESULTS has no scores for that, the largest number it has.",
)
@report_errors
def compare(results: Path, method: str, against: str, replicates: int | None) -> None:
    """Compare two methods on the same data sets.

    RESULTS is a folder written by `run`, or a file written by `export` or `rescore`. Standard
    errors are clustered: equations that are the same function up to scaling count as one unit. The
    column holm is the one-sided p-value for METHOD being worse, after Holm's correction for the
    number of rows of the table (combinations of n and SNR).

    \b
    bayesvc bench compare rescored.parquet dart-vc dart-mpm
    bayesvc bench compare rescored.parquet dart-vc@2 dart-vc@10
    """
    from bayesvc.bench import paired
    from bayesvc.bench.row_files import read_rows

    pairs = paired.paired(read_rows(results), method, against, replicates)
    cells = paired.by_cell(pairs)
    kinds = ["data"] if cells["data"].n_unique() > 1 else []
    first = [*kinds, "n", "snr", "data_sets", "difference", "se", "holm", "f1", "f1_against"]
    show_frame(cells.select(*first, "tpr", "tpr_against", "fpr", "fpr_against"), 4)
    say("")
    say(f"{method}: {_describe_side(pairs, '')}")
    say(f"{against}: {_describe_side(pairs, '_against')}")
    _show_summary(pairs, method, against)


def _describe_side(pairs: pl.DataFrame, side: str) -> str:
    """Say how many replicates a method had, and on how many data sets it failed."""
    from bayesvc._text import counted

    count = pairs[f"n_replicates{side}"].to_list()[0]
    told = counted(count, "replicate") if count else "fixed number of replicates"
    errors = pairs[f"error{side}"].drop_nulls()
    if len(errors):
        told += f"; failed on {counted(len(errors), 'data set')} (F1 = 0): {errors[0]}"
    return told


def _show_summary(pairs: pl.DataFrame, method: str, against: str) -> None:
    from bayesvc._text import counted
    from bayesvc.bench.paired import summarize_pairs

    found = summarize_pairs(pairs)
    say(
        f"F1 of {method} minus F1 of {against}: {found['mean']:.4f} (standard error "
        f"{found['se']:.4f}; {counted(found['data_sets'], 'data set')} in "
        f"{found['classes']} equation classes); mean over cells {found['mean_of_cells']:.4f}.",
        f"Of {counted(found['cells'], 'cell')}: {found['cells_better']} better, "
        f"{found['cells_worse']} worse, {found['cells_equal']} equal "
        f"({found['cells_both_perfect']} with F1 = 1 for both); {found['cells_worse_after_holm']} "
        "worse at the 5 % level after Holm's correction.",
    )
