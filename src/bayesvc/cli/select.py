"""`bayesvc select`: from a table to the variables that matter."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayesvc.cli.data import Chosen, choose
from bayesvc.cli.errors import Stopped, says_what_is_wrong
from bayesvc.cli.output import note, progress_bar, show_table
from bayesvc.cli.tables import read_table
from bayesvc.cli.work import (
    Folder,
    data_options,
    listed,
    open_folder,
    run_options,
    say_how_long,
)
from bayesvc.cli.writing import write_selection

if TYPE_CHECKING:
    from bayesvc.fits import Interrupted
    from bayesvc.recipe import Method
    from bayesvc.selection import Selection


@click.command()
@data_options
@click.option("--method", help="One of `bayesvc recipes`; dart-vc by default.")
@click.option("--goal", help="balanced, quick, screening or confirmatory: picks the method.")
@click.option("--fits", type=int, help="Independent fits; by default as many as the paper takes.")
@click.option("--permutations", type=int, help="Fits to permuted targets, where they are needed.")
@run_options
@says_what_is_wrong
def select(
    file: Path, target: str, features: tuple[str, ...], exclude: tuple[str, ...],
    id_column: tuple[str, ...], separator: str | None, encoding: str, method: str | None,
    goal: str | None, fits: int | None, permutations: int | None, seed: int, jobs: int | None,
    burn_in: int | None, draws: int | None, trees: int, out: Path | None, resume: bool,
    overwrite: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    r"""Find the columns of FILE that drive the target.

    Prints the answer, and writes a table, figures, the fits and a report page to a folder. FILE is
    CSV, TSV, Parquet, Feather or Excel, also gzipped.

    \b
    bayesvc select patients.csv --target survival --id-column patient
    bayesvc select genes.parquet -y response --goal screening --out genes
    bayesvc select sales.xlsx -y amount --exclude invoice,date --json
    """
    from bayesvc.recipe import DEFAULT_METHOD, resolve_method

    how: dict[str, Any] = {"method": method or DEFAULT_METHOD, "goal": goal}
    plan = resolve_method(**how, n_replicates=fits, n_permutations=permutations)
    settings = {
        "n_trees": trees, "burn_in": burn_in, "n_draws": draws, "random_state": seed,
        "n_jobs": jobs,
    }  # fmt: skip
    table = read_table(file, separator, encoding)
    data = choose(table.frame, target, listed(features), listed(exclude) + listed(id_column))
    folder = open_folder(
        out or Path(f"{file.name.split('.')[0]}-selection"), resume=resume, overwrite=overwrite
    )
    if not (as_json or quiet):
        for text in table.notes:
            note(f"{file}: {text}")
        note(f"{file}: {data.X.height:,} rows, {data.X.width:,} columns to explain {target!r}")
        say_how_long(data.X, data.y, [plan], settings)
    found, stopped = _run(data, plan, {**how, **settings}, folder)
    write_selection(found, folder.path, data, file.name)
    if not stopped:
        shutil.rmtree(folder.checkpoint)
    _show(found, target, folder, as_json, quiet)
    if stopped:
        done = found.draws.n_replicates
        note(
            f"Stopped: this is the result of {done} of {plan.n_replicates} fits. The same command "
            "with --resume goes on."
        )
        sys.exit(130)


def _run(
    data: Chosen, plan: Method, settings: dict[str, Any], folder: Folder
) -> tuple[Selection, bool]:
    """Return the selection, and whether it was stopped before all fits were finished."""
    import bayesvc as bv
    from bayesvc.fits import Interrupted

    def chosen(fits: int | None, permutations: int | None, progress: Any) -> Selection:
        return bv.select(
            data.X, data.y, n_replicates=fits, n_permutations=permutations,
            checkpoint=folder.checkpoint, progress=progress, **settings,
        )  # fmt: skip

    try:
        with progress_bar("sampling") as show:
            return chosen(plan.n_replicates or None, plan.n_permutations or None, show), False
    except Interrupted as stop:
        fits, permutations = _usable(stop, plan)
        if fits is None:
            raise _nothing_yet(folder) from None
        return chosen(fits, permutations, None), True
    except KeyboardInterrupt:
        raise _nothing_yet(folder) from None


def _usable(stop: Interrupted, plan: Method) -> tuple[int | None, int | None]:
    """Return how many finished fits make a result, if they do."""
    finished = next(iter(stop.finished.values()))
    fits = finished.n_replicates or None
    if plan.n_permutations == 0:
        return fits, None
    enough = finished.n_permutations >= 19  # fewer cannot be judged at the level 0.05
    return (fits, finished.n_permutations) if enough else (None, None)


def _nothing_yet(folder: Folder) -> click.ClickException:
    return Stopped(
        f"stopped before there was a result; what is finished waits in {folder.checkpoint}, and "
        "the same command with --resume goes on"
    )


def _show(found: Selection, target: str, folder: Folder, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(found.to_json())
        return
    if quiet:
        for name in found.names:
            click.echo(name)
        return
    from bayesvc import _selection_text

    header, *rows = _selection_text.table_rows(found)
    show_table(header, rows)
    for text in found.warnings:
        note(f"Note: {text}.")
    click.echo(conclusion(found, target))
    report = folder.path / "report.html"
    click.echo(f"Results: {folder.path}")
    if report.exists():
        click.echo(f"Report: {report}")


def conclusion(found: Selection, target: str) -> str:
    """Say in a sentence what was found."""
    n, p = len(found.names), len(found.mask)
    if n == 0:
        return f"None of the {p:,} columns was found to drive {target}."
    names = ", ".join(found.names[:10]) + (f" and {n - 10} more" if n > 10 else "")
    verb = "drives" if n == 1 else "drive"
    return f"{n} of {p:,} columns {verb} {target}: {names}."
