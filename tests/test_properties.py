"""What must hold for any input: codes and encodings, units, and files read back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesvc as bv
from bayesvc import _core
from bayesvc.bench import kept
from bayesvc.data.encode import encode_X
from bayesvc.draws.draws import tally_layout
from bayesvc.responses.encode import encode_y
from bayesvc.sampling.checkpoint import Checkpoint
from bayesvc.sampling.config import ChainConfig
from bayesvc.sampling.replicates import PriorDraws
from bayesvc.thresholds import clustering, gmax, gse, local

quick = settings(max_examples=25, deadline=None)

SHAPES = st.tuples(st.integers(2, 8), st.integers(1, 5))
FINITE = st.floats(allow_nan=False, allow_infinity=False)
MATRICES = arrays(np.float64, SHAPES, elements=FINITE)
COUNTS = arrays(np.uint16, st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 5)))
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1)


# ---- encoding --------------------------------------------------------------------


@quick
@given(MATRICES)
def test_every_container_of_numbers_is_the_same_data(X):
    columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    wide = np.repeat(X, 2, axis=1)
    for held in (
        np.asfortranarray(X), wide[:, ::2], X.tolist(), pd.DataFrame(columns), pl.DataFrame(columns)
    ):  # fmt: skip
        encoded = encode_X(held)
        np.testing.assert_array_equal(encoded.values, X)
        assert encoded.values.flags.c_contiguous or encoded.values.flags.f_contiguous
        assert len(encoded.schema.names) == X.shape[1]


@quick
@given(arrays(st.sampled_from([np.int8, np.uint16, np.int64, np.bool_]), SHAPES))
def test_whole_numbers_and_booleans_are_exact_numbers_or_refused(X):
    numbers = X.ravel().tolist()
    if [int(float(number)) for number in numbers] == numbers:
        np.testing.assert_array_equal(encode_X(X).values, X.astype(float))
    else:
        with pytest.raises(ValueError, match="must hold numbers that float64 represents exactly"):
            encode_X(X)


@quick
@given(st.lists(NAMES, min_size=1, max_size=5, unique=True))
def test_names_of_columns_come_back(names):
    frame = pd.DataFrame(np.zeros((2, len(names))), columns=names)
    assert encode_X(frame).schema.names == tuple(names)


@quick
@given(st.lists(st.booleans(), min_size=2, max_size=10), st.lists(NAMES, min_size=2, max_size=2,
       unique=True))  # fmt: skip
def test_classes_come_back(truths, names):
    truths[:2] = [True, False]
    y = [names[truth] for truth in truths]
    encoded = encode_y(y)
    assert encoded.classes.tolist() == sorted(names)
    assert encoded.classes[encoded.values.astype(int)].tolist() == y


@quick
@given(arrays(np.float64, st.integers(3, 9), elements=st.floats(-1e200, 1e200)))
def test_continuous_responses_come_back(y):
    y[:3] = 1, 2, 3
    encoded = encode_y(y)
    assert encoded.response == "continuous"
    np.testing.assert_array_equal(encoded.values, y)


# ---- codes -----------------------------------------------------------------------


@quick
@given(arrays(np.float64, st.integers(1, 60), elements=st.one_of(FINITE, st.integers(-3, 3))))
def test_codes_are_ranks(x):
    columns = _core.Columns(x[:, None], keep_values=True)
    values, codes, ties = np.unique(x, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(columns.codes(0), codes)
    np.testing.assert_array_equal(columns.values(0), values)
    assert columns.n_distinct().tolist() == [len(values)]
    assert columns.max_ties().tolist() == [ties.max()]


@quick
@given(arrays(np.float64, st.integers(1, 30), elements=st.floats(allow_infinity=False)))
def test_missing_values_are_the_lowest_and_the_highest(x):
    missing = np.isnan(x)
    columns = _core.Columns(x[:, None])
    ranks = np.unique(x[~missing], return_inverse=True)[1]
    for coding in (0, 1) if missing.any() else (0,):
        expected = np.zeros(len(x), dtype=int)
        expected[~missing] = ranks + (missing.any() and coding == 0)
        expected[missing] = 0 if coding == 0 else ranks.max(initial=-1) + 1
        np.testing.assert_array_equal(columns.codes(coding), expected)


@quick
@given(arrays(np.float64, st.tuples(st.integers(2, 9), st.integers(1, 4)),
              elements=st.integers(-4, 4)))  # fmt: skip
def test_the_fingerprint_sees_values_and_not_their_layout(X):
    columns = _core.Columns(X)
    assert _core.Columns(np.asfortranarray(X)).fingerprint == columns.fingerprint
    assert _core.Columns(np.where(X == 0, -0.0, X)).fingerprint == columns.fingerprint
    other = X.copy()
    other[0, 0] += 0.5
    assert _core.Columns(other).fingerprint != columns.fingerprint


# ---- thresholds: units -----------------------------------------------------------

POWERS_OF_TWO = st.integers(-30, 30).map(lambda k: 2.0**k)
TALLIES = st.integers(0, 40).map(lambda k: k / 8)


@quick
@given(arrays(np.float64, 4, elements=TALLIES), arrays(np.float64, (20, 4), elements=TALLIES),
       POWERS_OF_TWO)  # fmt: skip
def test_permutation_cuts_know_no_units(observed, null, unit):
    for cut in (local, gmax, gse):
        plain, scaled = cut(observed, null), cut(unit * observed, unit * null)
        np.testing.assert_array_equal(plain.mask, scaled.mask)
        np.testing.assert_allclose(scaled.threshold, unit * plain.threshold, rtol=1e-12)


@quick
@given(arrays(np.float64, st.tuples(st.integers(2, 12), st.just(2)), elements=TALLIES),
       POWERS_OF_TWO)  # fmt: skip
def test_clusters_know_no_units(Z, unit):
    plain, scaled = (clustering(z, transform=False) for z in (Z, unit * Z))
    np.testing.assert_array_equal(plain, scaled)


# ---- files -----------------------------------------------------------------------


@quick
@given(COUNTS)
def test_draws_come_back_from_their_file(counts):
    draws = bv.Draws.from_counts(counts)
    with tempfile.TemporaryDirectory() as folder:
        draws.save(Path(folder) / "draws.npz")
        again = bv.Draws.load(Path(folder) / "draws.npz")
    for name in tally_layout(0, 0):
        if getattr(draws, name) is not None:
            np.testing.assert_array_equal(getattr(again, name), getattr(draws, name))
    assert again.feature_names == draws.feature_names
    assert repr(again) == repr(draws)


@quick
@given(COUNTS)
def test_kept_fits_come_back(counts):
    draws = bv.Draws.from_counts(counts)
    # what counts do not tell is nan there
    known = {"mi": np.zeros_like(draws.vc), "seconds": np.zeros(len(draws.vc))}
    draws = bv.Draws(**{**draws.__dict__, **known})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept.npz"
        path.write_bytes(kept.pack({"dart": PriorDraws(draws, permuted=draws)}))
        found = kept.unpack(path)["dart"]
    for part in (found, found.permuted):
        np.testing.assert_allclose(part.vc, draws.vc, rtol=1e-15)
        np.testing.assert_array_equal(part.mpvip * draws.n_draws, draws.mpvip * draws.n_draws)
        np.testing.assert_allclose(part.vip, draws.vip, rtol=1e-6)


@quick
@given(st.integers(1, 4), st.integers(1, 5), st.booleans(), st.randoms(use_true_random=False))
def test_results_come_back_from_a_checkpoint(p, n_draws, keep, random):
    length = ChainConfig(3, n_draws, keep_counts=keep, keep_s=keep)
    rng = np.random.default_rng(random.randrange(2**32))
    result = {
        name: rng.integers(100, size=shape).astype(dtype)
        for name, (shape, dtype) in tally_layout(p, n_draws).items()
        if keep or name not in ("counts", "s")
    }
    result |= {"n_batches": 2, "batch_size": 1, "forests": None}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(folder)
        assert checkpoint.find("a", p, length) is None
        checkpoint.keep("a", result)
        found = checkpoint.find("a", p, length)
    for name, part in result.items():
        np.testing.assert_array_equal(found[name], part)
