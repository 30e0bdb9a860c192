"""Results that take the place of earlier ones all at once.

They are written to a hidden folder inside the folder of results. When they are complete, the two
folders are exchanged in one step, so that a kill leaves the earlier results or the new ones.

Files are moved one by one instead if there are others between them that must stay, or if folders
cannot be exchanged: outside Linux, on file systems such as NFS, and if the folder is a mount point
or the current one. Each file is then complete, but a kill between two moves leaves new files beside
earlier ones until the next run finishes the move.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bayesvc.cli.errors import BadInput

if TYPE_CHECKING:
    from bayesvc._lock import Lock

CHECKPOINT_NAME = "unfinished"
LOCK_NAME = ".running"
_NEW, _COMPLETE, _MOVING = ".bayesvc-new", ".bayesvc-complete", ".bayesvc-moving"
_FIGURES = "figures"
_PLOTS = ("scatter", "importance", "nulls", "dendrogram", "traces", "stability", "agreement")
_RESULTS = (
    "selection.csv", "selection.json", "draws.npz", "comparison.csv", "comparison.json",
    "report.html", *(f"{_FIGURES}/{plot}.svg" for plot in _PLOTS),
)  # fmt: skip
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of Linux


def is_for_runs(name: str) -> bool:
    """Return whether a file in a folder of results belongs to a run and not to its results."""
    own = (LOCK_NAME, f".{LOCK_NAME}", ".clock-", _NEW, _COMPLETE, _MOVING)
    return name == CHECKPOINT_NAME or name.startswith(own)


def check_places(folder: Path) -> None:
    """Refuse a folder in which something else is in the place of a result."""
    figures = folder / _FIGURES
    if os.path.lexists(figures) and (figures.is_symlink() or not figures.is_dir()):
        raise BadInput(f"{figures} must be a folder, and not a link. Delete or rename it.")
    for path in (folder / name for name in _RESULTS):
        if path.is_dir():
            raise BadInput(f"{path} must be a file. Got a folder instead. Delete or rename it.")


def new_folder(folder: Path) -> Path:
    """Make the hidden folder for new results."""
    new = folder / _NEW
    new.mkdir()
    return new


def replace_results(folder: Path, lock: Lock) -> None:
    """Put new results, which are complete, in the place of earlier ones; `tidy` ends it."""
    place, new = folder.resolve(), folder.resolve() / _NEW
    for path in _files(new):
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    if not (_has_only_results(place) and _exchange_with(new, place, lock)):
        new.rename(place / _COMPLETE)


def tidy(folder: Path) -> None:
    """Finish the replacement of results, also after a kill; delete those that are not complete."""
    place = folder.resolve()
    if _aside(place).is_dir() and not _aside(place).is_symlink():
        _empty(_aside(place), place)
    if (place / _COMPLETE).is_dir():
        for name in _RESULTS:
            if not (place / _COMPLETE / name).exists():
                (place / name).unlink(missing_ok=True)
        (place / _COMPLETE).rename(place / _MOVING)  # from now on no file is taken for an old one
    for path in _files(place / _MOVING):
        target = place / path.relative_to(place / _MOVING)
        target.parent.mkdir(exist_ok=True)
        path.replace(target)
    for name in (_MOVING, _NEW):
        shutil.rmtree(place / name, ignore_errors=True)


def _empty(aside: Path, place: Path) -> None:
    """Delete the results in a folder that was or should be exchanged, and move the rest back."""
    for name in (*_RESULTS, LOCK_NAME):
        (aside / name).unlink(missing_ok=True)
    with suppress(OSError):
        (aside / _FIGURES).rmdir()
    for path in aside.iterdir():  # the replicates, and what others put there in the last moment
        if not os.path.lexists(place / path.name):
            with suppress(FileNotFoundError):  # others may delete theirs again
                path.rename(place / path.name)
    with suppress(OSError):
        aside.rmdir()


def _aside(place: Path) -> Path:
    """Return where a folder waits to be exchanged: beside it, as none is exchanged with its own."""
    return place.with_name(f".{place.name}{_NEW}")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _has_only_results(folder: Path) -> bool:
    entries = [path for path in folder.iterdir() if not is_for_runs(path.name)]
    if folder / _FIGURES in entries:
        entries.remove(folder / _FIGURES)
        entries += (folder / _FIGURES).iterdir()
    return {path.relative_to(folder).as_posix() for path in entries} <= set(_RESULTS)


def _exchange_with(new: Path, folder: Path, lock: Lock) -> bool:
    """Exchange two folders; return False if that cannot be done."""
    aside = _aside(folder)
    try:
        if Path.cwd().is_relative_to(folder):
            return False
        new.rename(aside)
    except OSError:
        return False
    shutil.copymode(folder, aside)
    lock.copy_to(aside / LOCK_NAME)
    if _exchange(aside, folder):
        return True
    (aside / LOCK_NAME).unlink()
    aside.rename(new)
    return False


def _exchange(one: Path, other: Path) -> bool:
    import ctypes  # here and not above, so that --help is quick

    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):  # not Linux
        return False
    names = os.fsencode(one), os.fsencode(other)
    code: int = renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE)
    return code == 0
