"""Integers that float64 would round are refused, wherever they come from."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import bayesvc as bv
from bayesvc.data.encode import encode_new_X, encode_X
from bayesvc.data.rows import check_blocks, check_sample_weight
from bayesvc.responses.encode import encode_y
from tests.helpers.no_sampling import no_sampling

N = 30
BIG = [2**60 + i for i in range(N)]  # all the same in float64
HUGE = [2**64 - 1 - i for i in range(N)]
WIDE = [2**100 + i for i in range(N)]
SMALL = list(range(N))
HALVES = [i / 2 for i in range(N)]

FRAMES = {
    "numpy int64": np.column_stack([SMALL, BIG]),
    "numpy uint64": np.array([SMALL, HUGE], dtype=np.uint64).T,
    "numpy objects": np.array([SMALL, BIG], dtype=object).T,
    "numpy objects beyond 64 bits": np.array([SMALL, WIDE], dtype=object).T,
    "numpy objects of numpy": np.array([SMALL, [*np.array(BIG)]], dtype=object).T,
    "numpy objects beyond all floats": np.array([SMALL, [10**400 + i for i in SMALL]],
                                                dtype=object).T,
    "numpy masked": np.ma.masked_array(np.column_stack([SMALL, BIG]), np.eye(N, 2) > 0),
    "list of rows with floats": [list(row) for row in zip(HALVES, BIG, strict=True)],
    "list of rows": [list(row) for row in zip(SMALL, BIG, strict=True)],
    "decimals": np.array([SMALL, [Decimal(value) for value in BIG]], dtype=object).T,
    "sparse": scipy.sparse.csr_array(np.column_stack([SMALL, BIG])),
    "pandas": pd.DataFrame({"x0": HALVES, "x1": BIG}),
    "pandas integers": pd.DataFrame({"x0": SMALL, "x1": BIG}),
    "pandas uint64": pd.DataFrame({"x0": [-1] * N, "x1": np.array(HUGE, dtype=np.uint64)}),
    "pandas nullable": pd.DataFrame({"x0": HALVES, "x1": pd.array([None, *BIG[1:]], "Int64")}),
    "pandas nullable uint64": pd.DataFrame({"x0": SMALL, "x1": pd.array(HUGE, "UInt64")}),
    "pandas objects": pd.DataFrame({"x0": SMALL, "x1": pd.Series(WIDE, dtype=object)}),
    "pandas sparse": pd.DataFrame({"x0": SMALL, "x1": pd.arrays.SparseArray(BIG)}),
    "pandas with text": pd.DataFrame({"x0": ["a", "b"] * 15, "x1": BIG}),
    "pandas of arrow": pd.DataFrame({"x0": HALVES, "x1": pd.array(BIG, "int64[pyarrow]")}),
    "polars": pl.DataFrame({"x0": HALVES, "x1": BIG}),
    "polars with nulls": pl.DataFrame({"x0": HALVES, "x1": [None, *BIG[1:]]}),
    "polars uint64": pl.DataFrame({"x0": [-1] * N, "x1": pl.Series(HUGE, dtype=pl.UInt64)}),
    "polars Int128": pl.DataFrame({"x0": SMALL, "x1": pl.Series(WIDE, dtype=pl.Int128)}),
    "polars decimal": pl.DataFrame({"x0": SMALL, "x1": pl.Series(BIG).cast(pl.Decimal(30, 0))}),
    "polars with text": pl.DataFrame({"x0": ["a", "b"] * 15, "x1": BIG}),
    "pyarrow": pa.table({"x0": HALVES, "x1": BIG}),
    "pyarrow uint64": pa.table({"x0": SMALL, "x1": pa.array(HUGE, pa.uint64())}),
}  # fmt: skip

VECTORS = {
    "numpy int64": np.array(BIG),
    "numpy uint64": np.array(HUGE, dtype=np.uint64),
    "objects": np.array(WIDE, dtype=object),
    "a list": BIG,
    "a list with floats": [0.5, *BIG[1:]],
    "pandas": pd.Series(BIG),
    "pandas nullable": pd.Series(pd.array(HUGE, "UInt64")),
    "polars": pl.Series(BIG),
    "polars Int128": pl.Series(WIDE, dtype=pl.Int128),
    "pyarrow": pa.chunked_array([BIG]),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_of_X_is_refused_by_its_name(kind):
    with pytest.raises(ValueError, match=r"Column 'x1' of `X` must hold .* exactly") as error:
        encode_X(FRAMES[kind])
    assert "would be rounded to" in str(error.value)
    assert "Subtract a constant" in str(error.value)


@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_of_new_rows_is_refused(kind):
    fitted = {"x0": ["a", "b"] * 15 if "text" in kind else SMALL, "x1": [None, *SMALL[1:]]}
    schema = encode_X(pd.DataFrame(fitted)).schema
    with pytest.raises(ValueError, match=r"Column 'x1' of `X` must hold .* exactly"):
        encode_new_X(FRAMES[kind], schema)


@pytest.mark.parametrize("kind", VECTORS)
def test_a_response_is_refused(kind):
    with pytest.raises(ValueError, match="`y` must hold numbers that float64 represents exactly"):
        encode_y(VECTORS[kind])


@pytest.mark.parametrize("kind", VECTORS)
def test_weights_are_refused(kind):
    with pytest.raises(ValueError, match="`sample_weight` must hold numbers that float64"):
        check_sample_weight(VECTORS[kind])


@pytest.mark.parametrize("given", [np.column_stack([SMALL, BIG]), FRAMES["list of rows"]])
@pytest.mark.parametrize("kind", [bv.BARTRegressor, bv.VariableSelector])
def test_estimators_refuse_them_too(kind, given):
    with pytest.raises(ValueError, match="Column 'x1' of `X` must hold"), no_sampling():
        kind().fit(given, HALVES)
    with pytest.raises(ValueError, match="`y` must hold"), no_sampling():
        kind().fit(np.column_stack([SMALL, HALVES]), [0.5, *BIG[1:]])


@pytest.mark.parametrize("kind", ["numpy int64", "a list", "pandas", "polars"])
def test_labels_of_classes_and_blocks_are_exact_and_allowed(kind):
    two = VECTORS[kind][:2]
    assert encode_y(two, "binary").values.tolist() == [0, 1]
    assert check_blocks(two, 2).tolist() == [0, 1]


def test_large_numbers_that_are_exact_stay():
    exact = np.array([[2**53, 1], [-(2**60), 2], [2**62 + 2**20, 3]])
    assert encode_X(exact).values.tolist() == exact.tolist()
    assert encode_X(pl.DataFrame(exact, schema=["a", "b"])).values.tolist() == exact.tolist()
    assert encode_y(exact[:, 0]).values.tolist() == exact[:, 0].tolist()
    floats = pd.DataFrame({"a": [1e300, 2.0**80], "b": [1, 2]})
    assert encode_X(floats).values.tolist() == floats.to_numpy().tolist()
    assert encode_X(np.array([[2**200], [3]], dtype=object)).values.tolist() == [[2.0**200], [3]]
