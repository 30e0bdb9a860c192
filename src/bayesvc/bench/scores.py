"""Scores of a selection when the relevant columns are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Scores(NamedTuple):
    """Numbers of true and false positives, and the rates that the paper reports.

    Attributes
    ----------
    tp, fp, fn : int
        Relevant columns selected; irrelevant ones selected; relevant ones missed.
    tpr, fpr, f1 : float
    """

    tp: int
    fp: int
    fn: int
    tpr: float
    fpr: float
    f1: float


def score(mask: NDArray[np.bool_], relevant: Sequence[int] | NDArray[np.intp]) -> Scores:
    """Compare a selection with the relevant columns; an empty selection scores 0 throughout.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.bench.scores import score
    >>> score(np.array([True, False, True, False]), relevant=[0, 1])
    Scores(tp=1, fp=1, fn=1, tpr=0.5, fpr=0.5, f1=0.5)
    """
    truth = np.zeros(len(mask), dtype=bool)
    truth[relevant] = True
    tp, fp = int((mask & truth).sum()), int((mask & ~truth).sum())
    fn, n_irrelevant = int(truth.sum()) - tp, int((~truth).sum())
    return Scores(
        tp,
        fp,
        fn,
        tp / max(tp + fn, 1),
        fp / max(n_irrelevant, 1),
        2 * tp / max(2 * tp + fp + fn, 1),
    )


def as_mask(answer: Any, n_features: int, source: str) -> NDArray[np.bool_]:
    """Convert a method's answer, booleans or column indices, to a mask."""
    found = np.asarray(answer)
    if found.dtype == bool and found.shape == (n_features,):
        return found
    if found.size == 0 and found.ndim == 1:
        return np.zeros(n_features, dtype=bool)
    if (
        found.dtype.kind in "iu"
        and found.ndim == 1
        and 0 <= found.min() <= found.max() < n_features
    ):
        mask = np.zeros(n_features, dtype=bool)
        mask[found] = True
        return mask
    raise ValueError(
        f"{source} must return {n_features} booleans, or indices of columns. Got an array of shape "
        f"{found.shape} and dtype {found.dtype} instead."
    )
