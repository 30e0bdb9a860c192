"""Files that are whole or not there, and arrays from files that may be damaged."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import check_memory


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """Open a file to write; it takes the place of `target` once all of it is on the disk."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


class DamagedFile(ValueError):
    """The file holds something else than the arrays that should be in it."""


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file; nothing in it is executed.

    Raises
    ------
    DamagedFile
        Where the file is no such archive, or not whole.
    """
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
        raise DamagedFile(f"{strangers[0]!r} is no array")
    return arrays


def below(start: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with `start`, without it.

    Examples
    --------
    >>> from bayesvc._files import below
    >>> below("cut/", {"cut/tree": 1, "mask": 2})
    {'tree': 1}
    """
    return {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}


def under(start: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays with names that begin with `start`.

    Examples
    --------
    >>> from bayesvc._files import under
    >>> under("cut/", {"tree": 1})
    {'cut/tree': 1}
    """
    return {f"{start}{name}": part for name, part in arrays.items()}
