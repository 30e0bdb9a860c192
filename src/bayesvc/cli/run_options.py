"""How a selection is run from the command line: options, estimate of the time, going on."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from bayesvc.cli.chosen_columns import Chosen, choose
from bayesvc.cli.errors import BadInput, Stopped
from bayesvc.cli.output import clock, clock_at, note
from bayesvc.cli.table_file import read_table

_F = TypeVar("_F", bound=Callable[..., Any])

_PILOT_SWEEPS = 100
_LONG = 5.0  # seconds, from which on an estimate is worth a line


def data_options(command: _F) -> _F:
    """Add the options that say what of a file is meant."""
    options = [
        click.argument("file", type=click.Path(path_type=Path)),
        click.option("--target", "-y", required=True, help="Column to be explained."),
        click.option("--features", multiple=True, help="Columns to choose from; all by default."),
        click.option("--exclude", multiple=True, help="Columns to leave out."),
        click.option("--id-column", multiple=True, help="Columns that only name the rows."),
        click.option("--group", multiple=True, metavar="NAME=COLUMN,...",
                     help="Columns that are one variable."),
        click.option("--weights", help="Column of the rows' weights."),
        click.option("--blocks", help="Column of blocks, such as sites, to permute rows within."),
        click.option("--response", type=click.Choice(["auto", "continuous", "binary"]),
                     default="auto", show_default=True,
                     help="The target as numbers or as two classes; auto: classes if it is text or "
                          "0 and 1."),
        click.option("--separator", help="Between columns of a text file; guessed by default."),
        click.option("--encoding", default="utf-8", show_default=True, help="Of a text file."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def run_options(command: _F) -> _F:
    """Add the options that say how to run."""
    options = [
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                     help="Of all random numbers."),
        click.option("--jobs", default=-1, help="Number of threads; all CPUs by default."),
        click.option("--burn-in", type=click.IntRange(0),
                     help="Draws thrown away per fit; 5000 by default."),
        click.option("--draws", type=click.IntRange(1),
                     help="Draws kept per fit; 5000 by default."),
        click.option("--trees", type=click.IntRange(1), default=20, show_default=True,
                     help="Trees in a forest."),
        click.option("--signal-test/--no-signal-test", default=True,
                     help="Whether to test for any signal at all."),
        click.option("--allow-empty", is_flag=True, help="Select nothing if there is no signal."),
        click.option("--out", type=click.Path(path_type=Path), help="Folder for the results."),
        click.option("--resume", is_flag=True, help="Go on with a run that was stopped."),
        click.option("--overwrite", is_flag=True, help="Replace earlier results in the folder."),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only."),
        click.option("--quiet", "-q", is_flag=True, help="Print the selected names only."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def listed(parts: tuple[str, ...]) -> list[str]:
    """Return names that were given one by one, or separated by commas.

    Examples
    --------
    >>> from bayesvc.cli.run_options import listed
    >>> listed(("a,b", "c", '"d, in years"'))
    ['a', 'b', 'c', 'd, in years']
    """
    rows = csv.reader(parts, skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def grouped(parts: tuple[str, ...]) -> dict[str, list[str]]:
    """Return groups of columns by name.

    Examples
    --------
    >>> from bayesvc.cli.run_options import grouped
    >>> grouped(("size=height,weight", "site=s1,s2"))
    {'size': ['height', 'weight'], 'site': ['s1', 's2']}
    """
    found: dict[str, list[str]] = {}
    for part in parts:
        name, equals, columns = part.partition("=")
        if not (name.strip() and equals and listed((columns,))):
            raise BadInput(f"--group {part!r} is not of the form NAME=COLUMN,COLUMN")
        if name.strip() in found:
            raise BadInput(f"--group {name.strip()!r} is given twice; list all its columns in one")
        found[name.strip()] = listed((columns,))
    return found


@dataclass(frozen=True)
class Folder:
    """Where results go, and where finished fits wait meanwhile."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """The folder of finished fits."""
        return self.path / "unfinished"


def open_folder(path: Path, *, resume: bool, overwrite: bool) -> Folder:
    """Make the folder of results, or say why it cannot be used."""
    folder = Folder(path)
    waiting = folder.checkpoint.is_dir()
    if resume and not waiting:
        raise BadInput(f"{path} holds no run that was stopped; leave out --resume")
    unfinished = waiting and any(folder.checkpoint.iterdir())
    if unfinished and not (resume or overwrite):
        raise BadInput(
            f"{path} holds a run that was stopped; go on with --resume, or start again with "
            "--overwrite"
        )
    if path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file; give a folder with --out")
    there = set(path.iterdir()) if path.is_dir() else set()
    if there - {folder.checkpoint} and not (resume or overwrite):
        raise BadInput(f"{path} is not empty; give another folder with --out, or --overwrite")
    if overwrite:
        shutil.rmtree(folder.checkpoint, ignore_errors=True)
    try:
        folder.checkpoint.mkdir(parents=True, exist_ok=True)
        probe = path / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written to ({error.strerror}); give another folder with --out"
        ) from None
    return folder


def begin(
    request: Mapping[str, Any],
    plans: list[Any],
    settings: dict[str, Any],
    kind: str,
    n_halves: int = 0,
    check: Callable[[Chosen], None] | None = None,
) -> tuple[Chosen, Folder]:
    """Read the data, check them, open the folder of results, and say what is about to be done."""
    file: Path = request["file"]
    table = read_table(file, request["separator"], request["encoding"])
    data = choose(
        table.frame, request["target"], listed(request["features"]), listed(request["exclude"]),
        ids=listed(request["id_column"]), weights=request["weights"], blocks=request["blocks"],
        groups=grouped(request["group"]), response=request["response"],
    )  # fmt: skip
    if check is not None:
        check(data)
    folder = open_folder(
        request["out"] or Path(f"{file.name.split('.')[0]}-{kind}"),
        resume=request["resume"], overwrite=request["overwrite"],
    )  # fmt: skip
    if not is_silent(request):
        for text in [*table.notes, *data.notes]:
            note(f"{file}: {text}")
        rows, columns = data.X.height, data.X.width
        note(f"{file}: {rows:,} rows, {columns:,} columns to explain {request['target']!r}")
        say_how_long(data, plans, settings, n_halves)
    return data, folder


def is_silent(request: Mapping[str, Any]) -> bool:
    """Whether nothing but the result is to be printed."""
    return bool(request["as_json"] or request["quiet"])


def say_where(folder: Folder) -> None:
    """End with where the results are, and the page to read them."""
    click.echo(f"Results: {folder.path}")
    report = folder.path / "report.html"
    if report.exists():
        click.echo(f"Report: {report}")


def sampling_settings(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a run by the names they have in `bayesvc.select`."""
    from bayesvc._validation import resolve_n_jobs

    if request["allow_empty"] and not request["signal_test"]:
        raise BadInput("--allow-empty rests on the test for signal; leave out --no-signal-test")
    resolve_n_jobs(request["jobs"])  # an error before a folder is made
    return {
        "n_trees": request["trees"], "burn_in": request["burn_in"], "n_draws": request["draws"],
        "random_state": request["seed"], "n_jobs": request["jobs"],
        "signal_test": request["signal_test"], "allow_empty": request["allow_empty"],
    }  # fmt: skip


def stopped(folder: Folder, how: str = "stopped") -> Stopped:
    """Return the message after Ctrl-C without a result."""
    return Stopped(
        f"{how}; what is finished waits in {folder.checkpoint}, and the same command with "
        "--resume goes on"
    )


def say_how_long(
    data: Chosen, plans: list[Any], settings: dict[str, Any], n_halves: int = 0
) -> None:
    """Run a few draws of each prior and say how long the whole will take, if it is long."""
    import bayesvc as bv
    from bayesvc._validation import resolve_n_jobs
    from bayesvc.priors.spike_forest import SpikeForest

    most: dict[Any, int] = {}
    for plan in plans:
        fits = plan.n_replicates + plan.n_permutations
        most[plan.prior] = max(most.get(plan.prior, 0), fits)
    length = (settings["burn_in"] or 5000) + (settings["n_draws"] or 5000)
    seconds = 0.0
    for prior, n_fits in most.items():
        if isinstance(prior, SpikeForest):
            sweeps, pilot = prior.n_samples * (prior.burn_in + 1), bv.BART()
        else:
            sweeps, pilot = n_fits * length, prior
        draws = bv.sample(
            data.X, data.y, pilot, n_replicates=1, n_trees=settings["n_trees"],
            burn_in=_PILOT_SWEEPS, n_draws=1, random_state=0, n_jobs=1, response=data.response,
        )  # fmt: skip
        seconds += float(draws.seconds[0]) / (_PILOT_SWEEPS + 1) * sweeps
    seconds *= (1.3 if settings["signal_test"] else 1.0) + 0.5 * n_halves
    seconds /= resolve_n_jobs(settings["n_jobs"])
    if seconds > _LONG:
        end = clock_at(datetime.now(), seconds)
        note(f"This will take about {clock(seconds)}, until {end}. Ctrl-C keeps what is finished.")
