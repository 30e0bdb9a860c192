"""Odd responses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse

from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import N, X, Y, sample, select, with_value


def bad(
    goes_in: str, y: object, error: type[Exception], *says: str, varies: str | None = None,
    **settings: Any,
) -> Refused:  # fmt: skip
    return Refused(goes_in, lambda: select(X, y, **settings), error, says, varies)


HALVES = np.median(Y) < Y

REFUSED = [
    bad("a missing value", with_value(Y, 3, np.nan), ValueError, "`y`", "1 missing", "Drop"),
    bad("`None` among numbers", [None, *Y[1:]], ValueError, "`y`", "Got 1 missing", "Drop"),
    bad("a null in a polars series", pl.Series([None, *Y[1:]]), ValueError, "`y`",
        "Got 1 missing"),
    bad("an infinite value", with_value(Y, 3, -np.inf), ValueError, "`y`", "1 infinite", "Drop"),
    bad("too few values", Y[:-1], ValueError, "`y`", "one value per row of X, 30", "Got 29"),
    bad("too many values", [*Y, 1.0], ValueError, "`y`", "one value per row of X, 30", "Got 31"),
    bad("the same value in every row", np.full(N, 2.5), ValueError, "`y` must vary", "2.5"),
    bad("zeros only", np.zeros(N), ValueError, "`y` must vary", "constant", "is 0."),
    bad("one class only", np.ones(N, bool), ValueError, "`y`", "two classes", "only [True]"),
    bad("three classes of text", ["a", "b", "c"] * 10, ValueError, "3 classes", "'a'", "Merge"),
    bad('three numbers with `response="binary"`', np.arange(N) % 3, ValueError, "3 classes",
        response="binary"),
    bad('text with `response="continuous"`', ["a", "b"] * 15, TypeError, "`y` must hold numbers",
        "Got text",
        response="continuous"),
    bad("numbers and text", np.array([1, "a"] * 15, dtype=object), TypeError, "'int', 'str'"),
    bad("dates", pd.date_range("2020-01-01", periods=N), TypeError, "`y`", "Convert",
        varies=r"(?<=datetime64\[).*(?=\])"),
    bad("integers above 2**53", np.arange(2**60, 2**60 + N), ValueError, "`y` must hold numbers",
        "Got 1152921504606846977", "Subtract a constant"),
    bad("complex numbers", Y.astype(complex), TypeError, "complex"),
    bad("two columns", np.column_stack([Y, Y]), ValueError, "`y` must be one-dim", "(30, 2)"),
    bad("a data frame of two columns", pd.DataFrame({"a": Y, "b": Y}), ValueError, "2 columns"),
    bad("a sparse column", scipy.sparse.csr_array(Y[:, None]), TypeError, "toarray"),
    bad("masked values", np.ma.masked_array(Y, Y > 2), ValueError, "masked"),
    bad("`None`", None, TypeError, "`y` must be an array", "one value per row", "Got None"),
    bad("a generator", (value for value in Y), TypeError, "`y` must be", "Got a generator"),
    bad("the name of a column", "price", TypeError, "`y` must be an array", "Got 'price'"),
    Refused("a pandas series with another index than X",
            lambda: sample(pd.DataFrame(X), pd.Series(Y, index=np.arange(N) + 5)), ValueError,
            ("`y` must have the index of `X`", "y.reset_index(drop=True)")),
    Refused("a pandas series with the labels of X in another order, some of them twice",
            lambda: sample(pd.DataFrame(X, index=[7, 3] * 15),
                           pd.Series(Y, index=[3, 7] * 15)), ValueError,
            ("`y` must have the index of `X`", "duplicate labels")),
    bad("a range beyond floating point", Y * 1e300, ValueError, "`y`", "2.93357e+300", "Divide"),
    bad("a range next to nothing", Y * 1e-300, ValueError, "`y`", "2.86038e-300", "Multiply"),
]  # fmt: skip

ACCEPTED = [
    Accepted("booleans, or numbers that are all 0 or 1", lambda: sample(X, HALVES.astype(int)),
             "two classes: the model is probit",
             lambda draws: draws.response == "binary" and draws.classes.tolist() == [0, 1]),
    Accepted("a pandas series with the index of X in another order",
             lambda: sample(pd.DataFrame(X), pd.Series(Y).iloc[::-1]),
             "it is put into the order of X",
             lambda draws: (draws.vc == sample().vc).all()),
    Accepted("two classes of text", lambda: sample(X, np.where(HALVES, "ill", "well")),
             "two classes: the model is probit",
             lambda draws: draws.response == "binary" and list(draws.classes) == ["ill", "well"]),
    Accepted("the numbers 0, 1 and 2 in `select`", lambda: select(X, np.arange(N) % 3),
             "numbers in this order; a note says what to do if they are classes",
             lambda found: [note.code for note in found.data_notes] == ["class-codes"]),
    Accepted("two other numbers, such as 1 and 2", lambda: sample(X, HALVES + 1),
             'numbers, not classes; `response="binary"` makes classes of them',
             lambda draws: draws.response == "continuous"
             and sample(X, HALVES + 1, response="binary").response == "binary"),
    Accepted("one column of two dimensions, or a frame of one column",
             lambda: sample(X, Y[:, None]),
             "it is taken as the response",
             lambda draws: (draws.vc == sample().vc).all()
             and (sample(X, pd.DataFrame({"y": Y})).vc == draws.vc).all()),
    Accepted("whole numbers, also of more than 64 bits in polars",
             lambda: sample(X, pl.Series((100 * Y).astype(int), dtype=pl.Int128)),
             "numbers like any others",
             lambda draws: draws.response == "continuous"),
    Accepted("a large constant added, `y + 1e9`", lambda: select(X, Y + 1e9),
             "the same columns are selected",
             lambda found: found.names == select().names),
]  # fmt: skip

CASES: list[Case] = [*REFUSED, *ACCEPTED]
