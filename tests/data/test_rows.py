"""Weights of rows, and permutations within blocks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesvc as bv
from bayesvc.data.rows import check_blocks, order_within, scaled_weights
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.chain import calibrate
from bayesvc.sampling.seeds import Role, random_words
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SEEDED, SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = SEEDED | {"n_replicates": 2}


def permutation(data, entropy, number):
    """Return the response and the weights of the data in the order of a null replicate."""
    return data.permuted(random_words(entropy, Role.PERMUTATION, number, data.n_rows))


@pytest.fixture
def weights(rng):
    return rng.uniform(0.2, 3, size=60)


def test_equal_weights_are_none(regression):
    plain = bv.sample(*regression, **TWO)
    for equal in (np.ones(60), np.full(60, 0.3), [7] * 60, pd.Series(np.ones(60))):
        draws = bv.sample(*regression, sample_weight=equal, **TWO)
        assert_same_bits(draws, plain)
        assert draws.data_hash == plain.data_hash


@pytest.mark.parametrize("factor", [2.0, 3.0, 1 / 7, 1e-200, 1e200])
def test_weights_times_a_constant_change_no_bit(regression, weights, factor):
    first = bv.sample(*regression, sample_weight=weights, **TWO)
    second = bv.sample(*regression, sample_weight=factor * weights, **TWO)
    assert_same_bits(first, second)
    assert first.data_hash == second.data_hash
    assert first.data_hash != bv.sample(*regression, **TWO).data_hash


def test_scaled_weights(weights):
    scaled = scaled_weights(weights)
    assert scaled.mean() == pytest.approx(1, abs=1e-7)
    np.testing.assert_allclose(scaled / scaled[0], weights / weights[0], rtol=1e-6)
    many = np.exp(np.random.default_rng(0).normal(size=20_000))
    np.testing.assert_array_equal(scaled_weights(many), scaled_weights(many / 3))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, None])
def test_rows_of_weight_zero_are_left_out(regression, weights, frame):
    X, y = regression
    weights[[3, 17, 40]] = 0
    keep = weights > 0
    names = list("abcde")
    table = X if frame is None else frame({n: X[:, j] for j, n in enumerate(names)})
    expected = bv.sample(X[keep], y[keep], sample_weight=weights[keep], **TWO)
    found = bv.sample(table, y, sample_weight=weights, **TWO)
    assert_same_bits(found, expected)
    assert found.n_rows == 57
    only = bv.sample(table, y, sample_weight=keep.astype(float), **TWO)
    assert_same_bits(only, bv.sample(X[keep], y[keep], **TWO))


def test_categories_and_gaps_of_rows_left_out_are_not_there():
    X = pd.DataFrame({"c": ["a", "b", "z", "a"] * 10, "x": [1, 2, None, 3] * 10})
    data = read_dataset(X, np.arange(40.0), "auto", sample_weight=[1, 1, 0, 2] * 10)
    assert data.schema.categories == {0: ("a", "b")}
    assert not data.schema.missing


def test_sparse_rows_of_weight_zero(regression, weights):
    import scipy.sparse

    X, y = regression
    weights[0] = 0
    for kind in (scipy.sparse.csr_array, scipy.sparse.coo_array):
        found = bv.sample(kind(X), y, sample_weight=weights, **TWO)
        assert_same_bits(found, bv.sample(X, y, sample_weight=weights, **TWO))


def test_sigma_hat_is_that_of_weighted_rows(regression, weights):
    """The design has the root of the weights twice: as intercept, and for the model's own one."""
    X, y = regression
    data = read_dataset(X, y, "auto", sample_weight=weights)
    w = data.weights
    root = np.sqrt(w)[:, None]
    design = np.hstack([np.ones((60, 1)), root, root * X])
    fit = np.linalg.lstsq(design, root[:, 0] * y)[0]
    expected = np.sqrt(((root[:, 0] * y - design @ fit) ** 2).sum() / (60 - 7))
    own = calibrate(data, bv.BART(), data.weighted_response, 20)
    assert own.sigma_hat == pytest.approx(expected)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_weights_of_rows_with_the_largest_numbers(regression, weights):
    """Times the root of a weight above 1 such a number would overflow."""
    X, y = regression
    large = X.copy()
    large[:, 1] *= 1.7e308 / X[:, 1].max()
    found = bv.sample(large, y, sample_weight=weights, **TWO)
    expected = bv.sample(X, y, sample_weight=weights, **TWO)
    np.testing.assert_array_equal(found.vc, expected.vc)
    assert found.calibration.sigma_hat == pytest.approx(expected.calibration.sigma_hat)


def test_weights_too_far_apart(regression):
    X, y = regression
    weights = np.ones(60)
    weights[7] = 1e-23
    draws = bv.sample(X, y, sample_weight=weights, **TWO)
    assert (draws.sigma > 0).all()
    for bad in (1e-25, 5e-324, 1e30):
        weights[7] = bad
        with pytest.raises(ValueError, match=r"`sample_weight` .*Got weights .*Pass 0 to leave"):
            bv.sample(X, y, sample_weight=weights, **TWO)


def test_weights_are_precisions():
    """Integer weights k and rows repeated k times have the same posterior where sigma is fixed.

    A leaf sees sum k r / sigma^2 and sum k / sigma^2 both ways, if the sigma of the weighted fit,
    that of a row of average weight, is smaller by the root of the mean weight; the rules know
    nothing of weights. So the two samplers have one target, and differ by Monte Carlo error: the
    means of ten chains have standard errors that their spread tells, and 5 of those of the
    difference are exceeded by chance in less than one case of 10,000 (t with 18 degrees of
    freedom) for each of the 40 + 3 numbers.
    """
    rng = np.random.default_rng(8)
    X = rng.uniform(size=(40, 3))
    y = 4 * X[:, 0] + (X[:, 1] > 0.5) + 0.3 * rng.normal(size=40)
    k = rng.choice([1, 12], size=40)
    run = {
        "n_trees": 5, "n_replicates": 10, "burn_in": 300, "n_draws": 1500, "keep_trees": True,
        "random_state": 1,
    }  # fmt: skip
    repeated = bv.sample(np.repeat(X, k, axis=0), np.repeat(y, k), bv.BART(sigma=1.0), **run)
    prior = bv.BART(sigma=1.0 / np.sqrt(k.mean()))
    weighted = bv.sample(X, y, prior, sample_weight=k, **run)

    def means(draws):
        f = draws.posterior(X).reshape(10, 1500, 40).mean(axis=1)
        return np.hstack([f, draws.vc])

    one, other = means(repeated), means(weighted)
    error = np.sqrt((one.var(axis=0, ddof=1) + other.var(axis=0, ddof=1)) / 10)
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 5 * error + 1e-9).all()
    # and weights matter: without them the fit is another one
    plain = means(bv.sample(X, y, prior, **run))
    assert (np.abs(one.mean(axis=0) - plain.mean(axis=0)) > 8 * error).any()


def test_permuted_fits_permute_weights_too(regression, weights):
    X, y = regression
    data = read_dataset(X, y, "auto", sample_weight=weights)
    pairs = set(zip(y, data.weights, strict=True))
    for number in range(5):
        arranged = permutation(data, 4, number)
        assert set(zip(arranged.y, arranged.weights, strict=True)) == pairs
        assert not np.array_equal(arranged.y, y)
    own = calibrate(data, bv.BART(), data.weighted_response, 20)
    permuted = calibrate(data, bv.BART(), permutation(data, 4, 0), 20)
    assert permuted.sigma_hat > own.sigma_hat


def test_weights_everywhere(regression, weights):
    X, y = regression
    found = bv.select(X, y, "bart-vip-local", sample_weight=weights, n_permutations=20, **SEEDED)
    both = bv.compare(X, y, ["dart-vc", "bart-vip-local"], sample_weight=weights, **SEEDED)
    assert_same_bits(found.draws, both["bart-vip-local"].draws)
    np.testing.assert_array_equal(found.null, both["bart-vip-local"].null[:20])
    selector = bv.VariableSelector("bart-vip-local", n_permutations=20, **SEEDED)
    assert_same_bits(selector.fit(X, y, weights).selection_.draws, found.draws)
    model = bv.BARTRegressor(bv.BART(), n_trees=20, n_replicates=1, **SEEDED).fit(X, y, weights)
    expected = bv.sample(X, y, bv.BART(), n_replicates=1, sample_weight=weights, **SEEDED)
    np.testing.assert_array_equal(model.draws_.vc, expected.vc)


def test_extending_weighted_fits(regression, weights, tmp_path):
    X, y = regression
    draws = bv.sample(X, y, sample_weight=weights, **TWO)
    draws.save(tmp_path / "draws.npz")
    loaded = bv.Draws.load(tmp_path / "draws.npz")
    longer = bv.sample(X, y, sample_weight=weights, **TWO | {"n_replicates": 3})
    assert_same_bits(draws.extend(1), longer)
    assert_same_bits(loaded.extend(1, X, y, sample_weight=2 * weights), longer)
    with pytest.raises(ValueError, match="same row weights"):
        loaded.extend(1, X, y)


def test_permutations_stay_within_blocks(regression):
    X, y = regression
    labels = np.array(["b", "a", "c"])[np.arange(60) % 3]
    data = read_dataset(X, y, "auto", permute_within=labels)
    seen = set()
    for number in range(10):
        permuted = permutation(data, 1, number).y
        seen.add(permuted.tobytes())
        for label in "abc":
            rows = labels == label
            assert sorted(permuted[rows]) == sorted(y[rows])
    assert len(seen) == 10


def test_one_block_is_no_block(regression):
    X, y = regression
    settings = SEEDED | {"n_replicates": 1, "n_permutations": 20}
    plain = bv.select(X, y, "bart-vip-local", **settings)
    one = bv.select(X, y, "bart-vip-local", permute_within=[1] * 60, **settings)
    np.testing.assert_array_equal(plain.null, one.null)
    other = bv.select(X, y, "bart-vip-local", permute_within=pl.Series([1, 2] * 30), **settings)
    assert not np.array_equal(plain.null, other.null)
    assert_same_bits(plain.draws, other.draws)
    assert plain.draws.data_hash == other.draws.data_hash
    hashes = {found.permuted.data_hash for found in (plain, one, other)}
    assert len(hashes) == 3
    selector = bv.VariableSelector("bart-vip-local", **settings)
    found = selector.fit(X, y, permute_within=[1, 2] * 30).selection_
    np.testing.assert_array_equal(found.null, other.null)


def test_what_differs_between_blocks_is_no_evidence(rng):
    """y is another in each block and so is x0, but within blocks they have nothing in common.

    The null of permutations over all rows breaks the tie of x0 to the blocks and finds it; that
    of permutations within blocks has it as large as the data do.
    """
    block = np.repeat(np.arange(4), 25)
    X = np.column_stack([block + 0.3 * rng.uniform(size=100), rng.uniform(size=(100, 3))])
    y = 3.0 * block + rng.normal(size=100)
    settings = SETTLED | {"n_replicates": 2, "n_permutations": 20}
    found = bv.select(X, y, "bart-vip-gse", **settings)
    assert "x0" in found.names
    within = bv.select(X, y, "bart-vip-gse", permute_within=block, **settings)
    assert within.names == []


def test_order_within_is_uniform():
    """Over 6 orders of 3 rows in one block; chi-squared with 5 degrees of freedom at 1e-6."""
    words = np.random.default_rng(0).integers(2**63, size=(6000, 4), dtype=np.uint64)
    blocks = np.array([0, 1, 0, 0])
    orders = [tuple(order_within(row, blocks).tolist()) for row in words]
    assert all(order[1] == 1 for order in orders)
    _, counts = np.unique(np.array(orders), axis=0, return_counts=True)
    assert len(counts) == 6
    assert ((counts - 1000) ** 2 / 1000).sum() < 35.9


def test_blocks_of_any_labels():
    day = pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-02"])
    for labels in (["b", "a", "b"], [2, 1, 2], pd.Series(["b", "a", "b"], dtype="category"), day):
        assert check_blocks(labels, 3).tolist() == [1, 0, 1]
    assert check_blocks([True, False, True], 3).tolist() == [1, 0, 1]
