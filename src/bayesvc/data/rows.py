"""What rows carry besides predictors and response: weights, and blocks to permute within."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted
from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.interop import is_missing, one_per_row

_LEAST_SHARE = 1e-24  # of the largest weight: sigma goes with the root of a weight


def check_sample_weight(sample_weight: Any) -> FloatArray:
    """Return the weights of rows: finite, none below zero, and not all zero.

    Examples
    --------
    >>> from bayesvc.data.rows import check_sample_weight
    >>> check_sample_weight([1, 0, 2])
    array([1., 0., 2.])
    """
    remedy = "pass one positive number per row, or 0 to leave a row out"
    given = one_per_row("sample_weight", sample_weight)
    try:
        weights = given.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"sample_weight has dtype {given.dtype}; {remedy}") from None
    if given.dtype.kind == "b":
        raise TypeError(f"sample_weight has dtype {given.dtype}; {remedy}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        value = weights[bad[0]]
        raise ValueError(f"sample_weight[{bad[0]}]={value:g} is no weight; {remedy}")
    if not weights.any():
        raise ValueError(f"sample_weight is zero in all {len(weights)} rows; {remedy}")
    return weights


def scaled_weights(weights: FloatArray) -> FloatArray | None:
    """Return positive weights scaled to mean 1; None where they are all equal.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.rows import scaled_weights
    >>> scaled_weights(np.array([1.0, 3.0]))
    array([0.5, 1.5])
    """
    if np.ptp(weights) == 0:
        return None
    if weights.min() < _LEAST_SHARE * weights.max():
        raise ValueError(
            f"sample_weight ranges from {weights.min():g} to {weights.max():g}, too far to compute "
            "with; pass 0 to leave a row out"
        )
    relative = weights / weights.max()  # which cannot overflow in the sum
    scaled = relative * (len(weights) / math.fsum(relative))
    # to 24 bits, so that weights times a constant, which differ in the last ones, are the same
    digits, exponent = np.frexp(scaled)
    return np.asarray(np.ldexp(np.round(np.ldexp(digits, 24)), exponent - 24))


def check_blocks(labels: Any, n_rows: int, name: str = "permute_within") -> IntArray:
    """Return the number of each row's block.

    Examples
    --------
    >>> from bayesvc.data.rows import check_blocks
    >>> check_blocks(["b", "a", "b"], 3)
    array([1, 0, 1])
    """
    labels = one_per_row(name, labels)
    if len(labels) != n_rows:
        raise ValueError(
            f"{name} has {len(labels)} labels but X has {n_rows} rows; pass one per row of X"
        )
    missing = sum(map(is_missing, labels.tolist()))
    if missing:
        raise ValueError(
            f"{name} has {counted(missing, 'missing label')}; give every row a block, if need be "
            "one of its own"
        )
    if labels.dtype == object:
        labels = np.array([str(label) for label in labels])
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def check_permutable(blocks: IntArray, y: FloatArray) -> None:
    """Raise ValueError if no permutation within the blocks changes the response."""
    n_blocks = int(blocks.max()) + 1
    if n_blocks == len(blocks):
        raise ValueError(
            f"permute_within has a label of its own for each of the {len(blocks)} rows, so nothing "
            "can be permuted; pass labels that rows share, such as those of a site or a day"
        )
    low, high = np.full(n_blocks, np.inf), np.full(n_blocks, -np.inf)
    np.minimum.at(low, blocks, y)
    np.maximum.at(high, blocks, y)
    if (low == high).all():
        raise ValueError(
            "permute_within has blocks in each of which y is constant, so no permutation changes "
            "it; pass coarser labels"
        )


def order_within(words: NDArray[np.uint64], blocks: IntArray | None) -> IntArray:
    """Return a random order of the rows in which each block's rows stay in its places.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.rows import order_within
    >>> order_within(np.array([9, 8, 7, 6], dtype=np.uint64), np.array([0, 1, 0, 1]))
    array([2, 3, 0, 1])
    """
    if blocks is None:
        return np.argsort(words, kind="stable")
    order = np.empty(len(words), dtype=np.intp)
    order[np.argsort(blocks, kind="stable")] = np.lexsort((words, blocks))
    return order
