"""`Surv`: what it takes, keeps and refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesvc as bv
from bayesvc.responses.surv import as_intervals

TIME, EVENT = [5.0, 8.0, 2.5], [True, False, True]
STRUCTURED = np.array(list(zip(EVENT, TIME, strict=True)), dtype=[("died", "?"), ("days", "<f8")])


@pytest.mark.parametrize(
    ("time", "event"),
    [
        (TIME, EVENT),
        (tuple(TIME), [1, 0, 1]),
        (np.array(TIME, dtype=np.float32), np.array([1.0, 0.0, 1.0])),
        (pd.Series(TIME), pd.Series(EVENT)),
        (pl.Series(TIME), pl.Series([1, 0, 1])),
        (pd.Series(TIME, index=list("abc")), pd.Series([1, 1, 0], index=list("acb"))),
    ],
)
def test_times_and_events_of_any_kind(time, event):
    y = bv.Surv(time, event)
    assert y.low.tolist() == TIME
    assert y.high.tolist() == [5.0, np.inf, 2.5]
    assert y.event.tolist() == EVENT
    assert len(y) == 3
    assert y.shape == (3,)


def test_intervals_of_every_kind_are_counted():
    y = bv.Surv.interval([5, 8, 0, 3], [5, np.inf, 2, 4])
    assert repr(y) == (
        "<Surv: 4 times, 1 of them right-censored, 1 left-censored, 1 known to an interval>"
    )
    assert y.event.tolist() == [True, False, False, False]


def test_rows_can_be_taken_and_keep_their_index():
    y = bv.Surv(pd.Series(TIME, index=list("abc")), EVENT)
    assert y[1:].index.tolist() == ["b", "c"]
    assert y[np.array([2, 0])].low.tolist() == [2.5, 5.0]
    assert y[np.array([True, False, True]), ...].low.tolist() == [5.0, 2.5]
    assert y[1].low.tolist() == [8.0]
    assert y.reset_index().index is None
    assert pickle.loads(pickle.dumps(y)).high.tolist() == y.high.tolist()


def test_it_is_not_changed_from_outside():
    time = np.array(TIME)
    y = bv.Surv(time, EVENT)
    time[0] = 99
    assert y.low[0] == 5
    with pytest.raises(ValueError, match="read-only"):
        y.low[0] = 1


def test_structured_arrays_of_scikit_survival_are_recognised():
    assert as_intervals(STRUCTURED).tolist() == as_intervals(bv.Surv(TIME, EVENT)).tolist()
    assert as_intervals(np.asarray(bv.Surv(TIME, EVENT))).tolist() == [
        (5.0, 5.0),
        (8.0, np.inf),
        (2.5, 2.5),
    ]
    assert as_intervals(np.arange(3)) is None
    with pytest.raises(TypeError, match=r"boolean field of events.*Got the fields 'a', 'b'"):
        as_intervals(np.zeros(3, dtype=[("a", "f8"), ("b", "f8")]))


BAD = [
    ([5, 0, 2], EVENT, ValueError, "`time[1]` must be a positive, finite number. Got 0 instead."),
    ([5, -1, 2], EVENT, ValueError, "`time[1]` must be a positive, finite number. Got -1"),
    ([5, np.inf, 2], EVENT, ValueError, "Got inf"),
    ([5, np.nan, 2], EVENT, ValueError, "`time` must be known in every row. Got 1 missing value"),
    ([5, None, 2], EVENT, ValueError, "`time` must be known in every row. Got 1 missing value"),
    (["5", "8", "2"], EVENT, TypeError, "`time` must be a number in every row. Got dtype <U1"),
    (EVENT, EVENT, TypeError, "Got dtype bool"),
    (TIME, [1, 2, 1], ValueError, "status == 2"),
    (TIME, [1, 0.5, 1], ValueError, "Got values such as 0.5 instead"),
    (TIME, [1, np.nan, 1], ValueError, "`event` must be known in every row"),
    (TIME, ["died", "alive", "died"], TypeError, "text such as 'alive', 'died'"),
    (TIME, [1, 0], ValueError, "`event` must be as long as `time`, 3. Got 2 values instead."),
    (5.0, EVENT, TypeError, "`time` must be an array"),
]


@pytest.mark.parametrize(("time", "event", "error", "says"), BAD)
def test_bad_times_and_events_are_refused(time, event, error, says):
    with pytest.raises(error) as caught:
        bv.Surv(time, event)
    assert says in str(caught.value)


BAD_INTERVALS = [
    ([5, 3], [4, 6], ValueError, "Got low=5 and high=4 in row 0 instead. Exchange"),
    ([-1, 3], [4, 6], ValueError, "`low[0]` must be a finite number of at least 0. Got -1"),
    ([0, 3], [0, 6], ValueError, "`high[0]` must be a positive number. Got 0"),
    ([0, 3], [np.inf, 6], ValueError, "low=0 and high=inf in 1 row, such as row 0"),
    ([1, np.nan], [4, 6], ValueError, "Use low=0 for a left-censored time"),
    ([1, 3], [4, 6, 7], ValueError, "`high` must be as long as `low`, 2. Got 3 values instead."),
]


@pytest.mark.parametrize(("low", "high", "error", "says"), BAD_INTERVALS)
def test_bad_intervals_are_refused(low, high, error, says):
    with pytest.raises(error) as caught:
        bv.Surv.interval(low, high)
    assert says in str(caught.value)


def test_series_with_different_indexes_are_refused():
    with pytest.raises(ValueError, match="`event` must have the index of `time`"):
        bv.Surv(pd.Series(TIME), pd.Series(EVENT, index=[5, 6, 7]))
