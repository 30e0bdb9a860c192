"""Data frames of the library that the caller uses."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

KINDS = ("pandas", "polars")


def frame_kind(X: Any) -> str | None:
    """Return "pandas" or "polars" if X is such a frame, else None.

    Examples
    --------
    >>> import pandas
    >>> from bayesvc.data.frames import frame_kind
    >>> frame_kind(pandas.DataFrame({"a": [1]})), frame_kind([[1]])
    ('pandas', None)
    """
    package = type(X).__module__.partition(".")[0]
    return package if package in KINDS else None


def series_name(y: Any) -> str:
    """Return the name of a series, or "y" for anything without a name.

    Examples
    --------
    >>> import pandas
    >>> from bayesvc.data.frames import series_name
    >>> series_name(pandas.Series([1.0], name="dose")), series_name([1.0])
    ('dose', 'y')
    """
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def make_frame(columns: dict[str, Any], kind: str | None) -> Any:
    """Return a data frame of a library, by default the first one that is installed.

    Examples
    --------
    >>> from bayesvc.data.frames import make_frame
    >>> make_frame({"a": [1, 2]}, "pandas").shape
    (2, 1)
    """
    if kind is None:
        kind = next((name for name in KINDS if find_spec(name) is not None), None)
    if kind is None:
        raise ImportError(
            "Tables are data frames, and neither pandas nor polars is installed. Install one of "
            "them, or use `to_json`, `mask` and `importance`."
        )
    return import_module(kind).DataFrame(columns)
