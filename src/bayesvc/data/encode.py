"""X as one matrix of numbers, and a schema of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted, quoted
from bayesvc._typing import ColumnName, FloatArray
from bayesvc.data.column_source import (
    ArrayColumns,
    ColumnSource,
    blocks,
    take_columns,
    whole_matrix,
)
from bayesvc.data.read import CategoricalColumn, Keep, RawColumns, read_X
from bayesvc.data.schema import (
    MISSING,
    ColumnSchema,
    Groups,
    ResolvedGroups,
    are_default,
    same_names,
)

_MOST_CATEGORIES = 64  # a rule of the sampler holds one bit for each


@dataclass(frozen=True, eq=False)
class EncodedX:
    """X as numbers, which are read a few columns at a time, and a schema of its columns.

    NaN is a missing value; a category is the position of its label. `names_given` is False where
    the names are x0, x1, ... because the caller gave none.
    """

    source: ColumnSource
    schema: ColumnSchema
    names_given: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.source.shape

    def blocks(self) -> Iterator[FloatArray]:
        """Yield all columns, a few at a time."""
        return (block for _, block in blocks(self.source))

    @cached_property
    def values(self) -> FloatArray:
        """All columns as a float64 matrix in C or Fortran order, made when it is first asked for.

        A contiguous array of float64 that the caller passed is not copied.
        """
        return whole_matrix(self.source)

    @property
    def names(self) -> tuple[ColumnName, ...]:
        """Names of the columns."""
        return self.schema.names

    def take(self, rows: Any, variables: Any) -> EncodedX:
        """Return some rows of some variables; categories keep their numbers."""
        schema, columns = self.schema.part(variables)
        values = take_columns(self.source, rows, columns)
        missing = frozenset(
            j for j in schema.missing if j in schema.categories or np.isnan(values[:, j]).any()
        )
        schema = replace(schema, missing=missing)
        return EncodedX(ArrayColumns(values), schema, self.names_given)


def encode_X(
    X: Any, *, min_rows: int = 2, groups: Groups | ResolvedGroups | None = None, keep: Keep = None
) -> EncodedX:
    """Encode X as a float64 matrix with a schema of its columns.

    Parameters
    ----------
    X : array, data frame (pandas, polars, pyarrow), scipy.sparse matrix or list of rows
        Numbers, booleans or categories, at least `min_rows` rows and one column. Missing values
        are allowed.
    min_rows : int, default 2
        Smallest number of rows allowed.
    groups : mapping from name to columns, optional
        Column groups, each of which is one variable: columns by name or position.
    keep : array of bool, optional
        Rows to take; all of them by default.

    Raises
    ------
    MemoryError
        If X is sparse and does not fit into memory as a dense matrix.

    Examples
    --------
    >>> from bayesvc.data.encode import encode_X
    >>> encoded = encode_X([[1, "red"], [3, "blue"], [None, "red"]])
    >>> encoded.values
    array([[ 1.,  1.],
           [ 3.,  0.],
           [nan,  1.]])
    >>> encoded.schema.categories, encoded.schema.missing
    ({1: ('blue', 'red')}, frozenset({0}))
    """
    if isinstance(X, EncodedX):  # from this package's own code, already complete
        return X
    read = read_X(X, min_rows, keep)
    categories: dict[int, tuple[str, ...]] = {}
    levels: dict[int, tuple[str, ...]] = {}
    numbers: dict[int, NDArray[np.float32]] = {}
    with_missing: set[int] = set()
    for j, column in read.categorical.items():
        missing = column.codes < 0
        if column.ordered:
            levels[j] = column.labels
            numbers[j] = np.where(missing, np.nan, column.codes).astype(np.float32)
        else:
            # sorted, so that the result does not depend on the order in which they were declared
            categories[j] = tuple(sorted(column.labels))
            numbers[j] = _numbered(column, categories[j], len(column.labels))
        if missing.any():
            with_missing.add(j)
    schema = ColumnSchema(read.names, categories, levels, frozenset(with_missing))
    _check_categories(schema, read.categorical)
    source = read.source.replace(numbers)
    with_missing |= _find_missing(source, read.names)
    schema = replace(schema, missing=frozenset(with_missing)).with_groups(groups)
    return EncodedX(source, schema, read.names_given)


def encode_new_X(X: Any, schema: ColumnSchema) -> EncodedX:
    """Encode further rows of the columns that `schema` describes.

    Examples
    --------
    >>> from bayesvc.data.encode import encode_X, encode_new_X
    >>> schema = encode_X([[1, "red"], [3, "blue"]]).schema
    >>> encode_new_X([[2, "red"]], schema).values
    array([[2., 1.]])
    """
    if isinstance(X, EncodedX):
        return X
    read = read_X(X, 0)
    check_names(read.names, read.names_given, schema.names)
    for j in [*schema.categories, *schema.levels]:
        read = _with_known_labels(read, j, schema)
    strange = [j for j in read.categorical if j not in schema.categories and j not in schema.levels]
    if strange:
        name, text = schema.names[strange[0]], read.categorical[strange[0]].labels[0]
        raise ValueError(
            f"Column {name!r} of `X` must hold numbers, as in the fitted data. Got text such as "
            f"{text!r} instead. Convert it to numbers."
        )
    missing = _find_missing(read.source, read.names)
    new = [schema.names[j] for j in sorted(missing - schema.missing)]
    if new:
        _refuse_new_missing(new)
    return EncodedX(read.source, schema, read.names_given)


def check_names(
    names: tuple[ColumnName, ...], names_given: bool, fitted: tuple[ColumnName, ...]
) -> None:
    """Raise ValueError if X has other columns than the fitted data."""
    if len(names) != len(fitted):
        raise ValueError(
            f"`X` must have the {counted(len(fitted), 'column')} of the fitted data. Got "
            f"{counted(len(names), 'column')} instead. Pass the same columns in the same order."
        )
    if names_given and not are_default(fitted) and not same_names(names, fitted):
        j = next(j for j in range(len(fitted)) if str(names[j]) != str(fitted[j]))
        raise ValueError(
            f"Column {j} of `X` must be {fitted[j]!r}, as in the fitted data. Got {names[j]!r} "
            "instead. Pass the same columns in the same order."
        )


def _numbered(
    column: CategoricalColumn, known: tuple[str, ...], missing: float
) -> NDArray[np.float32]:
    """Return the position of each row's label among those known; `missing` if it has none."""
    place = {label: float(k) for k, label in enumerate(known)}
    numbers = [*(place.get(label, np.nan) for label in column.labels), missing]
    # the last one where the code is -1
    return np.asarray(np.array(numbers, dtype=np.float32)[column.codes])


def _with_known_labels(read: RawColumns, j: int, schema: ColumnSchema) -> RawColumns:
    """Return the data with column j as numbers of the categories in the fitted data."""
    name, is_levels = schema.names[j], j in schema.levels
    known = schema.levels[j] if is_levels else schema.categories[j]
    column = read.categorical.get(j)
    if column is None:
        if not np.isnan(read.source.block(j, j + 1)).all():
            raise ValueError(
                f"Column {name!r} of `X` must hold categories ({quoted(known)}), as in the fitted "
                "data. Got numbers instead. Pass the labels of the categories."
            )
        column = CategoricalColumn(np.full(read.source.shape[0], -1, dtype=np.int32), known)
    if (column.codes < 0).any() and j not in schema.missing:
        _refuse_new_missing([name])
    used = [column.labels[k] for k in np.unique(column.codes[column.codes >= 0])]
    unseen = [label for label in used if label not in known]
    if unseen:
        raise ValueError(
            f"Column {name!r} of `X` must hold categories of the fitted data: {quoted(known)}. Got "
            f"{unseen[0]!r} instead. Merge it with one of these, drop its rows, or fit again with "
            "data that have it or a categorical type that declares it."
        )
    numbers = _numbered(column, known, np.nan if is_levels else float(len(known)))
    rest = {k: other for k, other in read.categorical.items() if k != j}
    return replace(read, source=read.source.replace({j: numbers}), categorical=rest)


def _refuse_new_missing(names: list[ColumnName]) -> None:
    raise ValueError(
        "`X` must have missing values only in columns that had some in the fitted data. Got "
        f"missing values in {quoted(names)}. Fill them, drop their rows, or fit again with data "
        "that have some."
    )


def _check_categories(schema: ColumnSchema, categorical: dict[int, CategoricalColumn]) -> None:
    for j, column in categorical.items():
        name, n = schema.names[j], len(column.labels)
        if len(set(column.labels)) < n:
            raise ValueError(
                f"The categories of column {name!r} of `X` must differ as text. Got "
                f"{quoted(column.labels)} instead. Rename them."
            )
        n += j in schema.missing
        if j in schema.categories and n > _MOST_CATEGORIES:
            got = f"{n}, with {MISSING} as one of them," if j in schema.missing else f"{n}"
            raise ValueError(
                f"Column {name!r} of `X` must have at most {_MOST_CATEGORIES} categories. Got "
                f"{got} instead. Merge rare ones, drop the column if it identifies rows, or code "
                "it as numbers."
            )


def _find_missing(source: ColumnSource, names: tuple[ColumnName, ...]) -> set[int]:
    """Return which columns have missing values; raise ValueError for infinite ones."""
    missing: set[int] = set()
    infinite: dict[int, int] = {}
    for first, block in blocks(source):
        source.refuse_rounded(first, block)
        with np.errstate(over="ignore", invalid="ignore"):
            # A finite sum proves that every value is finite, without a matrix of booleans.
            if np.isfinite(block.sum()):
                continue
            doubtful = np.flatnonzero(~np.isfinite(block.sum(axis=0))).tolist()
        for k in doubtful:
            if count := int(np.isinf(block[:, k]).sum()):
                infinite[first + k] = count
            if np.isnan(block[:, k]).any():
                missing.add(first + k)
    if infinite:
        count = sum(infinite.values())
        raise ValueError(
            f"`X` must not hold infinite values. Got {counted(count, 'infinite value')}, in "
            f"{len(infinite)} of {len(names)} columns: {quoted([names[j] for j in infinite])}. "
            "Make them finite or missing (NaN), or drop their rows."
        )
    return missing
