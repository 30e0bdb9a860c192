"""`bayesvc bench run` and `rescore`: the commands that compute results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayesvc.cli.bench_options import (
    JOBS,
    REPLICATES,
    RESULTS,
    parse_integers,
    parse_numbers,
    parse_shard,
    report_failures,
)
from bayesvc.cli.errors import report_errors
from bayesvc.cli.options import split_names
from bayesvc.cli.output import progress_bar, say, show_frame

if TYPE_CHECKING:
    from bayesvc.bench.grid_run import OnDone
    from bayesvc.sampling.progress import ProgressCallback


@click.command()
@click.option(
    "--grid",
    type=click.Choice(["paper", "seed", "slice", "smoke"]),
    required=True,
    help="Data sets and methods. paper: all of the paper's. seed: those with one seed. slice: a "
    "part of these. smoke: a quick test.",
)
@click.option(
    "--methods",
    metavar="NAME,...",
    help="Methods to run instead of the grid's: names from `bayesvc recipes`, "
    "prior/measure/threshold or module:function; dart-vc@5 means 5 replicates.",
)
@REPLICATES
@click.option("--n", "sizes", metavar="NUMBER,...", help="Only these numbers of rows.")
@click.option("--snr", "snrs", metavar="NUMBER,...", help="Only these signal-to-noise ratios.")
@click.option("--seed", "seeds", metavar="NUMBER,...", help="Only data sets with these seeds.")
@click.option("--problem", "problems", metavar="NAME,...", help="Only these equations.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder for the results."
)
@JOBS
@click.option("--shard", default="1/1", show_default=True, help="Run part i of N.", metavar="i/N")
@click.option("--dask", metavar="ADDRESS", help="Run on the cluster of this Dask scheduler.")
@click.option("--keep-draws", is_flag=True, help="Keep the tallies of each replicate (split counts "
              "and other sums per variable) for `rescore`.")  # fmt: skip
@click.option("--retry-failed", is_flag=True, help="Run failed methods again.")
@report_errors
def run(grid: str, out: Path, **request: Any) -> None:
    """Run a grid of data sets and methods.

    The same command continues a run that was stopped.

    \b
    bayesvc bench run --grid smoke --out smoke
    bayesvc bench run --grid smoke --snr 1,inf --problem I.6.2a,I.12.1 --out part
    bayesvc bench run --grid seed --methods dart-vc,mymodule:my_selector --out mine --jobs 8
    bayesvc bench run --grid paper --out paper --shard 3/10 --dask tcp://10.0.0.5:8786
    """
    from bayesvc._text import counted
    from bayesvc.bench.grid import make_grid
    from bayesvc.bench.grid_run import run_grid
    from bayesvc.bench.store import Store

    methods = request["methods"]
    plan = make_grid(
        grid,
        None if methods is None else split_names(methods),
        parse_integers("--replicates", request["replicates"]),
        sizes=parse_integers("--n", request["sizes"]),
        snrs=parse_numbers("--snr", request["snrs"]),
        seeds=parse_integers("--seed", request["seeds"]),
        problems=split_names(request["problems"]),
    )
    how = {name: request[name] for name in ("dask", "keep_draws", "retry_failed")}
    shard = parse_shard(request["shard"])
    try:
        with progress_bar("tasks", counts=True) as show:
            done = None if show is None else _without_failures(show)
            found = run_grid(plan, out, n_jobs=request["jobs"], shard=shard, on_done=done, **how)
    except KeyboardInterrupt:
        say(f"Stopped. Finished tasks are in {out}. Run the same command to continue.", err=True)
        sys.exit(130)
    say(f"Ran {counted(found.n_run, 'task')}. Results: {out}")
    if found.n_failed:
        failed = counted(found.n_failed, "result")
        say(f"{failed} failed and count as F1 = 0. See: bayesvc bench status {out}")
    if found.n_elsewhere:
        say(f"{counted(found.n_elsewhere, 'task')} left to other running processes.")
    report_failures(Store(out).rows(plan.tasks))


@click.command()
@RESULTS
@click.option(
    "--methods",
    required=True,
    metavar="NAME,...",
    help="Methods to score, named as in `run`; a method given as module:function receives the "
    "kept tallies.",
)
@REPLICATES
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Parquet or CSV file to write."
)
@JOBS
@report_errors
def rescore(results: Path, methods: str, replicates: str | None, out: Path, jobs: int) -> None:
    """Score methods on kept draws, without sampling again.

    \b
    bayesvc bench rescore seed --methods dart-vc,dart-mpm --replicates 2,5 --out other.parquet
    bayesvc bench rescore seed --methods dart/mpvip/clustering,mymodule:my_rule --out mine.parquet
    """
    from bayesvc._text import counted
    from bayesvc.bench.rescore import rescore as rescore_rows
    from bayesvc.bench.row_files import check_new, write_rows
    from bayesvc.bench.score_tables import over_cells

    check_new(out)
    counts = parse_integers("--replicates", replicates)
    with progress_bar("data sets", counts=True) as show:
        rows = rescore_rows(results, split_names(methods), counts, n_jobs=jobs, on_done=show)
    write_rows(rows, out)
    show_frame(over_cells(rows))
    say(f"Wrote {counted(len(rows), 'row')} to {out}. Compare two of these methods with:")
    say(f"  bayesvc bench compare {out} METHOD AGAINST")
    report_failures(rows)


def _without_failures(show: ProgressCallback) -> OnDone:
    return lambda done, total, failed: show(done, total)
