"""``transform="normal-scores"``: ranks in, the units of y out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import t as student

import bayesvc as bv
from bayesvc import priors
from bayesvc._archive import write_arrays
from bayesvc._npz import open_arrays
from bayesvc.priors.normal_scores import ScoreMap, normal_scores
from bayesvc.responses.shape import uses_scores
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SEEDED

SCORES = bv.DART(transform="normal-scores")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 3))
    return X, np.exp(4 * X[:, 0] + 0.3 * rng.normal(size=300))


def test_scores_are_quantiles_of_mid_ranks():
    y = np.array([3.0, 1.0, 3.0, 1e9])
    np.testing.assert_allclose(normal_scores(y), ndtri([0.5, 0.125, 0.5, 0.875]))


def test_the_way_back_is_exact_at_the_observed_values():
    y = np.random.default_rng(1).lognormal(size=500).round(1)
    own = ScoreMap.of(y)
    np.testing.assert_allclose(own.to_y(normal_scores(y)), y, rtol=1e-12)
    np.testing.assert_array_equal(own.to_y(np.array([-50.0, 50.0])), [y.min(), y.max()])


def test_many_values_are_represented_by_some():
    y = np.random.default_rng(2).lognormal(size=50_000)
    own = ScoreMap.of(y)
    assert len(own.scores) <= 1000
    assert (own.values[0], own.values[-1]) == (y.min(), y.max())
    # adjacent knots are about 0.009 scores apart, over which y grows by one per cent
    np.testing.assert_allclose(own.to_y(normal_scores(y)), y, rtol=0.01 * 4)


@pytest.mark.parametrize("df", [None, 3.0])
@pytest.mark.parametrize("sigma", [0.01, 0.3, 1.0])
def test_mean_of_y_is_the_integral_over_the_errors(df, sigma):
    """Against 200,000 equally likely errors; the bound is a fraction of the range."""
    own = ScoreMap.of(np.random.default_rng(3).gamma(2.0, size=400))
    at = np.linspace(own.scores[0], own.scores[-1], 9)
    probabilities = (np.arange(200_000) + 0.5) / 200_000
    errors = ndtri(probabilities) if df is None else student.ppf(probabilities, df)
    expected = [own.to_y(f + sigma * errors).mean() for f in at]
    dfs = None if df is None else np.array([df])
    found = own.mean_of_y(at[np.newaxis].copy(), np.array([sigma]), dfs)[0]
    np.testing.assert_allclose(found, expected, atol=1e-4 * (own.values[-1] - own.values[0]))


@pytest.mark.parametrize("df", [None, np.array([3.0, 1.5, 30.0])])
def test_mean_of_y_of_a_draw_does_not_depend_on_the_others(rng, df):
    own = ScoreMap.of(rng.gamma(2.0, size=100))
    scores, sigma = rng.normal(size=(3, 7)), np.array([0.3, 0.01, 0.9])
    whole = own.mean_of_y(scores.copy(), sigma, df)
    for i in range(3):
        one = None if df is None else df[i : i + 1]
        alone = own.mean_of_y(scores[i : i + 1].copy(), sigma[i : i + 1], one)
        np.testing.assert_allclose(alone[0], whole[i], rtol=1e-13)


def test_mean_of_y_stays_in_the_observed_range(rng):
    own = ScoreMap.of(rng.gamma(2.0, size=100))
    found = own.mean_of_y(np.array([[-9.0, 9.0]] * 2), np.array([1e-9, 2.0]))
    assert (found >= own.values[0]).all()
    assert (found <= own.values[-1]).all()
    np.testing.assert_allclose(found[0], [own.values[0], own.values[-1]], rtol=1e-12)


def test_the_result_does_not_depend_on_the_scale_of_y(data):
    X, y = data
    first, second = (bv.sample(X, own, SCORES, n_replicates=2, **SEEDED) for own in (y, np.log(y)))
    np.testing.assert_array_equal(first.vc, second.vc)
    np.testing.assert_array_equal(first.sigma, second.sigma)


def test_predictions_are_in_the_units_of_y(data):
    X, y = data
    model = bv.BARTRegressor(SCORES, n_trees=50, burn_in=300, n_draws=300, random_state=0)
    mean, low, high = model.fit(X[:200], y[:200]).predict(X[200:], return_interval=0.9)
    assert ((low <= mean) & (mean <= high)).all()
    assert np.corrcoef(np.log(mean), 4 * X[200:, 0])[0, 1] > 0.98
    # the mean of a lognormal variate, not its median
    truth = np.exp(4 * X[200:, 0] + 0.3**2 / 2)
    inner = (X[200:, 0] > 0.1) & (X[200:, 0] < 0.9)
    assert np.median(mean[inner] / truth[inner]) == pytest.approx(1, abs=0.1)
    _, low, high = model.predict(X[200:], return_interval=0.9, interval_of="observation")
    # 100 rows: the error of a coverage of 0.9 is 0.03, and three of these are allowed
    assert np.mean((low <= y[200:]) & (y[200:] <= high)) == pytest.approx(0.9, abs=0.1)
    assert (low >= y[:200].min()).all()
    assert (high <= y[:200].max()).all()
    samples = model.posterior_samples(X[200:])
    np.testing.assert_allclose(samples.mean(axis=0), mean, rtol=1e-12)


def test_partial_dependence_averages_the_mean_of_y(data):
    X, y = data
    model = bv.BARTRegressor(SCORES, n_trees=20, burn_in=200, n_draws=50, random_state=0).fit(X, y)
    effect = model.partial_dependence(X[:40], 0, grid=[0.2, 0.7])
    for k, value in enumerate((0.2, 0.7)):
        held = X[:40].copy()
        held[:, 0] = value
        assert effect.mean[k] == pytest.approx(model.predict(held).mean(), rel=1e-9)


def test_files_hold_the_map(data, tmp_path):
    X, y = data
    draws = bv.sample(X, y, SCORES, n_replicates=2, keep_trees=True, **SEEDED)
    draws.save(tmp_path / "draws.npz")
    again = bv.Draws.load(tmp_path / "draws.npz")
    assert again.calibration == draws.calibration
    np.testing.assert_array_equal(again.predict(X[:5]), draws.predict(X[:5]))
    assert_same_bits(again.take([0]).extend(1, X, y), draws)


def test_a_damaged_map_is_refused(data, tmp_path):
    path = tmp_path / "draws.npz"
    bv.sample(*data, SCORES, n_replicates=1, **SEEDED).save(path)
    with open_arrays(path) as stored:
        arrays = dict(stored)
    settings = json.loads(arrays["settings"].tobytes())
    settings["calibration"]["score_map"]["values"].reverse()
    text = np.frombuffer(json.dumps(settings).encode(), dtype=np.uint8)
    write_arrays(path, arrays | {"settings": text})
    with pytest.raises(ValueError, match="the map from normal scores to y is damaged"):
        bv.Draws.load(path)


def test_selections_check_predictions_in_the_units_of_y(data):
    X, y = data
    with pytest.warns(bv.exceptions.BayesvcWarning):
        found = bv.select(X, y, prior=SCORES, n_replicates=2, signal_test=False, **SEEDED)
    assert "response: continuous, normal errors and normal scores of y" in repr(found)
    checked = found.check_prediction(X, y)
    assert checked.of_none == pytest.approx(y.var(), rel=0.1)
    assert checked.of_selected < 0.5 * checked.of_none


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (lambda rng: rng.normal(size=400), False),
        (lambda rng: rng.uniform(size=400), False),
        (lambda rng: rng.exponential(size=400), True),
        (lambda rng: 1e200 * rng.lognormal(size=400), True),
        (lambda rng: rng.integers(0, 7, size=400).astype(float), False),
        (lambda rng: np.append(rng.normal(size=400), [1e3, 1e4, 1e5]), False),
        (lambda rng: -rng.exponential(size=400), True),
        (lambda rng: np.append(np.zeros(400), 1.0), False),
    ],
)
def test_auto_decides_by_the_shape_of_y_alone(values, expected):
    rng = np.random.default_rng(4)
    y = values(rng)
    auto = bv.DART(transform="auto")
    assert uses_scores(auto, y) == uses_scores(auto, rng.permutation(y)) == expected


def test_scores_leave_nothing_to_student_errors_that_are_automatic(data):
    prior = bv.DART(transform="auto", errors="auto")
    calibration = bv.sample(*data, prior, n_replicates=1, **SEEDED).calibration
    assert calibration.model == "gaussian"
    assert calibration.score_map is not None


def test_both_at_once(data):
    X, y = data
    prior = bv.BART(transform="normal-scores", errors="student")
    model = bv.BARTRegressor(prior, n_trees=20, burn_in=100, n_draws=100, random_state=0).fit(X, y)
    mean, low, high = model.predict(X, return_interval=0.9, interval_of="observation")
    assert ((low <= mean) & (mean <= high)).mean() > 0.95
    assert np.isfinite(mean).all()


@pytest.mark.parametrize("name", ["sigma", "sigma_hat"])
def test_sigma_in_the_units_of_y_is_refused(name):
    with pytest.raises(ValueError, match=rf"`{name}` must be None with transform='auto'.*Got 1.0"):
        bv.BART(transform="auto", **{name: 1})


def test_other_priors_and_responses_refuse_it(data):
    with pytest.raises(ValueError, match="`transform` must be None for SpikeForest"):
        bv.SpikeForest(transform="normal-scores")
    with pytest.raises(ValueError, match="`transform` must be None or 'auto' for a binary"):
        bv.sample(data[0], data[1] > 9, SCORES, **SEEDED)
    with pytest.raises(ValueError, match="`transform` must be one of"):
        bv.DART(transform="log")
    assert priors.prior_from_dict(priors.prior_to_dict(SCORES)) == SCORES
