"""`bayesvc select`: from a table to the columns that predict its target."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from bayesvc.cli.chosen_columns import ChosenColumns
from bayesvc.cli.errors import BadInput, report_errors
from bayesvc.cli.options import (
    NumberOrAuto,
    data_options,
    is_silent,
    quiet_option,
    run_options,
)
from bayesvc.cli.output import note, progress_bar, say, say_json, say_notes, show_table
from bayesvc.cli.results_folder import ResultsFolder
from bayesvc.cli.row_subsamples import add_row_stability, check_subsamples
from bayesvc.cli.run_setup import sampling_settings, start_run
from bayesvc.cli.writing import write_selection

if TYPE_CHECKING:
    from bayesvc.sampling.replicates import Interrupted
    from bayesvc.selection.methods import Method
    from bayesvc.selection.result import Selection


_NO_RESULT = "Stopped before there was a result"


@click.command()
@data_options
@click.option(
    "--method", metavar="NAME", help="Method from `bayesvc recipes`. By default dart-relevance."
)
@click.option(
    "--goal",
    metavar="NAME",
    help="Choose the method by purpose: balanced, paper, quick, screening or confirmatory.",
)
@click.option(
    "--replicates",
    type=NumberOrAuto(1),
    metavar="NUMBER|auto",
    help="Number of replicates, which are independent runs of the sampler. The default depends on "
    "the method. auto: add replicates until the selection is stable.",
)
@click.option(
    "--permutations",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Number of null replicates, which are runs on permuted responses. Only for methods that "
    "use them.",
)
@click.option(
    "--row-stability/--no-row-stability",
    default=None,
    help="Also repeat the selection on 16 random halves of the rows, with short runs. By default "
    "only with dart-relevance and bart-relevance.",
)
@click.option(
    "--subsamples",
    type=click.IntRange(2),
    metavar="NUMBER",
    help="Like --row-stability, but with this many halves, and with chains of full length. The "
    "number must be even, such as 50. Blocks are not kept together.",
)
@run_options
@quiet_option("Print only the names of the selected columns.")
@report_errors
def select(
    method: str | None,
    goal: str | None,
    replicates: int | Literal["auto"] | None,
    permutations: int | None,
    row_stability: bool | None,
    subsamples: int | None,
    **request: Any,
) -> None:
    """Select the columns of FILE that help to predict the target.

    Prints the selected columns. Writes a report page, tables, figures and the draws to a folder.
    FILE may be CSV, TSV, Parquet, Feather or Excel. All of these except Excel may be gzipped.

    \b
    Examples:
    bayesvc select patients.csv --target cholesterol --id-column patient
    bayesvc select genes.parquet -y response --goal screening --out genes
    bayesvc select sales.xlsx -y amount --exclude invoice,date --json
    bayesvc select trial.csv -y months --event died
    """
    from bayesvc.selection.methods import resolve_method

    if method is not None and goal is not None:
        raise BadInput(
            f"--method and --goal both pick a method. Got --method {method} and --goal {goal}. "
            "Give one of them."
        )
    if subsamples and row_stability is None:
        row_stability = False  # subsamples do the same, and more
    how: dict[str, Any] = {"method": method, "goal": goal}
    known = None if replicates == "auto" else replicates
    plan = resolve_method(**how, n_replicates=known, n_permutations=permutations)
    settings = sampling_settings(request) | {"row_stability": row_stability}

    def check(data: ChosenColumns) -> None:
        if subsamples:
            check_subsamples(data, subsamples, settings, **how, n_permutations=permutations)

    run = start_run("select", request, [plan], settings, subsamples or 0, check)
    with run as (data, folder):
        found, is_partial = _run(
            data, plan, {**how, **settings, **data.about}, folder, auto=replicates == "auto"
        )
        missing = None
        if is_partial:
            missing = f"{found.draws.n_replicates} of {plan.n_replicates} replicates"
        elif subsamples:
            found, is_complete = add_row_stability(found, data, subsamples, settings, folder)
            missing = None if is_complete else "all replicates, but not of --subsamples"
        with folder.replaced() as new:
            write_selection(found, new, data, request["file"].name, silent=is_silent(request))
        if missing is None:
            folder.discard_unfinished()
        _show(found, request["target"], folder, request["as_json"], request["quiet"])
    if missing is not None:
        note(f"Stopped. This is the result of {missing}. Run the same command with --resume to "
             "continue.")  # fmt: skip
        sys.exit(130)


def _run(
    data: ChosenColumns,
    plan: Method,
    settings: dict[str, Any],
    folder: ResultsFolder,
    *,
    auto: bool,
) -> tuple[Selection, bool]:
    """Return the selection, and whether it was stopped before all replicates were finished."""
    import bayesvc as bv
    from bayesvc.sampling.replicates import Interrupted

    def chosen(replicates: Any, permutations: int | None, **others: Any) -> Selection:
        return bv.select(
            data.X, data.y_or_times, n_replicates=replicates, n_permutations=permutations,
            checkpoint=folder.checkpoint, **(settings | others),
        )  # fmt: skip

    try:
        with progress_bar("sampling") as show:
            replicates = "auto" if auto else plan.n_replicates or None
            return chosen(replicates, plan.n_permutations or None, progress=show), False
    except Interrupted as stop:
        finished, permutations = _usable(stop, plan)
        if finished is None:
            raise folder.stopped(_NO_RESULT) from None
        # after Ctrl-C nobody wants to wait for a test
        rest = {"signal_test": False, "allow_empty": False, "row_stability": False}
        return chosen(finished, permutations, **rest), True
    except KeyboardInterrupt:
        raise folder.stopped(_NO_RESULT) from None


def _usable(stop: Interrupted, plan: Method) -> tuple[int | None, int | None]:
    """Return how many replicates and null replicates make a result; None if they do not."""
    finished = next(iter(stop.finished.values()))
    if finished.n_replicates < plan.measure.min_replicates:
        return None, None
    if plan.n_permutations == 0:
        return finished.n_replicates, None
    enough = finished.n_permutations >= 19  # fewer cannot reach the level 0.05
    return (finished.n_replicates, finished.n_permutations) if enough else (None, None)


def _show(found: Selection, target: str, folder: ResultsFolder, as_json: bool, quiet: bool) -> None:
    if as_json:
        say_json(found.to_json())
        return
    if quiet:
        for name in found.names:
            say(name)
        return
    from bayesvc.selection import text as _selection_text

    header, *lines = _selection_text.table_rows(found)
    note(*_selection_text.about(found))
    show_table(header, lines)
    for line in _selection_text.legend(found):
        note(line)
    say_notes(found.notes, found.signal, target)
    say(conclusion(found, target))
    folder.say_where()


def conclusion(found: Selection, target: str) -> str:
    """Return the result in a sentence."""
    from bayesvc._text import listed
    from bayesvc.report import words

    opening, names = words.conclusion(found, target)
    return f"{opening}: {listed(names, most=10)}." if names else f"{opening}."
