"""Where the columns of X come from: an array, a data frame, or a file that is read in parts.

A large table is never copied as a whole: its columns are converted to float64 a block at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import ColumnName, FloatArray
from bayesvc._validation import check_memory
from bayesvc.data.exact import large_columns, of_column, refuse_rounded
from bayesvc.data.interop import is_wide_integer

_BLOCK_BYTES = 2**25  # of a block as float64, at least
_MOST_BLOCKS = 32  # in a file of very many columns each block takes a look at all their names

Replaced = Mapping[int, NDArray[Any]]
"""Numbers of columns that are not plain numbers in the source, by position."""


class ColumnSource(Protocol):
    """Columns that can be read as float64, in any order and more than once."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ...

    def block(self, first: int, last: int) -> FloatArray:
        """Return the columns from `first` up to, and without, `last`."""
        ...

    def refuse_rounded(self, first: int, block: FloatArray) -> None:
        """Raise ValueError for integers that were rounded in a block that starts at `first`."""
        ...

    def replace(self, columns: Replaced) -> ColumnSource:
        """Return the source with other numbers in some columns."""
        ...


@dataclass(frozen=True, eq=False)
class ArrayColumns:
    """The columns of an array of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.column_source import ArrayColumns
    >>> ArrayColumns(np.array([[1, 2, 3], [4, 5, 6]])).block(1, 3)
    array([[2., 3.],
           [5., 6.]])
    """

    values: NDArray[Any]
    replaced: Replaced = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def block(self, first: int, last: int) -> FloatArray:
        """Return some columns, as a view where the array holds float64."""
        with np.errstate(over="ignore"):
            block = self.values[:, first:last].astype(np.float64, copy=False)
        own = {j: numbers for j, numbers in self.replaced.items() if first <= j < last}
        if own and np.shares_memory(block, self.values):
            block = block.copy()
        for j, numbers in own.items():
            block[:, j - first] = numbers
        return block

    def refuse_rounded(self, first: int, block: FloatArray) -> None:
        """Do nothing: integers are looked at before they are converted."""

    def replace(self, columns: Replaced) -> ArrayColumns:
        """Return the columns with other numbers in some of them; the array stays as it is."""
        return ArrayColumns(self.values, {**self.replaced, **columns})


@dataclass(frozen=True, eq=False)
class FrameColumns:
    """The columns of a data frame, which may be in memory or in a file.

    `read` returns a narwhals frame of the columns from a first up to, and without, a last one.
    """

    read: Callable[[int, int], Any]
    shape: tuple[int, int]
    names: Sequence[ColumnName]
    is_float: Sequence[bool]
    replaced: Replaced = field(default_factory=dict)

    def block(self, first: int, last: int) -> FloatArray:
        """Return some columns, converted where they are not float64."""
        if self.replaced.keys().isdisjoint(range(first, last)):
            values = _wide_as_floats(self.read(first, last)).to_numpy()
            if values.dtype.kind in "fiub":
                return np.asarray(values, dtype=np.float64)
        import narwhals as nw

        out = np.empty((self.shape[0], last - first), order="F")
        for j in range(first, last):
            if j in self.replaced:
                out[:, j - first] = self.replaced[j]
            else:
                part = self.read(j, j + 1)
                out[:, j - first] = part.get_column(part.columns[0]).cast(nw.Float64).to_numpy()
        return out

    def refuse_rounded(self, first: int, block: FloatArray) -> None:
        """Raise ValueError for integers that were rounded in a block that starts at `first`."""
        if all(self.is_float[first : first + block.shape[1]]):
            return
        for k in large_columns(block):
            j = first + k
            if not self.is_float[j] and j not in self.replaced:
                part = self.read(j, j + 1)
                refuse_rounded(of_column(self.names[j]), part.get_column(part.columns[0]).to_list())

    def replace(self, columns: Replaced) -> FrameColumns:
        """Return the columns with other numbers in some of them."""
        replaced = {**self.replaced, **columns}
        return FrameColumns(self.read, self.shape, self.names, self.is_float, replaced)


def block_width(shape: tuple[int, int]) -> int:
    """Return how many columns a block has.

    Examples
    --------
    >>> from bayesvc.data.column_source import block_width
    >>> block_width((1_000_000, 100)), block_width((10_000, 100_000))
    (4, 3125)
    """
    n, p = shape
    return max(1, -(-p // _MOST_BLOCKS), _BLOCK_BYTES // (8 * max(n, 1)))


def blocks(source: ColumnSource) -> Iterator[tuple[int, FloatArray]]:
    """Yield all columns in blocks, each with the position of its first column.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.column_source import ArrayColumns, blocks
    >>> [(first, block.shape) for first, block in blocks(ArrayColumns(np.eye(3)))]
    [(0, (3, 3))]
    """
    width, p = block_width(source.shape), source.shape[1]
    for first in range(0, p, width):
        yield first, source.block(first, min(first + width, p))


def take_columns(source: ColumnSource, rows: Any, columns: Sequence[int]) -> FloatArray:
    """Return some rows of some columns, which are in ascending order, as a new matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.column_source import ArrayColumns, take_columns
    >>> take_columns(ArrayColumns(np.arange(12).reshape(3, 4)), [0, 2], [1, 3])
    array([[ 1.,  3.],
           [ 9., 11.]])
    """
    width = block_width(source.shape)
    parts = [np.empty((len(np.arange(source.shape[0])[rows]), 0))]
    for start in range(0, len(columns), width):
        own = [int(j) for j in columns[start : start + width]]
        if own[-1] - own[0] < 2 * width:
            block = source.block(own[0], own[-1] + 1)[rows]
            parts.append(block[:, [j - own[0] for j in own]])
        else:
            parts += [source.block(j, j + 1)[rows] for j in own]
    return np.asfortranarray(np.hstack(parts))


def whole_matrix(source: ColumnSource) -> FloatArray:
    """Return all columns as one float64 matrix in C or Fortran order.

    A contiguous array of float64 is not copied.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.column_source import ArrayColumns, whole_matrix
    >>> X = np.eye(3)
    >>> whole_matrix(ArrayColumns(X)) is X
    True
    """
    if isinstance(source, ArrayColumns) and not source.replaced:
        flags = source.values.flags
        if source.values.dtype == np.float64 and (flags.c_contiguous or flags.f_contiguous):
            return source.values
    remedy = "pass a contiguous array of float64, which is not copied, or fewer columns or rows"
    check_memory("a copy of X", source.shape, 8, remedy)
    matrix = np.empty(source.shape, order="F")
    for first, block in blocks(source):
        matrix[:, first : first + block.shape[1]] = block
    return matrix


def _wide_as_floats(frame: Any) -> Any:
    wide = [name for name, dtype in frame.schema.items() if is_wide_integer(dtype)]
    if not wide:
        return frame
    import narwhals as nw

    return frame.with_columns(nw.col(*wide).cast(nw.Float64))
