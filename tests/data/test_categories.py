"""Categories and missing values of every kind of table become the same numbers."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesvc.data.encode import encode_new_X, encode_X
from bayesvc.data.schema import ColumnSchema

COLOURS = ["red", "blue", None, "red"]
CODES = [1, 0, 2, 1]  # of sorted labels; missing comes last


def pandas_frames():
    yield pd.DataFrame({"c": pd.Series(COLOURS, dtype="object")})
    yield pd.DataFrame({"c": pd.Series(COLOURS, dtype="str")})
    yield pd.DataFrame({"c": pd.Series(COLOURS, dtype="string")})
    yield pd.DataFrame({"c": pd.Categorical(COLOURS, categories=["red", "blue"])})


def polars_frames():
    yield pl.DataFrame({"c": COLOURS})
    yield pl.DataFrame({"c": pl.Series(COLOURS, dtype=pl.Categorical)})
    yield pl.DataFrame({"c": pl.Series(COLOURS, dtype=pl.Enum(["red", "blue"]))})


def arrays():
    yield [[colour] for colour in COLOURS]
    yield np.array(COLOURS, dtype=object)[:, np.newaxis]


@pytest.mark.parametrize("X", [*pandas_frames(), *polars_frames(), *arrays()])
def test_text_and_categories(X):
    encoded = encode_X(X)
    assert encoded.values[:, 0].tolist() == CODES
    assert encoded.schema.categories == {0: ("blue", "red")}
    assert encoded.schema.missing == {0}
    assert encoded.schema.labels(0) == ("blue", "red", "missing")
    assert encoded.schema.layout == ((3,), (), ())
    np.testing.assert_array_equal(encode_new_X(X, encoded.schema).values, encoded.values)


def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    text = pa.table({"c": COLOURS, "x": [1, None, 2, 3], "b": [True, None, False, True]})
    for table in (text, text.set_column(0, "c", text["c"].dictionary_encode())):
        encoded = encode_X(table)
        assert encoded.values[:, 0].tolist() == CODES
        assert encoded.schema.categories == {0: ("blue", "red")}
        assert encoded.schema.missing == {0, 1, 2}
        np.testing.assert_array_equal(encoded.values[:, 2], [1, np.nan, 0, 1])
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    codes = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), ["low", "high"])
    ordered = encode_X(pa.table({"c": codes.cast(kind)}))
    assert ordered.schema.levels == {0: ("low", "high")}
    assert ordered.values.tolist() == [[1], [0]]
    with pytest.raises(TypeError, match=r"'d' \(Date"):
        encode_X(pa.table({"d": [datetime.date(2020, 1, 1)] * 2}))


def test_declared_categories_are_known_and_those_of_text_are_observed():
    declared = pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["a", "b", "z"])})
    assert encode_X(declared).schema.labels(0) == ("a", "b", "z")
    enum = pl.DataFrame({"c": pl.Series(["a", "b"], dtype=pl.Enum(["z", "a", "b"]))})
    assert encode_X(enum).schema.labels(0) == ("a", "b", "z")
    # other columns' categories are no concern of a column of polars' Categorical
    pl.Series(["never", "seen"], dtype=pl.Categorical)
    alone = pl.DataFrame({"c": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert encode_X(alone).schema.labels(0) == ("a", "b")


def test_ordered_categories_are_ranks():
    sizes = pd.Categorical(["S", "L", None, "M"], categories=["S", "M", "L"], ordered=True)
    encoded = encode_X(pd.DataFrame({"size": sizes}))
    np.testing.assert_array_equal(encoded.values[:, 0], [0, 2, np.nan, 1])
    assert encoded.schema.levels == {0: ("S", "M", "L")}
    assert encoded.schema.layout == ((), (), (0,))
    bins = pd.DataFrame({"bin": pd.cut([0.1, 2.5, 1.2], [0, 1, 2, 3])})
    assert encode_X(bins).values[:, 0].tolist() == [0, 2, 1]
    many = pd.Categorical(range(100), ordered=True)
    assert encode_X(pd.DataFrame({"many": many})).values[:, 0].tolist() == list(range(100))


def test_categories_that_are_numbers():
    encoded = encode_X(pd.DataFrame({"c": pd.Categorical([3, 1, 3])}))
    assert encoded.schema.categories == {0: ("1", "3")}
    assert encoded.values[:, 0].tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match=r"column 'c' of `X` must differ as text. Got '1', '1'"):
        encode_X(pd.DataFrame({"c": pd.Categorical(["1", 1, "1"], categories=["1", 1])}))


@pytest.mark.parametrize(
    "column",
    [
        pd.array([True, None, False], "boolean"),
        np.array([True, None, False], dtype=object),
        np.array([1, pd.NA, 0], dtype=object),
        np.array([Decimal(1), float("nan"), 0], dtype=object),
        pd.array([1, None, 0], "Int8"),
        pd.array([1.0, None, 0.0], "Float32"),
    ],
)
def test_missing_numbers_and_truth_values_of_pandas(column):
    encoded = encode_X(pd.DataFrame({"a": [1, 2, 3], "b": column}))
    np.testing.assert_array_equal(encoded.values[:, 1], [1, np.nan, 0])
    assert encoded.schema == ColumnSchema(("a", "b"), missing=frozenset({1}))


@pytest.mark.parametrize("dtype", [pl.Boolean, pl.Int16, pl.Float32, pl.Decimal(10, 2)])
def test_missing_numbers_and_truth_values_of_polars(dtype):
    column = pl.Series([1, None, 0]).cast(dtype)
    encoded = encode_X(pl.DataFrame({"a": [1, 2, 3], "b": column}))
    np.testing.assert_array_equal(encoded.values[:, 1], [1, np.nan, 0])
    assert encoded.schema.missing == {1}


def test_masked_arrays_and_lists():
    masked = np.ma.masked_equal([[1, 2], [3, 4]], 2)
    np.testing.assert_array_equal(encode_X(masked).values, [[1, np.nan], [3, 4]])
    np.testing.assert_array_equal(encode_X([[1, None], [3, 4]]).values, [[1, np.nan], [3, 4]])
    text = np.array([["a", "u"], ["b", "u"]])
    assert encode_X(text).schema.categories == {0: ("a", "b"), 1: ("u",)}
    assert encode_X(text).values.tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [1, 2], "b": [None, None]}),
        pd.DataFrame({"a": [1, 2], "b": pd.Categorical([None, None])}),
        pl.DataFrame({"a": [1, 2], "b": [None, None]}),
        pl.DataFrame({"a": [1, 2], "b": pl.Series([None, None], dtype=pl.String)}),
        np.array([[1, None], [2, None]], dtype=object),
    ],
)
def test_a_column_without_any_value(X):
    encoded = encode_X(X)
    np.testing.assert_array_equal(encoded.values, [[1, np.nan], [2, np.nan]])
    assert not encoded.schema.categories
    assert encoded.schema.missing == {1}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_too_many_categories(frame):
    labels = [f"id{i}" for i in range(65)]
    with pytest.raises(ValueError, match=r"'id' of `X` .* 64 .*Got 65 .*Merge.*identif.*numb"):
        encode_X(frame({"id": labels, "x": range(65)}))
    assert len(encode_X(frame({"id": labels[:64], "x": range(64)})).schema.labels(0)) == 64
    with pytest.raises(ValueError, match="Got 65, with missing as one of them,"):
        encode_X(frame({"id": [*labels[:64], None], "x": range(65)}))


@pytest.mark.parametrize(
    "column",
    [
        [datetime.date(2020, 1, 1), None],
        [datetime.timedelta(1), datetime.timedelta(2)],
        [[1], [2]],
        [{"a": 1}, {"a": 2}],
    ],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_other_columns_are_refused(frame, column):
    with pytest.raises(TypeError, match=r"Got 1 of 2 columns .*'odd' \(.*\. Drop them, or conv"):
        encode_X(frame({"x": [1, 2], "odd": column}))


def test_a_column_of_text_and_numbers_is_refused():
    with pytest.raises(TypeError, match=r"'odd' \(values of type 'int', 'str' such as 'a'"):
        encode_X(pd.DataFrame({"x": [1, 2], "odd": np.array([1, "a"], dtype=object)}))


TABLE = encode_X(
    pd.DataFrame(
        {
            "c": ["a", "b", None],
            "d": ["u", "v", "u"],
            "x": [1.0, 2.0, 3.0],
            "z": [1.0, None, 3.0],
            "s": pd.Categorical(["S", "M", "S"], categories=["S", "M"], ordered=True),
        }
    )
).schema
ROW = {"c": ["b"], "d": ["v"], "x": [7.0], "z": [None], "s": ["M"]}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_new_rows(frame):
    np.testing.assert_array_equal(encode_new_X(frame(ROW), TABLE).values, [[1, 1, 7, np.nan, 1]])
    gone = encode_new_X(frame(ROW | {"c": [None]}), TABLE).values
    assert gone[0, 0] == 2
    assert encode_new_X(frame(ROW)[:0], TABLE).values.shape == (0, 5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"c": ["z"]}, r"'c' of `X` must hold .*'a', 'b'.*Got 'z' .*Merge"),
        ({"s": ["XL"]}, r"'s' of `X` must hold .*Got 'XL'"),
        ({"d": [None]}, r"only in columns that had some.*missing values in 'd'.*Fill"),
        ({"x": [None]}, r"missing values in 'x'"),
        ({"s": [None]}, r"missing values in 's'"),
        ({"x": [float("inf")]}, r"1 infinite value,"),
        ({"x": ["one"]}, r"'x' of `X` must hold numbers, .* Got text such as 'one'"),
        ({"c": [1.0]}, r"'c' of `X` must hold categories \('a', 'b'\), .*Got numbers"),
    ],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_new_rows_that_do_not_fit(frame, change, message):
    with pytest.raises(ValueError, match=message):
        encode_new_X(frame(ROW | change), TABLE)


def test_a_declared_category_that_no_new_row_has_is_no_matter():
    column = pd.Categorical(["a"], categories=["a", "new"])
    found = encode_new_X(pd.DataFrame(ROW).assign(c=column), TABLE)
    np.testing.assert_array_equal(found.values, [[0, 1, 7, np.nan, 1]])


def test_a_table_survives_its_dict():
    table = TABLE.with_groups({"pair": ["x", 0]})
    assert ColumnSchema.from_dict(table.to_dict()) == table
    assert table.variable_names == ("pair", "d", "z", "s")
    assert table.layout.groups == ((0, 2), (1,), (3,), (4,))
    assert table.variable_of.tolist() == [0, 1, 0, 2, 3]
    part, columns = table.part([0, 2])
    assert columns == [0, 2, 3]
    assert part.names == ("c", "x", "z")
    assert part.categories == {0: ("a", "b")}
    assert part.missing == {0, 2}
    assert part.groups == (("pair", (0, 1)),)
    with pytest.raises(ValueError, match="contradicts"):
        ColumnSchema.from_dict(table.to_dict() | {"missing": [5]})


def test_a_group_may_have_the_name_of_one_of_its_columns():
    assert TABLE.with_groups({"x": ["x", "z"]}).variable_names == ("c", "d", "x", "s")
