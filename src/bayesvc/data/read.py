"""From the arrays and frames that callers hold to numeric and categorical columns."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted, listed, quoted
from bayesvc._typing import ColumnName
from bayesvc.data.column_source import ArrayColumns, ColumnSource, FrameColumns
from bayesvc.data.exact import (
    as_float,
    is_large,
    large_columns,
    of_column,
    refuse_rounded,
    refuse_rounded_columns,
    refuse_rounding,
)
from bayesvc.data.interop import as_array, as_narwhals, is_lazy, is_missing, refuse_scalar
from bayesvc.data.sparse import dense_frame, dense_matrix, is_sparse, sparse_columns

_MOST_ROWS = 2**31 - 1  # and columns: the sampler numbers them in 32 bits

Keep = NDArray[np.bool_] | None
"""Rows to take, where not all of them."""


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """A categorical column: for each row the position of its category, -1 if it is missing."""

    codes: NDArray[np.int32]
    labels: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class RawColumns:
    """The columns of X as given. A categorical column has no numbers in `source`."""

    source: ColumnSource
    names: tuple[ColumnName, ...]
    names_given: bool
    categorical: dict[int, CategoricalColumn] = field(default_factory=dict)


def read_X(X: Any, min_rows: int, keep: Keep = None) -> RawColumns:
    """Return the names, numbers and categories of X, or raise an error that says what is wrong."""
    if is_lazy(X):
        return _read_lazy(X, min_rows) if keep is None else read_X(X.collect(), min_rows, keep)
    frame = as_narwhals(X, "X")
    if frame is not None and hasattr(frame, "columns"):
        return _read_frame(X, frame, min_rows, keep)
    values = X if is_sparse(X) else plain_array(X)
    if values.ndim == 0:
        refuse_scalar("X", X, "an array, a data frame or a sparse matrix, rows by columns")
    if values.ndim != 2:
        raise ValueError(
            f"`X` must be two-dimensional, rows by columns. Got "
            f"{counted(values.ndim, 'dimension')} (shape {values.shape}) instead. For a single "
            "column pass X.reshape(-1, 1)."
        )
    _check_keep(keep, values.shape[0])
    if keep is not None:
        values = (X.tocsr() if is_sparse(X) else values)[keep]
    _check_shape(values.shape, min_rows, keep)
    if values.dtype.kind not in ("fiub" if is_sparse(X) else "fiubOUT"):
        raise TypeError(
            f"`X` must hold numbers or text. Got dtype {values.dtype} instead. Convert it, for "
            "example with X.astype(float)."
        )
    names = tuple(f"x{j}" for j in range(values.shape[1]))
    if is_sparse(X):
        values = dense_matrix(values)
    if values.dtype.kind in "OUT":
        return _read_objects(values, names)
    refuse_rounded_columns(values, names)
    return RawColumns(ArrayColumns(values), names, names_given=False)


def plain_array(X: Any) -> NDArray[Any]:
    """Return X as an array of numbers or objects, with NaN for masked values."""
    if isinstance(X, np.ma.MaskedArray):
        if not np.ma.is_masked(X):
            return np.asarray(X.data)
        rounds = X.dtype.kind in "iu" and is_large(X.data)
        kind: type = float if X.dtype.kind in "fiub" and not rounds else object
        return np.asarray(np.ma.filled(X.astype(kind), np.nan))
    values = as_array(X, "X")
    if values.dtype.kind == "U" and not isinstance(X, np.ndarray):
        return np.array(X, dtype=object)  # a list with text: its numbers stay numbers
    return values


def _read_objects(values: NDArray[Any], names: tuple[ColumnName, ...]) -> RawColumns:
    """Read an array of any objects, column by column."""
    matrix = np.empty(values.shape, order="F")
    categorical: dict[int, CategoricalColumn] = {}
    for j, name in enumerate(names):
        found = _of_objects(values[:, j].tolist())
        if isinstance(found, str):
            raise TypeError(
                f"Column {name!r} of `X` (dtype {values.dtype}) must hold numbers or text. Got "
                f"{found} instead. Convert the column to numbers or text, or drop it."
            )
        if (
            isinstance(found, CategoricalColumn)
            and found.labels
            and all(map(_is_number, found.labels))
        ):
            raise TypeError(
                f"Column {name!r} of `X` (dtype {values.dtype}) must not hold numbers as text. Got "
                f"{found.labels[0]!r}. Convert it, for example with X.astype(float), or pass a "
                "data frame with a categorical column."
            )
        if isinstance(found, np.ndarray):
            refuse_rounding(of_column(name), found, values[:, j])
        _take(found, j, matrix, categorical)
    return RawColumns(ArrayColumns(matrix), names, False, categorical)


def _read_frame(native: Any, frame: Any, min_rows: int, keep: Keep) -> RawColumns:
    labels = list(native.columns) if hasattr(native, "columns") else []
    if not labels or hasattr(native, "column_names"):  # pyarrow: columns are data, not labels
        labels = list(frame.columns)
    defaults = labels == list(range(len(labels)))
    names = tuple(_name(label) for label in labels)
    _check_keep(keep, len(frame))
    if keep is not None:
        frame = frame[np.flatnonzero(keep)]
        native = frame.to_native()
    _check_shape((len(frame), len(names)), min_rows, keep)
    repeated = [name for name, count in Counter(map(str, names)).items() if count > 1]
    if repeated:
        raise ValueError(
            f"The column names of `X` must be unique. Got {quoted(repeated)} more than once. "
            "Rename these columns."
        )
    sparse = sparse_columns(native)
    kinds = list(frame.schema.values())
    if sparse and all(j in sparse or _is_plain(kind) for j, kind in enumerate(kinds)):
        values = dense_frame(native)
        for j in large_columns(values):
            refuse_rounded(of_column(names[j]), frame.get_column(frame.columns[j]).to_list())
        return RawColumns(ArrayColumns(values), names, names_given=not defaults)
    source = FrameColumns(
        lambda first, last: frame[:, first:last],
        (len(frame), len(names)),
        names,
        [kind.is_float() for kind in kinds],
    )
    return _read_columns(source, kinds, not defaults, sparse)


def _read_lazy(X: Any, min_rows: int) -> RawColumns:
    """Read a lazy frame of polars, a few columns at a time."""
    import narwhals as nw
    import polars as pl

    schema = nw.from_native(X).collect_schema()
    names = list(schema)
    shape = (X.select(pl.len()).collect().item(), len(names))
    _check_shape(shape, min_rows, None)
    source = FrameColumns(
        lambda first, last: nw.from_native(X.select(names[first:last]).collect()),
        shape,
        names,
        [kind.is_float() for kind in schema.values()],
    )
    return _read_columns(source, list(schema.values()), True, set())


def _name(label: Any) -> ColumnName:
    """Return the label of a column: an integer as it is, anything else as text."""
    is_integer = isinstance(label, int | np.integer) and not isinstance(label, bool)
    return int(label) if is_integer else str(label)


def _is_plain(dtype: Any) -> bool:
    import narwhals as nw

    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _read_columns(
    source: FrameColumns, kinds: Sequence[Any], names_given: bool, sparse: set[int]
) -> RawColumns:
    """Look at the columns of a frame that are not plain numbers."""
    replaced: dict[int, NDArray[np.float64]] = {}
    categorical: dict[int, CategoricalColumn] = {}
    names = tuple(source.names)
    unusable = []
    for j, kind in enumerate(kinds):
        if j not in sparse and _is_plain(kind):
            continue
        part = source.read(j, j + 1)
        series = part.get_column(part.columns[0])
        found = _of_sparse(series) if j in sparse else _of_series(series)
        if isinstance(found, str):
            unusable.append(f"{names[j]!r} ({found})")
        elif isinstance(found, CategoricalColumn) and found.labels:
            categorical[j] = found
        elif isinstance(found, CategoricalColumn):
            replaced[j] = np.full(source.shape[0], np.nan)
        else:
            refuse_rounding(of_column(names[j]), found, series)
            replaced[j] = found
    if unusable:
        raise TypeError(
            f"The columns of `X` must hold numbers, booleans or categories. Got {len(unusable)} of "
            f"{len(names)} columns that do not: {listed(unusable, most=5)}. Drop them, or convert "
            "them to numbers (dates for example to days since a first day) or text."
        )
    return RawColumns(source.replace(replaced), names, names_given, categorical)


def _of_sparse(series: Any) -> NDArray[np.float64]:
    return np.asarray(series.to_native().to_numpy(dtype=np.float64, na_value=np.nan))


def _of_series(series: Any) -> NDArray[np.float64] | CategoricalColumn | str:
    """Return the numbers or categories of a narwhals series, or in words what else it holds."""
    import narwhals as nw

    dtype = series.dtype
    if dtype in (nw.Categorical, nw.Enum, nw.String):
        missing = series.is_null().to_numpy()
        return _categorical(series.to_list(), missing, *_declared(series))
    if bool(series.is_null().all()):
        return np.full(len(series), np.nan)
    return _of_objects(series.to_list()) if dtype == nw.Object else str(dtype)


def _declared(series: Any) -> tuple[list[Any], bool]:
    """Return the categories that a column's type declares, and whether they are ordered."""
    import narwhals as nw

    native = series.to_native()
    if series.dtype == nw.String or (
        # the categories of polars' Categorical are those of every such column there is
        series.dtype == nw.Categorical and series.implementation.is_polars()
    ):
        return [], False
    if series.implementation.is_pyarrow():
        native = native.unify_dictionaries()
        labels = native.chunk(0).dictionary.to_pylist() if native.num_chunks else []
        return labels, native.type.ordered
    # polars' Enum has an order too, but none that its users mean
    return list(native.dtype.categories), bool(getattr(native.dtype, "ordered", False))


def _of_objects(values: list[Any]) -> NDArray[np.float64] | CategoricalColumn | str:
    """Return the numbers or categories of a list of objects, or in words what else it holds."""
    missing = np.fromiter(map(is_missing, values), dtype=bool, count=len(values))
    present = [value for value, gone in zip(values, missing, strict=True) if not gone]
    if present and all(isinstance(value, str) for value in present):
        return _categorical(values, missing)
    if all(isinstance(value, numbers.Real | Decimal | np.bool_) for value in present):
        found = np.full(len(values), np.nan)
        found[~missing] = [as_float(value) for value in present]
        return found
    kinds = sorted({type(value).__name__ for value in present})
    odd = next(v for v in present if not isinstance(v, numbers.Real | Decimal | np.bool_))
    return f"values of type {quoted(kinds)} such as {odd!r}"


def _categorical(
    values: list[Any],
    missing: NDArray[np.bool_],
    declared: Sequence[Any] = (),
    ordered: bool = False,
) -> CategoricalColumn:
    """Return a categorical column: declared categories in their order, then the others, sorted."""
    present = {value for value, gone in zip(values, missing, strict=True) if not gone}
    labels = [str(label) for label in declared]
    labels += sorted({str(value) for value in present} - set(labels))
    places = {label: k for k, label in enumerate(labels)}
    place = {value: places[str(value)] for value in present}
    codes = [-1 if gone else place[v] for v, gone in zip(values, missing, strict=True)]
    return CategoricalColumn(np.array(codes, dtype=np.int32), tuple(labels), ordered)


def _take(
    found: NDArray[np.float64] | CategoricalColumn,
    j: int,
    matrix: NDArray[np.float64],
    categorical: dict[int, CategoricalColumn],
) -> None:
    if isinstance(found, CategoricalColumn) and found.labels:
        categorical[j] = found
    else:
        matrix[:, j] = np.nan if isinstance(found, CategoricalColumn) else found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_keep(keep: Keep, n_rows: int) -> None:
    if keep is not None and len(keep) != n_rows:
        raise ValueError(
            f"`sample_weight` must have one number per row of X, {n_rows}. Got {len(keep)} instead."
        )


def _check_shape(shape: tuple[int, ...], min_rows: int, keep: Keep) -> None:
    n, p = shape
    if n < min_rows:
        weighted = "" if keep is None else " with positive sample_weight"
        raise ValueError(
            f"`X` must have at least {counted(min_rows, 'row')}{weighted}. Got "
            f"{counted(n, 'row')} (shape {shape}) instead."
        )
    if p == 0:
        raise ValueError(f"`X` must have at least one column. Got none (shape {shape}) instead.")
    if max(shape) > _MOST_ROWS:
        raise ValueError(
            f"`X` must have at most {_MOST_ROWS:,} rows and columns. Got shape {shape} instead."
        )
