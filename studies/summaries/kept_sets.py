"""The kept fits of the study, one data set after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bayesvc.bench import feynman
from bayesvc.bench.kept import KeptFits, unpack
from bayesvc.bench.store import Store


@dataclass(frozen=True, eq=False)
class KeptSet:
    """The fits to one data set by the name of their prior, and the truth."""

    problem: str
    n: int
    snr: float
    seed: int
    relevant: NDArray[np.intp]
    fits: dict[str, KeptFits]


def of_equations(folder: Path, names: list[str]) -> Iterator[KeptSet]:
    """Yield what ``bench run --keep-draws`` kept of these equations."""
    store = Store(folder)
    for task in store.kept_tasks():
        if task.problem in names:
            relevant = np.arange(len(feynman.equation(task.problem).variables))
            fits = unpack(store.draws_path(task))
            yield KeptSet(task.problem, task.n, task.snr, task.seed, relevant, fits)


def of_problems(folder: Path, kind: str) -> Iterator[KeptSet]:
    """Yield what ``fits.py`` kept of the problems of one kind, or of the random functions."""
    for path in sorted(folder.glob(f"{kind}-*.npz")):
        relevant = np.load(path.with_suffix(".relevant.npy"))
        yield KeptSet(kind, 0, 0.0, int(path.stem.rpartition("-")[2]), relevant, unpack(path))
