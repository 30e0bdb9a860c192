"""Rows in time order, and in blocks: what is permuted, and what a reader is told."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import bayesvc as bv
from bayesvc.data.rows import order_within
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import check_sampling_config
from bayesvc.selection.signal import find_signal
from tests.helpers.settings import SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = SETTLED | {"n_replicates": 2, "row_stability": False}


def series(rng, n, p=1):
    """Return autoregressive series."""
    return lfilter([1], [1, -0.95], rng.normal(size=(n + 100, p)), axis=0)[100:]


def test_shifts_keep_the_order_of_time_and_reach_every_start():
    starts = set()
    for word in range(30):
        words = np.arange(word, word + 6, dtype=np.uint64)
        order = order_within(words, None, shifts=True)
        assert ((np.diff(order) - 1) % 6 == 0).all()
        starts.add(int(order[0]))
    assert starts == set(range(6))


def test_blocks_are_shifted_each_within_itself():
    blocks = np.array([0, 1, 0, 1, 0, 2])
    for seed in range(20):
        words = np.random.default_rng(seed).integers(2**63, size=6).astype(np.uint64)
        order = order_within(words, blocks, shifts=True)
        np.testing.assert_array_equal(blocks[order], blocks)
        assert order[[0, 2, 4]].tolist() in ([0, 2, 4], [2, 4, 0], [4, 0, 2])
        assert order[5] == 5


def test_unrelated_series_are_evidence_only_if_their_rows_are_permuted():
    rng = np.random.default_rng(11)
    config = check_sampling_config(random_state=3, n_jobs=1)
    found = {False: 0, True: 0}
    for _ in range(60):
        X, y = series(rng, 120, 3), series(rng, 120)[:, 0]
        for time_order in found:
            data = read_dataset(X, y, time_order=time_order)
            found[time_order] += find_signal(data, 2000, config).found
    assert found[False] >= 30
    assert found[True] <= 9  # of 60 at level 0.05; more in one case of 500


def test_related_series_are_found_through_shifts():
    rng = np.random.default_rng(12)
    X = series(rng, 200, 4)
    y = X[:, 1] + 0.3 * rng.normal(size=200)
    found = bv.select(X, y, time_order=True, **TWO)
    assert found.signal.found
    assert "x1" in found.names
    assert bv.compare(X, y, ["dart-relevance"], time_order=True, **SETTLED)[
        "dart-relevance"
    ].signal.found  # fmt: skip


def test_null_replicates_are_shifted_too():
    rng = np.random.default_rng(13)
    X, y = series(rng, 60, 3), series(rng, 60)[:, 0]
    short = {"n_permutations": 19, "burn_in": 20, "n_draws": 20, "random_state": 0}
    plain = bv.select(X, y, "bart-vip-gse", n_replicates=2, **short)
    shifted = bv.select(X, y, "bart-vip-gse", n_replicates=2, time_order=True, **short)
    np.testing.assert_array_equal(plain.draws.vc, shifted.draws.vc)
    assert (plain.null != shifted.null).any()
    assert plain.permuted.data_hash != shifted.permuted.data_hash


def test_correlated_residuals_are_noted():
    rng = np.random.default_rng(14)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + series(rng, 200)[:, 0]

    def codes(X, y, **how):
        return [note.code for note in bv.select(X, y, "dart-vc", **TWO, **how).notes]

    assert "dependent-rows" in codes(X, y)
    order = rng.permutation(200)
    assert "dependent-rows" not in codes(X[order], y[order])
    order = np.argsort(y)
    assert "dependent-rows" not in codes(X[order], y[order])
    assert "dependent-rows" not in codes(X, y > 0)


@pytest.mark.parametrize("dependent", [True, False])
def test_what_the_order_of_rows_does_not_change_is_noted(dependent, tmp_path):
    rng = np.random.default_rng(14)
    X = rng.normal(size=(200, 3))
    y = 3 * X[:, 0] + (series(rng, 200)[:, 0] if dependent else rng.normal(size=200))

    def note_on(**how):
        found = bv.select(X, y, "dart-mpm", **TWO, **how)
        assert "x0" in found.names
        (note,) = [note for note in found.notes if note.code == "dependent-rows"]
        assert note.severity == ("warning" if dependent else "info")
        found.save(tmp_path / "found.npz")
        assert bv.Selection.load(tmp_path / "found.npz").notes == found.notes
        return found, note.text

    found, text = note_on(time_order=True)
    assert text.startswith("Only the signal test takes the time order into account; the prob")
    assert text.endswith("olumns that drift over time may be selected although they are unrelated "
                         "to y.")  # fmt: skip
    assert ("residuals of successive rows" in text) == dependent
    assert "circular shifts of y" in found.signal.sentence
    assert "permutations" not in found.signal.sentence
    blocks = np.arange(200) // 20
    found, text = note_on(permute_within=blocks)
    assert "takes the blocks into account" in text
    assert "permutations of y" in found.signal.sentence
    _, text = note_on(permute_within=blocks, time_order=True)
    assert "takes the time order and the blocks into account" in text
    halves = bv.select(X, y, time_order=True, **TWO | {"row_stability": True})
    assert "the probabilities and half-samples do not" in str(halves)


def test_what_is_constant_within_blocks_is_noted():
    rng = np.random.default_rng(15)
    site = np.repeat(np.arange(12), 10)
    X = np.column_stack([rng.normal(size=12)[site], rng.normal(size=(120, 2))])
    y = 3 * X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=120)
    found = bv.select(X, y, "dart-mpm", permute_within=site, **SETTLED)
    (note,) = [note for note in found.notes if note.code == "constant-in-blocks"]
    assert note.text.startswith("x0 does not vary within the blocks")
    plain = bv.select(X, y, "dart-mpm", **SETTLED)
    assert "constant-in-blocks" not in [note.code for note in plain.notes]


def test_the_correlation_of_residuals_is_kept_in_files(tmp_path):
    rng = np.random.default_rng(16)
    X = rng.normal(size=(60, 3))
    found = bv.select(X, X[:, 0] + rng.normal(size=60), **TWO)
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    assert again.signal.residual_correlation == found.signal.residual_correlation
    assert isinstance(again.signal.residual_correlation, float)


def test_where_nothing_is_shifted_it_is_refused():
    X, y = np.eye(30)[:, :3], np.arange(30.0)
    with pytest.raises(ValueError, match="`time_order` must not be given with signal_test=False"):
        bv.select(X, y, "dart-vc", time_order=True, signal_test=False)
    with pytest.raises(TypeError, match="`time_order` must be"):
        bv.select(X, y, time_order="yes")
