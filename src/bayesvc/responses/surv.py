"""Survival times of which some are censored, as callers hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted, quoted
from bayesvc._typing import BoolArray, FloatArray, IntArray
from bayesvc._validation import must_be
from bayesvc.data.align import Indexed, align_to, index_of
from bayesvc.data.interop import is_missing, one_per_row

INTERVAL = np.dtype([("low", np.float64), ("high", np.float64)])

_WANTED_EVENTS = "True or 1 for an event and False or 0 for a censored time"
_OPEN_ENDS = "use low=0 for a left-censored time and high=np.inf for a right-censored one"


class Surv(Indexed):
    """Times to an event, some of which are only known to lie in an interval.

    It takes the place of y, for example in `bayesvc.select`, and fits a log-normal accelerated
    failure time model.

    Parameters
    ----------
    time : array, series or list (n_rows,)
        Time of the event or, where it was not observed, until which the row was followed. Positive.
    event : array, series or list (n_rows,)
        Whether the event was observed at this time: booleans, or 1 and 0. The other times are
        right-censored. If both are pandas series, they are matched by their index.

    Attributes
    ----------
    low, high : ndarray (n_rows,)
        Bounds of each time. They are equal where the event was observed; `high` is infinite for a
        right-censored time, and `low` is 0 for a left-censored one.
    name : str or None
        Name of the series of times, if it was one that has a name.

    See Also
    --------
    BARTSurvival : Predictions of survival times.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Surv([5.0, 8.0, 2.5], [True, False, True])
    <Surv: 3 times, 1 of them right-censored>

    Left- and interval-censored times have bounds of their own:

    >>> bv.Surv.interval(low=[5.0, 8.0, 0.0, 3.0], high=[5.0, np.inf, 2.0, 4.0])
    <Surv: 4 times, 1 of them right-censored, 1 left-censored, 1 known to an interval>
    """

    low: FloatArray
    high: FloatArray
    name: Any

    def __init__(self, time: Any, event: Any) -> None:
        if index_of(time) is not None:
            (event,) = align_to(time, "time", event=event)
        times = _numbers("time", time)
        _refuse("time", times, ~(np.isfinite(times) & (times > 0)), "a positive, finite number")
        events = _events(event)
        _check_same_length("event", events, "time", times)
        self._set(
            times, np.where(events, times, np.inf), index_of(time), getattr(time, "name", None)
        )

    @classmethod
    def interval(cls, low: Any, high: Any) -> Surv:
        """Return times that lie between `low` and `high`.

        Parameters
        ----------
        low, high : array, series or list (n_rows,)
            Bounds of each time. Equal bounds stand for an observed event, an infinite `high` for a
            right-censored time, and ``low=0`` for a left-censored one.

        Examples
        --------
        >>> import bayesvc as bv
        >>> visits = bv.Surv.interval(low=[0, 6, 12], high=[6, 12, float("inf")])
        >>> visits.high.tolist()
        [6.0, 12.0, inf]
        """
        if index_of(low) is not None:
            (high,) = align_to(low, "low", high=high)
        lows, highs = _numbers("low", low), _numbers("high", high)
        _check_same_length("high", highs, "low", lows)
        _refuse("low", lows, ~(np.isfinite(lows) & (lows >= 0)), "a finite number of at least 0")
        _refuse("high", highs, ~(highs > 0), "a positive number")
        above = np.flatnonzero(lows > highs)
        if above.size:
            row = above[0]
            got = f"low={lows[row]:g} and high={highs[row]:g} in row {row}"
            raise ValueError(must_be("low", "at most `high`", got, "exchange the two bounds"))
        unknown = np.flatnonzero((lows == 0) & np.isinf(highs))
        if unknown.size:
            wanted = "positive, or `high` finite, in every row"
            got = f"low=0 and high=inf in {counted(unknown.size, 'row')}, such as row {unknown[0]}"
            remedy = "nothing is known of such a time, so drop these rows from X and y"
            raise ValueError(must_be("low", wanted, got, remedy))
        found = cls.__new__(cls)
        found._set(lows, highs, index_of(low), getattr(low, "name", None))
        return found

    def _set(self, low: FloatArray, high: FloatArray, index: Any, name: Any = None) -> None:
        for bound in (low, high):
            bound.setflags(write=False)
        self.low, self.high, self.index, self.name = low, high, index, name

    @property
    def event(self) -> BoolArray:
        """Whether the event was observed, in each row."""
        return np.asarray(self.low == self.high)

    @property
    def shape(self) -> tuple[int]:
        """Number of rows, as of an array."""
        return (len(self.low),)

    @property
    def ndim(self) -> int:
        """One: times have no columns."""
        return 1

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, rows: Any) -> Surv:
        """Return some rows: a slice, their numbers or a mask."""
        own = rows[0] if isinstance(rows, tuple) else rows  # scikit-learn passes (rows, ...)
        kept: IntArray = np.atleast_1d(np.arange(len(self))[own])
        found = type(self).__new__(type(self))
        found._set(
            self.low[kept], self.high[kept], None if self.index is None else self.index[kept]
        )
        return found

    def reset_index(self, *, drop: bool = True) -> Surv:
        """Return the same times without the index of pandas, to be matched by position."""
        found = type(self).__new__(type(self))
        found._set(self.low, self.high, None, self.name)
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return a structured array with the fields "low" and "high"."""
        values = np.empty(len(self), dtype=INTERVAL)
        values["low"], values["high"] = self.low, self.high
        return values

    def __repr__(self) -> str:
        return f"<Surv: {censoring(self.low, self.high)}>"


def censoring(low: FloatArray, high: FloatArray) -> str:
    """Return in words how many times there are, and what is known of them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.surv import censoring
    >>> censoring(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    '2 times, none censored'
    """
    right, left = np.isinf(high), (low <= 0) & np.isfinite(high)
    between = (low < high) & ~right & ~left
    kinds = {"right-censored": right, "left-censored": left, "known to an interval": between}
    parts = [f"{int(own.sum()):,} {name}" for name, own in kinds.items() if own.any()]
    if parts:
        number, name = parts[0].split(" ", 1)
        parts[0] = f"{number} of them {name}"
    times = "1 time" if len(low) == 1 else f"{len(low):,} times"
    return ", ".join([times, *(parts or ["none censored"])])


def as_intervals(y: Any) -> NDArray[Any] | None:
    """Return censored times as an array with the fields "low" and "high"; None for anything else.

    Structured arrays of scikit-survival, with a boolean field of events and one of times, count.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.surv import as_intervals
    >>> y = np.array([(True, 5.0), (False, 8.0)], dtype=[("died", "?"), ("days", "<f8")])
    >>> as_intervals(y).tolist()
    [(5.0, 5.0), (8.0, inf)]
    """
    if isinstance(y, Surv):
        return np.asarray(y)
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is None or not isinstance(y, np.ndarray):
        return None
    if y.dtype == INTERVAL:
        return np.asarray(Surv.interval(y["low"], y["high"]))
    events = [name for name in names if y.dtype[name].kind == "b"]
    times = [name for name in names if y.dtype[name].kind in "fiu"]
    if len(names) != 2 or len(events) != 1 or len(times) != 1:
        raise TypeError(
            "A structured `y` must have a boolean field of events and a field of times, like those "
            f"of scikit-survival. Got the fields {quoted(names)} instead. Pass "
            "bayesvc.Surv(time, event)."
        )
    return np.asarray(Surv(y[times[0]], y[events[0]]))


def _numbers(name: str, given: Any) -> FloatArray:
    """Return one float64 per row, a copy; missing values and text are errors."""
    values = one_per_row(name, given)
    if values.dtype.kind in "OUMmT":
        missing = sum(map(is_missing, values.tolist()))
    else:
        missing = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
    if missing:
        got = counted(missing, "missing value")
        remedy = "drop these rows from X and y" if name in ("time", "event") else _OPEN_ENDS
        raise ValueError(must_be(name, "known in every row", got, remedy))
    try:
        if values.dtype.kind in "bUMmT":
            raise TypeError
        return values.astype(np.float64)
    except (TypeError, ValueError):
        got, remedy = f"dtype {values.dtype}", "convert it, for example into days since the start"
        raise TypeError(must_be(name, "a number in every row", got, remedy)) from None


def _events(given: Any) -> BoolArray:
    values = one_per_row("event", given)
    if values.dtype.kind in "UMmT" or (
        values.dtype.kind == "O" and any(isinstance(value, str) for value in values)
    ):
        kinds = quoted(sorted({str(value) for value in values.tolist()}), 4)
        remedy = "compare with the label of an event, such as status == 'died'"
        raise TypeError(must_be("event", _WANTED_EVENTS, f"text such as {kinds}", remedy))
    if values.dtype.kind == "b":
        return values.astype(bool)
    numbers = _numbers("event", values)
    wrong = np.unique(numbers[(numbers != 0) & (numbers != 1)])
    if wrong.size:
        got = f"values such as {wrong[0]:g}"
        remedy = f"compare with the code of an event, such as status == {wrong[-1]:g}"
        raise ValueError(must_be("event", _WANTED_EVENTS, got, remedy))
    return np.asarray(numbers == 1)


def _refuse(name: str, values: FloatArray, is_bad: BoolArray, wanted: str) -> None:
    bad = np.flatnonzero(is_bad)
    if not bad.size:
        return
    remedy = "drop such rows from X and y, or correct their times"
    if values[bad[0]] == 0:
        remedy = "add half of the unit of measurement to all times, or drop these rows from X and y"
    raise ValueError(must_be(f"{name}[{bad[0]}]", wanted, f"{values[bad[0]]:g}", remedy))


def _check_same_length(name: str, values: NDArray[Any], other: str, than: NDArray[Any]) -> None:
    if len(values) != len(than):
        wanted = f"as long as `{other}`, {len(than)}"
        raise ValueError(must_be(name, wanted, counted(len(values), "value")))
