"""From what callers hold (arrays, data frames, lists) to what the sampler reads."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc._sparse import dense_frame, dense_matrix, is_sparse, sparse_columns
from bayesvc._validation import check_choice

Response = Literal["continuous", "binary"]


@dataclass(frozen=True, eq=False)
class EncodedX:
    """Predictors as numbers: a finite float64 matrix in C or Fortran order.

    `names_given` is False where the names are x0, x1, ... because the caller gave none.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    names_given: bool


@dataclass(frozen=True, eq=False)
class EncodedY:
    """A response as numbers. Binary: 1 stands for ``classes[1]``; continuous: no classes."""

    values: NDArray[np.float64]
    response: Response
    classes: NDArray[Any] | None


def encode_X(X: Any, *, min_rows: int = 2) -> EncodedX:
    """Return predictors as a float64 matrix with column names.

    Parameters
    ----------
    X : array, data frame (pandas, polars, pyarrow), scipy.sparse matrix or list of rows
        Numbers or truth values, at least `min_rows` rows and one column.
    min_rows : int, default 2
        Fewer rows than this are an error.

    Raises
    ------
    MemoryError
        Where X is sparse and would not fit into memory as the dense matrix that is needed.

    Examples
    --------
    >>> from bayesvc.encode import encode_X
    >>> encode_X([[1, 2.5], [3, 4.5]]).names
    ('x0', 'x1')
    """
    frame = _as_narwhals(X, "X")
    if frame is not None and hasattr(frame, "columns"):
        return _encode_frame(X, frame, min_rows)
    values = X if is_sparse(X) else _as_array(X, "X")
    if values.ndim == 0:
        _refuse_scalar("X", X, "rows by columns: an array, a data frame or a sparse matrix")
    if values.ndim != 2:
        raise ValueError(
            f"X has {values.ndim} dimensions (shape {values.shape}) instead of 2; "
            "pass rows by columns, for a single column X.reshape(-1, 1)"
        )
    _check_shape(values.shape, min_rows)
    if values.dtype.kind not in "fiub":
        raise TypeError(
            f"X has dtype {values.dtype}, but numbers are needed{_first_text(values)}; "
            "convert it, for example with X.astype(float), or code categories as numbers"
        )
    if is_sparse(X):
        values = dense_matrix(X)
    names = tuple(f"x{j}" for j in range(values.shape[1]))
    return EncodedX(_finite_matrix(values, names), names, names_given=False)


def encode_y(y: Any, response: str = "auto", *, n_rows: int | None = None) -> EncodedY:
    """Return a response as float64 numbers; a binary one as 0 and 1.

    Parameters
    ----------
    y : array, series or list
        Numbers, truth values, or two classes of any kind.
    response : {"auto", "continuous", "binary"}
        "auto" takes truth values, text and categories with two classes, and numbers that are
        all 0 or 1 for binary, everything else for continuous.
    n_rows : int, optional
        Rows of X, which y must match.

    Examples
    --------
    >>> from bayesvc.encode import encode_y
    >>> encoded = encode_y(["no", "yes", "no"])
    >>> encoded.response, encoded.values.tolist()
    ('binary', [0.0, 1.0, 0.0])
    """
    check_choice("response", response, ("auto", "continuous", "binary"))
    values = _response_array(y)
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(
            f"y has {len(values)} values but X has {n_rows} rows; pass one value per row of X"
        )
    _check_no_missing(values)
    if values.dtype.kind not in "fiubU":
        raise TypeError(
            f"y has dtype {values.dtype}, but numbers or two classes are needed; "
            "convert it, for example with y.astype(float)"
        )
    if response == "auto":
        response = "binary" if _looks_binary(values) else "continuous"
    return _encode_binary(values) if response == "binary" else _encode_continuous(values)


def data_hash(columns: _core.Columns, y: NDArray[np.float64]) -> str:
    """Return a fingerprint of encoded data.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc import _core
    >>> from bayesvc.encode import data_hash
    >>> len(data_hash(_core.Columns(np.eye(3)), np.arange(3.0)))
    32
    """
    digest = hashlib.blake2b(repr(columns.fingerprint).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(y + 0.0, dtype="<f8").data)  # -0.0 counts as 0.0
    return digest.hexdigest()


def is_frame(data: Any) -> bool:
    """Tell whether `data` is a data frame, of any library that narwhals knows.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesvc.encode import is_frame
    >>> is_frame(pd.DataFrame({"a": [1, 2]})), is_frame([[1], [2]])
    (True, False)
    """
    return hasattr(_as_narwhals(data, "X"), "columns")


def _as_narwhals(data: Any, name: str) -> Any | None:
    """Return a narwhals frame or series, or None for everything that is not one."""
    if isinstance(data, np.ndarray | list | tuple) or np.isscalar(data) or data is None:
        return None
    import narwhals as nw  # only here, because sampling from arrays should not pay for it

    try:
        wrapped = nw.from_native(data, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(
            f"{name} has several columns of one name ({' '.join(str(error).split())}); "
            "rename them, names must be unique"
        ) from None
    if isinstance(wrapped, nw.LazyFrame):
        raise TypeError(f"{name} is a lazy {type(data).__name__}; pass {name}.collect()")
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.Series) else None


def _as_array(data: Any, name: str) -> NDArray[Any]:
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        count = int(np.ma.getmaskarray(data).sum())
        raise ValueError(
            f"{name} is a masked array with {count} masked values; fill them or drop their rows"
        )
    try:
        return np.asarray(data)
    except ValueError as error:
        raise ValueError(
            f"{name} of type {type(data).__name__} does not form an array ({error}); "
            "pass rows of equal length"
        ) from None


def _refuse_scalar(name: str, data: Any, wanted: str) -> NoReturn:
    shown = f"{name}={data!r}" if data is None or np.isscalar(data) else name
    raise TypeError(f"{shown} is a {type(data).__name__}; pass {wanted}")


def _encode_frame(native: Any, frame: Any, min_rows: int) -> EncodedX:
    import narwhals as nw

    labels = list(native.columns) if hasattr(native, "columns") else []
    if not labels or hasattr(native, "column_names"):  # pyarrow: columns are data, not labels
        labels = list(frame.columns)
    defaults = labels == list(range(len(labels)))
    names = tuple(f"x{label}" if defaults else str(label) for label in labels)
    _check_shape((len(frame), len(names)), min_rows)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"X has several columns of one name ({_listed(repeated)}); "
            "rename them, names must be unique"
        )
    sparse = sparse_columns(native)
    types = list(frame.schema.values())
    unusable = [
        f"{names[j]!r} ({dtype})"
        for j, dtype in enumerate(types)
        if not (dtype.is_numeric() or dtype == nw.Boolean or j in sparse)
    ]
    if unusable:
        raise TypeError(
            f"X has {len(unusable)} of {len(names)} columns that are not numbers: "
            f"{_listed(unusable, quoted=True)}; drop them, convert them or code them as numbers"
        )
    values = dense_frame(native) if sparse else frame.to_numpy()
    if values.dtype.kind not in "fiub":
        values = np.empty((len(frame), len(names)), order="F")
        for j, label in enumerate(frame.columns):
            values[:, j] = frame.get_column(label).cast(nw.Float64).to_numpy()
    return EncodedX(_finite_matrix(values, names), names, names_given=not defaults)


def _finite_matrix(values: NDArray[Any], names: tuple[str, ...]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = values.astype(np.float64, copy=False)
        # A finite sum proves that every value is finite, without a matrix of truth values.
        if not np.isfinite(matrix.sum()):
            _raise_if_not_finite(matrix, names)
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.ascontiguousarray(matrix)
    return matrix


def _raise_if_not_finite(matrix: NDArray[np.float64], names: tuple[str, ...]) -> None:
    missing = np.isnan(matrix).sum(axis=0)
    infinite = np.isinf(matrix).sum(axis=0)
    bad = np.flatnonzero(missing + infinite)
    if bad.size:
        columns = _listed([names[j] for j in bad])
        raise ValueError(
            f"X has {missing.sum()} missing values (NaN) and {infinite.sum()} infinite ones, in "
            f"{bad.size} of {len(names)} columns: {columns}; fill them or drop their rows"
        )


def _check_shape(shape: tuple[int, ...], min_rows: int) -> None:
    n, p = shape
    if n < min_rows:
        rows = "1 row" if n == 1 else f"{n} rows"
        raise ValueError(f"X has {rows} (shape {shape}); pass at least {min_rows}")
    if p == 0:
        raise ValueError(f"X has no columns (shape {shape}); pass at least one")


def _response_array(y: Any) -> NDArray[Any]:
    if is_sparse(y):
        raise TypeError(
            f"y is a sparse {type(y).__name__}, but one number per row is needed; "
            "pass y.toarray().ravel()"
        )
    series = _as_narwhals(y, "y")
    values = _as_array(y, "y") if series is None else _series_array(series)
    if values.ndim == 0:
        _refuse_scalar("y", y, "one value per row of X: an array, a series or a list")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"y has {values.ndim} dimensions (shape {values.shape}) instead of 1; "
            "pass one value per row of X"
        )
    if values.dtype == object:
        return _plain_objects(values)
    return values.astype(str) if values.dtype.kind == "T" else values


def _series_array(series: Any) -> NDArray[Any]:
    import narwhals as nw

    if isinstance(series, nw.DataFrame):
        if len(series.columns) != 1:
            raise ValueError(
                f"y is a data frame with {len(series.columns)} columns; pass the one to explain"
            )
        series = series[series.columns[0]]
    missing = int(series.is_null().sum())
    if missing:
        raise ValueError(f"y has {missing} missing values; drop these rows from X and y")
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        return np.asarray(series.to_numpy())
    return np.array(series.to_list(), dtype=None if series.dtype == nw.Boolean else object)


def _plain_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Give an object array the dtype its elements share, if it is a useful one."""
    missing = sum(value is None or value != value for value in values)
    if missing:
        raise ValueError(f"y has {missing} missing values; drop these rows from X and y")
    kinds = {type(value).__name__ for value in values}
    if all(isinstance(value, str) for value in values):
        return values.astype(str)
    if all(isinstance(value, bool | np.bool_) for value in values):
        return values.astype(bool)
    try:
        if not any(isinstance(value, str | bytes) for value in values):
            return values.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise TypeError(
        f"y mixes or holds values of type {_listed(sorted(kinds))}; "
        "pass numbers, truth values or text"
    )


def _check_no_missing(values: NDArray[Any]) -> None:
    if values.dtype.kind != "f":
        return
    missing, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    if missing or infinite:
        raise ValueError(
            f"y has {missing} missing values (NaN) and {infinite} infinite ones; "
            "drop these rows from X and y"
        )


def _looks_binary(values: NDArray[Any]) -> bool:
    if values.dtype.kind in "bU":
        return True
    return bool(values.size and np.all((values == 0) | (values == 1)) and np.ptp(values) > 0)


def _encode_binary(values: NDArray[Any]) -> EncodedY:
    classes = np.unique(values)
    if classes.size < 2:
        raise ValueError(
            f"y holds one class only ({classes.tolist()}); a binary response needs two"
        )
    if classes.size > 2:
        shown = _listed([str(value) for value in classes.tolist()])
        raise ValueError(
            f"y has {classes.size} classes ({shown}), but a binary response has two; "
            "merge or drop classes, or pass numbers with response='continuous'"
        )
    return EncodedY((values == classes[1]).astype(np.float64), "binary", classes)


def _encode_continuous(values: NDArray[Any]) -> EncodedY:
    if values.dtype.kind == "U":
        raise TypeError(
            "y holds text, but response='continuous' needs numbers; convert y, or for two "
            "classes pass response='binary' or use BARTClassifier"
        )
    with np.errstate(over="ignore"):
        numbers = values.astype(np.float64)  # a copy: the caller's array may change later
        span = np.ptp(numbers)
    if span == 0:
        raise ValueError(
            f"y is constant (every value is {numbers[0]:g}), so there is nothing to explain; "
            "pass a response that varies"
        )
    if not np.isfinite(span):
        raise ValueError(
            f"y ranges from {numbers.min():g} to {numbers.max():g}, too wide for floating point; "
            "divide it by a constant"
        )
    return EncodedY(numbers, "continuous", None)


def _listed(items: Iterable[str], *, quoted: bool = False, limit: int = 5) -> str:
    shown = [item if quoted else repr(item) for item in items]
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more


def _first_text(values: Any) -> str:
    """Point at the first entry that is no number, for an error about a whole array."""
    if is_sparse(values):
        return ""
    for j in range(values.shape[1]):
        for value in values[:, j].tolist():
            if not isinstance(value, int | float | complex | np.number):
                return f" (column 'x{j}' holds {value!r})"
    return ""
