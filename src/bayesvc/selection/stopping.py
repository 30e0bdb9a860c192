"""How many fits are enough: until what is selected stays the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bayesvc._typing import BoolArray
from bayesvc.draws.draws import Draws

STABLE_FOR = 4  # fits that changed nothing
MOST_FITS = 40
FIRST_FITS = 1 + STABLE_FOR  # the least that can be enough


@dataclass(frozen=True)
class StoppingResult:
    """How many fits were taken, and why no more."""

    n_replicates: int
    reason: str


def first_stable(masks: list[BoolArray]) -> int | None:
    """Return the first number of fits whose last `STABLE_FOR` changed nothing, or None.

    Parameters
    ----------
    masks : list of ndarray
        What the first fit selects, the first two together, and so on.

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
    """Sample until `STABLE_FOR` fits in a row have not changed the selection.

    Parameters
    ----------
    more : callable
        Takes draws, or None at first, and a number of fits to add; returns all.
    mask_of : callable
        The selection from draws.
    at_once : int
        Fits that cost no more time than one. Fits beyond those that were enough are thrown away, so
        that the result does not depend on it.
    max_seconds : float, optional
        No fits are begun after this time. The result then depends on the speed of the machine.
    """
    start = time.monotonic()
    draws = more(None, FIRST_FITS + -FIRST_FITS % at_once)
    masks: list[BoolArray] = []
    while True:
        numbers = range(len(masks) + 1, min(draws.n_replicates, MOST_FITS) + 1)
        masks += [mask_of(draws.take(range(number))) for number in numbers]
        number = first_stable(masks)
        if number is not None:
            reason = f"the last {STABLE_FOR} fits changed nothing"
        elif len(masks) >= MOST_FITS:
            number, reason = MOST_FITS, f"the most allowed; the last {STABLE_FOR} changed something"
        elif max_seconds is not None and time.monotonic() - start >= max_seconds:
            number, reason = len(masks), f"max_seconds={max_seconds:g} had passed"
        else:
            draws = more(draws, at_once)
            continue
        return draws.take(range(number)), StoppingResult(number, reason)
