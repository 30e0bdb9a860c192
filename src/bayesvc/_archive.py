"""Saved results: files that are complete or absent, and formats that carry a version.

A saved result is an npz file of arrays and settings. `FileFormat` writes what kind of file it is
and in which version, and refuses any other kind when it reads.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import PathLike
from bayesvc._validation import check_memory

_T = TypeVar("_T")

Arrays = dict[str, NDArray[Any]]
_SETTINGS = "settings"
_WRONG = (KeyError, TypeError, ValueError, AttributeError, RuntimeError, IndexError)


class DamagedFile(ValueError):
    """The file does not hold the arrays that should be in it."""


@dataclass(frozen=True)
class FileFormat:
    """A kind of file: the name of its format, what it holds, and the versions that can be read."""

    format: str
    holds: str
    versions: tuple[int, ...]
    again: str  # how to get another one

    def with_settings(self, settings: Mapping[str, Any], version: int, arrays: Arrays) -> Arrays:
        """Return the arrays together with the settings."""
        about = {"format": self.format, "version": version, **settings}
        text = json.dumps(about, allow_nan=False).encode()
        return {**arrays, _SETTINGS: np.frombuffer(text, dtype=np.uint8)}

    def settings(self, path: PathLike, arrays: Arrays) -> dict[str, Any]:
        """Return the settings among arrays; raise ValueError if they are of another format."""
        try:
            settings = json.loads(arrays[_SETTINGS].tobytes())
            is_ours = settings.pop("format") == self.format
            version = settings.pop("version")
        except (*_WRONG, RecursionError) as error:
            raise ValueError(self._bad(path, f"it is not a {self.holds} file", error)) from error
        if not is_ours:
            raise ValueError(self._bad(path, f"it is not a {self.holds} file"))
        if version not in self.versions:
            raise ValueError(
                f"`path` must be a {self.holds} file of format version "
                f"{' or '.join(map(str, self.versions))}. Got {str(path)!r} of format version "
                f"{version!r} instead. Install the version of bayesvc that wrote it, or "
                f"{self.again}."
            )
        return dict(settings)

    def read(self, path: PathLike, build: Callable[[dict[str, Any], Arrays], _T]) -> _T:
        """Return what `build` makes of the settings and the arrays of a file.

        Nothing in the file is executed. An error in `build` means that the file is damaged.
        """
        try:
            arrays = read_arrays(Path(path))
        except DamagedFile as error:
            reason = f"it is not a {self.holds} file, or it is damaged"
            raise ValueError(self._bad(path, reason, error)) from error
        settings = self.settings(path, arrays)
        try:
            return build(settings, arrays)
        except _WRONG as error:
            raise ValueError(self._bad(path, "its contents are inconsistent", error)) from error

    def _bad(self, path: PathLike, reason: str, error: Exception | None = None) -> str:
        detail = f" ({error})" if error is not None else ""
        return (
            f"`path` must be a file that {self.holds}.save wrote. Got {str(path)!r} instead, which "
            f"cannot be read: {reason}{detail}. Pass another file, or {self.again}."
        )


@contextmanager
def atomic_file(target: Path) -> Iterator[BinaryIO]:
    """Open a file to write, which replaces `target` once all of it is on the disk.

    An error of the disk names `target`.
    """
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):
            error.filename = str(target)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_arrays(path: PathLike, arrays: Arrays) -> None:
    """Write arrays to an npz file. An existing file stays complete until it is replaced."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"`path` must be in a folder that exists. Got {str(path)!r} instead. Make the folder "
            f"{str(target.parent)!r} first."
        )
    with atomic_file(target) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read_arrays(path: Path) -> Arrays:
    """Return the arrays of an npz file. Nothing in the file is executed.

    Raises
    ------
    DamagedFile
        If the file is not an npz archive, or not complete.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DamagedFile("it is not a regular file")  # a pipe would block, a device never end
    with path.open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                sizes = [member.file_size for member in archive.zip.infolist()]
                remedy = "read it on a larger machine"
                check_memory(f"{str(path)!r}", (sum(sizes),), 1, remedy, items="items")
                arrays = {name: archive[name] for name in archive.files}
        except MemoryError:
            raise
        except Exception as error:  # zipfile, its decompressors and numpy raise all kinds
            raise DamagedFile(str(error) or type(error).__name__) from error
    strangers = [name for name, part in arrays.items() if not isinstance(part, np.ndarray)]
    if strangers:
        raise DamagedFile(f"{strangers[0]!r} is not an array")
    return arrays


def check_array(
    name: str, arrays: Arrays, shape: tuple[int | None, ...], kind: type[np.generic]
) -> NDArray[Any]:
    """Return an array that must have this shape, where None is any length, and this type.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._archive import check_array
    >>> check_array("a", {"a": np.zeros((2, 3))}, (None, 3), np.float64).shape
    (2, 3)
    """
    array = arrays[name]
    fits = len(array.shape) == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype != kind:
        raise ValueError(f"{name} is {array.dtype} {array.shape}")
    return array


def add_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays with a prefix before their names.

    Examples
    --------
    >>> from bayesvc._archive import add_prefix
    >>> add_prefix("cut/", {"tree": 1})
    {'cut/tree': 1}
    """
    return {f"{prefix}{name}": part for name, part in arrays.items()}


def with_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays whose names start with a prefix, and drop it from their names.

    Examples
    --------
    >>> from bayesvc._archive import with_prefix
    >>> with_prefix("cut/", {"cut/tree": 1, "mask": 2})
    {'tree': 1}
    """
    return {
        name.removeprefix(prefix): part for name, part in arrays.items() if name.startswith(prefix)
    }
