"""From the response that callers hold to numbers; two classes to 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted, quoted
from bayesvc._validation import check_choice
from bayesvc.data.interop import (
    as_array,
    as_narwhals,
    is_missing,
    refuse_masked,
    refuse_scalar,
    without_wide_integers,
)
from bayesvc.data.sparse import is_sparse

Response = Literal["continuous", "binary"]

_LARGEST_Y = 1e290  # so that sums of y, and sigma in its units, neither over- nor underflow


@dataclass(frozen=True, eq=False)
class EncodedY:
    """A response as numbers. Binary: 1 stands for ``classes[1]``; continuous: no classes."""

    values: NDArray[np.float64]
    response: Response
    classes: NDArray[Any] | None


def encode_y(
    y: Any,
    response: str = "auto",
    *,
    n_rows: int | None = None,
    keep: NDArray[np.bool_] | None = None,
) -> EncodedY:
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
    keep : array of bool, optional
        Rows to take, where not all of them.

    Examples
    --------
    >>> from bayesvc.responses.encode import encode_y
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
    if keep is not None:
        values = values[keep]
    _check_no_missing(values)
    if values.dtype.kind not in "fiubU":
        raise TypeError(
            f"y has dtype {values.dtype}, but numbers or two classes are needed; "
            "convert it, for example with y.astype(float)"
        )
    if response == "auto":
        response = "binary" if _looks_binary(values) else "continuous"
    return _encode_binary(values) if response == "binary" else _encode_continuous(values)


def _response_array(y: Any) -> NDArray[Any]:
    if is_sparse(y):
        raise TypeError(
            f"y is a sparse {type(y).__name__}, but one number per row is needed; "
            "pass y.toarray().ravel()"
        )
    refuse_masked(y, "y")
    series = as_narwhals(y, "y")
    values = as_array(y, "y") if series is None else _series_array(series)
    if values.ndim == 0:
        refuse_scalar("y", y, "one value per row of X: an array, a series or a list")
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
        raise ValueError(f"y has {counted(missing, 'missing value')}; drop these rows from X and y")
    series = without_wide_integers(series)
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        return np.asarray(series.to_numpy())
    return np.array(series.to_list(), dtype=None if series.dtype == nw.Boolean else object)


def _plain_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Give an object array the dtype its elements share, if it is a useful one."""
    missing = sum(map(is_missing, values))
    if missing:
        raise ValueError(f"y has {counted(missing, 'missing value')}; drop these rows from X and y")
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
        f"y mixes or holds values of type {quoted(sorted(kinds))}; "
        "pass numbers, truth values or text"
    )


def _check_no_missing(values: NDArray[Any]) -> None:
    if values.dtype.kind != "f":
        return
    missing, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    if missing or infinite:
        raise ValueError(
            f"y has {counted(missing, 'missing value')} (NaN) and "
            f"{counted(infinite, 'infinite one')}; drop these rows from X and y"
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
        shown = quoted([str(value) for value in classes.tolist()])
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
    if not (np.isfinite(span) and np.abs(numbers).max() < _LARGEST_Y):
        raise ValueError(
            f"y ranges from {numbers.min():g} to {numbers.max():g}, too wide for floating point; "
            "divide it by a constant"
        )
    if span < 1 / _LARGEST_Y:
        raise ValueError(
            f"y ranges over {span:g}, too narrow for floating point; multiply it by a constant"
        )
    return EncodedY(numbers, "continuous", None)
