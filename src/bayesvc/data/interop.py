"""Read the data frames, series and arrays of other libraries."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted, visible
from bayesvc._validation import must_be, shown
from bayesvc.data.exact import first_rounded, is_large, refuse_rounded


def as_narwhals(data: Any, name: str) -> Any | None:
    """Return `data` as a narwhals frame or series, or None if it is neither."""
    if isinstance(data, np.ndarray | list | tuple) or np.isscalar(data) or data is None:
        return None
    import narwhals as nw  # only here, because sampling from arrays should not pay for it

    try:
        wrapped = nw.from_native(data, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(
            f"The column names of `{name}` must be unique. Got duplicates "
            f"({visible(' '.join(str(error).split()))}) instead. Rename these columns."
        ) from None
    if isinstance(wrapped, nw.LazyFrame):
        got = f"a lazy {type(data).__name__}"
        raise TypeError(must_be(name, "a data frame", got, f"pass {name}.collect()"))
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.Series) else None


def is_lazy(data: Any) -> bool:
    """Tell whether `data` is a lazy frame of polars, such as a Parquet file that is not yet read.

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.data.interop import is_lazy
    >>> is_lazy(pl.LazyFrame({"a": [1, 2]})), is_lazy(pl.DataFrame({"a": [1, 2]}))
    (True, False)
    """
    kind = type(data)
    return kind.__name__ == "LazyFrame" and kind.__module__.partition(".")[0] == "polars"


def is_frame(data: Any) -> bool:
    """Tell whether `data` is a data frame, of any library that narwhals knows.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesvc.data.interop import is_frame
    >>> is_frame(pd.DataFrame({"a": [1, 2]})), is_frame([[1], [2]])
    (True, False)
    """
    return hasattr(as_narwhals(data, "X"), "columns")


def as_array(data: Any, name: str) -> NDArray[Any]:
    """Return `data` as an array, which rows of unequal length do not form.

    Integers of a list that numpy would round stay objects.
    """
    try:
        values = np.asarray(data)
        if isinstance(data, list | tuple) and values.dtype.kind == "f" and is_large(values):
            objects = np.array(data, dtype=object)
            return values if first_rounded(objects.flat) is None else objects
        return values
    except ValueError as error:
        raise ValueError(
            f"`{name}` must be an array. Got a {type(data).__name__} that does not form one "
            f"instead ({error}). Pass rows of equal length."
        ) from None


def refuse_masked(data: Any, name: str) -> None:
    """Raise ValueError for a masked array with masked values."""
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        count = int(np.ma.getmaskarray(data).sum())
        raise ValueError(
            f"`{name}` must not have masked values. Got {count} instead. Fill them or drop their "
            "rows."
        )


def refuse_scalar(name: str, data: Any, wanted: str) -> NoReturn:
    """Raise TypeError for a value that is not an array."""
    is_value = data is None or np.isscalar(data)
    raise TypeError(must_be(name, wanted, shown(data) if is_value else f"a {type(data).__name__}"))


def one_per_row(name: str, data: Any) -> NDArray[Any]:
    """Return a series, an array or a list as an array with one dimension."""
    refuse_masked(data, name)
    series = as_narwhals(data, name)
    if series is not None and hasattr(series, "columns"):
        if len(series.columns) != 1:
            got = f"a data frame with {counted(len(series.columns), 'column')}"
            raise ValueError(must_be(name, "one column", got, "pass one of its columns"))
        series = series.get_column(series.columns[0])
    if series is not None:
        series = without_wide_integers(series, name)
    values = as_array(data, name) if series is None else np.asarray(series.to_numpy())
    if values.ndim == 0:
        refuse_scalar(name, data, "an array, a series or a list with one value per row of X")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        wanted = "one-dimensional, with one value per row of X"
        raise ValueError(must_be(name, wanted, f"shape {values.shape}"))
    return values


def is_wide_integer(dtype: Any) -> bool:
    """Tell whether a narwhals type is one of integers that numpy does not have."""
    import narwhals as nw

    return dtype in (nw.Int128, nw.UInt128)


def without_wide_integers(series: Any, name: str) -> Any:
    """Return a narwhals series of such integers as one of float64, any other as it is."""
    import narwhals as nw

    if not is_wide_integer(series.dtype):
        return series
    refuse_rounded(f"`{name}`", series.to_list())
    return series.cast(nw.Float64)


def is_missing(value: Any) -> bool:
    """Tell whether one element of an array of objects stands for a missing value."""
    if value is None or type(value).__name__ == "NAType":  # which answers no comparison
        return True
    return not isinstance(value, np.ndarray) and bool(value != value)  # NaN and NaT
