"""Predictors as one matrix of numbers, and what its columns are."""

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
    """Predictors as numbers: a float64 matrix in C or Fortran order, and what its columns are.

    NaN is a missing value; a category is the place of its label. `names_given` is False where the
    names are x0, x1, ... because the caller gave none.
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
        gaps = {j for j in schema.missing if j in schema.categories or np.isnan(values[:, j]).any()}
        return EncodedX(values, replace(schema, missing=frozenset(gaps)), self.names_given)


def encode_X(
    X: Any, *, min_rows: int = 2, groups: Groups | ResolvedGroups | None = None, keep: Keep = None
) -> EncodedX:
    """Return predictors as a float64 matrix with a description of its columns.

    Parameters
    ----------
    X : array, data frame (pandas, polars, pyarrow), scipy.sparse matrix or list of rows
        Numbers, truth values or categories, at least `min_rows` rows and one column; values may
        be missing.
    min_rows : int, default 2
        Fewer rows than this are an error.
    groups : mapping from name to columns, optional
        Columns, by name or position, that are one variable.
    keep : array of bool, optional
        Rows to take, where not all of them.

    Raises
    ------
    MemoryError
        Where X is sparse and would not fit into memory as the dense matrix that is needed.

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
    if isinstance(X, EncodedX):  # by this package's own code, which has no use for the rest
        return X
    read = read_X(X, min_rows, keep)
    categories: dict[int, tuple[str, ...]] = {}
    levels: dict[int, tuple[str, ...]] = {}
    gaps: set[int] = set()
    for j, column in read.labelled.items():
        missing = column.codes < 0
        if column.ordered:
            levels[j] = column.labels
            read.values[:, j] = np.where(missing, np.nan, column.codes)
        else:
            # sorted, so that the order of a dictionary leaves the result alone
            categories[j] = tuple(sorted(column.labels))
            read.values[:, j] = _numbered(column, categories[j], len(column.labels))
        if missing.any():
            gaps.add(j)
    schema = ColumnSchema(read.names, categories, levels, frozenset(gaps))
    _check_categories(schema, read.labelled)
    matrix, numbers_missing = _matrix(read)
    schema = replace(schema, missing=frozenset(gaps | numbers_missing)).with_groups(groups)
    return EncodedX(matrix, schema, read.names_given)


def encode_new_X(X: Any, schema: ColumnSchema) -> EncodedX:
    """Return further rows of the columns that `schema` describes, or say what does not fit.

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
    strange = [j for j in read.labelled if j not in schema.categories and j not in schema.levels]
    if strange:
        name, text = schema.names[strange[0]], read.labelled[strange[0]].labels[0]
        raise ValueError(
            f"Column {name!r} of `X` must hold numbers, as in the fitted data. Got text such as "
            f"{text!r} instead. Convert it to numbers."
        )
    matrix, gaps = _matrix(read)
    new_gaps = [schema.names[j] for j in sorted(gaps - schema.missing)]
    if new_gaps:
        _refuse_new_gaps(new_gaps)
    return EncodedX(matrix, schema, read.names_given)


def check_names(
    names: tuple[ColumnName, ...], names_given: bool, fitted: tuple[ColumnName, ...]
) -> None:
    """Raise ValueError if X has other columns than the data of the fits."""
    if len(names) != len(fitted):
        raise ValueError(
            f"X has {len(names)} columns but the fits had {len(fitted)}; "
            "pass the same columns in the same order"
        )
    if names_given and not are_default(fitted) and not same_names(names, fitted):
        j = next(j for j in range(len(fitted)) if str(names[j]) != str(fitted[j]))
        raise ValueError(
            f"column {j} of X is {names[j]!r} but was {fitted[j]!r} in the fits; "
            "pass the same columns in the same order"
        )


def _numbered(column: CategoricalColumn, known: tuple[str, ...], missing: float) -> FloatArray:
    """Return the place of each row's label among those known; `missing` where it has none."""
    place = {label: float(k) for k, label in enumerate(known)}
    numbers = np.array([*(place.get(label, np.nan) for label in column.labels), missing])
    return np.asarray(numbers[column.codes])  # the last one where the code is -1


def _with_known_labels(read: RawColumns, j: int, schema: ColumnSchema) -> RawColumns:
    """Return the data with column j as numbers of the labels in the fits."""
    name, is_levels = schema.names[j], j in schema.levels
    known = schema.levels[j] if is_levels else schema.categories[j]
    column = read.labelled.get(j)
    if column is None:
        if not np.isnan(np.asarray(read.values[:, j], dtype=np.float64)).all():
            raise ValueError(
                f"column {name!r} of X holds numbers but held categories ({quoted(known)}) in the "
                "fits; pass these labels"
            )
        column = CategoricalColumn(np.full(len(read.values), -1, dtype=np.intp), known)
    if (column.codes < 0).any() and j not in schema.missing:
        _refuse_new_gaps([name])
    used = [column.labels[k] for k in np.unique(column.codes[column.codes >= 0])]
    unseen = [label for label in used if label not in known]
    if unseen:
        raise ValueError(
            f"column {name!r} of X has the category {unseen[0]!r}, which the fits did not know "
            f"({quoted(known)}); merge it with one of these, drop its rows, or fit again with data "
            "that have it or a categorical type that declares it"
        )
    numbers = _numbered(column, known, np.nan if is_levels else float(len(known)))
    values = read.values.astype(np.float64, copy=False)
    if not read.labelled:  # the caller's own array
        values = values.copy()
    values[:, j] = numbers
    rest = {k: other for k, other in read.labelled.items() if k != j}
    return replace(read, values=values, labelled=rest)


def _refuse_new_gaps(names: list[ColumnName]) -> None:
    raise ValueError(
        f"X has missing values in {quoted(names)}, which had none in the fits, so these cannot "
        "tell what follows from them; fill them, drop their rows, or fit with data that have some"
    )


def _check_categories(schema: ColumnSchema, labelled: dict[int, CategoricalColumn]) -> None:
    for j, column in labelled.items():
        name, n = schema.names[j], len(column.labels)
        if len(set(column.labels)) < n:
            raise ValueError(
                f"column {name!r} of X has categories that are equal as text; rename them"
            )
        n += j in schema.missing
        if j in schema.categories and n > _MOST_CATEGORIES:
            counted = f"{n} categories"
            if j in schema.missing:
                counted += f", {MISSING} among them"
            raise ValueError(
                f"column {name!r} of X has {counted}, more than the {_MOST_CATEGORIES} that are "
                "possible; merge rare ones, drop the column if it identifies rows, or code it as "
                "numbers"
            )


def _matrix(read: RawColumns) -> tuple[FloatArray, set[int]]:
    """Return the numbers as the sampler reads them, and which columns have missing ones."""
    flags = read.values.flags
    if read.values.dtype != np.float64 or not (flags.c_contiguous or flags.f_contiguous):
        remedy = "pass a contiguous array of float64, which is not copied, or fewer columns or rows"
        check_memory("a copy of X", read.values.shape, 8, remedy)
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = read.values.astype(np.float64, copy=False)
        # A finite sum proves that every value is finite, without a matrix of truth values.
        doubtful = [] if np.isfinite(matrix.sum()) else np.flatnonzero(
            ~np.isfinite(matrix.sum(axis=0))
        ).tolist()  # fmt: skip
    _refuse_infinite(matrix, [j for j in doubtful if np.isinf(matrix[:, j]).any()], read.names)
    gaps = {j for j in doubtful if np.isnan(matrix[:, j]).any()}
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.ascontiguousarray(matrix)
    return matrix, gaps


def _refuse_infinite(matrix: FloatArray, bad: list[int], names: tuple[ColumnName, ...]) -> None:
    if bad:
        count = int(np.isinf(matrix[:, bad]).sum())
        raise ValueError(
            f"X has {counted(count, 'infinite value')}, in {len(bad)} of {len(names)} columns: "
            f"{quoted([names[j] for j in bad])}; make them finite or missing (NaN), or drop their "
            "rows"
        )
