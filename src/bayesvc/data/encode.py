"""X as one matrix of numbers, and a schema of its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesvc._text import counted, quoted
from bayesvc._typing import ColumnName, FloatArray
from bayesvc._validation import check_memory
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
    """X as numbers: a float64 matrix in C or Fortran order, and a schema of its columns.

    NaN is a missing value; a category is the position of its label. `names_given` is False where
    the names are x0, x1, ... because the caller gave none.
    """

    values: FloatArray
    schema: ColumnSchema
    names_given: bool

    @property
    def names(self) -> tuple[ColumnName, ...]:
        """Names of the columns."""
        return self.schema.names

    def take(self, rows: Any, variables: Any) -> EncodedX:
        """Return some rows of some variables; categories keep their numbers."""
        schema, columns = self.schema.part(variables)
        values = self.values[np.ix_(rows, columns)]
        missing = frozenset(
            j for j in schema.missing if j in schema.categories or np.isnan(values[:, j]).any()
        )
        return EncodedX(values, replace(schema, missing=missing), self.names_given)


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
    with_missing: set[int] = set()
    for j, column in read.categorical.items():
        missing = column.codes < 0
        if column.ordered:
            levels[j] = column.labels
            read.values[:, j] = np.where(missing, np.nan, column.codes)
        else:
            # sorted, so that the result does not depend on the order in which they were declared
            categories[j] = tuple(sorted(column.labels))
            read.values[:, j] = _numbered(column, categories[j], len(column.labels))
        if missing.any():
            with_missing.add(j)
    schema = ColumnSchema(read.names, categories, levels, frozenset(with_missing))
    _check_categories(schema, read.categorical)
    matrix, numbers_missing = _matrix(read)
    schema = replace(schema, missing=frozenset(with_missing | numbers_missing)).with_groups(groups)
    return EncodedX(matrix, schema, read.names_given)


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
    matrix, missing = _matrix(read)
    new = [schema.names[j] for j in sorted(missing - schema.missing)]
    if new:
        _refuse_new_missing(new)
    return EncodedX(matrix, schema, read.names_given)


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


def _numbered(column: CategoricalColumn, known: tuple[str, ...], missing: float) -> FloatArray:
    """Return the position of each row's label among those known; `missing` if it has none."""
    place = {label: float(k) for k, label in enumerate(known)}
    numbers = np.array([*(place.get(label, np.nan) for label in column.labels), missing])
    return np.asarray(numbers[column.codes])  # the last one where the code is -1


def _with_known_labels(read: RawColumns, j: int, schema: ColumnSchema) -> RawColumns:
    """Return the data with column j as numbers of the categories in the fitted data."""
    name, is_levels = schema.names[j], j in schema.levels
    known = schema.levels[j] if is_levels else schema.categories[j]
    column = read.categorical.get(j)
    if column is None:
        if not np.isnan(np.asarray(read.values[:, j], dtype=np.float64)).all():
            raise ValueError(
                f"Column {name!r} of `X` must hold categories ({quoted(known)}), as in the fitted "
                "data. Got numbers instead. Pass the labels of the categories."
            )
        column = CategoricalColumn(np.full(len(read.values), -1, dtype=np.intp), known)
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
    values = read.values.astype(np.float64, copy=False)
    if not read.categorical:  # the caller's own array
        values = values.copy()
    values[:, j] = numbers
    rest = {k: other for k, other in read.categorical.items() if k != j}
    return replace(read, values=values, categorical=rest)


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


def _matrix(read: RawColumns) -> tuple[FloatArray, set[int]]:
    """Return the numbers as the sampler reads them, and which columns have missing values."""
    flags = read.values.flags
    if read.values.dtype != np.float64 or not (flags.c_contiguous or flags.f_contiguous):
        remedy = "pass a contiguous array of float64, which is not copied, or fewer columns or rows"
        check_memory("a copy of X", read.values.shape, 8, remedy)
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = read.values.astype(np.float64, copy=False)
        # A finite sum proves that every value is finite, without a matrix of booleans.
        doubtful: list[int] = []
        if not np.isfinite(matrix.sum()):
            doubtful = np.flatnonzero(~np.isfinite(matrix.sum(axis=0))).tolist()
    _refuse_infinite(matrix, [j for j in doubtful if np.isinf(matrix[:, j]).any()], read.names)
    missing = {j for j in doubtful if np.isnan(matrix[:, j]).any()}
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.ascontiguousarray(matrix)
    return matrix, missing


def _refuse_infinite(matrix: FloatArray, bad: list[int], names: tuple[ColumnName, ...]) -> None:
    if bad:
        count = int(np.isinf(matrix[:, bad]).sum())
        raise ValueError(
            f"`X` must not hold infinite values. Got {counted(count, 'infinite value')}, in "
            f"{len(bad)} of {len(names)} columns: {quoted([names[j] for j in bad])}. Make them "
            "finite or missing (NaN), or drop their rows."
        )
