"""The folder of results, and in it the replicates of a run that is not finished."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesvc.cli.errors import BadInput, Stopped
from bayesvc.cli.output import say
from bayesvc.cli.result_files import (
    CHECKPOINT_NAME,
    LOCK_NAME,
    check_places,
    is_for_runs,
    new_folder,
    replace_results,
    tidy,
)
from bayesvc.cli.run_record import delete_record, differences, read_record, write_record

if TYPE_CHECKING:
    from bayesvc._lock import Lock


@dataclass(frozen=True)
class ResultsFolder:
    """Where results are written, and where finished replicates wait meanwhile."""

    path: Path
    lock: Lock

    @property
    def checkpoint(self) -> Path:
        """The folder of finished replicates."""
        return self.path / CHECKPOINT_NAME

    @property
    def has_replicates(self) -> bool:
        """Whether replicates of an unfinished run are there."""
        from bayesvc.sampling.checkpoint import Checkpoint  # which loads numpy

        return self.checkpoint.is_dir() and Checkpoint(self.checkpoint).has_chains

    def discard_unfinished(self) -> None:
        """Delete the replicates and the record of a run, and nothing that others put there."""
        from bayesvc.sampling.checkpoint import Checkpoint

        if self.checkpoint.is_dir():
            checkpoint = Checkpoint(self.checkpoint)
            checkpoint.clear()
            delete_record(self.checkpoint)  # last, because it says what the replicates are
            checkpoint.remove_if_empty()

    @contextmanager
    def replaced(self) -> Iterator[Path]:
        """Give a folder to write results to, which then take the place of earlier ones.

        If anything stops this, the earlier results stay as they are.
        """
        try:
            yield new_folder(self.path)
            if not self.lock.is_held:
                raise BadInput(f"{self.path} was taken over by another run. Wait until it ends.")
            replace_results(self.path, self.lock)
        finally:
            if self.lock.is_held:
                tidy(self.path)

    def say_where(self) -> None:
        """Print where the results are, and the report to read first."""
        say(f"Results: {self.path}")
        report = self.path / "report.html"
        if report.exists():
            say(f"Report: {report}")

    def failed(self, error: OSError) -> BadInput:
        """Return the error for a disk that cannot be written to, such as a full one."""
        reason = error.strerror or str(error)
        return BadInput(
            f"{self.path} cannot be written to: {reason}. Finished replicates are kept in "
            f"{self.checkpoint}, and earlier results as they were. Make room there if the disk is "
            "full. Then run the same command with --resume to continue."
        )

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
    if path.exists() and not path.is_dir():
        raise BadInput(f"--out must be a folder. Got the file {path} instead.")
    if resume and overwrite:
        raise BadInput("--resume and --overwrite contradict each other. Give one of them.")
    if resume and not path.exists():
        raise _nothing_to_resume(path)
    with _owned(path) as lock:
        folder = ResultsFolder(path, lock)
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
        except BrokenPipeError:  # the reader of our output has closed it
            raise
        except OSError as error:
            if not folder.checkpoint.is_dir():  # the results are complete, and cannot be printed
                raise
            raise folder.failed(error) from None


@contextmanager
def _owned(path: Path) -> Iterator[Lock]:
    """Make a folder, tidy it up after runs that were killed, and lock it against other runs."""
    from bayesvc._lock import Lock, LockHeld, delete_leftovers, running_owner

    with _writing_to(path):
        path.mkdir(parents=True, exist_ok=True)
        try:
            # A look first: to try for the lock writes to a folder that its owner may just replace.
            if owner := running_owner(path / LOCK_NAME):
                raise LockHeld(owner)
            lock = Lock(path / LOCK_NAME)
        except LockHeld as held:
            raise BadInput(
                f"{path} is in use by another run: {held.owner}. Wait until that run ends, or give "
                "another folder with --out."
            ) from None
    try:
        with _writing_to(path):
            delete_leftovers(lock.path)
            tidy(path)
        yield lock
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
    check_places(folder.path)
    if resume:
        _check_same_run(folder, record)
    elif not overwrite:
        _check_unused(folder)


def _nothing_to_resume(path: Path) -> BadInput:
    return BadInput(f"{path} holds no unfinished run. Leave out --resume.")


def _check_same_run(folder: ResultsFolder, record: Mapping[str, Any]) -> None:
    """Refuse to continue a run that was started with other settings."""
    if not folder.checkpoint.is_dir():
        raise _nothing_to_resume(folder.path)
    stored = read_record(folder.checkpoint)
    if stored is None and not folder.has_replicates:  # killed before there was anything
        raise _nothing_to_resume(folder.path)
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
    if any(not is_for_runs(path.name) for path in folder.path.iterdir()):
        raise BadInput(
            f"{folder.path} is not empty. Give another folder with --out, or replace earlier "
            "results with --overwrite (other files are kept)."
        )
