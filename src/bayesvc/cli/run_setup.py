"""What `select` and `compare` do before they sample: read, choose, check, announce."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesvc.cli.chosen_columns import ChosenColumns, choose_columns
from bayesvc.cli.errors import BadInput
from bayesvc.cli.options import is_silent, parse_groups, split_names
from bayesvc.cli.output import note
from bayesvc.cli.results_folder import ResultsFolder, open_folder
from bayesvc.cli.run_record import describe_run
from bayesvc.cli.table_file import read_table
from bayesvc.cli.time_estimate import say_how_long

if TYPE_CHECKING:
    from bayesvc.selection.methods import Method

_FOLDERS = {"select": "selection", "compare": "comparison"}


def sampling_settings(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a run under the names they have in `bayesvc.select`."""
    from bayesvc._validation import resolve_n_jobs

    if request["allow_empty"] and not request["signal_test"]:
        raise BadInput("--allow-empty requires the signal test. Leave out --no-signal-test.")
    resolve_n_jobs(request["jobs"])  # an error before a folder is created
    names = {
        "n_trees": "trees", "burn_in": "burn_in", "n_draws": "draws", "random_state": "seed",
        "n_jobs": "jobs", "signal_test": "signal_test", "allow_empty": "allow_empty",
        "time_order": "time_order",
    }  # fmt: skip
    return {argument: request[option] for argument, option in names.items()}


@contextmanager
def start_run(
    command: str,
    request: Mapping[str, Any],
    plans: Sequence[Method],
    settings: dict[str, Any],
    n_subsamples: int = 0,
    check: Callable[[ChosenColumns], None] | None = None,
) -> Iterator[tuple[ChosenColumns, ResultsFolder]]:
    """Read and check the data, open the folder of results, and say what is about to be done.

    Meanwhile the folder belongs to this run.
    """
    file: Path = request["file"]
    table = read_table(file, request["separator"], request["encoding"])
    data = choose_columns(
        table.frame, request["target"], split_names(request["features"]),
        split_names(request["exclude"]), ids=split_names(request["id_column"]),
        weights=request["weights"], blocks=request["blocks"],
        groups=parse_groups(request["group"]), response=request["response"],
        event=request["event"],
    )  # fmt: skip
    if data.event is not None:
        _refuse_incompatible(command, plans)
    if check is not None:
        check(data)
    with open_folder(
        request["out"] or Path(f"{file.name.split('.')[0]}-{_FOLDERS[command]}"),
        describe_run(command, request, data, plans),
        resume=request["resume"],
        overwrite=request["overwrite"],
    ) as folder:
        if not is_silent(request):
            for text in [*table.notes, *data.notes]:
                note(f"{file}: {text}")
            rows, columns = len(data.y), len(data.names)
            target = f"{request['target']!r}{data.about_target}"
            note(f"{file}: {rows:,} rows, {columns:,} columns, response {target}.")
            say_how_long(data, plans, settings, n_subsamples)
        yield data, folder


def _refuse_incompatible(command: str, plans: Sequence[Method]) -> None:
    """Refuse methods that cannot be used with censored times."""
    names = [plan.name for plan in plans if plan.prior is None or plan.prior.sampler == "chain"]
    if len(names) == len(plans):
        return
    remedy = "Leave out --method, or name another"
    if command == "compare":
        remedy = f"Give --methods {','.join(names)}" if names else "Name other --methods"
    raise BadInput(
        "--event is not compatible with methods of SpikeForest (abc-...), which compare simulated "
        f"times with observed ones. {remedy}."
    )
