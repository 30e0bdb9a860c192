"""The settings of an unfinished run, stored beside its finished replicates.

A run is continued only with the settings that it was started with: replicates of other settings
would not be found, and all finished work would be lost without a word.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesvc import __version__
from bayesvc._text import quoted
from bayesvc.cli.errors import BadInput

if TYPE_CHECKING:
    from bayesvc.cli.chosen_columns import ChosenColumns
    from bayesvc.selection.methods import Method

RECORD_NAME = "run.json"
_FORMAT = 1
_LISTS = ("columns", "--methods")


def describe_run(
    command: str,
    request: Mapping[str, Any],
    data: ChosenColumns,
    plans: Sequence[Method],
) -> dict[str, Any]:
    """Return what the replicates of a run depend on, by the names of the options.

    Numbers of replicates and subsamples are not part of it: more or fewer of them use the finished
    ones just the same.
    """
    names = [plan.name for plan in plans]
    method = {"--method": names[0]} if command == "select" else {"--methods": sorted(names)}
    return {
        "command": command,
        "version of bayesvc": __version__,
        "content of FILE": _fingerprint(request["file"]),
        "--separator": request["separator"],
        "--encoding": request["encoding"],
        "--target": request["target"],
        "--event": request["event"],
        "columns": data.names,
        "--group": data.groups,
        "--weights": request["weights"],
        "--blocks": request["blocks"],
        "--time-order": request["time_order"] or None,
        "--response": request["response"],
        **method,
        "priors": sorted({repr(plan.prior) for plan in plans}),
        "--trees": request["trees"],
        "--burn-in": request["burn_in"],
        "--draws": request["draws"],
        "--seed": request["seed"],
    }


def write_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the settings of a run into the folder of its replicates."""
    from bayesvc._archive import atomic_file  # which loads numpy

    about = {"format": _FORMAT, "settings": record}
    with atomic_file(folder / RECORD_NAME) as file:
        file.write((json.dumps(about, indent=1) + "\n").encode())


def read_record(folder: Path) -> dict[str, Any] | None:
    """Return the settings that a folder of replicates was started with; None without any."""
    path = folder / RECORD_NAME
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is not a regular file")  # a pipe would block
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["format"] == _FORMAT:
            return dict(about["settings"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} cannot be read: {error}. Start again with --overwrite.") from None
    raise BadInput(
        f"{path} was written by another version of bayesvc. Start again with --overwrite."
    )


def delete_record(folder: Path) -> None:
    """Delete the settings of a run, and what a kill left while they were written."""
    for path in [folder / RECORD_NAME, *folder.glob(f".{RECORD_NAME}.*.tmp")]:
        path.unlink(missing_ok=True)


def differences(stored: Mapping[str, Any], record: Mapping[str, Any]) -> list[str]:
    """Say which settings of a run differ: what each was, and what it is now.

    Examples
    --------
    >>> from bayesvc.cli.run_record import differences
    >>> differences({"--seed": 0, "--burn-in": None}, {"--seed": 1, "--burn-in": 100})
    ['--seed: was 0, is now 1', '--burn-in: was the default, is now 100']
    """
    return [
        _difference(name, stored.get(name), record.get(name))
        for name in {**stored, **record}
        if stored.get(name) != record.get(name)
    ]


def _difference(name: str, before: Any, now: Any) -> str:
    if name == "content of FILE":
        return f"{name}: has changed"
    if name in _LISTS and isinstance(before, list) and isinstance(now, list):
        added = [item for item in now if item not in before]
        removed = [item for item in before if item not in now]
        parts = [f"now without {quoted(removed)}"] if removed else []
        parts += [f"now with {quoted(added)}"] if added else []
        return f"{name}: {', '.join(parts) or 'now in another order'}"
    return f"{name}: was {_shown(before)}, is now {_shown(now)}"


def _shown(value: Any) -> str:
    if value is None:
        return "the default"
    return value if isinstance(value, str) else json.dumps(value)


def _fingerprint(path: Path) -> str:
    import hashlib  # here and not above, so that --help is quick

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
