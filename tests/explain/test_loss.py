"""The loss without a variable, against computations by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import bayesvc as bv
from bayesvc.explain.loss import PredictiveLoss, check_folds, cross_fitted_loss
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import check_sampling_config

PRIOR = bv.BART(k="learned")


def config(n_jobs=1):
    return check_sampling_config(20, 100, 100, 0, n_jobs, keep_trees=True)


def test_loss_of_r2_and_its_interval():
    rng = np.random.default_rng(0)
    y = rng.normal(size=400)
    full, reduced = y + 0.5 * rng.normal(size=400), y + rng.normal(size=400)
    centred = (y - y.mean()) ** 2
    own = PredictiveLoss(
        "R2", (y - full) ** 2, ((y - reduced) ** 2)[:, np.newaxis], centred, np.ones(400), 0.9
    )
    estimate, low, high = own.losses[:, 0]
    difference = own.without[:, 0] - own.of_all
    assert estimate == pytest.approx(difference.mean() / y.var())
    influence = (difference - estimate * centred) / y.var()
    margin = norm.ppf(0.95) * influence.std(ddof=1) / 20
    assert (low, high) == pytest.approx((estimate - margin, estimate + margin))
    assert own.score[0] == pytest.approx(1 - own.of_all.mean() / y.var())
    assert own.score[1] < own.score[0] < own.score[2]


def test_rows_count_by_their_weights():
    values = np.array([1.0, 2.0, 4.0])
    weights = np.array([0.0, 1.5, 1.5])
    own = PredictiveLoss("log loss", values, values[:, np.newaxis] + 1, values, weights, 0.9)
    assert own.score[0] == pytest.approx(3)
    assert own.losses[0, 0] == pytest.approx(1)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 3))
    return X, 4 * X[:, 0] + 2 * X[:, 1] + 0.5 * rng.normal(size=200)


def fitted(X, y, n_jobs=1, **settings):
    own = read_dataset(X, y, **settings)
    return cross_fitted_loss(own, PRIOR, check_folds(own, PRIOR, 4, 0), config(n_jobs), 0.9)


def test_what_matters_is_missed(data):
    losses = fitted(*data).losses
    assert losses[0, 0] == pytest.approx(0.72, abs=0.12)  # 4 ** 2 / 12 of the variance
    assert losses[0, 1] == pytest.approx(0.18, abs=0.08)
    assert losses[1, 2] < 0 < losses[2, 2]
    assert losses[1, 1] > 0


def test_threads_do_not_matter(data):
    one, two = fitted(*data), fitted(*data, n_jobs=2)
    np.testing.assert_array_equal(one.without, two.without)
    np.testing.assert_array_equal(one.of_all, two.of_all)


def test_batches_do_not_matter(data, monkeypatch):
    whole = fitted(*data)
    monkeypatch.setattr("bayesvc.explain.loss._MOST_AT_ONCE", 3)
    np.testing.assert_array_equal(fitted(*data).without, whole.without)


def test_of_a_single_variable_the_mean_is_left(data):
    X, y = data
    found = fitted(X[:, :1], y)
    assert found.losses[0, 0] == pytest.approx(found.score[0], abs=0.02)


def test_log_loss_of_classes(data):
    X, y = data
    found = fitted(X, np.where(y > np.median(y), "b", "a"))
    assert found.name == "log loss"
    assert 0 < found.score[0] < math.log(2)
    assert found.losses[0, 0] > 0.1


def test_missing_values_may_be_in_one_fold_only(data):
    X, y = data
    X = X.copy()
    X[7, 0] = np.nan
    assert np.isfinite(fitted(X, y).without).all()


def test_folds_have_the_same_part_of_each_class():
    own = read_dataset(np.eye(40), np.arange(40) < 10)
    folds = check_folds(own, PRIOR, 5, 0)
    assert np.bincount(folds).tolist() == [8] * 5
    assert np.bincount(folds[:10]).tolist() == [2] * 5


@pytest.mark.parametrize(
    ("y", "prior", "n_folds", "message"),
    [
        (np.arange(10.0), PRIOR, 11, "at most the number of rows, 10"),
        (np.arange(10.0) == 3, PRIOR, 5, "must vary among the rows outside"),
        (np.arange(10.0), bv.BART(min_samples_leaf=5), 2, "must be at most 2, half of the 5 rows"),
    ],
)
def test_rows_that_cannot_be_divided_are_refused(y, prior, n_folds, message):
    with pytest.raises(ValueError, match=message):
        check_folds(read_dataset(np.eye(10), y), prior, n_folds, 0)
