"""Options and values that the commands of `bayesvc bench` share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bayesvc.cli.errors import BadInput
from bayesvc.cli.options import split_names
from bayesvc.cli.output import say

if TYPE_CHECKING:
    import polars as pl

RESULTS = click.argument("results", type=click.Path(path_type=Path))
REPLICATES = click.option(
    "--replicates",
    metavar="NUMBER,...",
    help="Also score the methods of --methods with these numbers of replicates, such as 1,2,5.",
)
JOBS = click.option(
    "--jobs",
    type=int,
    metavar="NUMBER",
    default=-1,
    show_default=True,
    help="Number of processes; -1 for all CPUs.",
)


def parse_numbers(option: str, text: str | None) -> list[float]:
    """Return the numbers in a list separated by commas.

    Examples
    --------
    >>> from bayesvc.cli.bench_options import parse_numbers
    >>> parse_numbers("--snr", "0.25,5,inf")
    [0.25, 5.0, inf]
    """
    try:
        return [float(part) for part in split_names(text)]
    except ValueError:
        raise BadInput(
            f"{option} must be numbers separated by commas, such as 1,2,5. Got {text!r} instead."
        ) from None


def parse_integers(option: str, text: str | None) -> list[int]:
    """Return the integers in a list separated by commas.

    Examples
    --------
    >>> from bayesvc.cli.bench_options import parse_integers
    >>> parse_integers("--n", "500,1000")
    [500, 1000]
    """
    numbers = parse_numbers(option, text)
    if not all(number.is_integer() for number in numbers):
        raise BadInput(
            f"{option} must be integers separated by commas, such as 1,2,5. Got {text!r} instead."
        )
    return [int(number) for number in numbers]


def parse_shard(text: str) -> tuple[int, int]:
    """Return i and N of "i/N".

    Examples
    --------
    >>> from bayesvc.cli.bench_options import parse_shard
    >>> parse_shard("3/10")
    (3, 10)
    """
    index, _, parts = text.partition("/")
    if index.isdecimal() and parts.isdecimal() and 1 <= int(index) <= int(parts):
        return int(index), int(parts)
    raise BadInput(f"--shard must be i/N with i from 1 to N, such as 3/10. Got {text!r} instead.")


def report_failures(rows: pl.DataFrame) -> None:
    """Say which methods failed and why; exit with code 1 if one failed on all data sets."""
    from bayesvc._text import counted
    from bayesvc.bench.result_rows import failures

    useless = False
    for name, count, failed, runs, error in failures(rows).iter_rows():
        who = f"{name} ({counted(count, 'replicate')})" if count else name
        say(f"{who} failed on {failed} of {counted(runs, 'data set')}: {error}", err=True)
        useless = useless or failed == runs
    sys.exit(1 if useless else 0)
