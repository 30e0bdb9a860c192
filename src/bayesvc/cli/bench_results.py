"""`bayesvc bench status`, `table`, `export`, `claims` and `figures`: show results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bayesvc.cli.bench_options import RESULTS
from bayesvc.cli.errors import BadInput, report_errors
from bayesvc.cli.output import clock, say, show_frame

if TYPE_CHECKING:
    import polars as pl

_MOST_FAILURES = 20


@click.command()
@RESULTS
@report_errors
def status(results: Path) -> None:
    """Show what is done, what is missing and what failed."""
    import polars as pl

    from bayesvc._text import counted
    from bayesvc.bench.grid import make_grid
    from bayesvc.bench.result_rows import TASK
    from bayesvc.bench.store import Store

    store = Store(results)
    rows = store.rows()
    data_sets, failed = pl.struct(TASK).n_unique(), pl.col("error").is_not_null().sum()
    say(
        f"Grid {store.settings.grid}: results of {counted(rows['method'].n_unique(), 'method')} on "
        f"{counted(rows.select(data_sets).item(), 'data set')}. "
        f"Running processes: {store.active_writers()}."
    )
    by_method = rows.group_by("method", replicates="n_replicates").agg(
        data_sets=data_sets, failed=failed
    )
    shown = by_method.sort("method", "replicates")
    show_frame(shown.with_columns(pl.col("replicates").replace(0, None)))
    by_cell = rows.group_by("n", "snr").agg(
        data_sets=data_sets,
        methods=pl.col("method").n_unique(),
        failed=failed,
        time=pl.col("seconds").sum(),
    )
    show_frame(by_cell.sort("n", "snr").with_columns(pl.col("time").map_elements(clock, pl.String)))
    tasks = make_grid(store.settings.grid).tasks
    done = len(tasks) - len(store.missing(tasks))
    say(f"{done} of {counted(len(tasks), 'data set')} have results of all default methods.")
    _list_failures(rows.filter(pl.col("error").is_not_null()))


def _list_failures(failed: pl.DataFrame) -> None:
    for row in failed.head(_MOST_FAILURES).iter_rows(named=True):
        task = f"{row['problem']} n={row['n']} SNR={row['snr']:g} seed={row['seed']}"
        say(f"Failed: {row['method']} on {task}: {row['error']}")
    if len(failed) > _MOST_FAILURES:
        more = len(failed) - _MOST_FAILURES
        say(f"... and {more} more. Run them again with --retry-failed.")


@click.command()
@RESULTS
@click.option("--against", type=click.Choice(["paper"]), help="Compare with published numbers.")
@click.option("--method", help="Show this method only.")
@click.option(
    "--replicates",
    type=int,
    help="Number of replicates to show; by default each method's own number.",
)
@report_errors
def table(results: Path, against: str | None, method: str | None, replicates: int | None) -> None:
    """Show the mean scores of each method by number of rows and SNR.

    RESULTS is a folder written by `run`, or a file written by `export` or `rescore`.

    With --against paper, z is the difference in F1 divided by its standard error, and basis says
    which spread the standard error is based on. In the authors' files, selections of exactly one
    variable by a permutation method appear as empty, which lowers the published F1 of these
    methods. paper_most is the highest F1 that the paper could have had without this error. The
    true value lies between the published F1 and paper_most, and z_bug is z for the value in that
    range that is closest to ours. In the summary
    table, within_2_bug is the number of cells (combinations of n and SNR) with z_bug between -2
    and 2.

    \b
    bayesvc bench table smoke
    bayesvc bench table seed --against paper --method dart-vc
    """
    import polars as pl

    from bayesvc.bench.result_rows import describe_methods
    from bayesvc.bench.row_files import read_rows

    everything = read_rows(results)
    rows = everything if method is None else everything.filter(pl.col("method") == method)
    if everything.is_empty():
        raise BadInput(f"{results} holds no results. Run a grid first.")
    if rows.is_empty():
        raise BadInput(
            f"--method must be one of the methods in {results}: {describe_methods(everything)}. "
            f"Got {method!r} instead."
        )
    if against is None:
        _show_means(rows, replicates, results)
    elif replicates is not None:
        raise BadInput("--replicates cannot be combined with --against, which uses the paper's.")
    else:
        _show_against_paper(rows)


def _show_means(rows: pl.DataFrame, replicates: int | None, results: Path) -> None:
    import polars as pl

    from bayesvc._text import counted, listed
    from bayesvc.bench.result_rows import usual_replicates
    from bayesvc.bench.score_tables import cell_means

    shown = usual_replicates(rows) if replicates is None else rows.filter(n_replicates=replicates)
    if shown.is_empty():
        numbers = listed(rows["n_replicates"].unique().sort())
        raise BadInput(
            f"--replicates must be a number of replicates in {results}: {numbers}. "
            f"Got {replicates} instead."
        )
    cells = cell_means(shown).sort("data", "n", "snr", "f1", descending=[False, False, False, True])
    kinds = ["data"] if cells["data"].n_unique() > 1 else []
    show_frame(
        cells.select(
            *kinds, "n", "snr", "method", "f1", "se", "tpr", "fpr", "seconds",
            replicates=pl.col("n_replicates").replace(0, None), data_sets="n_runs",
            failed="n_failed",
        )
    )  # fmt: skip
    if shown.height < rows.height:
        others = counted(rows.height - shown.height, "row")
        say(f"Not shown: {others} with other numbers of replicates. Choose with --replicates.")


def _show_against_paper(rows: pl.DataFrame) -> None:
    from bayesvc.bench import paper_comparison
    from bayesvc.bench.score_tables import first_places

    show_frame(paper_comparison.against_paper(rows))
    for title, part in (
        (
            "Cells within 2 standard errors of the paper",
            paper_comparison.count_agreeing_cells(rows),
        ),
        ("Mean difference over all cells", paper_comparison.mean_difference_from_paper(rows)),
        ("Rank of dart-vc in each cell", first_places(rows)),
    ):
        if not part.is_empty():
            say("", title)
            show_frame(part)


@click.command()
@RESULTS
@click.argument("file", type=click.Path(path_type=Path))
@report_errors
def export(results: Path, file: Path) -> None:
    """Write all results to one Parquet or CSV file."""
    from bayesvc._text import counted
    from bayesvc.bench.row_files import check_new, read_rows, write_rows

    check_new(file)
    rows = read_rows(results)
    write_rows(rows, file)
    say(f"Wrote {counted(len(rows), 'row')} to {file}.")


@click.command()
@RESULTS
@report_errors
def claims(results: Path) -> None:
    """Check the paper's claims against the results of a run."""
    from bayesvc.bench.claims import claims as check_claims
    from bayesvc.bench.row_files import read_rows

    for claim in check_claims(read_rows(results)):
        say(f"{claim.verdict:14} {claim.statement}")
        found = {"paper": claim.paper, "its tables": claim.tables, "here": claim.ours}
        told = "; ".join(f"{source}: {value}" for source, value in found.items() if value)
        say(f"{'':14} {told}")


@click.command()
@RESULTS
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder for the figures."
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    default=["svg"],
    show_default=True,
    type=click.Choice(["svg", "pdf", "png"]),
    help="File format; may be given more than once.",
)
@click.option("--no-scatter", is_flag=True, help="Omit figures 9 and 13, which require sampling.")
@report_errors
def figures(results: Path, out: Path, formats: tuple[str, ...], no_scatter: bool) -> None:
    """Draw figures 1 to 15 of the paper.

    The paper's own points are in grey.
    """
    from bayesvc.bench.figure_scatter import sample_scatter
    from bayesvc.bench.figures import draw_all
    from bayesvc.bench.row_files import read_rows

    rows = read_rows(results)
    scatter = None if no_scatter else sample_scatter()
    for path in draw_all(rows, out, formats, scatter):
        say(path)
