from __future__ import annotations

import base64
import inspect
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesvc as bv
from bayesvc import measures, thresholds

# One replicate, five draws, three variables; the second forest is a set of stumps.
from bayesvc.draws.adapters import chains as _chains
from bayesvc.draws.adapters import pymc_bart
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SHORT

FIVE_DRAWS = [[2, 0, 1], [0, 0, 0], [1, 3, 0], [4, 0, 0], [1, 0, 1]]
DERIVED = (
    "vc",
    "vip",
    "vip_of_sums",
    "mpvip",
    "n_splits",
    "count_half_sums",
    "count_half_squares",
    "count_batch_squares",
)
SETTINGS = ("prior", "n_trees", "burn_in", "response", "classes", "random_state", "n_rows")
ABSENT = (*SETTINGS, "data_hash", "calibration", "accepted", "proposed", "s", "forests")


def test_tallies_worked_out_by_hand():
    draws = bv.Draws.from_counts([FIVE_DRAWS])
    assert (draws.n_replicates, draws.n_draws, draws.n_features) == (1, 5, 3)
    assert draws.vc[0].tolist() == [8 / 5, 3 / 5, 2 / 5]
    shares = [2 / 3 + 0 + 1 / 4 + 1 + 1 / 2, 3 / 4, 1 / 3 + 1 / 2]
    np.testing.assert_allclose(draws.vip[0], np.array(shares) / 5, rtol=1e-15)
    assert draws.vip_of_sums[0].tolist() == [8 / 13, 3 / 13, 2 / 13]
    assert draws.mpvip[0].tolist() == [4 / 5, 1 / 5, 2 / 5]
    assert draws.n_splits.tolist() == [[3, 0, 4, 4, 2]]
    assert draws.n_splits.dtype == np.int32
    # Three draws in the first half; two batches of two draws, and one of one.
    assert draws.count_half_sums[0].tolist() == [[3, 3, 1], [5, 0, 1]]
    assert draws.count_half_squares[0].tolist() == [[5, 9, 1], [17, 0, 1]]
    assert (draws.batch_size, draws.n_batches) == (2, 3)
    assert draws.count_batch_squares[0].tolist() == [2**2 + 5**2 + 2, 3**2, 1 + 2]
    assert draws.counts.tolist() == [FIVE_DRAWS]
    assert draws.counts.dtype == np.uint16


def test_one_draw():
    draws = bv.Draws.from_counts([[[0, 2]], [[0, 0]]])
    assert draws.vc.tolist() == [[0, 2], [0, 0]]
    assert draws.vip.tolist() == draws.vip_of_sums.tolist() == [[0, 1], [0, 0]]
    assert draws.count_half_sums[0].tolist() == [[0, 2], [0, 0]]
    assert (draws.batch_size, draws.n_batches) == (1, 1)


@pytest.mark.parametrize("n_draws", [1, 2, 59, 60])
@pytest.mark.parametrize("prior", [bv.BART(), bv.DART()], ids=["bart", "dart"])
def test_counts_of_sample_give_the_tallies_of_sample(regression, prior, n_draws):
    length = {"burn_in": 40, "n_draws": n_draws, "keep_counts": True}
    sampled = bv.sample(*regression, prior, n_replicates=3, random_state=1, **length)
    rebuilt = bv.Draws.from_counts(sampled.counts, feature_names=sampled.feature_names)
    for name in DERIVED:
        found, expected = getattr(rebuilt, name), getattr(sampled, name)
        assert found.dtype == expected.dtype, name
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=name)
    for name in ("n_batches", "batch_size", "n_draws", "n_replicates", "n_features"):
        assert getattr(rebuilt, name) == getattr(sampled, name), name
    np.testing.assert_array_equal(rebuilt.counts, sampled.counts)
    for measure in (measures.vc, measures.vip, measures.mpvip, measures.vc_measure):
        np.testing.assert_allclose(measure(rebuilt), measure(sampled), rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(arrays(np.int64, st.tuples(*[st.integers(1, 7)] * 3), elements=st.integers(0, 9)))
def test_any_counts_in_any_block_size(counts):
    whole = bv.Draws.from_counts(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_chains, "_NUMBERS_PER_BLOCK", 2 * counts.shape[1])
        assert_same_bits(bv.Draws.from_counts(counts), whole)
    assert_same_bits(bv.Draws.from_counts(np.asfortranarray(counts)), whole)
    assert_same_bits(bv.Draws.from_counts(counts.astype(np.float32).tolist()), whole)
    np.testing.assert_allclose(whole.vc, counts.mean(axis=1))
    np.testing.assert_allclose(whole.count_half_sums.sum(axis=1), counts.sum(axis=1))
    np.testing.assert_allclose(whole.vip.sum(axis=1), (counts.sum(axis=2) > 0).mean(axis=1))


def test_two_dimensions_are_the_draws_of_one_replicate():
    assert_same_bits(bv.Draws.from_counts(FIVE_DRAWS), bv.Draws.from_counts([FIVE_DRAWS]))


def test_later_changes_of_the_array_do_not_matter():
    counts = np.array([FIVE_DRAWS], dtype=np.uint16)
    draws = bv.Draws.from_counts(counts)
    counts[:] = 0
    assert draws.counts.tolist() == [FIVE_DRAWS]


def test_names():
    assert bv.Draws.from_counts(FIVE_DRAWS).feature_names == ("x0", "x1", "x2")
    index = pd.Index(["a", "b", "c"])
    assert bv.Draws.from_counts(FIVE_DRAWS, feature_names=index).feature_names == ("a", "b", "c")


def test_what_counts_do_not_tell_is_absent():
    draws = bv.Draws.from_counts(FIVE_DRAWS)
    for name in ("mi", "sigma", "alpha", "tree_depth", "seconds"):
        assert np.isnan(getattr(draws, name)).all(), name
    for name in ABSENT:
        assert getattr(draws, name) is None, name
    assert draws.mi.shape == (1, 3)
    assert draws.sigma.shape == draws.alpha.shape == (1, 5)
    assert draws.seconds.shape == draws.tree_depth.shape == (1,)
    assert all(np.isnan(rates).all() for rates in draws.acceptance.values())
    assert draws.source == "counts"


def test_what_needs_more_than_counts_says_so(regression):
    X, y = regression
    draws = bv.Draws.from_counts(FIVE_DRAWS)
    with pytest.raises(
        ValueError, match=r"`draws` must hold 'mi'.*Use the Draws of `bayesvc.sample`"
    ):
        measures.metropolis_importance(draws)
    for data in ((), (X, y)):
        with pytest.raises(ValueError, match=r"source='counts'.*data and the prior.*Pass the"):
            draws.extend(1, *data)
    with pytest.raises(ValueError, match=r"source='counts'.*without trees. Predict with the model"):
        draws.predict(X)


def test_tallies_without_counts_still_know_their_importance(regression, tmp_path):
    sampled = bv.sample(*regression, n_replicates=2, random_state=1, **SHORT)
    sampled.save(tmp_path / "file")
    loaded = bv.Draws.load(tmp_path / "file")
    assert loaded.counts is None
    assert loaded.source == "bayesvc"
    np.testing.assert_array_equal(
        measures.metropolis_importance(loaded), measures.metropolis_importance(sampled)
    )


def test_repr():
    text = repr(bv.Draws.from_counts([FIVE_DRAWS, FIVE_DRAWS]))
    for part in ("split counts", "3 variables", "2 replicates x 5 draws", "2.6 splits", "x0 1.60"):
        assert part in text
    for part in ("nan", "None", "sigma"):
        assert part not in text


def adapted_as_if(source: str) -> bv.Draws:
    counts = np.array([FIVE_DRAWS], dtype=np.uint16)
    chains = _chains.Chains(counts, np.full((1, 5), 0.25))
    return _chains.draws_of_chains([chains, chains], ["a", "b", "c"], source)


@pytest.mark.parametrize("source", ["counts", "stochtree"])
def test_save_load_and_pickle(tmp_path, source):
    draws = adapted_as_if(source)
    draws.save(tmp_path / "file")
    for again in (bv.Draws.load(tmp_path / "file"), pickle.loads(pickle.dumps(draws))):
        assert_same_bits(again, draws)
        assert repr(again) == repr(draws)
        assert again.source == source
        assert again.feature_names == ("a", "b", "c")
        assert all(getattr(again, name) is None for name in ABSENT)
        with pytest.raises(ValueError, match=f"source='{source}'"):
            again.extend(1)
    assert "sigma 0.25" in repr(draws)


def test_selection_from_counts(rng):
    rates = np.array([4.0, 3.0, 3.0] + 20 * [0.2])
    draws = bv.Draws.from_counts(rng.poisson(rates, size=(5, 200, 23)))
    selected = thresholds.clustering(measures.vc_measure(draws))
    assert np.flatnonzero(selected).tolist() == [0, 1, 2]


BAD_COUNTS = {
    "means": ([[1.5, 2.0]], ValueError, r"`counts\[0, 0\]` .*Got 1.5 .*not their mean"),
    "nan": ([[[1, 2], [3, np.nan]]], ValueError, r"`counts\[0, 1, 1\]` must be a whole .*Got nan"),
    "inf": ([[np.inf]], ValueError, r"`counts\[0, 0\]` must be at most .*Got inf"),
    "negative": ([[[0, -1]]], ValueError, r"`counts\[0, 0, 1\]` must be at least 0. Got -1"),
    "large": ([[70_000]], ValueError, r"`counts\[0, 0\]` must be at most 65535. Got 70000"),
    "truth": ([[True]], TypeError, r"`counts` must be an array of whole numbers. Got dtype bool"),
    "text": ([["1"]], TypeError, r"`counts` must be an array of whole numbers. Got dtype <U1"),
    "none": (None, TypeError, r"`counts` must be .*Got dtype object"),
    "one dimension": ([1, 2], ValueError, r"\(draws, variables\) .*Got shape \(2,\)"),
    "four": (np.zeros((1, 1, 1, 1)), ValueError, r"`counts` .*Got shape \(1, 1, 1, 1\)"),
    "no draws": (np.zeros((2, 0, 3)), ValueError, r"`counts` .*Got shape \(2, 0, 3\)"),
    "ragged": ([[1, 2], [3]], ValueError, r"`counts` must be .*unequal length .*Pass the number"),
}


@pytest.mark.parametrize(("counts", "kind", "message"), BAD_COUNTS.values(), ids=BAD_COUNTS)
def test_bad_counts(counts, kind, message):
    with pytest.raises(kind, match=message):
        bv.Draws.from_counts(counts)


@pytest.mark.parametrize(
    ("names", "kind", "message"),
    [
        ("abc", TypeError, "`feature_names` must be 3 different strings, .*Got 'abc'"),
        (3, TypeError, "`feature_names` must be .*Got 3"),
        (["a", "b", 3], TypeError, r"`feature_names` must be .*Got \['a', 'b', 3\]"),
        (["a", "b"], ValueError, "must be 3 different strings, .*Got 2 names"),
        (["a", "b", "a"], ValueError, "Got 'a' 2 times"),
    ],
)
def test_bad_names(names, kind, message):
    with pytest.raises(kind, match=message):
        bv.Draws.from_counts(FIVE_DRAWS, feature_names=names)


def test_fits_must_be_alike():
    short = _chains.Chains(np.ones((1, 4, 3), np.uint16), np.ones((1, 4)))
    long = _chains.Chains(np.ones((1, 5, 3), np.uint16), np.ones((1, 5)))
    with pytest.raises(ValueError, match="Got 5 draws of 3 variables in model 1, and 4 of 3"):
        _chains.draws_of_chains([short, long], None, "stochtree")


@pytest.mark.parametrize("make", [bv.Draws.from_stochtree, bv.Draws.from_bartz])
def test_not_a_fitted_model(make):
    with pytest.raises(TypeError, match=r"`models` must .*(stochtree|bartz)\.\w+.*Got a ndarray"):
        make(np.ones((2, 3)))
    with pytest.raises(TypeError, match=r"`models\[0\]` must be .*Got a SimpleNamespace"):
        make([SimpleNamespace(varcount=np.ones((2, 3)))])
    with pytest.raises(ValueError, match=r"`models` must be .*Got an empty list"):
        make([])


def test_numbers_that_pymc_bart_packs():
    # 300 = 44 + 2 * 128; 128 = 0 + 1 * 128
    packed = bytes([0, 5, 127, 0x80 | 44, 2, 0, 0x80, 1])
    code = base64.b64encode(packed).decode()
    assert pymc_bart._decoded(code).tolist() == [0, 5, 127, 300, 0, 128]
    with pytest.raises(ValueError, match="base64"):
        pymc_bart._decoded("no base64!")


@pytest.mark.parametrize(
    ("n_trees", "batch", "steps"),
    [(50, 0.1, 10), (20, 0.1, 10), (7, 0.1, 7), (1, 0.1, 1), (20, 1.0, 1), (20, 0.5, 2)],
)
def test_steps_that_renew_the_whole_forest(n_trees, batch, steps):
    assert pymc_bart._steps_per_sweep(n_trees, batch) == steps


@pytest.mark.parametrize(("n_trees", "batch"), [(25, 0.1), (15, 0.1), (21, 0.1), (50, 0.3)])
def test_batches_that_do_not_divide_the_forest(n_trees, batch):
    with pytest.raises(
        ValueError, match=rf"`batch` must divide the {n_trees} trees .*Got {batch} .*Fit with"
    ):
        pymc_bart._steps_per_sweep(n_trees, batch)


def test_entry_points_are_found_on_draws():
    for name in ("from_counts", "from_stochtree", "from_bartz", "from_pymc_bart"):
        entry = getattr(bv.Draws, name)
        assert "Parameters" in entry.__doc__
        assert "feature_names" in inspect.signature(entry).parameters


def test_no_other_package_is_imported():
    code = (
        "import sys, bayesvc as bv; bv.Draws.from_counts([[1, 0]])\n"
        "print({'stochtree', 'bartz', 'jax', 'pymc', 'pymc_bart', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
