"""Saved results: an npz file of arrays and settings, which tells its format and version."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesvc._files import DamagedFile, read_arrays, whole_file
from bayesvc._typing import PathLike

_T = TypeVar("_T")

Arrays = dict[str, NDArray[Any]]
_SETTINGS = "settings"
_WRONG = (KeyError, TypeError, ValueError, AttributeError, RuntimeError, IndexError)


@dataclass(frozen=True)
class FileFormat:
    """What a file is: the name of its format, what it holds, and the versions that can be read."""

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
        """Return the settings among arrays, or say that they are of something else."""
        try:
            settings = json.loads(arrays[_SETTINGS].tobytes())
            is_ours = settings.pop("format") == self.format
            version = settings.pop("version")
        except (*_WRONG, RecursionError) as error:
            raise ValueError(self._bad(path, f"it is no {self.holds} file", error)) from error
        if not is_ours:
            raise ValueError(self._bad(path, f"it is no {self.holds} file"))
        if version not in self.versions:
            raise ValueError(
                f"path={str(path)!r} holds {self.holds} of format version {version!r}, but this "
                f"version of bayesvc reads {' and '.join(map(str, self.versions))}; install the "
                f"version that wrote it, or {self.again}"
            )
        return dict(settings)

    def read(self, path: PathLike, build: Callable[[dict[str, Any], Arrays], _T]) -> _T:
        """Return what `build` makes of the settings and the arrays of a file.

        Nothing in the file is executed. An error in `build` means that the file is damaged.
        """
        try:
            arrays = read_arrays(Path(path))
        except DamagedFile as error:
            reason = f"it is no {self.holds} file or damaged"
            raise ValueError(self._bad(path, reason, error)) from error
        settings = self.settings(path, arrays)
        try:
            return build(settings, arrays)
        except _WRONG as error:
            raise ValueError(self._bad(path, "its contents do not fit", error)) from error

    def _bad(self, path: PathLike, reason: str, error: Exception | None = None) -> str:
        detail = f" ({error})" if error is not None else ""
        return (
            f"path={str(path)!r} cannot be read: {reason}{detail}; pass a file that "
            f"{self.holds}.save wrote, or {self.again}"
        )


def write_arrays(path: PathLike, arrays: Arrays) -> None:
    """Write arrays to a file; one of that name stays whole until it is replaced."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"path={str(path)!r} cannot be written, because there is no folder "
            f"{str(target.parent)!r}; make the folder first"
        )
    with whole_file(target) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def checked(
    name: str, arrays: Arrays, shape: tuple[int | None, ...], kind: type[np.generic]
) -> NDArray[Any]:
    """Return an array of that shape, where None is any length, and that type.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._archive import checked
    >>> checked("a", {"a": np.zeros((2, 3))}, (None, 3), np.float64).shape
    (2, 3)
    """
    array = arrays[name]
    fits = len(array.shape) == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype != kind:
        raise ValueError(f"{name} is {array.dtype} {array.shape}")
    return array
