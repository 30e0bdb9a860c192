"""`bayesvc compare`: several methods on the same replicates, and where they agree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from bayesvc.cli.errors import report_errors
from bayesvc.cli.options import data_options, is_silent, quiet_option, run_options, split_names
from bayesvc.cli.output import progress_bar, say, say_json, say_notes, show_table
from bayesvc.cli.run_setup import sampling_settings, start_run
from bayesvc.cli.writing import write_comparison

if TYPE_CHECKING:
    from bayesvc.selection.comparison import Comparison

_MOST_ROWS = 40


@click.command()
@data_options
@click.option(
    "--methods",
    multiple=True,
    metavar="NAME,...",
    help="Methods from `bayesvc recipes`. By default all.",
)
@run_options
@quiet_option("Print only the names of the columns that more than half of the methods select.")
@report_errors
def compare(methods: tuple[str, ...], **request: Any) -> None:
    """Apply several methods to FILE and show where they agree.

    Methods with the same prior share their replicates, so no replicate is run twice.

    \b
    Examples:
    bayesvc compare patients.csv --target cholesterol
    bayesvc compare genes.parquet -y response --methods dart-vc,dart-mpm,bart-vc
    """
    import bayesvc as bv
    from bayesvc.selection.methods import resolve_method

    names = split_names(methods) or list(bv.recipes())
    plans = [resolve_method(name) for name in names]
    settings = sampling_settings(request)
    with start_run("compare", request, plans, settings) as (data, folder):
        with progress_bar("sampling") as show:
            found = bv.compare(
                data.X, data.y_or_times, names, checkpoint=folder.checkpoint, progress=show,
                **settings, **data.about,
            )  # fmt: skip
        with folder.replaced() as new:
            write_comparison(found, new, data, request["file"].name, silent=is_silent(request))
        folder.discard_unfinished()
        if request["as_json"]:
            say_json(json.dumps({name: own.names for name, own in found.items()}, indent=1))
            return
        _show(found, request["target"], request["quiet"])
        if not request["quiet"]:
            folder.say_where()


def _show(found: Comparison, target: str, quiet: bool) -> None:
    votes = found.table.filter(found.table["methods"] > 0).sort("methods", descending=True)
    if quiet:
        most = votes.filter(votes["methods"] > len(found) / 2)
        say(*most["variable"].to_list())
        return
    rows = [
        [str(row[0]), *("x" if chosen else "" for chosen in row[1:-1]), str(row[-1])]
        for row in votes.head(_MOST_ROWS).iter_rows()
    ]
    show_table(votes.columns, rows)
    if votes.height > _MOST_ROWS:
        say(f"... and {votes.height - _MOST_ROWS} more columns, selected by fewer methods.")
    say_notes(found.notes, next(iter(found.values())).signal, target)
    from bayesvc._text import listed
    from bayesvc.report import words

    opening, names = words.agreement(found, target)
    said = f"{opening}: {listed(names, most=10)}." if names else f"{opening}."
    say(f"{said} {words.disagreement(found)}".rstrip())
