"""Rows that belong together by the index of pandas."""

from __future__ import annotations

from typing import Any

from bayesvc._text import quoted


class Indexed:
    """Rows that keep the index of the pandas objects that they were made of, if there is one."""

    index: Any

    def __getitem__(self, rows: Any) -> Any:
        """Return some rows, in the order given."""
        raise NotImplementedError


def align_to(X: Any, of: str = "X", /, **per_row: Any) -> tuple[Any, ...]:
    """Return values per row in the order of the rows of X.

    Only what has an index of pandas beside a pandas frame X is looked at; everything else belongs
    to the rows of X by position. Equal indexes pass as they are, duplicate labels included. A
    unique index that is a permutation of that of X is put into its order.

    Parameters
    ----------
    X : any
        Data with rows.
    of : str, default "X"
        What messages call them.
    **per_row : any
        Values per row, or None, by the name of their argument.

    Returns
    -------
    tuple
        The values in the order of the arguments.

    Raises
    ------
    ValueError
        If an index is neither that of X nor a permutation of it.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesvc.data.align import align_to
    >>> X = pd.DataFrame({"a": [1.0, 2.0]}, index=["first", "second"])
    >>> (y,) = align_to(X, y=pd.Series([20, 10], index=["second", "first"]))
    >>> y.tolist()
    [10, 20]
    """
    index = index_of(X)
    if index is None:
        return tuple(per_row.values())
    return tuple(_aligned(name, values, index, of) for name, values in per_row.items())


def index_of(data: Any) -> Any:
    """Return the index of a pandas frame or series, or that something was made with; or None.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesvc.data.align import index_of
    >>> index_of(pd.Series([1.0, 2.0])), index_of([1.0, 2.0])
    (RangeIndex(start=0, stop=2, step=1), None)
    """
    if isinstance(data, Indexed):
        return data.index
    of_pandas = any(
        kind.__name__ in ("DataFrame", "Series") and kind.__module__.partition(".")[0] == "pandas"
        for kind in type(data).__mro__
    )
    return data.index if of_pandas else None


def _aligned(name: str, values: Any, index: Any, of: str) -> Any:
    own = index_of(values)
    if own is None or len(own) != len(index) or own.equals(index):
        return values  # a wrong length is reported where the values are read
    if not (own.is_unique and index.is_unique):
        _refuse(name, of, "an index with duplicate labels that differs from it")
    places = own.get_indexer(index)
    absent = index[places < 0]
    if len(absent):
        _refuse(name, of, f"an index without {quoted(absent.tolist())}")
    return values[places] if isinstance(values, Indexed) else values.iloc[places]


def _refuse(name: str, of: str, got: str) -> None:
    raise ValueError(
        f"`{name}` must have the index of `{of}`, or a permutation of it. Got {got} instead. Use "
        f"{name}.reset_index(drop=True) and {of}.reset_index(drop=True) to match rows by position."
    )
