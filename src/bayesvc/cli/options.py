"""Options that several commands share, and the lists of names they take."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from bayesvc.cli.errors import BadInput

_F = TypeVar("_F", bound=Callable[..., Any])


class NumberOrAuto(click.IntRange):
    """An integer of at least `least`, or "auto"."""

    name = "integer or auto"

    def __init__(self, least: int) -> None:
        super().__init__(min=least)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number, or "auto"."""
        return value if value == "auto" else super().convert(value, param, ctx)


SEED = click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="NUMBER",
    default=0,
    show_default=True,
    help="Random seed.",
)
JOBS = click.option(
    "--jobs",
    type=int,
    metavar="NUMBER",
    default=-1,
    show_default=True,
    help="Number of threads. -1 uses all CPUs.",
)

EVENT = click.option(
    "--event",
    metavar="COLUMN",
    help="Column that tells in which rows the event was observed: 1 or true, else 0 or false. The "
    "target then holds survival times, and the other rows are right-censored.",
)

COLUMNS = (
    click.option("--features", multiple=True, metavar="COLUMN,...",
                 help="Columns to use. By default all."),
    click.option("--exclude", multiple=True, metavar="COLUMN,...", help="Columns to leave out."),
    click.option("--id-column", multiple=True, metavar="COLUMN,...",
                 help="Columns that only identify the rows. They are left out."),
)  # fmt: skip

_DATA = (
    click.argument("file", type=click.Path(path_type=Path)),
    click.option("--target", "-y", required=True, metavar="COLUMN",
                 help="Column that holds the response."),
    EVENT,
    *COLUMNS,
    click.option("--group", multiple=True, metavar="NAME=COLUMN,...",
                 help="Treat these columns as one variable, called NAME."),
    click.option("--weights", metavar="COLUMN", help="Column that holds the row weights."),
    click.option("--blocks", metavar="COLUMN",
                 help="Column that holds block labels, such as sites. The signal test and null "
                 "replicates permute the response only within blocks. The model itself ignores "
                 "blocks."),
    click.option("--time-order", is_flag=True,
                 help="The rows are in time order. The signal test and null replicates shift the "
                 "response circularly instead of permuting it. The model itself ignores the "
                 "order."),
    click.option("--response", type=click.Choice(["auto", "continuous", "binary"]),
                 default="auto", show_default=True,
                 help="Kind of response. auto: text, booleans, and 0 and 1 are binary; other "
                 "numbers are continuous."),
    click.option("--separator", metavar="CHARACTER",
                 help="Column separator of a text file. By default it is detected."),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of a text file."),
)  # fmt: skip

_RUN = (
    SEED,
    JOBS,
    click.option("--burn-in", type=NumberOrAuto(0), metavar="NUMBER|auto",
                 help="Iterations to discard at the start of each replicate. By default 5000 "
                 "(abc methods: 200). auto: the first of 1000, 2000 and 5000 for which the split "
                 "counts are stable."),
    click.option("--draws", type=NumberOrAuto(1), metavar="NUMBER|auto",
                 help="Draws to keep in each replicate. By default 5000. auto: as for --burn-in. "
                 "Not used by abc methods."),
    click.option("--trees", type=click.IntRange(1), metavar="NUMBER", default=20, show_default=True,
                 help="Number of trees in each ensemble."),
    click.option("--signal-test/--no-signal-test", default=True, show_default=True,
                 help="Test whether the response depends on the columns at all."),
    click.option("--allow-empty/--no-allow-empty", default=None,
                 help="If the signal test finds no evidence of signal (p > 0.05), select nothing. "
                 "This is the default of dart-relevance and bart-relevance only."),
    click.option("--out", type=click.Path(path_type=Path),
                 help="Folder for the results. By default it is named after FILE."),
    click.option("--resume", is_flag=True, help="Continue a run that was stopped."),
    click.option("--overwrite", is_flag=True, help="Replace earlier results in the folder."),
    click.option("--json", "as_json", is_flag=True, help="Print only the result, as JSON."),
)  # fmt: skip


def data_options(command: _F) -> _F:
    """Add the options that say which data of a file to use."""
    return add_options(command, _DATA)


def run_options(command: _F) -> _F:
    """Add the options that say how to sample, and where the results go."""
    return add_options(command, _RUN)


def quiet_option(text: str) -> Callable[[_F], _F]:
    """Return the option that prints names alone, with this help text."""
    return click.option("--quiet", "-q", is_flag=True, help=text)


def add_options(command: _F, options: Iterable[Callable[[Any], Any]]) -> _F:
    """Add options to a command, in this order."""
    for option in reversed(tuple(options)):
        command = option(command)
    return command


def is_silent(request: Mapping[str, Any]) -> bool:
    """Return whether only the result is to be printed."""
    return bool(request["as_json"] or request["quiet"])


def split_names(given: str | Iterable[str] | None) -> list[str]:
    """Return names that were given one by one, or separated by commas.

    Examples
    --------
    >>> from bayesvc.cli.options import split_names
    >>> split_names(("a,b", "c", '"d, in years"'))
    ['a', 'b', 'c', 'd, in years']
    """
    parts = [] if given is None else [given] if isinstance(given, str) else list(given)
    rows = csv.reader(parts, skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def parse_groups(parts: Iterable[str]) -> dict[str, list[str]]:
    """Return column groups by name.

    Examples
    --------
    >>> from bayesvc.cli.options import parse_groups
    >>> parse_groups(("size=height,weight", "site=s1,s2"))
    {'size': ['height', 'weight'], 'site': ['s1', 's2']}
    """
    found: dict[str, list[str]] = {}
    for part in parts:
        text, equals, columns = part.partition("=")
        name = text.strip()
        if not (name and equals and split_names(columns)):
            raise BadInput(f"--group must have the form NAME=COLUMN,COLUMN. Got {part!r} instead.")
        if name in found:
            raise BadInput(
                f"--group must be given once for each name. Got {name!r} twice. List all columns "
                "of a group in one --group."
            )
        found[name] = split_names(columns)
    return found
