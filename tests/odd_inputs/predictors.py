"""Odd predictors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse

from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import TWO, N, X, Y, sample, select, with_value

DAY = pd.date_range("2020-01-01", periods=N)
RAINBOW = ["red", "green", "blue"]
COLOURS = np.array(RAINBOW)[np.arange(N) % 3]


def bad(
    goes_in: str, data: object, error: type[Exception], *says: str, varies: str | None = None
) -> Refused:
    return Refused(goes_in, lambda: select(data, Y), error, says, varies)


def frame(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], **columns})


def infinite(kind: object) -> object:
    return kind(with_value(X, (3, 1), np.inf))  # type: ignore[operator]


def polars_frame(values: object) -> pl.DataFrame:
    return pl.DataFrame(values, schema=["a", "b", "c"])


def with_gap() -> object:
    return with_value(X, (slice(0, 5), 0), np.nan)


def masked() -> object:
    return np.ma.masked_array(X, mask=X > 0.95)


REFUSED = [
    bad("an infinite value in an array", infinite(np.asarray), ValueError,
        "`X`", "Got 1 infinite value,", "'x1'", "drop"),
    bad("an infinite value in a pandas frame", infinite(pd.DataFrame), ValueError, "infinite"),
    bad("an infinite value in a polars frame", infinite(polars_frame), ValueError, "'b'"),
    bad("an infinite value in a sparse matrix", infinite(scipy.sparse.csr_array), ValueError,
        "infinite"),
    bad("no rows, `X[:0]`", X[:0], ValueError, "`X` must have at least 2 rows", "Got 0 rows"),
    bad("one row, `X[:1]`", X[:1], ValueError, "`X` must have at least 2 rows", "Got 1 row "),
    bad("no columns, `X[:, :0]`", X[:, :0], ValueError, "`X` must have at least one",
        "(30, 0)"),
    bad("one dimension, `X[:, 0]`", X[:, 0], ValueError, "`X`", "Got 1 dim", "reshape(-1, 1)"),
    bad("three dimensions", np.zeros((N, 2, 2)), ValueError, "`X` must be two-dim", "Got 3 dim"),
    bad("a pandas series", pd.Series(X[:, 0]), ValueError, "`X`", "Got 1 dim", "reshape(-1, 1)"),
    bad("rows of unequal length", [[1, 2], [3]] * 15, ValueError, "`X` must be an array",
        "equal length", varies=r"(?<=\().*(?=\)\. Pass)"),
    bad("`None`", None, TypeError, "`X` must be an array", "rows by columns", "Got None"),
    bad("a number", 5, TypeError, "`X` must be an array", "rows by columns", "Got 5"),
    bad("the name of a file", "rows.csv", TypeError, "`X` must be an array", "Got 'rows.csv'"),
    bad("a dict of columns", {"a": Y}, TypeError, "`X` must be an array", "Got a dict"),
    bad("a value of text among numbers", with_value(X.astype(object), (3, 1), "?"), TypeError,
        "'x1'", "'?'", "drop it"),
    bad("numbers as text in an array", X.astype(str), TypeError, "numbers as text", "astype("),
    bad("numbers and text in a column of a frame", frame(c=[1, "u"] * 15), TypeError,
        "'c' (values of type 'int', 'str' such as 'u')"),
    bad("a column of dates", frame(day=DAY), TypeError, "`X`", "'day'", "Datetime", "Drop",
        varies=r"(?<=Datetime\().*?(?=\))"),
    bad("a column of lists", frame(c=[[1]] * N), TypeError, "'c'"),
    bad("identifiers of 64 bits", frame(id=np.arange(2**64 - N, 2**64, dtype=np.uint64)),
        ValueError, "Column 'id' of `X`", "Got 18446744073709551586", "identifies rows"),
    bad("integers above 2**53 in an array of objects",
        np.array([[2**60 + i, i] for i in range(N)], dtype=object), ValueError,
        "Column 'x0' of `X`", "rounded to 1152921504606846976"),
    bad("complex numbers", X.astype(complex), TypeError, "complex128", "astype(float)"),
    bad("bytes", np.full((N, 2), b"a"), TypeError, "dtype |S1"),
    bad("two columns of one name", pd.DataFrame(X, columns=["a", "b", "a"]), ValueError,
        "names of `X` must be unique", "'a'", "Rename", varies=r"(?<=\().*(?=\) instead)"),
    bad("a column of more than 64 categories, such as one that names the rows",
        pd.DataFrame({"id": [f"patient {i}" for i in range(65)]}), ValueError,
        "'id' of `X` must have at most 64 categories. Got 65", "Merge", "identifies rows"),
    bad("categories that are equal as text", frame(c=pd.Categorical([1, "1"] * 15)), ValueError,
        "categories of column 'c' of `X` must differ as text", "'1', '1'", "Rename"),
]  # fmt: skip

ACCEPTED = [
    Accepted("missing values: NaN, None, `pandas.NA`, nulls, masked values",
             lambda: select(with_gap(), Y, "dart-vc"),
             "they stay missing: a rule sends their rows to the side that fits the data",
             lambda found: found.names == ["x0"] and found.draws.columns.missing == {0}),
    Accepted("a lazy frame of polars", lambda: sample(polars_frame(X).lazy()),
             "it is read a few columns at a time",
             lambda draws: draws.feature_names == ("a", "b", "c")),
    Accepted("a masked array", lambda: sample(masked()),
             "what is masked is missing",
             lambda draws: draws.columns.missing == {0, 1, 2}),
    Accepted("a column without any value", lambda: sample(frame(c=np.nan)),
             "it plays no part: no rule is on it",
             lambda draws: draws.vc[:, 2].max() == 0 < draws.vc[:, 0].min()),
    Accepted("a constant column", lambda: sample(frame(c=1.0)),
             "it plays no part: no rule is on it",
             lambda draws: draws.vc[:, 2].max() == 0 < draws.vc[:, 0].min()),
    Accepted("only constant columns", lambda: select(np.ones((N, 2))),
             "nothing is selected",
             lambda found: found.names == []),
    Accepted("a single column", lambda: select(X[:, :1]),
             "it is selected if any rule is on it",
             lambda found: found.names == ["x0"]),
    Accepted("the same column twice", lambda: select(X[:, [0, 1, 2, 0]]),
             "the credit goes to one or is shared; where one is left out, a note names both",
             lambda found: {"x0", "x3"} & set(found.names)
             and (len(found.names) > 1 or "nearly the same" in str(found))),
    Accepted("more columns than rows",
             lambda: select(np.hstack([X, np.random.default_rng(0).uniform(size=(N, 200))]),
                            burn_in=200),
             "nothing special",
             lambda found: found.names == ["x0"] and len(found.mask) == 203),
    Accepted("a column of text or of a categorical type", lambda: sample(frame(c=COLOURS)),
             "it is one variable of categories",
             lambda draws: draws.columns.categories == {2: ("blue", "green", "red")}),
    Accepted("an ordered categorical type",
             lambda: sample(frame(c=pd.Categorical(COLOURS, RAINBOW, ordered=True))),
             "it is ordered, by the rank of the category",
             lambda draws: draws.columns.levels == {2: tuple(RAINBOW)}),
    Accepted("booleans", lambda: sample(frame(c=X[:, 2] > 0.5)),
             "false is 0, true is 1",
             lambda draws: draws.schema is None),
    Accepted("a sparse matrix", lambda: sample(scipy.sparse.csr_array(X)),
             "it gives the bits of the same numbers in an array",
             lambda draws: (draws.vc == sample().vc).all()),
    Accepted("columns numbered from 0, as pandas makes them", lambda: sample(pd.DataFrame(X)),
             "their names are the integers 0, 1, ..., so that `X[found.names]` works",
             lambda draws: draws.feature_names == (0, 1, 2)),
    Accepted("an index of rows with duplicates, and y without an index or with the same one",
             lambda: (sample(pd.DataFrame(X, index=[7, 3] * 15)),
                      sample(pd.DataFrame(X, index=[7, 3] * 15), pd.Series(Y, index=[7, 3] * 15))),
             "rows and responses are matched by position",
             lambda both: all((draws.vc == sample().vc).all() for draws in both)),
    Accepted("values near the largest double, `X * 1e307`", lambda: sample(X * 1e307),
             "only their order counts, apart from the linear model behind `sigma_hat`",
             lambda draws: np.isfinite(draws.sigma).all() and draws.vc.argmax() == 0),
    Accepted("the least that there can be: two rows, one column",
             lambda: sample([[0.0], [1.0]], [1.0, 2.0], **(TWO | {"n_replicates": 1})),
             "it is fitted",
             lambda draws: np.isfinite(draws.sigma).all()),
    Accepted("fewer than 20 rows in `select`", lambda: select(X[:19], Y[:19]),
             "a note says not to rely on the selection; from 20 rows on there is none",
             lambda found: any(note.code == "few-rows" for note in found.notes)
             and not any(note.code == "few-rows" for note in select(X[:20], Y[:20]).notes)),
    Accepted("a column of which y is a function in `select`",
             lambda: select(X, np.exp(X[:, 0]), threshold="median-probability", measure="mpvip"),
             "a note says to check whether it was derived from y",
             lambda found: [note.code for note in found.data_notes] == ["leak"]),
    Accepted("a column called `id` with another whole number in every row in `select`",
             lambda: select(frame(id=np.arange(N) * 7 % N)),
             "a note says to leave it out",
             lambda found: "identifier" in [note.code for note in found.data_notes]),
]  # fmt: skip

CASES: list[Case] = [*REFUSED, *ACCEPTED]
