"""The stopping rule of `n_replicates="auto"`: sample until the selection stays the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bayesvc._typing import BoolArray
from bayesvc.draws.draws import Draws

STABLE_FOR = 4  # replicates in a row that did not change the selection
MAX_REPLICATES = 40
FIRST_REPLICATES = 1 + STABLE_FOR  # the fewest that can be stable


@dataclass(frozen=True)
class StoppingResult:
    """When the sampling stopped, and why.

    Attributes
    ----------
    n_replicates : int
        Number of replicates used.
    reason : str
        A sentence.
    stable : bool
        Whether the last four replicates left the selection unchanged.
    """

    n_replicates: int
    reason: str
    stable: bool


def first_stable(masks: list[BoolArray]) -> int | None:
    """Return the first number of replicates whose last `STABLE_FOR` changed nothing, or None.

    Parameters
    ----------
    masks : list of ndarray
        The selection from the first replicate, from the first two together, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.selection.stopping import first_stable
    >>> a, b = np.array([True, False]), np.array([True, True])
    >>> first_stable([a, b, b, b]), first_stable([a, b, b, b, b, b, a])
    (None, 6)
    """
    unchanged = 0
    for number, (before, now) in enumerate(pairwise(masks), start=2):
        unchanged = unchanged + 1 if np.array_equal(before, now) else 0
        if unchanged == STABLE_FOR:
            return number
    return None


def sample_until_stable(
    more: Callable[[Draws | None, int], Draws],
    mask_of: Callable[[Draws], BoolArray],
    *,
    at_once: int,
    max_seconds: float | None = None,
) -> tuple[Draws, StoppingResult]:
    """Sample until `STABLE_FOR` replicates in a row have not changed the selection.

    Parameters
    ----------
    more : callable
        Takes draws, or None at first, and a number of replicates to add; returns all.
    mask_of : callable
        The selection from draws.
    at_once : int
        Number of replicates that take no longer than one. Those beyond the ones that were needed
        are discarded, so that the result does not depend on it.
    max_seconds : float, optional
        Start no replicates after this time. The result then depends on the speed of the machine.
    """
    start = time.monotonic()
    draws = more(None, FIRST_REPLICATES + -FIRST_REPLICATES % at_once)
    masks: list[BoolArray] = []
    while True:
        numbers = range(len(masks) + 1, min(draws.n_replicates, MAX_REPLICATES) + 1)
        masks += [mask_of(draws.take(range(number))) for number in numbers]
        number = first_stable(masks)
        if number is not None:
            reason = (
                f"Stopped after {number} replicates; the last {STABLE_FOR} did not change the "
                "selection."
            )
        elif len(masks) >= MAX_REPLICATES:
            reason = (
                f"Stopped at the maximum of {MAX_REPLICATES} replicates; the selection was not "
                "stable."
            )
        elif max_seconds is not None and time.monotonic() - start >= max_seconds:
            reason = (
                f"Stopped after {len(masks)} replicates because max_seconds={max_seconds:g} had "
                "passed; the selection was not stable."
            )
        else:
            draws = more(draws, at_once)
            continue
        stopping = StoppingResult(number or len(masks), reason, stable=number is not None)
        return draws.take(range(stopping.n_replicates)), stopping
