"""Results of a study in a folder that several processes may write to, and leave, at any time.

    store.json          the settings of the study, written once
    rows/*.parquet      results, each file written under another name and then renamed to one that
                        carries its checksum
    claims/             a file for each task that is being run, naming its writer
    writers/            a file for each writer, touched as long as it lives
    draws/              tallies of the replicates, if they are kept

A task is claimed, run and written, and its claim is removed. A process that gets a claim looks for
new rows before it starts, so nothing is run twice; a claim whose writer is gone is taken over.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from bayesvc import __version__
from bayesvc._archive import atomic_file
from bayesvc._lock import SECONDS_UNTIL_GONE, is_running, seconds_since_beat, text_of
from bayesvc.bench.entries import Entry
from bayesvc.bench.grid import StudySettings, Task
from bayesvc.bench.kept import joined
from bayesvc.bench.shards import SCHEMA, StoreError, read_shard, write_shard
from bayesvc.bench.store_writer import StoreWriter

FORMAT = 1
_TASK = ("data", "problem", "n", "snr", "seed")
_KEY = (*_TASK, "method", "n_replicates")

Key = tuple[Any, ...]

_FILES_BEFORE_MERGE = 200
_MOST_LISTINGS = 100


class Store:
    """Results of one study. Use it in a `with` statement to write.

    Parameters
    ----------
    folder : path
    settings : StudySettings, optional
        Settings of the study; the folder is created if it does not exist. Without them the folder
        must hold results.
    """

    def __init__(
        self, folder: str | os.PathLike[str], settings: StudySettings | None = None
    ) -> None:
        self.folder = Path(folder)
        self._names = {part: self.folder / part for part in ("rows", "claims", "writers", "draws")}
        self.settings = self._open(settings)
        self._seen: set[str] = set()
        self._done: dict[Key, bool] = {}
        self._own: list[Path] = []
        self._writer: StoreWriter | None = None

    # ---- reading ----------------------------------------------------------------

    def rows(self, tasks: dict[Task, tuple[Entry, ...]] | None = None) -> pl.DataFrame:
        """Return all results, or those of `tasks`, each once; a success replaces a failure."""
        table = pl.concat([pl.DataFrame(schema=SCHEMA), *self._shards().values()])
        table = table.sort(*_KEY, pl.col("error").is_not_null(), maintain_order=True)
        table = table.unique(subset=list(_KEY), keep="first", maintain_order=True)
        if tasks is None:
            return table
        keys = [_key(task, entry) for task, entries in tasks.items() for entry in entries]
        schema = {name: SCHEMA[name] for name in _KEY}
        asked = pl.DataFrame(keys, schema=schema, orient="row")
        return table.join(asked, on=_KEY, how="semi", maintain_order="left")

    def missing(
        self, tasks: dict[Task, tuple[Entry, ...]], retry_failed: bool = False
    ) -> dict[Task, tuple[Entry, ...]]:
        """Return the tasks with entries that have no result yet, and these entries."""
        self._look()
        found = {}
        for task, entries in tasks.items():
            left = tuple(entry for entry in entries if not self._has(task, entry, retry_failed))
            if left:
                found[task] = left
        return found

    def active_writers(self) -> int:
        """Count the other processes that are writing to the folder."""
        own = None if self._writer is None else self._writer.token
        tokens = {path.name for path in self._names["writers"].glob("*")} - {own}
        return sum(not self._is_gone(token) for token in tokens)

    def draws_path(self, task: Task) -> Path:
        """Return the path of the kept tallies of a task."""
        file = f"{task.data}-{task.n}-{task.snr:g}-{task.seed}.npz"
        return self._names["draws"] / task.problem / file

    def kept_tasks(self) -> list[Task]:
        """List the tasks whose tallies were kept."""
        found = []
        for path in sorted(self._names["draws"].glob("*/*.npz")):
            try:
                data, n, snr, seed = path.stem.split("-")
                found.append(Task(data, path.parent.name, int(n), float(snr), int(seed)))
            except ValueError:
                raise StoreError(
                    f"{path} is not a file of kept tallies. Move it out of {self.folder}."
                ) from None
        return found

    # ---- writing ----------------------------------------------------------------

    def __enter__(self) -> Store:
        for path in self._names.values():
            path.mkdir(parents=True, exist_ok=True)
        self._writer = StoreWriter(self._names["writers"])
        self._delete_leftovers()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._writer is not None
        for path in self._names["claims"].glob("*"):
            if text_of(path) == self._writer.token:
                path.unlink(missing_ok=True)
        try:
            self._merge()
        finally:
            self._writer.stop()
            self._writer = None

    def claim(
        self, task: Task, entries: tuple[Entry, ...], retry_failed: bool = False
    ) -> tuple[Entry, ...]:
        """Claim a task and return its entries to run; none if others run it or have run it."""
        assert self._writer is not None
        path = self._claim_path(task)
        if not self._writer.claim(path, self._is_abandoned):
            return ()
        left = self.missing({task: entries}, retry_failed).get(task, ())
        if not left:
            path.unlink(missing_ok=True)
        return left

    def add(self, task: Task, rows: Iterable[dict[str, Any]], tallies: bytes | None = None) -> None:
        """Write the results of a claimed task."""
        assert self._writer is not None
        if tallies is not None:
            target = self.draws_path(task)
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(target, joined(target, tallies))
        table = pl.DataFrame(list(rows), schema=SCHEMA)
        self._own.append(self._write_rows(table))
        self._claim_path(task).unlink(missing_ok=True)
        if len(self._own) >= _FILES_BEFORE_MERGE:
            self._merge()

    def _write_rows(self, table: pl.DataFrame) -> Path:
        assert self._writer is not None
        return write_shard(self._names["rows"] / self._writer.next_name(), table)

    def _merge(self) -> None:
        """Merge the small files of this process into one."""
        if len(self._own) < 2:
            return
        small = self._own
        self._own = []
        self._write_rows(pl.concat([read_shard(path) for path in small]))
        for path in small:
            path.unlink(missing_ok=True)

    # ---- other processes ---------------------------------------------------------

    def _look(self) -> None:
        """Record the results in files that are new."""
        for name, table in self._shards(known=self._seen).items():
            for *key, error in table.select(*_KEY, "error").iter_rows():
                good = error is None
                self._done[tuple(key)] = self._done.get(tuple(key), False) or good
            self._seen.add(name)

    def _shards(self, known: Collection[str] = ()) -> dict[str, pl.DataFrame]:
        """Return the rows of each file that is not known, by its name."""
        lost: object = None
        for _ in range(_MOST_LISTINGS):
            try:
                paths = sorted(self._names["rows"].glob("*.parquet"))
                return {path.name: read_shard(path) for path in paths if path.name not in known}
            except FileNotFoundError as error:  # merged into another one meanwhile
                lost = error.filename
        raise StoreError(f"{lost} is listed, but cannot be opened. Check the disk.")

    def _has(self, task: Task, entry: Entry, only_good: bool) -> bool:
        good = self._done.get(_key(task, entry))
        return good is not None and (good or not only_good)

    def _claim_path(self, task: Task) -> Path:
        return self._names["claims"] / hashlib.sha256(task.key.encode()).hexdigest()[:32]

    def _delete_leftovers(self) -> None:
        """Delete what killed processes left, unless others write here: it may be theirs."""
        # listed before others are counted: whoever comes later has nothing in the list
        unfinished = [
            path for part in ("rows", "draws") for path in self._names[part].rglob(".*.tmp")
        ]
        for path in self._names["writers"].glob("*"):
            if self._is_gone(path.name):
                path.unlink(missing_ok=True)
        if self.active_writers() == 0:
            for path in unfinished:
                path.unlink(missing_ok=True)

    def _is_abandoned(self, token: str, path: Path) -> bool:
        """Return whether the writer of a claim is gone; one without a name was not finished."""
        if not token:
            return seconds_since_beat(path) > SECONDS_UNTIL_GONE
        return self._is_gone(token)

    def _is_gone(self, token: str) -> bool:
        """Return whether a writer is gone, or was silent for so long that others may go on."""
        if is_running(token) is False:
            return True
        return seconds_since_beat(self._names["writers"] / token) > SECONDS_UNTIL_GONE

    # ---- the settings -----------------------------------------------------------

    def _open(self, settings: StudySettings | None) -> StudySettings:
        path = self.folder / "store.json"
        if not path.exists():
            if settings is None:
                remedy = "Give a folder that `bayesvc bench run` wrote."
                raise StoreError(f"{self.folder} must be a folder of results. {remedy}")
            if self.folder.exists() and not self._is_new() and not path.exists():
                raise StoreError(
                    f"{self.folder} exists, but is not a folder of results. Give another folder."
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            about = {"format": FORMAT, "bayesvc": __version__, "settings": asdict(settings)}
            _write(path, (json.dumps(about, indent=1) + "\n").encode())
            self._names["rows"].mkdir(exist_ok=True)
        stored = _stored_settings(path)
        if settings is not None and stored != settings:
            differ = ", ".join(
                f"{name}={getattr(stored, name)!r} (now {value!r})"
                for name, value in asdict(settings).items()
                if getattr(stored, name) != value
            )
            raise StoreError(
                f"{self.folder} holds results of other settings: {differ}. Give another folder."
            )
        return stored

    def _is_new(self) -> bool:
        """Return whether a folder holds no more than what another process has just begun."""
        return self.folder.is_dir() and all(
            path.match(".store.json.*.tmp")
            or (path.name in self._names and path.is_dir() and not any(path.iterdir()))
            for path in self.folder.iterdir()
        )


def _key(task: Task, entry: Entry) -> Key:
    return (task.data, task.problem, task.n, task.snr, task.seed, *entry.key)


def _stored_settings(path: Path) -> StudySettings:
    try:
        about = json.loads(path.read_text())
        version, writer = about["format"], about["bayesvc"]
        if version == FORMAT and writer == __version__:
            return StudySettings(**about["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path} cannot be read: {error}. Give another folder.") from None
    raise StoreError(
        f"{path.parent} was written by bayesvc {writer} (format {version}), but this is version "
        f"{__version__} (format {FORMAT}). Give another folder, or use that version."
    )


def _write(target: Path, content: bytes) -> None:
    with atomic_file(target) as file:
        file.write(content)
