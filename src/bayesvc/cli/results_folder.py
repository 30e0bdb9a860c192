"""The folder of results, and in it the replicates of a run that is not finished."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayesvc.cli.errors import BadInput, Stopped
from bayesvc.cli.output import say
from bayesvc.cli.run_record import delete_record, differences, read_record, write_record

_CHECKPOINT_NAME = "unfinished"
_LOCK_NAME = ".running"


@dataclass(frozen=True)
class ResultsFolder:
    """Where results are written, and where finished replicates wait meanwhile."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """The folder of finished replicates."""
        return self.path / _CHECKPOINT_NAME

    @property
    def has_replicates(self) -> bool:
        """Whether replicates of an unfinished run are there."""
        from bayesvc.sampling.checkpoint import Checkpoint  # which loads numpy

        return self.checkpoint.is_dir() and Checkpoint(self.checkpoint).has_chains

    def discard_unfinished(self) -> None:
        """Delete the replicates and the record of a run, and nothing that others put there."""
        from bayesvc.sampling.checkpoint import Checkpoint

        if self.checkpoint.is_dir():
            delete_record(self.checkpoint)
            Checkpoint(self.checkpoint).clear()

    def say_where(self) -> None:
        """Print where the results are, and the report to read first."""
        say(f"Results: {self.path}")
        report = self.path / "report.html"
        if report.exists():
            say(f"Report: {report}")

    def stopped(self, how: str = "Stopped") -> Stopped:
        """Return the error for Ctrl-C."""
        if not self.checkpoint.is_dir():
            return Stopped(f"{how}. All results are in {self.path}.")
        return Stopped(
            f"{how}. Finished replicates are in {self.checkpoint}. Run the same command with "
            "--resume to continue."
        )


@contextmanager
def open_folder(
    path: Path, record: Mapping[str, Any], *, resume: bool, overwrite: bool
) -> Iterator[ResultsFolder]:
    """Own the folder of results meanwhile, or refuse one that cannot be used for this run."""
    folder = ResultsFolder(path)
    if path.exists() and not path.is_dir():
        raise BadInput(f"--out must be a folder. Got the file {path} instead.")
    if resume and overwrite:
        raise BadInput("--resume and --overwrite contradict each other. Give one of them.")
    if resume and not path.exists():
        raise _nothing_to_resume(folder)
    with _owned(path):
        _check_usable(folder, record, resume=resume, overwrite=overwrite)
        if overwrite:
            folder.discard_unfinished()
        with _writing_to(path):
            folder.checkpoint.mkdir(exist_ok=True)
            write_record(folder.checkpoint, record)
        try:
            yield folder
        except KeyboardInterrupt:
            raise folder.stopped() from None


@contextmanager
def _owned(path: Path) -> Iterator[None]:
    """Make a folder and lock it against other runs."""
    from bayesvc._lock import Lock, LockHeld, delete_leftovers

    with _writing_to(path):
        path.mkdir(parents=True, exist_ok=True)
        try:
            lock = Lock(path / _LOCK_NAME)
        except LockHeld as held:
            raise BadInput(
                f"{path} is in use by another run: {held.owner}. Wait until that run ends, or give "
                "another folder with --out."
            ) from None
    try:
        delete_leftovers(lock.path)
        yield
    finally:
        lock.release()


@contextmanager
def _writing_to(path: Path) -> Iterator[None]:
    """Refuse a folder that cannot be written to."""
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written to: {error.strerror}. Give another folder with --out."
        ) from None


def _check_usable(
    folder: ResultsFolder, record: Mapping[str, Any], *, resume: bool, overwrite: bool
) -> None:
    """Refuse a folder that holds what this run may neither continue nor replace."""
    if os.path.lexists(folder.checkpoint) and not folder.checkpoint.is_dir():
        raise BadInput(
            f"{folder.checkpoint} must be a folder, for finished replicates. Delete what is there, "
            "or give another folder with --out."
        )
    if resume:
        _check_same_run(folder, record)
    elif not overwrite:
        _check_unused(folder)


def _nothing_to_resume(folder: ResultsFolder) -> BadInput:
    return BadInput(f"{folder.path} holds no unfinished run. Leave out --resume.")


def _check_same_run(folder: ResultsFolder, record: Mapping[str, Any]) -> None:
    """Refuse to continue a run that was started with other settings."""
    if not folder.checkpoint.is_dir():
        raise _nothing_to_resume(folder)
    stored = read_record(folder.checkpoint)
    if stored is None:
        raise BadInput(
            f"{folder.checkpoint} does not say which settings its replicates belong to. Start "
            "again with --overwrite."
        )
    differ = differences(stored, record)
    if differ:
        raise BadInput(
            f"{folder.path} holds an unfinished run with other settings:",
            *(f"  {line}" for line in differ),
            "Give --resume with the earlier settings to continue it, or --overwrite to delete "
            "its replicates and start again.",
        )


def _check_unused(folder: ResultsFolder) -> None:
    """Refuse a folder with earlier results, or with the replicates of an unfinished run."""
    if folder.has_replicates:
        raise BadInput(
            f"{folder.path} holds an unfinished run. Continue it with --resume, or start again "
            "with --overwrite."
        )
    if any(not _is_for_runs(path.name) for path in folder.path.iterdir()):
        raise BadInput(
            f"{folder.path} is not empty. Give another folder with --out, or replace earlier "
            "results with --overwrite."
        )


def _is_for_runs(name: str) -> bool:
    """Return whether a file in the folder belongs to a run and not to its results."""
    return name == _CHECKPOINT_NAME or name.startswith((_LOCK_NAME, f".{_LOCK_NAME}", ".clock-"))
