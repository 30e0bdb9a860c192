"""Saved results: files that are complete or absent, and formats that carry a version.

A saved result is an npz file of arrays and settings. `FileFormat` writes what kind of file it is
and in which version, and refuses any other kind when it reads.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesvc._npz import DamagedFile, Header, StoredArrays, open_arrays
from bayesvc._typing import PathLike
from bayesvc._validation import check_memory

_T = TypeVar("_T")

Arrays = dict[str, NDArray[Any]]
ReadArrays = Mapping[str, NDArray[Any]]
"""Arrays that may still be in their file."""

_SETTINGS = "settings"
_MOST_SETTINGS = 2**28  # bytes; a million names take far less
_PARSED_BYTES = 25  # of memory for a byte of JSON, at most
_WRONG = (KeyError, TypeError, ValueError, AttributeError, RuntimeError, IndexError)


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

    def settings(self, path: PathLike, arrays: ReadArrays) -> dict[str, Any]:
        """Return the settings among arrays; raise ValueError if they are of another format."""
        try:
            settings = json.loads(_settings_text(arrays))
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

    def read(self, path: PathLike, build: Callable[[dict[str, Any], ReadArrays], _T]) -> _T:
        """Return what `build` makes of the settings and the arrays of a file.

        Nothing in the file is executed, and an array is unpacked when `build` asks for it. An error
        in `build` means that the file is damaged.
        """
        try:
            with open_arrays(Path(path)) as arrays:
                return self._built(path, arrays, build)
        except DamagedFile as error:
            reason = f"it is not a {self.holds} file, or it is damaged"
            raise ValueError(self._bad(path, reason, error)) from error

    def _built(
        self,
        path: PathLike,
        arrays: StoredArrays,
        build: Callable[[dict[str, Any], ReadArrays], _T],
    ) -> _T:
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


def _settings_text(arrays: ReadArrays) -> bytes:
    """Return the settings as text; raise ValueError if it is too long to be one."""
    size = math.prod(header_of(_SETTINGS, arrays).shape)
    if size > _MOST_SETTINGS:
        raise ValueError(f"its settings have {size:,} bytes")
    if size > _MOST_SETTINGS // 2**8:
        check_memory("the settings", (size,), _PARSED_BYTES, "read it on a larger machine")
    return check_array(_SETTINGS, arrays, (None,), np.uint8).tobytes()


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


def write_text(path: PathLike, text: str) -> None:
    """Write text to a file. An existing file stays complete until it is replaced.

    Half of a surrogate pair, which a broken file can bring into a name, has no UTF-8 and becomes a
    question mark.
    """
    with atomic_file(Path(path)) as file:
        file.write(text.encode(errors="replace"))


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


def header_of(name: str, arrays: ReadArrays) -> Header:
    """Return the shape and the type of an array, without unpacking it from its file.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._archive import header_of
    >>> header_of("a", {"a": np.zeros((2, 3))})
    Header(shape=(2, 3), dtype=dtype('float64'))
    """
    if isinstance(arrays, StoredArrays):
        return arrays.headers[name]
    return Header(arrays[name].shape, arrays[name].dtype)


def check_array(
    name: str, arrays: ReadArrays, shape: tuple[int | None, ...], kind: type[np.generic]
) -> NDArray[Any]:
    """Return an array that must have this shape, where None is any length, and this type.

    One of an open file is unpacked only if it has.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._archive import check_array
    >>> check_array("a", {"a": np.zeros((2, 3))}, (None, 3), np.float64).shape
    (2, 3)
    """
    found = header_of(name, arrays)
    fits = len(found.shape) == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, found.shape, strict=True)
    )
    if not fits or found.dtype != kind:
        raise ValueError(f"{name} is {found.dtype} {found.shape}")
    return arrays[name]


def add_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays with a prefix before their names.

    Examples
    --------
    >>> from bayesvc._archive import add_prefix
    >>> add_prefix("cut/", {"tree": 1})
    {'cut/tree': 1}
    """
    return {f"{prefix}{name}": part for name, part in arrays.items()}


def with_prefix(prefix: str, arrays: ReadArrays) -> ReadArrays:
    """Return the arrays whose names start with a prefix, and drop it from their names.

    Examples
    --------
    >>> from bayesvc._archive import with_prefix
    >>> with_prefix("cut/", {"cut/tree": 1, "mask": 2})
    {'tree': 1}
    """
    if isinstance(arrays, StoredArrays):
        return arrays.under(prefix)
    return {
        name.removeprefix(prefix): part for name, part in arrays.items() if name.startswith(prefix)
    }
