"""Output: tables, notes, and a progress bar where a terminal can show it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from bayesvc._text import visible
from bayesvc.cli.signals import INTERRUPTED

if TYPE_CHECKING:
    import polars as pl

    from bayesvc.exceptions import Note
    from bayesvc.sampling.progress import ProgressCallback
    from bayesvc.selection.signal import SignalTest

_OPTIONS = {
    "n_replicates": "--replicates", "n_permutations": "--permutations", "n_trees": "--trees",
    "burn_in": "--burn-in", "n_draws": "--draws", "random_state": "--seed", "n_jobs": "--jobs",
    "response": "--response", "method": "--method", "goal": "--goal",
    "n_subsamples": "--subsamples",
    "n": "--n", "snr": "--snr", "seed": "--seed", "problem": "--problem",
    "methods": "--methods", "interval": "--interval",
    "time_order": "--time-order", "permute_within": "--blocks",
}  # fmt: skip
_REMEDIES = [  # what only Python can do, and what the command line can
    (r"time_order=True \(--time-order\)", "--time-order"),
    (r"permute_within= \(--blocks\)", "--blocks"),
    (r"Leave .+ out of X and pass y=bayesvc\.Surv\(.+\) \((--event .+)\)\.", r"Give \1."),
    (
        r"select for each class against the rest, for example with .+ == \d+ as the response",
        "make a column that is 1 for one class and 0 for the others, and select for it",
    ),
    (r"Use method ('[\w-]+'), or DART or BART with transform='auto',", r"Use method=\1,"),
]


class InOrderOfUse(click.Group):
    """Lists commands in the order in which they were added, and makes their errors visible."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        """Parse the arguments."""
        with _visible_errors():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _visible_errors():
            return super().invoke(ctx)


@contextmanager
def _visible_errors() -> Iterator[None]:
    """Make visible what click says about arguments, and end quietly where Ctrl-C comes early."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except click.ClickException as error:
        vars(error).update(message=visible(error.message, keep="\n\t"))
        raise


def say(*lines: object, err: bool = False) -> None:
    """Print lines in which nothing controls the terminal, whatever a name or a path holds."""
    click.echo("\n".join(visible(str(line)) for line in lines), err=err)


def say_json(text: str) -> None:
    """Print JSON, which has escapes of its own."""
    click.echo(text)


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; elsewhere than on a terminal, separate columns by tabs."""
    header, *rows = ([visible(cell) for cell in row] for row in (header, *rows))
    if not sys.stdout.isatty():
        for row in (header, *rows):
            click.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    pretty = Table()
    for place, name in enumerate(header):
        numeric = all(_is_number(row[place]) for row in rows)
        pretty.add_column(escape(name), justify="right" if numeric else "left")
    for row in rows:
        pretty.add_row(*map(Text, row))  # as text, so that a name such as [red] is not markup
    Console().print(pretty)


def show_frame(frame: pl.DataFrame, digits: int = 3) -> None:
    """Print a data frame with this many digits after the decimal point."""
    rows = [
        [
            f"{value:g}" if name == "snr" else _shown(value, digits)
            for name, value in zip(frame.columns, row, strict=True)
        ]
        for row in frame.iter_rows()
    ]
    show_table(frame.columns, rows)


def _is_number(text: str) -> bool:
    """Return whether a cell holds a number, a percentage or nothing."""
    try:
        float(text.removesuffix("%").replace(",", "") or 0)
    except ValueError:
        return False
    return True


def _shown(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:.{digits}f}" if value != float("inf") else "inf"
    return "" if value is None else str(value)


@contextmanager
def progress_bar(text: str, *, counts: bool = False) -> Iterator[ProgressCallback | None]:
    """Yield a function ``(done, total)`` that draws a bar with the time left, on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(),
        MofNCompleteColumn() if counts else TaskProgressColumn(),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=600) as bar:
        line = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(line, completed=done, total=total)


def note(*lines: str) -> None:
    """Print a note to standard error."""
    say(*lines, err=True)


def say_notes(notes: Sequence[Note], signal: SignalTest | None, target: str) -> None:
    """Print what a reader of a result should know."""
    said = "" if signal is None else f"{signal.conclusion(target)}. "  # the last line says it
    for each in notes:
        text = each.text.removeprefix(said) if each.code == "no-signal" else each.text
        note(f"Note: {as_options(text)}")
    if signal is not None and signal.found:
        note(signal.describe(target))


def as_options(text: str) -> str:
    """Replace the arguments that a message names by the options of the current command.

    Examples
    --------
    >>> import click
    >>> from bayesvc.cli.output import as_options
    >>> command = click.Command("select", params=[click.Option(["--trees"])])
    >>> with click.Context(command):
    ...     as_options("`n_trees` must be positive. Use n_trees=20, or increase `burn_in`.")
    '--trees must be positive. Use --trees 20, or increase `burn_in`.'
    """
    context = click.get_current_context(silent=True)
    own = {option for param in context.command.params for option in param.opts} if context else ()
    options = {name: option for name, option in _OPTIONS.items() if option in own}
    if "methods" in options:
        options.setdefault("method", "--methods")
    if not options:
        return text
    for python, command_line in _REMEDIES:
        text = re.sub(python, command_line, text)
    names = "|".join(options)
    text = re.sub(rf"`({names})`", lambda match: options[match[1]], text)
    text = re.sub(rf"\b({names})='([\w-]+)'", lambda match: f"{options[match[1]]} {match[2]}", text)
    text = re.sub(rf"\b({names})=(?=\S)", lambda match: f"{options[match[1]]} ", text)
    text = re.sub(rf"`({names})`", lambda match: options[match[1]], text)
    return re.sub(r"(--[\w-]+ must be [^.]+), or None\.", r"\1.", text)


def clock(seconds: float) -> str:
    """Format a duration in words.

    Examples
    --------
    >>> from bayesvc.cli.output import clock
    >>> clock(0.3), clock(42), clock(200), clock(7300), clock(1_000_000)
    ('1 second', '42 seconds', '3 minutes', '2.0 hours', '12 days')
    """
    if seconds < 1.5:
        return "1 second"
    if seconds < 100:
        return f"{round(seconds)} seconds"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    hours = seconds / 3600
    return f"{hours:.1f} hours" if hours < 72 else f"{hours / 24:.0f} days"


def clock_at(now: datetime, seconds: float) -> str:
    """Format the time this many seconds from now, with the date if that is another day.

    Examples
    --------
    >>> from datetime import datetime
    >>> from bayesvc.cli.output import clock_at
    >>> evening = datetime(2024, 12, 31, 23, 30)
    >>> clock_at(evening, 600), clock_at(evening, 3600)
    ('23:40', '2025-01-01 00:30')
    """
    try:
        end = now + timedelta(seconds=seconds)
    except OverflowError:
        return "after the year 9999"
    return f"{end:%H:%M}" if end.date() == now.date() else f"{end:%Y-%m-%d %H:%M}"
