"""Encoded columns as the sampler and the linear model read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc._validation import check_memory

if TYPE_CHECKING:
    from bayesvc.data.column_source import ColumnSource

_NUMBER_BYTES = 8


def code_bytes(n_rows: int) -> int:
    """Return the bytes of a rank code, at most: a column may have as many values as rows.

    Examples
    --------
    >>> from bayesvc.data.column_layout import code_bytes
    >>> code_bytes(256), code_bytes(257), code_bytes(1_000_000)
    (1, 2, 4)
    """
    return 1 if n_rows <= 2**8 else 2 if n_rows <= 2**16 else 4


class ColumnLayout(NamedTuple):
    """How to read the columns of a matrix; if all is empty, each is a numeric variable.

    `n_categories` has a number for each column, 0 if its values are ordered; `groups` has the
    columns of each variable; `missing` the ordered columns with missing values.
    """

    n_categories: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    missing: tuple[int, ...] = ()

    def design(self, X: FloatArray, first: int = 0) -> FloatArray:
        """Return the matrix as a linear model reads it: nothing missing, indicators for categories.

        A missing value becomes the mean of its column. Of the categories that occur the first has
        no indicator. Plain columns are not copied. X may be a block that starts at column `first`.
        """
        if not (self.n_categories or self.missing):
            return X
        missing = frozenset(self.missing)
        out = np.empty((len(X), sum(self._widths(X, first))), order="F")
        for k, place in enumerate(self._places(X, first)):
            if self._categories(first + k):
                codes = X[:, k].astype(np.intp)
                for at, code in zip(place, np.unique(codes)[1:], strict=True):
                    out[:, at] = codes == code
            else:
                out[:, place[0]] = _filled(X[:, k]) if first + k in missing else X[:, k]
        return out

    def design_columns(self, X: FloatArray) -> list[list[int]]:
        """Return which columns of the design belong to each variable; empty where it is plain."""
        if not (self.n_categories or self.groups):
            return []
        places = self._places(X)
        pools = self.groups or [(j,) for j in range(X.shape[1])]
        return [[k for j in columns for k in places[j]] for columns in pools]

    def n_design_columns(self, source: ColumnSource) -> int:
        """Return how many columns the design of all columns has.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesvc.data.column_layout import ColumnLayout
        >>> from bayesvc.data.column_source import ArrayColumns
        >>> X = ArrayColumns(np.array([[0.1, 0], [0.2, 2], [0.3, 3]]))
        >>> ColumnLayout(n_categories=(0, 4)).n_design_columns(X)
        3
        """
        p = source.shape[1]
        categorical = [j for j in range(p) if self._categories(j)]
        indicators = sum(sum(self._widths(source.block(j, j + 1), j)) for j in categorical)
        return p - len(categorical) + indicators

    def check_memory(self, n_rows: int, n_columns: int) -> None:
        """Raise MemoryError if codes and linear model of columns that are not plain are too large.

        A column with missing values is coded twice, and each category has an indicator.
        """
        if self == PLAIN:
            return
        indicators = sum(max(k - 2, 0) for k in self.n_categories)
        per_row = code_bytes(n_rows) * (n_columns + len(self.missing))
        if n_columns < n_rows:
            per_row += _NUMBER_BYTES * (n_columns + indicators)
        remedy = "pass fewer columns or rows, or merge rare categories"
        check_memory("X with its codes and indicators", (n_rows,), per_row, remedy, items="rows")

    def _categories(self, j: int) -> int:
        return self.n_categories[j] if self.n_categories else 0

    def _widths(self, X: FloatArray, first: int = 0) -> list[int]:
        """Return how many columns of the design each column has."""
        return [
            len(np.unique(column)) - 1 if self._categories(j) else 1
            for j, column in enumerate(X.T, first)
        ]

    def _places(self, X: FloatArray, first: int = 0) -> list[range]:
        ends = np.cumsum(self._widths(X, first)).tolist()
        return [range(a, b) for a, b in zip([0, *ends], ends, strict=False)]


PLAIN = ColumnLayout()


def _filled(column: FloatArray) -> FloatArray:
    missing = np.isnan(column)
    observed = column[~missing]
    # summed exactly, so that the mean has the same bits everywhere
    mean = math.fsum(observed / len(observed)) if len(observed) else 0.0
    return np.where(missing, mean, column)
