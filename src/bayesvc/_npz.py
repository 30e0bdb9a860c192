"""Read npz files that others may have made: sizes are checked before anything is unpacked."""

from __future__ import annotations

import math
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bayesvc._validation import check_memory

_SUFFIX = ".npy"


class DamagedFile(ValueError):
    """The file does not hold the arrays that should be in it."""


@dataclass(frozen=True)
class Header:
    """What an array is, known before it is unpacked."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class StoredArrays(Mapping[str, NDArray[Any]]):
    """Arrays of an open npz file, each unpacked when it is asked for.

    `headers` tells their shapes and types before. Nothing in the file is executed.
    """

    def __init__(
        self, archive: zipfile.ZipFile, headers: Mapping[str, Header], prefix: str = ""
    ) -> None:
        self._archive = archive
        self._prefix = prefix
        self.headers = headers

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.headers:
            raise KeyError(name)
        try:
            with self._archive.open(f"{self._prefix}{name}{_SUFFIX}") as file:
                array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
                if file.read(1):  # which also makes zipfile compare the checksum
                    raise DamagedFile(f"{name!r} is longer than it says")
        except MemoryError:
            raise
        except Exception as error:  # zipfile, its decompressors and numpy raise all kinds
            raise DamagedFile(str(error) or type(error).__name__) from error
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self.headers)

    def __len__(self) -> int:
        return len(self.headers)

    def under(self, prefix: str) -> StoredArrays:
        """Return the arrays whose names start with a prefix, which is dropped from their names."""
        own = {
            name.removeprefix(prefix): header
            for name, header in self.headers.items()
            if name.startswith(prefix)
        }
        return StoredArrays(self._archive, own, self._prefix + prefix)


@contextmanager
def open_arrays(path: Path) -> Iterator[StoredArrays]:
    """Open an npz file, whose arrays must have the sizes that the file declares.

    Raises
    ------
    DamagedFile
        If the file is not an npz archive, not complete, or contradicts itself.
    MemoryError
        If its arrays together do not fit into the available memory.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DamagedFile("it is not a regular file")  # a pipe would block, a device never end
    with path.open("rb") as file:
        try:
            archive = zipfile.ZipFile(file)
            headers = dict(_header(archive, member) for member in archive.infolist())
        except MemoryError:
            raise
        except Exception as error:  # as above
            raise DamagedFile(str(error) or type(error).__name__) from error
        with archive:
            size = sum(member.file_size for member in archive.infolist())
            remedy = "read it on a larger machine"
            check_memory(f"{str(path)!r}", (size,), 1, remedy, items="items")
            yield StoredArrays(archive, headers)


def _header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[str, Header]:
    """Return the name and the header of an array, whose size must be that of the member."""
    name = member.filename.removesuffix(_SUFFIX)
    if name == member.filename:
        raise DamagedFile(f"{name!r} is not an array")
    with archive.open(member) as file:
        version = npy.read_magic(file)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, _, dtype = read(file)
        size = member.file_size - file.tell()
    if dtype.hasobject:
        raise DamagedFile(f"{name!r} holds objects, which are not read")
    needed = math.prod(shape) * dtype.itemsize
    if needed != size or min(shape, default=0) < 0:
        raise DamagedFile(f"{name!r} says that it has {needed:,} bytes, but it has {size:,}")
    return name, Header(shape, dtype)
