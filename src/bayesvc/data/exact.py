"""Integers that float64 cannot hold: refused, because rounding could make them equal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import ColumnName

_EXACT_UP_TO = 2**53  # in absolute value
_REMEDY = (
    "Subtract a constant, leave it out if it identifies rows, or convert it to floats to accept "
    "the rounding."
)


def as_float(number: Any) -> float:
    """Return a number of any kind as a float, infinity if it is beyond all floats.

    Examples
    --------
    >>> from bayesvc.data.exact import as_float
    >>> as_float(3), as_float(-(10**400))
    (3.0, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


def first_rounded(numbers: Iterable[Any]) -> Any | None:
    """Return the first number beyond 2**53 that float64 would round, None if there is none.

    Missing values are passed over.

    Examples
    --------
    >>> from bayesvc.data.exact import first_rounded
    >>> first_rounded([1, None, 2.0**60, 2**60, 2**60 + 1])
    1152921504606846977
    """
    for number in numbers:
        plain = number.item() if isinstance(number, np.generic) else number
        if isinstance(plain, float) or not hasattr(plain, "__float__"):  # None, NA, text
            continue
        if plain == plain and abs(plain) > _EXACT_UP_TO and plain != as_float(plain):
            return plain
    return None


def refuse_rounded(what: str, numbers: Iterable[Any], remedy: str = _REMEDY) -> None:
    """Raise ValueError for numbers beyond 2**53 that float64 would round.

    Examples
    --------
    >>> from bayesvc.data.exact import refuse_rounded
    >>> refuse_rounded("`y`", [2**53, 2**53 + 1])
    Traceback (most recent call last):
    ValueError: `y` must hold numbers that float64 represents exactly, as all integers up to ...
    """
    found = first_rounded(numbers)
    if found is not None:
        raise ValueError(
            f"{what} must hold numbers that float64 represents exactly, as all integers up to "
            f"2**53 are. Got {found} instead, which would be rounded to {as_float(found):.0f}. "
            f"{remedy}"
        )


def refuse_rounding(
    what: str, floats: NDArray[Any], numbers: Iterable[Any], remedy: str = _REMEDY
) -> None:
    """Raise ValueError if numbers were rounded when they were converted into these floats.

    The numbers are looked at only if there are floats so large that this may be.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.exact import refuse_rounding
    >>> refuse_rounding("`y`", np.array([2.0**53, 2.0**53]), [2**53, 2**53 + 1])
    Traceback (most recent call last):
    ValueError: `y` must hold numbers that float64 represents exactly, as all integers up to ...
    """
    if is_large(floats):
        refuse_rounded(what, numbers, remedy)


def refuse_rounded_columns(values: NDArray[Any], names: Sequence[ColumnName]) -> None:
    """Raise ValueError for an array of integers with a column that float64 would round.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.exact import refuse_rounded_columns
    >>> refuse_rounded_columns(np.array([[1, 2**53 + 1]]), ["a", "b"])
    Traceback (most recent call last):
    ValueError: Column 'b' of `X` must hold numbers that float64 represents exactly, ...
    """
    if values.dtype.kind in "iu":
        for j in large_columns(values):
            refuse_rounded(of_column(names[j]), values[:, j].tolist())


def large_columns(values: NDArray[Any]) -> list[int]:
    """Return the columns with numbers so large that they may have been rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.exact import large_columns
    >>> large_columns(np.array([[1.0, -1e20], [np.nan, np.nan]]))
    [1]
    """
    if len(values) == 0 or values.dtype.itemsize < 4:
        return []
    high, low = np.fmax.reduce(values, axis=0), np.fmin.reduce(values, axis=0)
    return np.flatnonzero((high >= _EXACT_UP_TO) | (low <= -_EXACT_UP_TO)).tolist()


def is_large(values: NDArray[Any]) -> bool:
    """Tell whether an array has numbers so large that they may have been rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.exact import is_large
    >>> is_large(np.array([1.0, np.nan])), is_large(np.array([2**60]))
    (False, True)
    """
    return bool(large_columns(values.reshape(-1, 1)))


def of_column(name: ColumnName) -> str:
    """Begin a sentence about a column of X.

    Examples
    --------
    >>> from bayesvc.data.exact import of_column
    >>> print(of_column("age"))
    Column 'age' of `X`
    """
    return f"Column {name!r} of `X`"
