"""Kept fits, one table after the other, as rules want to see them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from chains import TRACE_SUMMARIES, TRACES
from numpy.typing import NDArray

from bayesvc.selection.held_out import HeldOutTest
from bayesvc.selection.signal import SignalTest

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Chains:
    """What some chains on one table left behind; rows are chains, columns those of the table.

    Measures of the package accept it in place of `Draws`. `arrays` holds everything by the names
    of `chains.py`.
    """

    vc: FloatArray
    mpvip: FloatArray
    arrays: Mapping[str, NDArray[Any]] = field(repr=False)

    @property
    def vip(self) -> FloatArray:
        """Mean proportion of splits."""
        return self.arrays["vip"].astype(float)

    @property
    def mi(self) -> FloatArray:
        """Metropolis importance."""
        return self.arrays["mi"].astype(float)

    @property
    def n_replicates(self) -> int:
        """Number of chains."""
        return len(self.vc)

    @property
    def n_draws(self) -> int:
        """Draws kept of each chain."""
        return int(self.arrays["n_draws"])

    @property
    def explained(self) -> FloatArray:
        """Variance of the mean sum of trees as a proportion of that of y, by chain."""
        return self.arrays["explained"].astype(float)

    def trace(self, name: str, summary: str = "mean") -> FloatArray:
        """Return a summary of a trace, by chain."""
        own = self.arrays["traces"][:, TRACES.index(name), TRACE_SUMMARIES.index(summary)]
        return np.asarray(own, dtype=float)

    def take(self, rows: slice) -> Chains:
        """Return some of the chains."""
        arrays = {
            name: own[rows] if own.ndim and len(own) == len(self.vc) else own
            for name, own in self.arrays.items()
        }
        return Chains(self.vc[rows], self.mpvip[rows], arrays)


@dataclass(frozen=True, eq=False)
class Record:
    """A table without its numbers: the fits, the truth, and what the table was.

    `null`, `padded` and `half` may be absent.
    """

    kind: str
    number: int
    part: str
    about: dict[str, Any]
    relevant: NDArray[np.intp]
    share: FloatArray
    likeness: FloatArray
    like: NDArray[np.intp]
    types: tuple[str, ...]
    gaps: FloatArray
    fit: Chains
    signal: SignalTest
    null: Chains | None = None
    padded: Chains | None = None
    half: Chains | None = None
    seconds: float = 0.0

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.about["n"])

    @property
    def p(self) -> int:
        """Number of columns."""
        return int(self.fit.vc.shape[1])

    @property
    def truth(self) -> BoolArray:
        """Which columns are relevant."""
        mask = np.zeros(self.p, dtype=bool)
        mask[self.relevant] = True
        return mask

    @property
    def strength(self) -> FloatArray:
        """Total effect of each relevant column in units of the noise of all rows."""
        r2 = float(self.about["r2"])
        if self.about["response"] == "noiseless":
            return np.full(len(self.share), np.inf)
        return np.asarray(self.n * self.share * r2 / (1 - r2))

    @property
    def p_value(self) -> float:
        """The p-value of the signal test."""
        return self.signal.p_value

    def first(self, n_replicates: int) -> Record:
        """Return the record with the first replicates only."""
        return replace(self, fit=self.fit.take(slice(n_replicates)))


def _chains(arrays: Mapping[str, NDArray[Any]], start: str) -> Chains | None:
    own = {
        name.removeprefix(f"{start}."): values
        for name, values in arrays.items()
        if name.startswith(f"{start}.")
    }
    if not own:
        return None
    n_draws = float(own["n_draws"])
    return Chains(own.pop("vc") / n_draws, own.pop("mpvip") / n_draws, own)


def _signal(arrays: Mapping[str, NDArray[Any]]) -> SignalTest:
    own, *null = arrays["signal.explained"].tolist()
    test = SignalTest(own, np.array(null))
    if "signal.held_out" in arrays:
        test = replace(test, held_out=HeldOutTest(*arrays["signal.held_out"]))
    if "signal.correlation" not in arrays:
        return test
    correlation, *null = arrays["signal.correlation"].tolist()
    return replace(test, correlation=correlation, null_correlation=np.array(null))


def read(path: Path) -> Record:
    """Read the kept fits of one table."""
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    about = json.loads(arrays["about"].tobytes())
    fit = _chains(arrays, "fit")
    assert fit is not None
    return Record(
        about["kind"], about["number"], about["part"], about, arrays["relevant"],
        arrays["share"].astype(float), arrays["likeness"].astype(float), arrays["like"],
        tuple(arrays["types"].tolist()), arrays["gaps"].astype(float), fit, _signal(arrays),
        _chains(arrays, "null"), _chains(arrays, "padded"), _chains(arrays, "half"),
        float(arrays["cpu_seconds"]),
    )  # fmt: skip


def records(folder: Path, part: str) -> Iterator[Record]:
    """Yield what was kept of the tables of a half."""
    for path in sorted((folder / part).glob("*.npz")):
        if not path.name.startswith("."):
            yield read(path)
