"""Unselected columns that could stand in for a selected one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bayesvc._typing import FloatArray, IntArray


@dataclass(frozen=True)
class Twin:
    """An unselected column that is nearly the same as a selected one.

    `correlation` is their rank correlation.
    """

    unselected: str
    selected: str
    correlation: float


def near_twins(twins: Iterable[Twin]) -> dict[str, list[Twin]]:
    """Return the twins of each selected column that has some.

    Examples
    --------
    >>> from bayesvc.selection.substitutes import Twin, near_twins
    >>> list(near_twins([Twin("a", "c", 0.99), Twin("b", "c", 0.97)]))
    ['c']
    """
    found: dict[str, list[Twin]] = {}
    for twin in twins:
        found.setdefault(twin.selected, []).append(twin)
    return found


def find_twins(
    correlations: FloatArray, selected: IntArray, names: Sequence[str], limit: float = 0.95
) -> tuple[Twin, ...]:
    """Return the unselected columns whose rank correlation with a selected one is extreme."""
    if len(selected) == 0:
        return ()
    strength = np.abs(correlations)
    strength[:, selected] = 0
    nearest = strength.argmax(axis=0)
    largest = strength[nearest, np.arange(strength.shape[1])]
    return tuple(
        Twin(names[j], names[int(selected[nearest[j]])], float(correlations[nearest[j], j]))
        for j in np.flatnonzero(largest > limit).tolist()
    )
