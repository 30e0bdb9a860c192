"""Draw subsamples of rows without replacement: in pairs, by blocks, from both classes."""

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
    """How many subsamples to draw, and of which size.

    Examples
    --------
    >>> from bayesvc.selection.subsamples import SubsampleScheme
    >>> SubsampleScheme(50, 0.5, pairs=True).in_words
    '25 pairs of disjoint subsamples'
    """

    n_subsamples: int
    fraction: float
    pairs: bool

    def __post_init__(self) -> None:
        remedy = "more give finer selection frequencies, and 50 are usual"
        check_integer("n_subsamples", self.n_subsamples, 2, remedy)
        if check_flag("pairs", self.pairs) and self.n_subsamples % 2:
            raise ValueError(
                f"`n_subsamples` must be even, because subsamples come in pairs. Got "
                f"{self.n_subsamples} instead. Pass {self.n_subsamples + 1}, or pairs=False."
            )
        if self.pairs:
            remedy = "pass pairs=False for more: the two parts of a pair share no row"
            check_number("fraction", self.fraction, above=0, most=0.5, remedy=remedy)
        else:
            remedy = "pass a fraction of the rows such as 0.5"
            check_number("fraction", self.fraction, above=0, below=1, remedy=remedy)

    @property
    def at_once(self) -> int:
        """Number of subsamples that are drawn together."""
        return 2 if self.pairs else 1

    @property
    def in_words(self) -> str:
        """The number of subsamples in words."""
        if self.pairs:
            return f"{self.n_subsamples // 2} pairs of disjoint subsamples"
        return f"{self.n_subsamples} subsamples"


def draw_rows(
    data: Dataset, scheme: SubsampleScheme, entropy: int, blocks: IntArray | None = None
) -> list[IntArray]:
    """Return the rows of each subsample, ascending; those of a pair follow each other.

    A subsample depends on its own number only. Rows of a block are taken together or not at all.
    The same fraction is taken of each class, unless there are blocks.

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
    sizes = [_size(name, len(units), scheme) for name, units in strata]
    found: list[IntArray] = []
    for number in range(scheme.n_subsamples // scheme.at_once):
        found += _draw(data, scheme, strata, sizes, blocks, entropy, number)
    return found


def _strata(data: Dataset, blocks: IntArray | None) -> list[tuple[str, IntArray]]:
    """Return the name and the members of what is drawn from: rows, blocks, or rows of a class."""
    if blocks is not None:
        return [("blocks", np.arange(int(blocks.max()) + 1))]
    return data.y.model.strata(data.y)


def _size(name: str, n: int, scheme: SubsampleScheme) -> int:
    size = max(1, int(scheme.fraction * n))
    if scheme.at_once * size > n or (n == 1 and name == "blocks"):
        what = "two disjoint subsamples" if scheme.pairs else "subsamples"
        remedy = ", or pairs=False" if scheme.pairs and name != "blocks" else ""
        raise ValueError(
            f"`X` must have enough {name} for {what} with fraction={scheme.fraction:g}. Got {n} "
            f"{name} instead. Pass more data{remedy}."
        )
    return size


def _draw(
    data: Dataset,
    scheme: SubsampleScheme,
    strata: list[tuple[str, IntArray]],
    sizes: list[int],
    blocks: IntArray | None,
    entropy: int,
    number: int,
) -> list[IntArray]:
    """Return one subsample, or two disjoint ones, in which the response varies."""
    n_units = sum(len(units) for _, units in strata)
    for attempt in range(_ATTEMPTS):
        words = random_words(entropy, Role.SUBSAMPLE_ROWS, number * _ATTEMPTS + attempt, n_units)
        taken = np.zeros((scheme.at_once, n_units), dtype=bool)
        for (_, units), size in zip(strata, sizes, strict=True):
            order = units[np.argsort(words[units], kind="stable")]
            for part in range(scheme.at_once):
                taken[part, order[part * size : (part + 1) * size]] = True
        rows = [np.flatnonzero(own if blocks is None else own[blocks]) for own in taken]
        if all(_is_usable(data, own) for own in rows):
            return rows
    raise ValueError(
        "`fraction` must be large enough that y varies in subsamples, within blocks if it is "
        f"permuted there. Got {scheme.fraction:g} instead, for which y is constant in nearly all "
        "of them. Pass a larger fraction with pairs=False, or more data."
    )


def _is_usable(data: Dataset, rows: IntArray) -> bool:
    y = data.y.values[rows]
    if len(y) < 2 or not data.y.model.can_be_fitted(y):
        return False
    if data.blocks is None:
        return True
    try:
        check_permutable(np.unique(data.blocks[rows], return_inverse=True)[1], y)
    except ValueError:
        return False
    return True
