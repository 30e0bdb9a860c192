"""Tallies of a task's replicates in a compact file, for scoring other methods later."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._npz import DamagedFile, Header, open_arrays
from bayesvc._text import counted
from bayesvc._typing import FloatArray
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior, unusual_settings
from bayesvc.sampling.replicates import PriorDraws

_CHECKSUM = "sha256"
_TALLIES = ("vc", "vip", "mpvip", "mi")
_KINDS = ("fit", "permuted")


@dataclass(frozen=True, eq=False)
class KeptTallies:
    """Tallies of the replicates of one prior: arrays (n_replicates, n_features).

    Any measure accepts it in place of `Draws`.

    Attributes
    ----------
    vc, vip, mpvip, mi : ndarray
    seconds : ndarray (n_replicates,)
    permuted : KeptTallies or None
        Tallies of the null replicates.
    """

    vc: FloatArray
    vip: FloatArray
    mpvip: FloatArray
    mi: FloatArray
    seconds: FloatArray
    permuted: KeptTallies | None = None

    @property
    def n_replicates(self) -> int:
        """Number of replicates."""
        return len(self.vc)

    @property
    def n_features(self) -> int:
        """Number of variables."""
        return int(self.vc.shape[1])

    @property
    def n_permuted(self) -> int:
        """Number of null replicates."""
        return 0 if self.permuted is None else self.permuted.n_replicates

    def first(self, n_replicates: int) -> KeptTallies:
        """Return the first `n_replicates` replicates; 0 means all."""
        if n_replicates == 0:
            return self
        rows = slice(n_replicates)
        return KeptTallies(
            self.vc[rows], self.vip[rows], self.mpvip[rows], self.mi[rows], self.seconds[rows],
            self.permuted,
        )  # fmt: skip


class _ByPrior(dict[str, KeptTallies]):
    """Kept tallies by the name of their prior; a missing name lists those there are."""

    def __missing__(self, prior: object) -> KeptTallies:
        raise KeyError(f"No replicates of {prior} were kept. Available: {', '.join(self)}.")


def kept_name(prior: TreePrior) -> str:
    """Return the name under which tallies are kept: the prior's, with settings that are not usual.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.bench.kept import kept_name
    >>> kept_name(bv.DART(sigma_hat="lm-uncorrected"))
    'dart'
    >>> kept_name(bv.DART(k="learned", errors="auto"))
    'dart (k=learned, errors=auto)'
    """
    settings = unusual_settings(prior)
    settings.pop("sigma_hat", None)  # the same for all priors of a study
    shown = ", ".join(f"{name}={value}" for name, value in settings.items())
    return f"{prior.name} ({shown})" if shown else prior.name


def describe_kept(kept: Mapping[str, KeptTallies]) -> str:
    """Say how many replicates of each prior were kept.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.bench.kept import KeptTallies, describe_kept
    >>> ten = np.zeros((10, 3))
    >>> describe_kept({"dart": KeptTallies(ten, ten, ten, ten, ten[:, 0])})
    '10 replicates of dart'
    """
    return ", ".join(
        f"{counted(own.n_replicates, 'replicate')} of {prior}"
        + (f" (and {own.n_permuted} null)" if own.permuted is not None else "")
        for prior, own in kept.items()
    )


def pack(fits: Mapping[str, PriorDraws]) -> bytes:
    """Return the tallies of each prior as the bytes of an npz file.

    Sums of counts and numbers of draws are integers and stay exact; VIP and MI keep seven digits.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for prior, own in fits.items():
        for kind, draws in zip(_KINDS, (own.draws, own.permuted), strict=True):
            if draws is not None:
                arrays |= {f"{prior}.{kind}.{name}": part for name, part in _compact(draws).items()}
    return _as_bytes(arrays)


def joined(path: Path, tallies: bytes) -> bytes:
    """Merge the tallies of `pack` with those that a file of the same task already holds.

    For each prior the larger number of replicates is kept; the smaller is the first part of it.
    """
    try:
        arrays = _read(path)
    except (DamagedFile, FileNotFoundError):
        return tallies
    with np.load(io.BytesIO(tallies), allow_pickle=False) as file:
        new = {name: part for name, part in file.items() if name != _CHECKSUM}
    for name in [name for name in new if name.endswith(".vc")]:
        start = name.removesuffix("vc")
        if name not in arrays or len(arrays[name]) <= len(new[name]):
            arrays |= {key: part for key, part in new.items() if key.startswith(start)}
    return _as_bytes(arrays)


def _as_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    # the checksum comes first: what a damaged directory loses is usually the rest of it
    contents = {_CHECKSUM: _checksum(arrays), **arrays}
    np.savez_compressed(buffer, allow_pickle=False, **contents)
    return buffer.getvalue()


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """Return a checksum of all arrays. That of each, which npz has, does not show a lost one."""
    found = hashlib.sha256()
    for name, part in sorted(arrays.items()):
        found.update(f"{name} {part.dtype.str} {part.shape}\n".encode())
        found.update(part.tobytes())
    return np.frombuffer(found.digest(), dtype=np.uint8)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    """Read arrays and compare them with their checksum, which older files do not have."""
    with open_arrays(path) as stored:
        _check_shapes(stored.headers)
        arrays: dict[str, NDArray[Any]] = dict(stored)
    stated = arrays.pop(_CHECKSUM, None)
    if stated is not None and not np.array_equal(stated, _checksum(arrays)):
        raise DamagedFile("its checksum does not match its content")
    return arrays


def _check_shapes(headers: Mapping[str, Header]) -> None:
    """Raise DamagedFile if arrays of a prior are missing, or do not belong together."""
    names = (*_TALLIES, "n_draws", "seconds")
    for start in sorted({name.rpartition(".")[0] + "." for name in headers if name != _CHECKSUM}):
        own = {name: headers[start + name] for name in names if start + name in headers}
        shapes = {name: part.shape for name, part in own.items() if part.dtype.kind in "iuf"}
        wanted = dict.fromkeys(_TALLIES, shapes.get("vc")) | {"n_draws": ()}
        counts = shapes.get("seconds", ())
        if {**wanted, "seconds": counts} != shapes or len(counts) != 1 or len(shapes["vc"]) != 2:
            raise DamagedFile(f"{start}* does not hold the tallies of replicates")


def unpack(path: Path) -> dict[str, KeptTallies]:
    """Read kept tallies by the name of their prior."""
    try:
        return _unpacked(_read(path))
    except (DamagedFile, OSError) as error:
        raise ValueError(
            f"{path} cannot be read: {error}. Delete it and run its task again."
        ) from None


def _unpacked(arrays: Mapping[str, NDArray[Any]]) -> dict[str, KeptTallies]:
    found = _ByPrior()
    fit, null = (f".{kind}." for kind in _KINDS)
    for prior in [name.removesuffix(f"{fit}vc") for name in arrays if name.endswith(f"{fit}vc")]:
        permuted = _expanded(arrays, prior + null) if f"{prior}{null}vc" in arrays else None
        found[prior] = _expanded(arrays, prior + fit, permuted)
    if not found:
        raise DamagedFile("it holds no tallies")
    return found


def _compact(draws: Draws) -> dict[str, NDArray[Any]]:
    seconds = draws.seconds if draws.abc is None else [draws.abc.seconds]
    return {
        "vc": np.rint(draws.vc * draws.n_draws).astype(np.uint32),
        "mpvip": np.rint(draws.mpvip * draws.n_draws).astype(np.uint32),
        "vip": draws.vip.astype(np.float32),
        "mi": draws.mi.astype(np.float32),
        "n_draws": np.array(draws.n_draws),
        "seconds": np.asarray(seconds, dtype=np.float64),
    }


def _expanded(
    arrays: Mapping[str, NDArray[Any]], start: str, permuted: KeptTallies | None = None
) -> KeptTallies:
    n_draws = arrays[f"{start}n_draws"]
    if not n_draws > 0:
        raise DamagedFile(f"{start}n_draws is {n_draws}")
    whole = {n: arrays[start + n].astype(np.float64) for n in (*_TALLIES, "seconds")}
    return KeptTallies(
        whole["vc"] / n_draws, whole["vip"], whole["mpvip"] / n_draws, whole["mi"],
        whole["seconds"], permuted,
    )  # fmt: skip
