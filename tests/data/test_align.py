"""Rows of X and of what belongs to them, matched by the index of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesvc as bv
from bayesvc.data.align import align_to
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import TINY

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

RUN = {**TINY, "n_replicates": 1, "n_jobs": 1, "random_state": 0}
LABELS = [f"row{i}" for i in range(30)]


@pytest.fixture(name="data")
def _data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(30, 3)), columns=list("abc"), index=LABELS)
    y = pd.Series(3 * X["a"] + rng.normal(size=30), index=LABELS)
    return X, y, rng.permutation(30)


@given(st.lists(st.integers() | st.text(max_size=3), unique=True, min_size=1), st.randoms())
def test_any_permutation_is_undone(labels, random):
    X = pd.DataFrame({"a": range(len(labels))}, index=pd.Index(labels, dtype=object))
    order = list(range(len(labels)))
    random.shuffle(order)
    y = X["a"].iloc[order]
    for shuffled in (y, y.to_frame()):
        (found,) = align_to(X, y=shuffled)
        assert np.asarray(found).ravel().tolist() == list(range(len(labels)))


def test_equal_indexes_pass_as_they_are():
    X = pd.DataFrame({"a": [1, 2, 3]}, index=[7, 7, 3])
    y = pd.Series([1, 2, 3], index=[7, 7, 3])
    assert align_to(X, y=y)[0] is y
    assert align_to(X.reset_index(drop=True), y=pd.Series([1, 2, 3]))[0].tolist() == [1, 2, 3]
    numbers = pd.Series([1, 2, 3], index=np.array([0, 1, 2]))
    assert align_to(X.reset_index(drop=True), y=numbers)[0] is numbers


@pytest.mark.parametrize(
    "values",
    [None, [3, 2, 1], np.array([3, 2, 1]), pl.Series([3, 2, 1]), pd.Index([3, 2, 1]), "text"],
)
def test_what_has_no_index_belongs_to_rows_by_position(values):
    X = pd.DataFrame({"a": [1, 2, 3]}, index=[2, 0, 1])
    assert align_to(X, y=values)[0] is values


def test_without_an_index_of_x_everything_is_by_position():
    y = pd.Series([1, 2], index=["b", "a"])
    assert align_to(np.eye(2), y=y)[0] is y
    assert align_to(pl.DataFrame({"a": [1, 2]}), y=y)[0] is y


@pytest.mark.parametrize(
    ("of_x", "of_y", "message"),
    [
        ([0, 1, 2], [0, 1, 5], r"`y` must have the index of `X`.* Got an index without 2 instead"),
        ([0, 0, 1], [0, 1, 0], "duplicate labels"),
        ([0, 1, 2], [0, 0, 1], "duplicate labels"),
        (["a", "b", "c"], [0, 1, 2], r"without 'a', 'b', 'c' .*y\.reset_index\(drop=True\)"),
    ],
)
def test_other_indexes_are_refused(of_x, of_y, message):
    X = pd.DataFrame({"a": [1.0, 2, 3]}, index=of_x)
    with pytest.raises(ValueError, match=message):
        align_to(X, y=pd.Series([1, 2, 3], index=of_y))
    with pytest.raises(ValueError, match="`weights` must have the index"):
        align_to(X, y=None, weights=pd.Series([1, 2, 3], index=of_y))


def test_a_wrong_length_is_reported_as_such(data):
    X, y, _ = data
    with pytest.raises(ValueError, match=r"per row of X, 30. Got 29 values"):
        bv.sample(X, y.iloc[:-1], **RUN)


def test_sample_and_extend(data):
    X, y, order = data
    weights = pd.Series(np.linspace(1, 2, 30), index=LABELS)
    expected = bv.sample(X, y.to_numpy(), sample_weight=weights.to_numpy(), **RUN)
    found = bv.sample(X, y.iloc[order], sample_weight=weights.iloc[order[::-1]], **RUN)
    assert_same_bits(found, expected)
    more = expected.extend(1, n_jobs=1)
    again = found.extend(1, X, y.iloc[order[::-1]], sample_weight=weights.iloc[order], n_jobs=1)
    assert_same_bits(again, more)


def test_select_and_compare(data):
    X, y, order = data
    blocks = pd.Series(["a", "b"] * 15, index=LABELS)
    settings = {**RUN, "signal_test": False, "n_permutations": 19}
    expected = bv.select(X, y, "bart-vip-gse", permute_within=blocks, **settings)
    found = bv.select(
        X, y.iloc[order], "bart-vip-gse", permute_within=blocks.iloc[order[::-1]], **settings
    )
    assert_same_bits(found.draws, expected.draws)
    assert_same_bits(found.permuted, expected.permuted)
    short = {**TINY, "n_jobs": 1, "random_state": 0, "signal_test": False}
    both = bv.compare(X, y.iloc[order].to_frame(), ["dart-mpm"], **short)
    assert_same_bits(both["dart-mpm"].draws, bv.select(X, y, "dart-mpm", **short).draws)
    with pytest.raises(ValueError, match="`y` must have the index of `X`"):
        bv.compare(X, y.reset_index(drop=True), ["dart-mpm"], **short)


def test_row_stability(data):
    X, y, order = data
    blocks = pd.Series(np.arange(30) // 2, index=LABELS)
    settings = {**RUN, "n_replicates": 2, "n_subsamples": 2}
    expected = bv.row_stability(X, y, blocks=blocks, **settings)
    found = bv.row_stability(X, y.iloc[order], blocks=blocks.iloc[order], **settings)
    np.testing.assert_array_equal(found.masks, expected.masks)


def test_estimators_are_positional(data):
    X, y, order = data
    weights = pd.Series(np.linspace(1, 2, 30), index=LABELS).iloc[order]
    shuffled = y.iloc[order]
    with_index = bv.BARTRegressor(**RUN).fit(X, shuffled, sample_weight=weights)
    arrays = bv.BARTRegressor(**RUN).fit(X, shuffled.to_numpy(), sample_weight=weights.to_numpy())
    assert_same_bits(with_index.draws_, arrays.draws_)
    short = {**RUN, "n_replicates": 2, "signal_test": False}
    selector = bv.VariableSelector(**short).fit(
        X, shuffled.reset_index(drop=True), sample_weight=weights
    )
    plain = bv.VariableSelector(**short).fit(
        X, shuffled.to_numpy(), sample_weight=weights.to_numpy()
    )
    assert_same_bits(selector.selection_.draws, plain.selection_.draws)
    np.testing.assert_array_equal(
        selector.selection_.row_frequency, plain.selection_.row_frequency, strict=True
    )
