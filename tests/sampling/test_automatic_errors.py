"""``errors="auto"``: which errors a short chain chooses, and for whom."""

from __future__ import annotations

import numpy as np
import pytest

import bayesvc as bv
from bayesvc.responses import Gaussian
from bayesvc.responses.read import read_dataset
from bayesvc.responses.shape import error_model
from bayesvc.sampling import chain
from bayesvc.sampling.config import check_sampling_config
from bayesvc.sampling.plan import sample_priors
from bayesvc.sampling.replicates import Interrupted, ReplicateCounts
from tests.helpers.no_sampling import no_sampling
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SEEDED, SETTLED

AUTO = bv.DART(errors="auto")


@pytest.fixture(scope="module")
def tables():
    """Three responses: one without outlying values, and two with, in the signal or the errors."""
    rng = np.random.default_rng(0)
    X, noise = rng.uniform(size=(200, 4)), rng.normal(size=200)
    signal = 8 * (X[:, 0] > 0.9)
    return X, {
        "none": 6 * X[:, 0] + noise,
        "signal": signal + noise,
        "errors": 6 * X[:, 0] + rng.standard_t(1.5, size=200),
    }


@pytest.mark.parametrize(
    ("tails", "suspected", "chosen"),
    [("none", "gaussian", "gaussian"), ("signal", "student", "gaussian"),
     ("errors", "student", "student")],
)  # fmt: skip
def test_the_tails_of_the_errors_decide_and_not_those_of_y(tables, tails, suspected, chosen):
    X, y = tables[0], tables[1][tails]
    assert error_model(AUTO, y) == suspected
    draws = bv.sample(X, y, AUTO, n_replicates=2, **SEEDED)
    assert draws.calibration.model == chosen
    assert draws.prior == AUTO
    plain = bv.sample(X, y, bv.DART(errors=chosen), n_replicates=2, **SEEDED)
    assert_same_bits(draws, plain)


def test_further_replicates_have_the_same_errors(tables):
    X, y = tables[0], tables[1]["errors"]
    whole = bv.sample(X, y, AUTO, n_replicates=3, **SEEDED)
    assert_same_bits(bv.sample(X, y, AUTO, n_replicates=1, **SEEDED).extend(2), whole)


def test_null_replicates_share_the_choice(tables):
    X, y = tables[0], tables[1]["signal"]
    data, config = read_dataset(X, y), check_sampling_config(**SEEDED)
    found = sample_priors(data, {AUTO: ReplicateCounts(1, 2)}, config)[AUTO]
    assert error_model(AUTO, np.sort(y)) == "student", "they do not choose for themselves"
    assert found.permuted.calibration.model == found.draws.calibration.model == "gaussian"
    assert found.permuted.prior == AUTO


def test_priors_that_settle_alike_are_sampled_once(tables):
    done = []
    data = read_dataset(tables[0], tables[1]["none"])
    config = check_sampling_config(progress=lambda *now: done.append(now), n_jobs=1, **SEEDED)
    counts = {AUTO: ReplicateCounts(1, 0), bv.DART(): ReplicateCounts(2, 0)}
    found = sample_priors(data, counts, config)
    assert done[-1] == (200, 200), "two chains of 100 iterations"
    assert {prior: own.draws.prior for prior, own in found.items()} == {p: p for p in counts}


def test_a_rare_group_far_from_the_others_is_not_taken_for_outliers(tables):
    X, y = tables[0], 20 * (tables[0][:, 0] > 0.95) + tables[1]["none"]
    prior = bv.DART(errors="student")
    draws = bv.sample(X, y, prior, n_replicates=4, **SETTLED)
    assert draws.mpvip[:, 0].min() > 0.9


def test_a_calibration_alone_suspects_the_worst(tables):
    calibration = Gaussian().calibrate(bv.DART(errors="auto", sigma=1.0), tables[1]["signal"], 20)
    assert calibration.model == "student"


def test_stopping_during_the_choice_leaves_a_run_to_continue(tables, tmp_path, monkeypatch):
    def stop(*_given):
        raise KeyboardInterrupt

    monkeypatch.setattr(chain, "execute_each", stop)
    X, y = tables[0], tables[1]["errors"]
    with pytest.raises(KeyboardInterrupt) as plain:
        bv.sample(X, y, AUTO, n_replicates=1, **SEEDED)
    assert not isinstance(plain.value, Interrupted)
    with pytest.raises(Interrupted) as stopped:
        bv.sample(X, y, AUTO, n_replicates=1, checkpoint=tmp_path / "unfinished", **SEEDED)
    assert stopped.value.finished == {AUTO: ReplicateCounts(0, 0)}


def test_a_choice_that_was_made_is_not_made_again(tables, tmp_path):
    X, y = tables[0], tables[1]["errors"]
    settings = {"n_replicates": 1, "checkpoint": tmp_path / "unfinished", **SEEDED}
    first = bv.sample(X, y, AUTO, **settings)
    with no_sampling():
        assert_same_bits(bv.sample(X, y, AUTO, **settings), first)
