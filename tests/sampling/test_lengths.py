"""Chains whose lengths are automatic: what is tried, what is kept, and what does not change it."""

from __future__ import annotations

import numpy as np
import pytest

import bayesvc as bv
from bayesvc.data.dataset import Dataset
from bayesvc.responses.read import read_dataset
from bayesvc.sampling import config, lengths
from bayesvc.sampling.replicates import ReplicateCounts
from tests.helpers.same_bits import assert_same_bits

# the chains are far too short to converge
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.ConvergenceWarning")
AUTO = {"burn_in": "auto", "n_draws": "auto", "random_state": 3}


@pytest.fixture(autouse=True)
def short_ladder(monkeypatch):
    monkeypatch.setattr(config, "AUTO_LENGTHS", (20, 40, 80))


@pytest.fixture
def verdicts(monkeypatch):
    """Decide by script which pilot replicates are stable, and record how long they were."""
    script: list[bool] = []
    seen: list[tuple[int, int, int]] = []

    def is_stable(draws):
        seen.append((draws.n_replicates, draws.burn_in, draws.n_draws))
        return script.pop(0)

    monkeypatch.setattr(lengths, "is_stable", is_stable)
    return script, seen


@pytest.mark.parametrize(
    ("script", "length"), [([True], 20), ([False, True], 40), ([False, False], 80)]
)
def test_the_first_stable_length_is_that_of_all_replicates(regression, verdicts, script, length):
    X, y = regression
    verdicts[0].extend(script)
    draws = bv.sample(X, y, n_replicates=6, **AUTO)
    fixed = bv.sample(X, y, n_replicates=6, burn_in=length, n_draws=length, random_state=3)
    assert_same_bits(draws, fixed)
    assert (draws.burn_in, draws.n_draws) == (length, length)
    tried = [20, 40][: len(script)]
    assert verdicts[1] == [(lengths.PILOT_REPLICATES, own, own) for own in tried]


def test_one_linear_model_that_is_gone_while_chains_run(regression, verdicts, monkeypatch):
    made, run = [], lengths.sample_replicates

    def make(data, weights):
        made.append(weights)
        return model(data, weights)

    def sample_replicates(data, prior, calibration, numbers, config):
        assert data.X is dataset.X
        assert "linear_model" not in vars(dataset)
        return run(data, prior, calibration, numbers, config)

    model = Dataset._linear_model
    monkeypatch.setattr(Dataset, "_linear_model", make)
    monkeypatch.setattr(lengths, "sample_replicates", sample_replicates)
    verdicts[0].append(True)
    dataset = read_dataset(*regression)
    settings = config.check_sampling_config(20, "auto", "auto", 0, 1, None, None)
    need = {bv.DART(): ReplicateCounts(6, 0)}
    found = lengths.sample_stable_chains(dataset, need, settings)
    assert found[bv.DART()].draws.n_replicates == 6
    assert len(made) == 1


def test_one_of_the_two_lengths_may_be_given(regression, verdicts):
    X, y = regression
    verdicts[0].extend([False, True])
    draws = bv.sample(X, y, n_replicates=5, burn_in="auto", n_draws=30, random_state=3)
    assert (draws.burn_in, draws.n_draws) == (40, 30)


def test_fewer_replicates_than_the_pilot_has(regression, verdicts):
    X, y = regression
    verdicts[0].append(True)
    draws = bv.sample(X, y, n_replicates=2, **AUTO)
    assert_same_bits(draws, bv.sample(X, y, n_replicates=2, burn_in=20, n_draws=20, random_state=3))


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_the_number_of_threads_does_not_matter(regression, n_jobs):
    X, y = regression
    one = bv.sample(X, y, n_replicates=6, n_jobs=1, **AUTO)
    assert_same_bits(bv.sample(X, y, n_replicates=6, n_jobs=n_jobs, **AUTO), one)


def test_null_replicates_are_as_long_as_the_others(regression, verdicts):
    X, y = regression
    verdicts[0].extend([False, True])
    found = bv.select(X, y, "bart-vip-gse", n_replicates=5, n_permutations=19, **AUTO)
    fixed = {"burn_in": 40, "n_draws": 40, "random_state": 3}
    same = bv.select(X, y, "bart-vip-gse", n_replicates=5, n_permutations=19, **fixed)
    np.testing.assert_array_equal(found.null, same.null)
    np.testing.assert_array_equal(found.signal.null, same.signal.null)


@pytest.mark.parametrize("method", ["dart-vc", "dart-relevance"])
def test_automatic_replicates_continue_at_the_length_that_was_chosen(regression, verdicts, method):
    X, y = regression
    verdicts[0].extend([False, True])
    untested = {"signal_test": False, "row_stability": False}
    found = bv.select(X, y, method, n_replicates="auto", n_jobs=1, **untested, **AUTO)
    n, prior = found.draws.n_replicates, bv.recipes()[method].make_prior()
    fixed = bv.sample(X, y, prior, n_replicates=n, burn_in=40, n_draws=40, random_state=3)
    assert_same_bits(found.draws, fixed)
    assert "40 + 40 iterations" in found.stopping.reason
    assert "replicates" in found.stopping.reason


def test_the_result_says_how_long_the_chains_are(regression, verdicts):
    X, y = regression
    verdicts[0].append(True)
    found = bv.select(X, y, n_replicates=5, signal_test=False, **AUTO)
    assert "Chains of 20 + 20 iterations (burn-in + draws); the importance was stable" in repr(
        found
    )
    verdicts[0].extend([False, False])
    found = bv.select(X, y, n_replicates=5, signal_test=False, **AUTO)
    assert "Chains of 80 + 80 iterations (burn-in + draws), the longest" in found.stopping.reason


def test_each_prior_has_its_own_length(regression, verdicts):
    X, y = regression
    verdicts[0].extend([True, False, False])
    both = bv.compare(X, y, ["dart-mpm", "bart-mpm"], signal_test=False, **AUTO)
    assert [found.draws.n_draws for found in both.values()] == [20, 80]


def test_a_checkpoint_holds_every_length_that_was_tried(regression, verdicts, tmp_path):
    X, y = regression
    verdicts[0].extend([False, True] * 2)
    first = bv.sample(X, y, n_replicates=6, checkpoint=tmp_path, **AUTO)
    kept = sorted(path.name for path in tmp_path.glob("*.npz"))
    again = bv.sample(X, y, n_replicates=6, checkpoint=tmp_path, **AUTO)
    assert_same_bits(again, first)
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == kept
    assert len(kept) == lengths.PILOT_REPLICATES + 6


def test_distance_of_the_halves():
    apart = [[[4, 0], [4, 0], [0, 2], [0, 2]], [[1, 1], [1, 1], [1, 1], [1, 1]]]
    squares = [np.log1p(4) ** 2 + np.log1p(2) ** 2, 0]
    distance = lengths.half_distance(bv.Draws.from_counts(apart))
    assert distance == pytest.approx(np.sqrt(np.mean(squares)))
    assert not lengths.is_stable(bv.Draws.from_counts(apart))
    assert lengths.is_stable(bv.Draws.from_counts([apart[1]]))


@pytest.mark.parametrize("name", ["burn_in", "n_draws"])
def test_other_words_are_refused(regression, name):
    X, y = regression
    with pytest.raises(TypeError, match=f"`{name}` must be an integer .*, or 'auto'. Got 'long'"):
        bv.sample(X, y, **{name: "long"})


def test_forests_of_abc_have_no_automatic_length(regression):
    X, y = regression
    with pytest.raises(TypeError, match="Automatic lengths are for BART and DART"):
        bv.sample(X, y, bv.SpikeForest(), burn_in="auto")
