"""What the data were: rows, columns, missing values, columns that never change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import listed
from bayesvc.data.frames import series_name
from bayesvc.data.interop import as_narwhals
from bayesvc.data.sparse import is_sparse
from bayesvc.report.words import number
from bayesvc.responses.surv import Surv, censoring
from bayesvc.selection.result import Selection
from bayesvc.selection.text import response_text

Facts = list[tuple[str, str]]


@dataclass(frozen=True)
class DataSummary:
    """The data in a few numbers. Made by `summarize_data`.

    Attributes
    ----------
    n_rows, n_columns : int or None
    missing : mapping from column to number of missing values, or None if not known
        Only of columns that have some.
    constant : tuple of str, or None if not known
        Columns with a single value.
    target : str
        Name of the response.
    response : str or None
        The response in words.
    source : str or None
        Where the data are from, such as the name of a file.
    more : mapping from str to anything
        Further lines.

    Examples
    --------
    >>> from bayesvc.report import DataSummary
    >>> DataSummary(n_rows=10, n_columns=3, source="trial.csv").target
    'y'
    """

    n_rows: int | None = None
    n_columns: int | None = None
    missing: Mapping[str, int] | None = None
    constant: tuple[str, ...] | None = None
    target: str = "y"
    response: str | None = None
    source: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def facts(self) -> Facts:
        """Return label and text of each line that can be told.

        Examples
        --------
        >>> from bayesvc.report import DataSummary
        >>> DataSummary(n_rows=1000, n_columns=3, missing={"a": 2}).facts()[1:]
        [('Columns', '3'), ('Missing values', '2 in 1 column: a (2)')]
        """
        told = {
            "Source": self.source,
            "Rows": None if self.n_rows is None else number(self.n_rows),
            "Columns": None if self.n_columns is None else number(self.n_columns),
            "Response": self.response,
            "Missing values": _missing_text(self.missing),
            "Constant columns": _constant_text(self.constant),
        }
        told |= {str(label): str(value) for label, value in self.more.items()}
        return [(label, text) for label, text in told.items() if text is not None]


def summarize_data(
    X: Any, y: Any = None, *, target: str | None = None, source: str | None = None
) -> DataSummary:
    """Count rows, columns, missing values and constant columns.

    Parameters
    ----------
    X : array, data frame or sparse matrix (n_rows, n_columns)
        As the caller holds it, before missing values are filled or text is coded.
    y : array, series or list, optional
        The response.
    target : str, optional
        Its name; by default the name of the series, or "y".
    source : str, optional
        Where the data are from.

    Returns
    -------
    DataSummary

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.report import summarize_data
    >>> X = np.array([[1.0, 5.0], [np.nan, 5.0], [2.0, 5.0]])
    >>> summary = summarize_data(X, [0.5, 1.5, 4.0], source="trial.csv")
    >>> summary.missing, summary.constant, summary.response
    ({'x0': 1}, ('x1',), 'y, from 0.5 to 4, mean 2')
    """
    frame = as_narwhals(X, "X")
    if frame is not None:
        names, missing, constant = _of_frame(frame)
        n_rows = len(frame)
    else:
        values = X.tocsc() if is_sparse(X) else np.asarray(X)
        names = [f"x{j}" for j in range(values.shape[1])]
        missing, constant = _of_sparse(values) if is_sparse(X) else _of_array(values)
        n_rows = values.shape[0]
    name = target or series_name(y)
    return DataSummary(
        n_rows=n_rows,
        n_columns=len(names),
        missing={names[j]: int(missing[j]) for j in np.flatnonzero(missing).tolist()},
        constant=tuple(names[j] for j in np.flatnonzero(constant).tolist()),
        target=name,
        response=None if y is None else describe_response(y, name),
        source=source,
    )


def known_summary(selection: Selection) -> DataSummary:
    """Return what the replicates themselves tell of the data."""
    draws, constant = selection.draws, None
    if draws._encoded is not None:
        single = draws._encoded.columns.n_distinct() == 1
        constant = tuple(str(draws.feature_names[j]) for j in np.flatnonzero(single).tolist())
    n_columns = len(draws.columns.names)
    return DataSummary(
        draws.n_rows, n_columns, None, constant, selection.target, response_text(draws)
    )


def _of_frame(frame: Any) -> tuple[list[str], NDArray[np.int64], NDArray[np.bool_]]:
    names = [str(label) for label in frame.columns]
    missing = np.zeros(len(names), dtype=np.int64)
    constant = np.zeros(len(names), dtype=bool)
    for j, label in enumerate(frame.columns):
        column = frame.get_column(label)
        absent = column.is_null()
        if column.dtype.is_float():
            absent = absent | column.is_nan()
        missing[j] = int(absent.sum())
        constant[j] = column.filter(~absent).n_unique() <= 1
    return names, missing, constant


def _of_array(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    absent = values != values
    present = ~absent
    first = values[present.argmax(axis=0), np.arange(values.shape[1])]
    return absent.sum(axis=0), ((values == first) | absent).all(axis=0)


def _of_sparse(values: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    absent = values.copy()
    absent.data = np.isnan(values.data).astype(np.int64)
    low, high = (part.toarray().ravel() for part in (values.nanmin(axis=0), values.nanmax(axis=0)))
    return np.asarray(absent.sum(axis=0)).ravel(), (low == high) | np.isnan(low)


def _missing_text(missing: Mapping[str, int] | None) -> str | None:
    if missing is None:
        return None
    if not missing:
        return "none"
    columns = "1 column" if len(missing) == 1 else f"{number(len(missing))} columns"
    worst = sorted(missing.items(), key=lambda item: -item[1])
    names = listed([f"{name} ({number(count)})" for name, count in worst])
    return f"{number(sum(missing.values()))} in {columns}: {names}"


def _constant_text(constant: tuple[str, ...] | None) -> str | None:
    if constant is None:
        return None
    if not constant:
        return "none"
    return f"{number(len(constant))}, which cannot be selected: {listed(constant)}"


def describe_response(y: Any, name: str) -> str:
    """Return a response in words: its range and mean, its classes, or how much is censored.

    Examples
    --------
    >>> from bayesvc.report import describe_response
    >>> describe_response([1.0, 2.0, 6.0], "dose")
    'dose, from 1 to 6, mean 3'
    """
    if isinstance(y, Surv):
        known = np.where(np.isinf(y.high), y.low, y.high)
        span = f"from {known.min():.4g} to {known.max():.4g}"
        return f"{name}, {censoring(y.low, y.high)}, {span}"
    series = as_narwhals(y, "y")
    values = np.asarray(y if series is None else series.to_numpy()).ravel()
    if values.dtype.kind in "fiu" and len(np.unique(values[:1000])) > 2:
        low, mean, high = (float(f(values)) for f in (np.nanmin, np.nanmean, np.nanmax))
        return f"{name}, from {low:.4g} to {high:.4g}, mean {mean:.4g}"
    classes, counts = np.unique(values.astype(str), return_counts=True)
    shares = [f"{c} in {number(n)} rows" for c, n in zip(classes, counts.tolist(), strict=True)]
    return f"{name}: {listed(shares)}"
