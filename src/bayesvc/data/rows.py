"""Weights of rows, and blocks of rows to permute within."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted
from bayesvc._typing import FloatArray, IntArray
from bayesvc._validation import must_be
from bayesvc.data.exact import refuse_rounding
from bayesvc.data.interop import is_missing, one_per_row

_SMALLEST_RATIO = 1e-24  # to the largest weight: sigma scales with the root of a weight

_REMEDY = "pass one positive number per row, or 0 to leave a row out"


def check_sample_weight(sample_weight: Any) -> FloatArray:
    """Return the weights of rows, which must be finite, non-negative and not all zero.

    Examples
    --------
    >>> from bayesvc.data.rows import check_sample_weight
    >>> check_sample_weight([1, 0, 2])
    array([1., 0., 2.])
    """
    given = one_per_row("sample_weight", sample_weight)
    try:
        weights = given.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(_not_numbers(given)) from None
    if given.dtype.kind == "b":
        raise TypeError(_not_numbers(given))
    if given.dtype.kind in "iuO":
        refuse_rounding("`sample_weight`", weights, given)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        name, value = f"sample_weight[{bad[0]}]", f"{weights[bad[0]]:g}"
        raise ValueError(must_be(name, "a finite number of at least 0", value, _REMEDY))
    if not weights.any():
        wanted, got = "positive in at least one row", f"zero in all {len(weights)} rows"
        raise ValueError(must_be("sample_weight", wanted, got, _REMEDY))
    return weights


def _not_numbers(given: NDArray[Any]) -> str:
    return must_be("sample_weight", "one number per row", f"dtype {given.dtype}", _REMEDY)


def scaled_weights(weights: FloatArray) -> FloatArray | None:
    """Return positive weights scaled to mean 1, or None if they are all equal.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.rows import scaled_weights
    >>> scaled_weights(np.array([1.0, 3.0]))
    array([0.5, 1.5])
    """
    if np.ptp(weights) == 0:
        return None
    if weights.min() < _SMALLEST_RATIO * weights.max():
        raise ValueError(
            f"`sample_weight` must not vary by a factor of more than {1 / _SMALLEST_RATIO:g}. Got "
            f"weights from {weights.min():g} to {weights.max():g} instead. Pass 0 to leave a row "
            "out."
        )
    relative = weights / weights.max()  # which cannot overflow in the sum
    scaled = relative * (len(weights) / math.fsum(relative))
    # to 24 bits, so that weights times a constant, which differ in the last ones, are the same
    digits, exponent = np.frexp(scaled)
    return np.asarray(np.ldexp(np.round(np.ldexp(digits, 24)), exponent - 24))


def check_blocks(labels: Any, n_rows: int, name: str = "permute_within") -> IntArray:
    """Return the block of each row as a number from 0.

    Examples
    --------
    >>> from bayesvc.data.rows import check_blocks
    >>> check_blocks(["b", "a", "b"], 3)
    array([1, 0, 1])
    """
    labels = one_per_row(name, labels)
    if len(labels) != n_rows:
        raise ValueError(
            f"`{name}` must have one label per row of X, {n_rows}. Got {len(labels)} instead."
        )
    missing = sum(map(is_missing, labels.tolist()))
    if missing:
        raise ValueError(
            f"`{name}` must have a label in every row. Got {counted(missing, 'missing label')} "
            "instead. Give each of these rows a block, for example one of its own."
        )
    if labels.dtype == object:
        labels = np.array([str(label) for label in labels])
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def check_permutable(blocks: IntArray, y: FloatArray) -> None:
    """Raise ValueError if no permutation within the blocks changes the response."""
    n_blocks = int(blocks.max()) + 1
    if n_blocks == len(blocks):
        raise ValueError(
            "`permute_within` must have labels that several rows share. Got a different label for "
            f"each of the {len(blocks)} rows instead, so nothing can be permuted. Pass labels such "
            "as those of a site or a day."
        )
    low, high = np.full(n_blocks, np.inf), np.full(n_blocks, -np.inf)
    np.minimum.at(low, blocks, y)
    np.maximum.at(high, blocks, y)
    if (low == high).all():
        raise ValueError(
            "`permute_within` must have at least one block in which y varies. Got "
            f"{counted(n_blocks, 'block')} with a constant y instead, so no permutation changes "
            "y. Pass coarser labels."
        )


def order_within(
    words: NDArray[np.uint64], blocks: IntArray | None, shifts: bool = False
) -> IntArray:
    """Return a random order of the rows in which each block's rows stay in its places.

    With `shifts` the rows of a block keep their order, but for the place where it begins: all
    starts are as probable, that of the original order included.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.rows import order_within
    >>> words = np.array([9, 8, 7, 6], dtype=np.uint64)
    >>> order_within(words, np.array([0, 1, 0, 1]))
    array([2, 3, 0, 1])
    >>> order_within(words, None, shifts=True)
    array([1, 2, 3, 0])
    """
    if shifts:
        return _shifted(words, np.zeros(len(words), dtype=np.intp) if blocks is None else blocks)
    if blocks is None:
        return np.argsort(words, kind="stable")
    order = np.empty(len(words), dtype=np.intp)
    order[np.argsort(blocks, kind="stable")] = np.lexsort((words, blocks))
    return order


def _shifted(words: NDArray[np.uint64], blocks: IntArray) -> IntArray:
    order = np.empty(len(words), dtype=np.intp)
    for block in range(int(blocks.max()) + 1):
        rows = np.flatnonzero(blocks == block)
        order[rows] = np.roll(rows, -int(words[rows[0]] % np.uint64(len(rows))))
    return order
