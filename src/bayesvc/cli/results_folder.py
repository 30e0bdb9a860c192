"""The folder of results, and in it the replicates of a run that is not finished."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayesvc.cli.errors import BadInput, Stopped
from bayesvc.cli.output import say
from bayesvc.cli.run_record import delete_record, differences, read_record, write_record


@dataclass(frozen=True)
class ResultsFolder:
    """Where results are written, and where finished replicates wait meanwhile."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """The folder of finished replicates."""
        return self.path / "unfinished"

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
        """Return the error for Ctrl-C before there is a result."""
        return Stopped(
            f"{how}. Finished replicates are in {self.checkpoint}. Run the same command with "
            "--resume to continue."
        )


def open_folder(
    path: Path, record: Mapping[str, Any], *, resume: bool, overwrite: bool
) -> ResultsFolder:
    """Create the folder of results, or refuse one that cannot be used for this run."""
    folder = ResultsFolder(path)
    if path.exists() and not path.is_dir():
        raise BadInput(f"--out must be a folder. Got the file {path} instead.")
    if os.path.lexists(folder.checkpoint) and not folder.checkpoint.is_dir():
        raise BadInput(
            f"{folder.checkpoint} must be a folder, for finished replicates. Delete what is there, "
            "or give another folder with --out."
        )
    if resume and overwrite:
        raise BadInput("--resume and --overwrite contradict each other. Give one of them.")
    if resume:
        _check_same_run(folder, record)
    elif not overwrite:
        _check_unused(folder)
    if overwrite:
        folder.discard_unfinished()
    try:
        folder.checkpoint.mkdir(parents=True, exist_ok=True)
        write_record(folder.checkpoint, record)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written to: {error.strerror}. Give another folder with --out."
        ) from None
    return folder


def _check_same_run(folder: ResultsFolder, record: Mapping[str, Any]) -> None:
    """Refuse to continue a run that was started with other settings."""
    if not folder.checkpoint.is_dir():
        raise BadInput(f"{folder.path} holds no unfinished run. Leave out --resume.")
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
    if folder.path.is_dir() and set(folder.path.iterdir()) - {folder.checkpoint}:
        raise BadInput(
            f"{folder.path} is not empty. Give another folder with --out, or replace earlier "
            "results with --overwrite."
        )
