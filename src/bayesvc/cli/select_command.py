"""`bayesvc select`: from a table to the variables that matter."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from bayesvc.cli import row_subsamples as rows
from bayesvc.cli.chosen_columns import Chosen
from bayesvc.cli.errors import BadInput, says_what_is_wrong
from bayesvc.cli.output import note, progress_bar, say_notes, show_table
from bayesvc.cli.run_options import (
    Folder,
    begin,
    data_options,
    is_silent,
    run_options,
    sampling_settings,
    say_where,
    stopped,
)
from bayesvc.cli.writing import write_selection

if TYPE_CHECKING:
    from bayesvc.sampling.plan import Interrupted
    from bayesvc.selection.methods import Method
    from bayesvc.selection.result import Selection


_NO_RESULT = "stopped before there was a result"


class NumberOrAuto(click.IntRange):
    """A number from 1 on, or "auto"."""

    name = "number or auto"

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number, or "auto"."""
        return value if value == "auto" else super().convert(value, param, ctx)


@click.command()
@data_options
@click.option("--method", help="One of `bayesvc recipes`; dart-vc by default.")
@click.option("--goal", help="balanced, quick, screening or confirmatory: picks the method.")
@click.option(
    "--fits",
    type=NumberOrAuto(),
    help="Independent fits; by default as many as the paper takes; auto: until stable.",
)
@click.option(
    "--permutations",
    type=click.IntRange(1),
    help="Fits to permuted targets, where they are needed.",
)
@click.option(
    "--resample-rows",
    type=click.IntRange(2),
    metavar="NUMBER",
    help="Also select from so many random halves of the rows, such as 50.",
)
@run_options
@says_what_is_wrong
def select(
    method: str | None,
    goal: str | None,
    fits: int | Literal["auto"] | None,
    permutations: int | None,
    resample_rows: int | None,
    **request: Any,
) -> None:
    """Find the columns of FILE that drive the target.

    Prints the answer, and writes a table, figures, the fits and a report page to a folder. FILE is
    CSV, TSV, Parquet, Feather or Excel, also gzipped.

    \b
    bayesvc select patients.csv --target survival --id-column patient
    bayesvc select genes.parquet -y response --goal screening --out genes
    bayesvc select sales.xlsx -y amount --exclude invoice,date --json
    """
    from bayesvc.selection.methods import DEFAULT_METHOD, resolve_method

    if method is not None and goal is not None:
        raise BadInput(f"--method {method} and --goal {goal} both pick a method; give one of them")
    rows.check_number(resample_rows)
    how: dict[str, Any] = {"method": method or DEFAULT_METHOD, "goal": goal}
    known = None if fits == "auto" else fits
    plan = resolve_method(**how, n_replicates=known, n_permutations=permutations)
    settings = sampling_settings(request)

    def check(data: Chosen) -> None:
        if resample_rows:
            rows.check_rows(data, resample_rows, settings, **how, n_permutations=permutations)

    n_halves = resample_rows or 0
    data, folder = begin(request, [plan], settings, "selection", n_halves=n_halves, check=check)
    found, is_partial = _run(
        data, plan, {**how, **settings, **data.about}, folder, auto=fits == "auto"
    )
    missing = None
    if is_partial:
        missing = f"the result of {found.draws.n_replicates} of {plan.n_replicates} fits"
    elif resample_rows:
        found, all_rows = rows.with_row_stability(found, data, resample_rows, settings, folder)
        missing = None if all_rows else "the result without --resample-rows"
    silent = is_silent(request)
    write_selection(found, folder.path, data, request["file"].name, silent=silent)
    if missing is None:
        shutil.rmtree(folder.checkpoint)
    _show(found, request["target"], folder, request["as_json"], request["quiet"])
    if missing is not None:
        note(f"Stopped: this is {missing}. The same command with --resume goes on.")
        sys.exit(130)


def _run(
    data: Chosen, plan: Method, settings: dict[str, Any], folder: Folder, *, auto: bool
) -> tuple[Selection, bool]:
    """Return the selection, and whether it was stopped before all fits were finished."""
    import bayesvc as bv
    from bayesvc.sampling.plan import Interrupted

    def chosen(fits: Any, permutations: int | None, **others: Any) -> Selection:
        return bv.select(
            data.X, data.y, n_replicates=fits, n_permutations=permutations,
            checkpoint=folder.checkpoint, **(settings | others),
        )  # fmt: skip

    try:
        with progress_bar("sampling") as show:
            fits = "auto" if auto else plan.n_replicates or None
            return chosen(fits, plan.n_permutations or None, progress=show), False
    except Interrupted as stop:
        fits, permutations = _usable(stop, plan)
        if fits is None:
            raise stopped(folder, _NO_RESULT) from None
        # who stops a run does not want to wait for a test
        return chosen(fits, permutations, signal_test=False, allow_empty=False), True
    except KeyboardInterrupt:
        raise stopped(folder, _NO_RESULT) from None


def _usable(stop: Interrupted, plan: Method) -> tuple[int | None, int | None]:
    """Return how many finished fits make a result, if they do."""
    finished = next(iter(stop.finished.values()))
    fits = finished.n_replicates or None
    if plan.n_permutations == 0:
        return fits, None
    enough = finished.n_permutations >= 19  # fewer cannot be judged at the level 0.05
    return (fits, finished.n_permutations) if enough else (None, None)


def _show(found: Selection, target: str, folder: Folder, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(found.to_json())
        return
    if quiet:
        for name in found.names:
            click.echo(name)
        return
    from bayesvc.selection import text as _selection_text

    header, *lines = _selection_text.table_rows(found)
    show_table(header, lines)
    say_notes(found.warnings, found.signal)
    click.echo(conclusion(found, target))
    say_where(folder)


def conclusion(found: Selection, target: str) -> str:
    """Say in a sentence what was found."""
    from bayesvc._text import listed
    from bayesvc.report import words

    opening, names = words.conclusion(found, target)
    return f"{opening}: {listed(found.names, most=10)}." if names else f"{opening}."
