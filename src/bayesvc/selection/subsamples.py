"""Which rows a resample takes: some without repeats, in pairs, in blocks, of both classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesvc._typing import IntArray
from bayesvc._validation import check_flag, check_integer, check_number
from bayesvc.data.dataset import Dataset
from bayesvc.data.rows import check_permutable
from bayesvc.sampling.seeds import Role, random_words

_ATTEMPTS = 100  # to draw rows in which the response varies


@dataclass(frozen=True)
class SubsampleScheme:
    """How often to draw rows, and how many.

    Examples
    --------
    >>> from bayesvc.selection.subsamples import SubsampleScheme
    >>> SubsampleScheme(50, 0.5, pairs=True).in_words
    '25 pairs of disjoint resamples'
    """

    n_resamples: int
    fraction: float
    pairs: bool

    def __post_init__(self) -> None:
        remedy = "the more, the finer the shares; 50 are usual"
        check_integer("n_resamples", self.n_resamples, 2, remedy)
        if check_flag("pairs", self.pairs) and self.n_resamples % 2:
            raise ValueError(
                f"n_resamples={self.n_resamples} is odd, but resamples come in pairs; pass "
                f"{self.n_resamples + 1}, or pairs=False"
            )
        if self.pairs:
            remedy = "pass pairs=False for more: the two parts of a pair share no row"
            check_number("fraction", self.fraction, above=0, most=0.5, remedy=remedy)
        else:
            remedy = "pass a fraction of the rows such as 0.5"
            check_number("fraction", self.fraction, above=0, below=1, remedy=remedy)

    @property
    def at_once(self) -> int:
        """Resamples that are drawn together."""
        return 2 if self.pairs else 1

    @property
    def in_words(self) -> str:
        """How many there are."""
        if self.pairs:
            return f"{self.n_resamples // 2} pairs of disjoint resamples"
        return f"{self.n_resamples} resamples"


def draw_rows(
    data: Dataset, drawing: SubsampleScheme, entropy: int, blocks: IntArray | None = None
) -> list[IntArray]:
    """Return the rows of each resample, ascending; those of a pair follow each other.

    A resample depends on its own number only. Rows of a block are taken together or not at all. Of
    two classes as large a share is taken each, unless there are blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.read import read_dataset
    >>> from bayesvc.selection.subsamples import SubsampleScheme, draw_rows
    >>> data = read_dataset(np.eye(6), np.arange(6.0))
    >>> first, second = draw_rows(data, SubsampleScheme(2, 0.5, pairs=True), entropy=0)
    >>> sorted(first.tolist() + second.tolist())
    [0, 1, 2, 3, 4, 5]
    """
    strata = _strata(data, blocks)
    sizes = [_size(name, len(units), drawing) for name, units in strata]
    found: list[IntArray] = []
    for number in range(drawing.n_resamples // drawing.at_once):
        found += _draw(data, drawing, strata, sizes, blocks, entropy, number)
    return found


def _strata(data: Dataset, blocks: IntArray | None) -> list[tuple[str, IntArray]]:
    """Return the name and the members of what is drawn from: rows, blocks, or rows of a class."""
    if blocks is not None:
        return [("blocks", np.arange(int(blocks.max()) + 1))]
    return data.y.model.strata(data.y)


def _size(name: str, n: int, drawing: SubsampleScheme) -> int:
    size = max(1, int(drawing.fraction * n))
    if drawing.at_once * size > n or (n == 1 and name == "blocks"):
        what = "two disjoint resamples" if drawing.pairs else "resamples"
        raise ValueError(
            f"fraction={drawing.fraction:g} of {n} {name} gives no {what}; pass more data"
            + (", or pairs=False" if drawing.pairs and name != "blocks" else "")
        )
    return size


def _draw(
    data: Dataset,
    drawing: SubsampleScheme,
    strata: list[tuple[str, IntArray]],
    sizes: list[int],
    blocks: IntArray | None,
    entropy: int,
    number: int,
) -> list[IntArray]:
    """Return one resample, or two without a row in common, in which the response varies."""
    n_units = sum(len(units) for _, units in strata)
    for attempt in range(_ATTEMPTS):
        words = random_words(entropy, Role.SUBSAMPLE_ROWS, number * _ATTEMPTS + attempt, n_units)
        taken = np.zeros((drawing.at_once, n_units), dtype=bool)
        for (_, units), size in zip(strata, sizes, strict=True):
            order = units[np.argsort(words[units], kind="stable")]
            for part in range(drawing.at_once):
                taken[part, order[part * size : (part + 1) * size]] = True
        rows = [np.flatnonzero(own if blocks is None else own[blocks]) for own in taken]
        if all(_is_usable(data, own) for own in rows):
            return rows
    what = "y is constant, or cannot be permuted within its blocks,"
    raise ValueError(
        f"fraction={drawing.fraction:g} of the rows is too little: {what} in nearly all "
        "resamples; pass a larger fraction with pairs=False, or more data"
    )


def _is_usable(data: Dataset, rows: IntArray) -> bool:
    y = data.y.values[rows]
    if len(y) < 2 or np.ptp(y) == 0:
        return False
    if data.blocks is None:
        return True
    try:
        check_permutable(np.unique(data.blocks[rows], return_inverse=True)[1], y)
    except ValueError:
        return False
    return True
