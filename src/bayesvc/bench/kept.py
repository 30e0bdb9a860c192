"""The tallies of a task's fits in a compact file, to score other summaries later."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._archive import DamagedFile, read_arrays
from bayesvc._typing import FloatArray
from bayesvc.draws.draws import Draws
from bayesvc.sampling.plan import Fits
from bayesvc.selection.methods import PRIORS

_TALLIES = ("vc", "vip", "mpvip", "mi")


@dataclass(frozen=True, eq=False)
class KeptFits:
    """What is left of the fits of one prior: arrays (n_replicates, n_features).

    Any measure takes it in the place of `Draws`.

    Attributes
    ----------
    vc, vip, mpvip, mi : ndarray
    seconds : ndarray (n_replicates,)
    permuted : KeptFits or None
        Those to permuted responses.
    """

    vc: FloatArray
    vip: FloatArray
    mpvip: FloatArray
    mi: FloatArray
    seconds: FloatArray
    permuted: KeptFits | None = None

    @property
    def n_replicates(self) -> int:
        """Number of fits."""
        return len(self.vc)

    @property
    def n_permuted(self) -> int:
        """Number of fits to permuted responses."""
        return 0 if self.permuted is None else self.permuted.n_replicates

    def first(self, n_replicates: int) -> KeptFits:
        """Return the first fits; 0 stands for all."""
        if n_replicates == 0:
            return self
        rows = slice(n_replicates)
        return KeptFits(
            self.vc[rows], self.vip[rows], self.mpvip[rows], self.mi[rows], self.seconds[rows],
            self.permuted,
        )  # fmt: skip


class _ByPrior(dict[str, KeptFits]):
    """Kept fits by the name of their prior, which says what there is if that is not there."""

    def __missing__(self, prior: object) -> KeptFits:
        raise KeyError(f"no fits of {prior} were kept, but of {', '.join(self)}")


def listed_fits(kept: Mapping[str, KeptFits]) -> str:
    """Return in words how many fits of each prior there are.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.bench.kept import KeptFits, listed_fits
    >>> ten = np.zeros((10, 3))
    >>> listed_fits({"dart": KeptFits(ten, ten, ten, ten, ten[:, 0])})
    '10 of dart'
    """
    return ", ".join(
        f"{own.n_replicates} of {prior}"
        + (f" and {own.n_permuted} permuted" if own.permuted is not None else "")
        for prior, own in kept.items()
    )


def pack(fits: Mapping[str, Fits]) -> bytes:
    """Return the tallies of fits, by the name of their prior, as the bytes of an npz file.

    Sums of counts and numbers of draws are whole and stay exact; VIP and MI keep seven digits.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for prior, own in fits.items():
        for kind, draws in (("fit", own.draws), ("permuted", own.permuted)):
            if draws is not None:
                arrays |= {f"{prior}.{kind}.{name}": part for name, part in _compact(draws).items()}
    return _as_bytes(arrays)


def joined(path: Path, tallies: bytes) -> bytes:
    """Return tallies of `pack` together with those that a file of the same task holds already.

    Of each prior those of the most fits are kept; the fewer are the first of them.
    """
    try:
        arrays = read_arrays(path)
    except (DamagedFile, FileNotFoundError):
        return tallies
    with np.load(io.BytesIO(tallies), allow_pickle=False) as file:
        new = dict(file)
    for name in [name for name in new if name.endswith(".vc")]:
        start = name.removesuffix("vc")
        if name not in arrays or len(arrays[name]) <= len(new[name]):
            arrays |= {key: part for key, part in new.items() if key.startswith(start)}
    return _as_bytes(arrays)


def _as_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack(path: Path) -> dict[str, KeptFits]:
    """Return the kept fits by the name of their prior."""
    try:
        return _unpacked(read_arrays(path))
    except (DamagedFile, OSError) as error:
        raise ValueError(
            f"{path} cannot be read ({error}); delete it and run its task again"
        ) from None


def _unpacked(arrays: Mapping[str, NDArray[Any]]) -> dict[str, KeptFits]:
    found = _ByPrior()
    for prior in PRIORS:
        if f"{prior}.fit.vc" in arrays:
            permuted = None
            if f"{prior}.permuted.vc" in arrays:
                permuted = _expanded(arrays, f"{prior}.permuted.")
            found[prior] = _expanded(arrays, f"{prior}.fit.", permuted)
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
    arrays: Mapping[str, NDArray[Any]], start: str, permuted: KeptFits | None = None
) -> KeptFits:
    names = (*_TALLIES, "n_draws", "seconds")
    own = {name: arrays[start + name] for name in names if start + name in arrays}
    shapes = {name: part.shape for name, part in own.items() if part.dtype.kind in "iuf"}
    wanted = dict.fromkeys(_TALLIES, shapes.get("vc")) | {"n_draws": ()}
    n_fits = shapes.get("seconds", ())
    if {**wanted, "seconds": n_fits} != shapes or len(n_fits) != 1 or len(shapes["vc"]) != 2:
        raise DamagedFile(f"{start}* is not what fits leave behind")
    n_draws = own.pop("n_draws")
    if not n_draws > 0:
        raise DamagedFile(f"{start}n_draws is {n_draws}")
    whole = {name: part.astype(np.float64) for name, part in own.items()}
    return KeptFits(
        whole["vc"] / n_draws, whole["vip"], whole["mpvip"] / n_draws, whole["mi"],
        whole["seconds"], permuted,
    )  # fmt: skip
