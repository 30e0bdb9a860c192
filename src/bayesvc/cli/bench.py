"""`bayesvc bench`: the paper's study, and results against the published ones."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bayesvc.cli.errors import BadInput, says_what_is_wrong
from bayesvc.cli.output import clock, progress_bar, show_frame

if TYPE_CHECKING:
    import polars as pl

    from bayesvc.bench.grid_run import OnDone
    from bayesvc.sampling.progress import ProgressCallback

_GRIDS = click.Choice(["paper", "seed", "slice", "smoke"])
_FURTHER_FITS = click.option(
    "--lrep",
    help="Further numbers of fits for these methods, such as 1,2,5; not for functions, which have "
    "no such number.",
)
_RESULTS = click.argument("results", type=click.Path(path_type=Path))


@click.group()
def bench() -> None:
    """Run the paper's study and compare with its numbers."""
    sys.path.insert(0, os.getcwd())  # for --methods module:function


@bench.command()
@click.option("--grid", type=_GRIDS, required=True, help="Which data sets and methods.")
@click.option("--methods", help="NAME,NAME@FITS,prior/measure/threshold,module:function")
@_FURTHER_FITS
@click.option("--n", "sizes", help="Only these numbers of rows, such as 500,1000.")
@click.option("--snr", "snrs", help="Only these signal-to-noise ratios, such as 0.25,5,inf.")
@click.option("--seed", "seeds", help="Only these seeds of the data.")
@click.option("--problem", "problems", help="Only these equations, such as I.6.2a,II.11.17.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of results.")
@click.option("--jobs", default=-1, help="Number of processes; all CPUs by default.")
@click.option("--shard", default="1/1", show_default=True, help="Run part i of N.", metavar="i/N")
@click.option("--dask", metavar="ADDRESS", help="Run on the cluster of this Dask scheduler.")
@click.option("--keep-draws", is_flag=True, help="Keep tallies of the fits for `rescore`.")
@click.option("--retry-failed", is_flag=True, help="Run again what failed.")
@says_what_is_wrong
def run(
    grid: str,
    methods: str | None,
    lrep: str | None,
    sizes: str | None,
    snrs: str | None,
    seeds: str | None,
    problems: str | None,
    out: Path,
    jobs: int,
    shard: str,
    dask: str | None,
    keep_draws: bool,
    retry_failed: bool,
) -> None:
    """Run a grid; the same command goes on where it was stopped.

    \b
    bayesvc bench run --grid smoke --out smoke
    bayesvc bench run --grid seed --methods dart-vc,mymodule:my_selector --out mine --jobs 8
    bayesvc bench run --grid paper --out paper --shard 3/10 --dask tcp://10.0.0.5:8786
    """
    from bayesvc._text import counted
    from bayesvc.bench.grid import make_grid
    from bayesvc.bench.grid_run import run_grid
    from bayesvc.bench.store import Store

    plan = make_grid(
        grid, _listed(methods), _whole("--lrep", lrep), sizes=_whole("--n", sizes),
        snrs=_numbers("--snr", snrs), seeds=_whole("--seed", seeds),
        problems=_listed(problems) or (),
    )  # fmt: skip
    try:
        with progress_bar("tasks", counts=True) as show:
            found = run_grid(
                plan, out, n_jobs=jobs, shard=_shard(shard), dask=dask, keep_draws=keep_draws,
                retry_failed=retry_failed, on_done=None if show is None else _counted(show),
            )  # fmt: skip
    except KeyboardInterrupt:
        click.echo(f"Stopped. What was finished is in {out}; the same command goes on.", err=True)
        sys.exit(130)
    click.echo(f"{counted(found.n_run, 'task')} run, results in {out}")
    if found.n_failed:
        click.echo(f"{found.n_failed} failed and score 0: see `bayesvc bench status {out}`")
    if found.n_elsewhere:
        click.echo(f"{counted(found.n_elsewhere, 'task')} left to other processes that run them")
    _exit_by_failures(Store(out).rows(plan.tasks))


@bench.command()
@_RESULTS
@says_what_is_wrong
def status(results: Path) -> None:
    """Show what is done, what is missing and what failed."""
    import polars as pl

    from bayesvc._text import counted
    from bayesvc.bench.grid import make_grid
    from bayesvc.bench.store import Store
    from bayesvc.bench.summary import TASK

    store = Store(results)
    plan, rows = make_grid(store.settings.grid), store.rows()
    data_sets, lost = pl.struct(TASK).n_unique(), pl.col("error").is_not_null().sum()
    click.echo(
        f"grid {store.settings.grid}: results of {counted(rows['method'].n_unique(), 'method')} "
        f"on {counted(rows.select(data_sets).item(), 'data set')}; "
        f"{store.active_writers()} processes are writing"
    )
    by_method = rows.group_by("method", fits="n_replicates").agg(data_sets=data_sets, failed=lost)
    show_frame(by_method.sort("method", "fits").with_columns(pl.col("fits").replace(0, None)))
    by_cell = rows.group_by("n", "snr").agg(
        data_sets=data_sets,
        methods=pl.col("method").n_unique(),
        failed=lost,
        seconds=pl.col("seconds").sum(),
    )
    times = pl.col("seconds").map_elements(clock, pl.String).alias("time")
    show_frame(by_cell.sort("n", "snr").select(pl.exclude("seconds"), times))
    done = len(plan.tasks) - len(store.missing(plan.tasks))
    click.echo(
        f"Of the methods that this grid runs by default, without --methods, {done} of "
        f"{len(plan.tasks)} data sets have all results"
    )
    failed = rows.filter(pl.col("error").is_not_null())
    for row in failed.head(20).iter_rows(named=True):
        task = f"{row['problem']} n={row['n']} SNR={row['snr']:g} seed={row['seed']}"
        click.echo(f"failed: {row['method']} on {task}: {row['error']}")
    if len(failed) > 20:
        click.echo(f"... and {len(failed) - 20} more; run again with --retry-failed")


@bench.command()
@_RESULTS
@click.option("--against", type=click.Choice(["paper"]), help="Beside the published numbers.")
@click.option("--method", help="This method only.")
@click.option("--lrep", type=int, help="Methods with so many fits; by default as recipes say.")
@says_what_is_wrong
def table(results: Path, against: str | None, method: str | None, lrep: int | None) -> None:
    """Show the mean scores of every method and cell.

    RESULTS is a folder of `run`, or a file of `export` or `rescore`.

    With --against paper, z is the difference in F1 in standard errors, and basis says whose spread
    these rest on. The authors recorded selections of one variable by the permutation methods as
    empty: paper_most is the most that the F1 of these can have been, z_bug is z against the nearest
    value from the paper's to that, and within_2_bug counts the cells in which it is at most 2.

    \b
    bayesvc bench table smoke
    bayesvc bench table seed --against paper --method dart-vc
    """
    import polars as pl

    from bayesvc.bench import paper_comparison, summary
    from bayesvc.bench.row_files import read_rows

    everything = read_rows(results)
    rows = everything if method is None else everything.filter(pl.col("method") == method)
    if everything.is_empty():
        raise BadInput(f"{results} has no results")
    if rows.is_empty():
        there = summary.held(everything)
        raise BadInput(f"{results} has no results of --method {method!r}; there are {there}")
    if against is None:
        shown = summary.usual_fits(rows) if lrep is None else rows.filter(n_replicates=lrep)
        numbers = ", ".join(map(str, rows["n_replicates"].unique().sort()))
        if shown.is_empty():
            raise BadInput(f"--lrep {lrep}: {results} has results of {numbers} fits only")
        show_frame(summary.cell_means(shown).sort("data", "n", "snr", "f1"))
        if shown.height < rows.height:
            click.echo(f"{rows.height - shown.height} rows have other numbers of fits: --lrep")
        return
    if lrep is not None:
        raise BadInput("--lrep cannot go with --against, which takes the paper's numbers of fits")
    show_frame(paper_comparison.against_paper(rows))
    for title, part in (
        ("Cells within 2 standard errors of the paper", paper_comparison.verdict(rows)),
        ("Mean difference over all cells", paper_comparison.mean_difference(rows)),
        ("Cells in which dart-vc is first", summary.first_places(rows)),
    ):
        if not part.is_empty():
            click.echo(f"\n{title}")
            show_frame(part)


@bench.command()
@_RESULTS
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of figures.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    default=["svg"],
    show_default=True,
    type=click.Choice(["svg", "pdf", "png"]),
)
@click.option("--no-scatter", is_flag=True, help="Leave out figures 9 and 13, which need fits.")
@says_what_is_wrong
def figures(results: Path, out: Path, formats: tuple[str, ...], no_scatter: bool) -> None:
    """Draw the paper's figures 1 to 15, with the paper's own points in grey."""
    from bayesvc.bench.figure_scatter import fit_scatter
    from bayesvc.bench.figures import draw_all
    from bayesvc.bench.row_files import read_rows

    rows = read_rows(results)
    scatter = None if no_scatter else fit_scatter()
    for path in draw_all(rows, out, formats, scatter):
        click.echo(path)


@bench.command()
@_RESULTS
@says_what_is_wrong
def claims(results: Path) -> None:
    """List what the paper says about its results, and whether it is so in these."""
    from bayesvc.bench.claims import claims as judge
    from bayesvc.bench.row_files import read_rows

    for claim in judge(read_rows(results)):
        click.echo(f"{claim.verdict:14} {claim.statement}")
        click.echo(f"{'':14} paper: {claim.paper}; its tables: {claim.tables}; ours: {claim.ours}")


@bench.command()
@_RESULTS
@click.argument("file", type=click.Path(path_type=Path))
@says_what_is_wrong
def export(results: Path, file: Path) -> None:
    """Write all results to one Parquet or CSV file."""
    from bayesvc.bench.row_files import check_new, read_rows, write_rows

    check_new(file)
    rows = read_rows(results)
    write_rows(rows, file)
    click.echo(f"{len(rows)} rows in {file}")


@bench.command()
@_RESULTS
@click.option("--methods", required=True, help="As in `run`; functions receive the kept fits.")
@_FURTHER_FITS
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Parquet or CSV file.")
@click.option("--jobs", default=-1, help="Number of processes; all CPUs by default.")
@says_what_is_wrong
def rescore(results: Path, methods: str, lrep: str | None, out: Path, jobs: int) -> None:
    """Score methods on the fits that `run --keep-draws` left, without fitting again.

    \b
    bayesvc bench rescore seed --methods dart-vc,dart-relevance --lrep 2,5 --out other.parquet
    bayesvc bench rescore seed --methods dart/mpvip/clustering,mymodule:my_rule --out mine.parquet
    """
    from bayesvc.bench import summary
    from bayesvc.bench.rescore import rescore as rescore_rows
    from bayesvc.bench.row_files import check_new, write_rows

    check_new(out)
    with progress_bar("data sets", counts=True) as show:
        rows = rescore_rows(
            results, _listed(methods) or [], _whole("--lrep", lrep), n_jobs=jobs, on_done=show
        )
    write_rows(rows, out)
    show_frame(summary.over_cells(rows))
    click.echo(f"{len(rows)} rows in {out}; `bayesvc bench compare` sets two methods side by side")
    _exit_by_failures(rows)


@bench.command()
@_RESULTS
@click.argument("method")
@click.argument("against")
@click.option("--lrep", type=int, help="Fits of both; by default as recipes say, or the most.")
@says_what_is_wrong
def compare(results: Path, method: str, against: str, lrep: int | None) -> None:
    """Compare METHOD with another on the same data sets, cell by cell and as a whole.

    RESULTS is a folder of `run`, or a file of `export` or `rescore`. The units of the
    standard errors are classes of equations that are the same function up to scaling; holm is how
    probable so low a difference is if METHOD is no worse, corrected for the number of cells.

    \b
    bayesvc bench compare rescored.parquet dart-relevance dart-vc
    bayesvc bench compare rescored.parquet dart-vc@2 dart-vc@10
    """
    from bayesvc._text import counted
    from bayesvc.bench import paired
    from bayesvc.bench.row_files import read_rows

    pairs = paired.paired(read_rows(results), method, against, lrep)
    found = paired.verdict(pairs)
    cells = paired.by_cell(pairs)
    kinds = ["data"] if cells["data"].n_unique() > 1 else []
    first = [*kinds, "n", "snr", "data_sets", "difference", "se", "holm", "f1", "f1_against"]
    show_frame(cells.select(*first, "tpr", "tpr_against", "fpr", "fpr_against"), 4)
    click.echo("")
    for name, side in ((method, ""), (against, "_against")):
        numbers = pairs[f"n_replicates{side}"].unique().sort().to_list()
        own = "its number of fits cannot be chosen"
        fits = own if numbers == [0] else counted(numbers[0], "fit")
        failed = pairs[f"error{side}"].drop_nulls()
        runs = counted(len(failed), "run")
        lost = f"; {runs} failed and count as 0: {failed[0]}" if len(failed) else ""
        click.echo(f"{name}: {fits}{lost}")
    click.echo(
        f"F1 of {method} minus that of {against}: {found['mean']:.4f}, standard error "
        f"{found['se']:.4f} ({counted(found['data_sets'], 'data set')}, classes of equations: "
        f"{found['classes']}); mean over cells {found['mean_of_cells']:.4f}\n"
        f"Better in {counted(found['cells_better'], 'cell')}, worse in {found['cells_worse']}, "
        f"equal in {found['cells_equal']} (both perfect in {found['cells_both_perfect']}); worse "
        f"at 5 % after Holm's correction in {found['cells_worse_after_holm']}"
    )


def _exit_by_failures(rows: pl.DataFrame) -> None:
    """Say which methods failed and why; exit with 1 if one failed on all data sets."""
    from bayesvc._text import counted
    from bayesvc.bench.summary import failures

    useless = False
    for name, fits, failed, runs, error in failures(rows).iter_rows():
        who = f"{name} ({counted(fits, 'fit')})" if fits else name
        click.echo(f"{who} failed on {failed} of {runs} data sets: {error}", err=True)
        useless = useless or failed == runs
    sys.exit(1 if useless else 0)


def _counted(show: ProgressCallback) -> OnDone:
    return lambda done, total, failed: show(done, total)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _numbers(option: str, text: str | None) -> list[float]:
    try:
        return [float(part) for part in _listed(text) or []]
    except ValueError:
        raise BadInput(f"{option} {text!r} is no list of numbers; give such as 1,2,5") from None


def _whole(option: str, text: str | None) -> list[int]:
    numbers = _numbers(option, text)
    if not all(number.is_integer() for number in numbers):
        raise BadInput(f"{option} {text!r} is no list of whole numbers; give such as 1,2,5")
    return [int(number) for number in numbers]


def _shard(text: str) -> tuple[int, int]:
    parts = text.split("/")
    numbers = [int(part) for part in parts if part.isdecimal()]
    if len(parts) != 2 or len(numbers) != 2 or numbers[1] == 0:
        raise BadInput(f"--shard {text!r} is not of the form i/N; give such as 3/10")
    index, last = numbers
    if not 1 <= index <= last:
        raise BadInput(f"--shard {text!r} is no part of {last}; give 1/{last} to {last}/{last}")
    return index, last
