"""Odd survival times."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bayesvc as bv
from bayesvc._logarithms import log
from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import N, X, Y, sample, select, with_value

TIME = np.exp(Y / 3)
EVENT = np.arange(N) % 3 > 0
RAGGED = np.zeros(N, dtype=[("time", "f8"), ("group", "i8"), ("died", "?")])


def bad(goes_in: str, time: object, event: object, error: type[Exception], *says: str) -> Refused:
    return Refused(goes_in, lambda: bv.Surv(time, event), error, says)


def bad_interval(goes_in: str, low: object, high: object, *says: str) -> Refused:
    return Refused(goes_in, lambda: bv.Surv.interval(low, high), ValueError, says)


CASES: list[Case] = [
    bad("a negative time", with_value(TIME, 3, -2), EVENT, ValueError, "`time[3]`", "Got -2"),
    bad("a time of 0", with_value(TIME, 3, 0), EVENT, ValueError, "`time[3]`", "Add half"),
    bad("a missing time", with_value(TIME, 3, np.nan), EVENT, ValueError, "`time`", "Drop"),
    Refused(
        "times as dates",
        lambda: bv.Surv(pd.date_range("2020-01-01", periods=N), EVENT),
        TypeError,
        ("days",),
        r"(?<=datetime64\[).*(?=\])",
    ),
    bad("events that are 1 and 2", TIME, 1 + EVENT, ValueError, "`event`", "status == 2"),
    bad("events as text", TIME, ["died", "alive"] * 15, TypeError, "status == 'died'"),
    bad("a missing event", TIME, with_value(EVENT * 1.0, 3, np.nan), ValueError, "`event`"),
    bad("fewer events than times", TIME, EVENT[1:], ValueError, "as long as `time`, 30"),
    bad_interval("`low` above `high` in `Surv.interval`", [1, 5], [2, 4], "low=5 and high=4"),
    bad_interval("an interval from 0 to infinity", [1, 0], [2, np.inf], "Nothing is known"),
    bad_interval("a missing bound", [1, np.nan], [2, 4], "low=0", "high=np.inf"),
    Refused(
        "only right-censored times",
        lambda: select(X, bv.Surv(TIME, 0 * EVENT)),
        ValueError,
        ("not all right-censored", "Check that `event`"),
    ),
    Refused(
        "times that are all the same",
        lambda: select(X, bv.Surv(0 * TIME + 5, EVENT)),
        ValueError,
        ("The times of `y` must vary",),
    ),
    Refused(
        "fewer times than rows",
        lambda: select(X, bv.Surv(TIME[1:], EVENT[1:])),
        ValueError,
        ("one value per row of X, 30", "Got 29"),
    ),
    Refused(
        "a structured array that is not one of scikit-survival",
        lambda: select(X, RAGGED),
        TypeError,
        ("a boolean field of events", "'time', 'group', 'died'"),
    ),
    Refused(
        '`response="survival"` for plain numbers',
        lambda: select(X, TIME, response="survival"),
        TypeError,
        ("Pass bayesvc.Surv",),
    ),
    Refused(
        '`response="binary"` for survival times',
        lambda: select(X, bv.Surv(TIME, EVENT), response="binary"),
        ValueError,
        ("'survival' or 'auto'",),
    ),
    Refused(
        "survival times with `SpikeForest`",
        lambda: sample(
            X, bv.Surv(TIME, EVENT), prior=bv.SpikeForest(), n_replicates=None, n_draws=None
        ),
        ValueError,
        ("not compatible with prior=SpikeForest",),
    ),
    Refused(
        'survival times with `transform="normal-scores"`',
        lambda: sample(X, bv.Surv(TIME, EVENT), prior=bv.DART(transform="normal-scores")),
        ValueError,
        ("`transform` must be None or 'auto'",),
    ),
    Accepted(
        "a structured array of scikit-survival, with a boolean and a number",
        lambda: sample(
            X, np.array(list(zip(EVENT, TIME, strict=True)), dtype=[("died", "?"), ("days", "f8")])
        ),
        "survival times",
        lambda draws: draws.response == "survival",
    ),
    Accepted(
        "times of which none is censored",
        lambda: sample(X, bv.Surv(TIME, 0 * EVENT + 1)),
        "the same as the logarithms as a continuous response, bit for bit",
        lambda draws: (draws.vc == sample(X, log(TIME)).vc).all(),
    ),
]
