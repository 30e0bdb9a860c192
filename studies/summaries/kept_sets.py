"""The kept fits of the study, one data set after the other."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from problems import OTHER_KINDS, STUDY_CELLS, halves

from bayesvc.bench import feynman
from bayesvc.bench.kept import KeptTallies, unpack
from bayesvc.bench.store import Store


@dataclass(frozen=True, eq=False)
class KeptSet:
    """The fits to one data set by the name of their prior, and the truth."""

    problem: str
    n: int
    snr: float
    seed: int
    relevant: NDArray[np.intp]
    fits: dict[str, KeptTallies]


def of_equations(folder: Path, names: list[str]) -> Iterator[KeptSet]:
    """Yield what ``bench run --keep-draws`` kept of these equations."""
    store = Store(folder)
    for task in store.kept_tasks():
        if task.problem in names:
            relevant = np.arange(len(feynman.equation(task.problem).variables))
            fits = unpack(store.draws_path(task))
            yield KeptSet(task.problem, task.n, task.snr, task.seed, relevant, fits)


def of_kind(folder: Path, kind: str) -> Iterator[KeptSet]:
    """Yield what ``fits.py`` kept of one of the other kinds of problems."""
    for kept in of_problems(folder, file_prefix(kind)):
        yield replace(kept, problem=kind)


def file_prefix(kind: str) -> str:
    """Return what the files of a kind of problems begin with."""
    return f"{zlib.crc32(kind.encode()):08x}"


def kept_sets(which: str, folder: Path) -> Iterator[KeptSet]:
    """Yield the data sets of a part: see ``score.py``."""
    if which == "study":
        for kept in of_problems(folder, "study"):
            n, snr = STUDY_CELLS[kept.seed % len(STUDY_CELLS)]
            yield replace(kept, problem=f"formula {kept.seed}", n=n, snr=snr)
    elif which == "other":
        for kind in OTHER_KINDS:
            yield from of_kind(folder, kind)
    else:
        yield from of_equations(folder, halves()[which != "first"])


def of_problems(folder: Path, kind: str) -> Iterator[KeptSet]:
    """Yield what ``fits.py`` kept in files whose names begin with `kind`."""
    for path in sorted(folder.glob(f"{kind}-*.npz")):
        relevant = np.load(path.with_suffix(".relevant.npy"))
        yield KeptSet(kind, 0, 0.0, int(path.stem.rpartition("-")[2]), relevant, unpack(path))
