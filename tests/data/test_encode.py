from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import bayesvc as bv
from bayesvc import _core, _validation
from bayesvc.data.dataset import data_hash
from bayesvc.data.encode import encode_X
from bayesvc.responses.encode import encode_y
from tests.helpers.settings import SEEDED

FRAMES = [pd.DataFrame, pl.DataFrame]


def test_float_arrays_are_not_copied(rng):
    X = rng.normal(size=(6, 3))
    assert encode_X(X).values is X
    fortran = np.asfortranarray(X)
    assert encode_X(fortran).values is fortran
    assert encode_X(X[:, ::2]).values.flags.f_contiguous


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, ">f8"])
def test_real_dtypes(dtype):
    encoded = encode_X(np.array([[0, 1], [1, 0]], dtype=dtype))
    assert encoded.values.dtype == np.float64
    assert encoded.values.dtype.isnative
    assert encoded.values.tolist() == [[0, 1], [1, 0]]
    assert encoded.names == ("x0", "x1")
    assert not encoded.names_given


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_of_mixed_numbers(frame):
    data = frame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "c": [True, False, True]})
    encoded = encode_X(data)
    assert encoded.names == ("a", "b", "c")
    assert encoded.names_given
    assert encoded.values.tolist() == [[1, 0.5, 1], [2, 1.5, 0], [3, 2.5, 1]]


def test_pandas_nullable_and_unnamed_columns():
    nullable = pd.DataFrame(
        {"a": pd.array([1, 2], "Int64"), "b": pd.array([True, False], "boolean")}
    )
    assert encode_X(nullable).values.tolist() == [[1, 1], [2, 0]]
    assert encode_X(pd.DataFrame([[1, 2], [3, 4]])).names == (0, 1)
    assert encode_X(pd.DataFrame([[1, 2], [3, 4]], columns=[7, 8])).names == (7, 8)


def test_polars_decimals():
    data = pl.DataFrame({"a": [1.5, 2.5]}, schema={"a": pl.Decimal(10, 2)})
    assert encode_X(data).values.tolist() == [[1.5], [2.5]]


def test_integers_wider_than_numpy_has():
    wide = [10**20, 2 * 10**20, -(2**100)]
    data = pl.DataFrame({"a": wide, "b": [1, 2, 3]}, schema={"a": pl.Int128, "b": pl.Int64})
    np.testing.assert_array_equal(encode_X(data).values, [[1e20, 1], [2e20, 2], [-(2.0**100), 3]])
    assert encode_y(data["a"]).values.tolist() == [1e20, 2e20, -(2.0**100)]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    "column",
    [[datetime.date(2020, 1, day) for day in (1, 2, 3)], [[1], [2], [3]]],
)
def test_columns_that_are_neither_numbers_nor_categories_are_named(frame, column):
    with pytest.raises(TypeError, match=r"Got 1 of 2 columns.*'colour'.*Drop"):
        encode_X(frame({"good": [1, 2, 3], "colour": column}))


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, np.nan]}),
        pd.DataFrame({"a": [1, 2], "b": pd.array([None, None], "Int64")}),
        pl.DataFrame({"a": [1.0, 2.0], "b": [None, float("nan")]}),
        pl.DataFrame({"a": [1, 2], "b": [None, None]}, schema={"a": pl.Int64, "b": pl.Int64}),
    ],
)
def test_missing_values_in_frames_are_nan(data):
    encoded = encode_X(data)
    assert np.isnan(encoded.values).tolist() == [[False, True], [False, True]]
    assert encoded.schema.missing == {1}


def test_infinite_values_in_arrays():
    X = np.ones((3, 4))
    X[0, 1], X[0, 0], X[1:, 3] = np.nan, -np.inf, np.inf
    with pytest.raises(ValueError, match=r"3 infinite .*2 of 4 columns: 'x0', 'x3'. Make"):
        encode_X(X)


def test_large_finite_values_are_not_called_infinite():
    X = np.full((2, 2), 1e308)
    assert encode_X(X).values is X


def test_repeated_names():
    for labels in (["a", "a", "b"], ["a", 1, "1"]):
        with pytest.raises(ValueError, match=r"`X` must be unique.*'[a1]'.*Rename"):
            encode_X(pd.DataFrame([[1, 2, 3], [4, 5, 6]], columns=labels))


@pytest.mark.parametrize(
    ("X", "kind", "message"),
    [
        (np.arange(3.0), ValueError, "Got 1 dimension "),
        (np.zeros((2, 2, 2)), ValueError, "Got 3 dimensions"),
        (5, TypeError, "`X` must be an array, .* rows by columns. Got 5"),
        (pd.Series([1.0, 2.0]), ValueError, r"reshape\(-1, 1\)"),
        (pl.Series([1.0, 2.0]), ValueError, r"reshape\(-1, 1\)"),
        ([[1, 2], [3]], ValueError, "equal length"),
        ([["a", 1], [2, 3]], TypeError, "'x0' .*Got values of type 'int', 'str' such as 'a'"),
        (np.array([[1, {}], [2, 3]], dtype=object), TypeError, "'x1' .*Got .* 'dict'"),
        (np.array([["1", "2"], ["3", "x"]]), TypeError, "'x0' .*numbers as text.*astype"),
        (np.array([[b"a"], [b"b"]]), TypeError, r"dtype \|S1"),
        (np.ones((2, 2), dtype=complex), TypeError, "complex"),
        (np.ones((2, 2), dtype="M8[D]"), TypeError, "datetime64"),
        (scipy.sparse.coo_array(np.arange(3.0)), ValueError, "Got 1 dimension "),
        (scipy.sparse.csr_array(np.ones((2, 2), dtype=complex)), TypeError, "complex"),
        (scipy.sparse.csr_array((1, 2)), ValueError, "Got 1 row "),
        (scipy.sparse.csr_array((3, 0)), ValueError, "at least one column. Got none"),
        (np.ones((0, 2)), ValueError, "Got 0 rows"),
        (np.ones((1, 2)), ValueError, "Got 1 row "),
        (np.ones((3, 0)), ValueError, "at least one column. Got none"),
        (pd.DataFrame({"a": []}), ValueError, "Got 0 rows"),
        (pd.DataFrame(index=[0, 1, 2]), ValueError, "at least one column. Got none"),
        (None, TypeError, "`X` must be an array, .* Got None"),
    ],
)
def test_unusable_X(X, kind, message):
    with pytest.raises(kind, match=message):
        encode_X(X)


FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_sparse_matrices_are_made_dense(rng, form, kind):
    X = np.where(rng.uniform(size=(7, 4)) < 0.7, 0, rng.normal(size=(7, 4)))
    sparse = getattr(scipy.sparse, f"{form}_{kind}")(X)
    encoded = encode_X(sparse)
    np.testing.assert_array_equal(encoded.values, X)
    assert encoded.values.flags.f_contiguous
    assert (encoded.names, encoded.names_given) == (("x0", "x1", "x2", "x3"), False)
    np.testing.assert_array_equal(sparse.toarray(), X)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint32, np.int64, np.float32])
def test_sparse_dtypes_and_entries_given_twice(dtype):
    entries = (np.array([1, 100, 100], dtype=dtype), ([0, 2, 2], [1, 0, 0]))
    sparse = scipy.sparse.coo_array(entries, shape=(3, 2))
    values = encode_X(sparse).values
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, sparse.toarray().astype(float))


@pytest.mark.parametrize("form", FORMATS)
def test_missing_and_infinite_values_in_sparse_matrices(form):
    X = np.zeros((3, 4))
    X[0, 1], X[1:, 3] = np.nan, np.inf
    sparse = scipy.sparse.csr_array(X).asformat(form)
    with pytest.raises(ValueError, match=r"2 infinite .* 'x3'"):
        encode_X(sparse)
    X[1:, 3] = 7
    encoded = encode_X(scipy.sparse.csr_array(X).asformat(form))
    np.testing.assert_array_equal(encoded.values, X)
    assert encoded.schema.missing == {1}


@pytest.mark.parametrize(
    ("dtype", "needed"), [(float, 12), (np.float32, 12), (bool, 12), (np.int64, 16)]
)
def test_memory_is_checked_before_a_sparse_matrix_is_made_dense(monkeypatch, dtype, needed):
    X = scipy.sparse.csr_array((1000, 1_000_000), dtype=dtype)
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**9)
    with pytest.raises(
        MemoryError,
        match=rf"X \(a csr_array\).* {needed}.0 GB \(1,000 x 1,000,000 .* 1.0 GB are.*fewer",
    ):
        encode_X(X)
    monkeypatch.setattr(_validation, "available_memory", lambda: needed * 100)
    assert encode_X(X[:, :10][:10]).values.shape == (10, 10)
    monkeypatch.setattr(_validation, "available_memory", lambda: needed * 100 - 1)
    with pytest.raises(MemoryError):
        encode_X(X[:, :10][:10])


def sparse_frame(**columns):
    return pd.DataFrame({name: pd.arrays.SparseArray(column) for name, column in columns.items()})


def test_pandas_frames_with_sparse_columns(monkeypatch):
    data = sparse_frame(a=[0, 0, 2.5], b=[0, 7, 0], c=[True, False, False])
    data["d"] = pd.array([1, 2, 3], "Int64")
    encoded = encode_X(data)
    assert encoded.values.tolist() == [[0, 0, 1, 1], [0, 7, 0, 2], [2.5, 0, 0, 3]]
    assert (encoded.names, encoded.names_given) == (("a", "b", "c", "d"), True)
    unnamed = pd.DataFrame.sparse.from_spmatrix(scipy.sparse.eye_array(3, format="csr"))
    assert encode_X(unnamed).values.tolist() == np.eye(3).tolist()
    assert encode_X(unnamed).names == (0, 1, 2)
    gaps = encode_X(sparse_frame(a=[1.0, 2.0, 3.0], b=[np.nan, np.nan, 1.0]))
    assert gaps.schema.missing == {1}
    mixed = encode_X(sparse_frame(a=[0, 2.5]).assign(b=["v", "u"]))
    assert mixed.values.tolist() == [[0, 1], [2.5, 0]]
    with pytest.raises(TypeError, match=r"1 of 2 columns.*'b'"):
        encode_X(sparse_frame(a=[1.0, 2.0], b=["u", "v"]))
    monkeypatch.setattr(_validation, "available_memory", lambda: 12 * 12 - 1)
    with pytest.raises(MemoryError, match=r"X \(a frame with sparse columns\)"):
        encode_X(data)


def test_sparse_and_dense_draws_are_the_same(regression):
    X, y = regression
    X = np.where(X < 0.5, 0, X)
    settings = SEEDED | {"n_replicates": 2}
    expected = bv.sample(X, y, **settings)
    frame = pd.DataFrame(X).astype(pd.SparseDtype(float, 0))
    for sparse in (scipy.sparse.csr_array(X), scipy.sparse.lil_matrix(X), frame):
        found = bv.sample(sparse, y, **settings)
        np.testing.assert_array_equal(found.vc, expected.vc)
        np.testing.assert_array_equal(found.sigma, expected.sigma)
        assert found.data_hash == expected.data_hash


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([True, False, True]), [False, True]),
        ([1, 0, 1], [0, 1]),
        ([1.0, 0.0, 1.0], [0.0, 1.0]),
        (["yes", "no", "yes"], ["no", "yes"]),
        (np.array(["yes", "no", "yes"], dtype=object), ["no", "yes"]),
        (pd.Series(["yes", "no", "yes"]), ["no", "yes"]),
        (pd.Series(["yes", "no", "yes"], dtype="category"), ["no", "yes"]),
        (pd.Series([True, False, True], dtype="boolean"), [False, True]),
        (pl.Series(["yes", "no", "yes"]), ["no", "yes"]),
        (pl.Series(["yes", "no", "yes"], dtype=pl.Categorical), ["no", "yes"]),
        (pl.Series([True, False, True]), [False, True]),
    ],
)
def test_binary_responses(y, classes):
    encoded = encode_y(y)
    assert encoded.response == "binary"
    assert encoded.values.tolist() == [1, 0, 1]
    assert encoded.classes.tolist() == classes
    assert encoded.classes.dtype != object


@pytest.mark.parametrize(
    "y",
    [
        [1, 2, 4],
        np.array([[1.0], [2.0], [4.0]]),
        pd.Series([1, 2, 4], dtype="Int64"),
        pd.DataFrame({"y": [1, 2, 4]}),
        pl.Series([1, 2, 4]),
        pl.DataFrame({"y": [1.0, 2.0, 4.0]}),
        np.array([1, 2, 4], dtype=object),
    ],
)
def test_continuous_responses(y):
    encoded = encode_y(y)
    assert (encoded.response, encoded.classes) == ("continuous", None)
    assert encoded.values.tolist() == [1, 2, 4]


def test_the_response_may_be_forced():
    assert encode_y([0, 1, 1], "continuous").response == "continuous"
    assert encode_y([True, False], "continuous").values.tolist() == [1, 0]
    assert encode_y([-1, 1, 1], "binary").values.tolist() == [0, 1, 1]


def test_a_continuous_response_is_a_copy():
    y = np.array([1.0, 2.0, 3.0])
    assert not np.shares_memory(encode_y(y).values, y)


@pytest.mark.parametrize(
    ("y", "response", "kind", "message"),
    [
        ([1.0, np.nan, np.inf], "auto", ValueError, "1 missing .* 1 infinite"),
        ([1.0, None, 2.0], "auto", ValueError, "1 missing"),
        (pd.Series([1, None], dtype="Int64"), "auto", ValueError, "1 missing"),
        (pl.Series(["a", None, "b"]), "auto", ValueError, "1 missing"),
        ([2.0, 2.0], "auto", ValueError, "constant .*2"),
        ([0, 0], "auto", ValueError, "constant"),
        ([True, True], "auto", ValueError, "must hold two classes"),
        (["a", "a"], "auto", ValueError, "must hold two classes"),
        ([1, 1], "binary", ValueError, "must hold two classes"),
        (["a", "b", "c"], "auto", ValueError, "3 classes"),
        ([1, 2, 3], "binary", ValueError, "3 classes"),
        (["a", "b"], "continuous", TypeError, "text"),
        ([1j, 2], "auto", TypeError, "complex"),
        (np.array([1, "a"], dtype=object), "auto", TypeError, "'int', 'str'"),
        (np.ones((3, 2)), "auto", ValueError, "one-dimensional"),
        (pd.DataFrame({"a": [1, 2], "b": [3, 4]}), "auto", ValueError, "2 columns"),
        (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), "auto", TypeError, "datetime64"),
        ([-1e308, 1.7e308], "auto", ValueError, "must lie between"),
        ([1, 2], "ordinal", ValueError, "`response` must be one of .* Got 'ordinal'"),
        (None, "auto", TypeError, "`y` must be an array, .* Got None"),
        (scipy.sparse.csr_array([[0.0], [1.0]]), "auto", TypeError, r"sparse csr_array.*toarray"),
    ],
)
def test_unusable_y(y, response, kind, message):
    with pytest.raises(kind, match=message):
        encode_y(y, response)


def test_length_of_y():
    with pytest.raises(ValueError, match=r"one value per row of X, 4\. Got 3 values"):
        encode_y([1, 2, 3], n_rows=4)


def hash_of(X, y):
    return data_hash(_core.Columns(X), y)


def test_hash_sees_values_and_not_layout(rng):
    X, y = rng.normal(size=(5000, 3)), rng.normal(size=5000)
    expected = hash_of(X, y)
    assert hash_of(np.asfortranarray(X), y) == expected
    assert hash_of(X, y[::-1]) != expected
    assert hash_of(X[:, [1, 0, 2]], y) != expected
    X[4999, 2] += 1e-9
    assert hash_of(X, y) != expected
    assert hash_of(np.zeros((2, 3)), np.zeros(2)) != hash_of(np.zeros((3, 2)), np.zeros(2))
    assert hash_of(np.zeros((2, 2)), np.zeros(2)) == hash_of(-np.zeros((2, 2)), np.zeros(2))
