from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import bayesvc as bv
from bayesvc import _core, priors
from bayesvc.priors.calibration import core_settings
from bayesvc.responses import Gaussian, Probit
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.chain import calibrate

GAUSSIAN, PROBIT = Gaussian(), Probit()


def test_settings_are_frozen_hashable_and_compare_by_value():
    prior = bv.DART(k=3, split_weights=[1, 2])
    assert prior == bv.DART(k=3.0, split_weights=np.array([1.0, 2.0]))
    assert hash(prior) == hash(bv.DART(k=3, split_weights=(1, 2)))
    assert bv.BART() != bv.DART()
    with pytest.raises(dataclasses.FrozenInstanceError):
        prior.k = 1.0


@pytest.mark.parametrize(
    "moves",
    [
        bv.Moves(0.5, 0.5, 0.0, 0.0),
        (0.5, 0.5, 0, 0),
        [0.5, 0.5, 0, 0],
        np.array([0.5, 0.5, 0, 0]),
        (0.5, 0.5, 0, 0, 0),
        {"birth": 0.5, "death": 0.5},
    ],
)
def test_moves_in_any_form(moves):
    assert bv.BART(moves=moves).moves == bv.Moves(0.5, 0.5, 0.0, 0.0)


@pytest.mark.parametrize(
    ("settings", "name", "value"),
    [
        ({"k": 0}, "k", "0"),
        ({"k": -1.5}, "k", "-1.5"),
        ({"k": math.nan}, "k", "nan"),
        ({"nu": 0}, "nu", "0"),
        ({"nu": math.inf}, "nu", "inf"),
        ({"q": 0}, "q", "0"),
        ({"q": 1}, "q", "1"),
        ({"gamma": 0}, "gamma", "0"),
        ({"gamma": 1}, "gamma", "1"),
        ({"beta": -0.1}, "beta", "-0.1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf", "0"),
        ({"sigma_hat": 0}, "sigma_hat", "0"),
        ({"sigma_hat": -2}, "sigma_hat", "-2"),
        ({"sigma_hat": "ols"}, "sigma_hat", "'ols'"),
        ({"sigma": 0}, "sigma", "0"),
        ({"sigma": -1}, "sigma", "-1"),
        ({"split_weights": [1, -1]}, "split_weights[1]", "-1"),
        ({"split_weights": [1, math.nan]}, "split_weights[1]", "nan"),
        ({"split_weights": [0, 0]}, "split_weights", "length 2"),
        ({"split_weights": [[1, 1]]}, "split_weights", "2 dimensions"),
        ({"moves": (0, 0.5, 0.5, 0)}, "moves.birth", "0"),
        ({"moves": (0.5, 0, 0.5, 0)}, "moves.death", "0"),
        ({"moves": (0.5, 0.6, -0.1, 0)}, "moves.change", "-0.1"),
        ({"moves": (0.3, 0.3, 0.3, 0.3)}, "moves", "1.2"),
        ({"moves": (0.5, 0.5, 0.1, 0, -0.1)}, "moves.perturb", "-0.1"),
        ({"moves": {"birth": 0.5, "grow": 0.5}}, "moves", "grow"),
    ],
)
@pytest.mark.parametrize("prior", [bv.BART, bv.DART])
def test_bad_values_are_named(prior, settings, name, value):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        prior(**settings)
    assert name in str(error.value)
    assert value in str(error.value)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"alpha": 0}, "alpha"),
        ({"a": 0}, "a"),
        ({"b": -1}, "b"),
        ({"rho": 0}, "rho"),
        ({"form": "both"}, "form"),
    ],
)
def test_bad_values_of_dart(settings, name):
    with pytest.raises(ValueError, match=rf"`{name}` must be"):
        bv.DART(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"k": "two"},
        {"k": None},
        {"k": True},
        {"min_samples_leaf": 1.5},
        {"min_samples_leaf": True},
        {"moves": (0.5, 0.5)},
        {"moves": 1},
        {"split_weights": ["a"]},
    ],
)
def test_bad_types(settings):
    with pytest.raises(TypeError, match=next(iter(settings))):
        bv.BART(**settings)


def test_prior_survives_the_way_through_json_types():
    prior = bv.DART(alpha=0.3, moves=(0.5, 0.5, 0, 0), split_weights=[1, 0, 2], sigma_hat="lm")
    assert priors.prior_from_dict(priors.prior_to_dict(prior)) == prior
    assert priors.prior_from_dict(priors.prior_to_dict(bv.BART())) == bv.BART()


def test_calibration_of_a_continuous_response(regression):
    X, y = regression
    model = _core.LinearModel(X)
    calibration = GAUSSIAN.calibrate(bv.BART(k=3), y, 25, linear_model=model)
    design = np.column_stack([np.ones(len(y)), X])
    residuals = y - design @ np.linalg.lstsq(design, y)[0]
    sigma_hat = math.sqrt(residuals @ residuals / (len(y) - 5 - 1))
    assert calibration.sigma_hat == pytest.approx(sigma_hat, rel=1e-8)
    scaled_hat = sigma_hat / np.ptp(y)
    # P(sigma < sigma_hat) = q for sigma^2 = nu lambda / chi2_nu
    probability = scipy.stats.chi2.sf(3 * calibration.lambda_ / scaled_hat**2, 3)
    assert probability == pytest.approx(0.9, rel=1e-8)
    assert calibration.leaf_sd == pytest.approx(0.5 / (3 * 5))
    scaled = calibration.scale(y)
    assert (scaled.min(), scaled.max()) == (-0.5, 0.5)
    uncorrected = GAUSSIAN.calibrate(bv.BART(sigma_hat="lm-uncorrected"), y, 25, linear_model=model)
    expected = math.sqrt(residuals @ residuals / (len(y) - 1))
    assert uncorrected.sigma_hat == pytest.approx(expected, rel=1e-8)


def test_saturated_linear_model_falls_back_to_the_sd_of_y(rng):
    X, y = rng.normal(size=(10, 9)), rng.normal(size=10)
    for choice in ("lm", "lm-uncorrected"):
        calibration = GAUSSIAN.calibrate(
            bv.BART(sigma_hat=choice), y, 20, linear_model=_core.LinearModel(X)
        )
        assert calibration.sigma_hat == pytest.approx(y.std(ddof=1))


@pytest.mark.parametrize(("n_columns", "has_model"), [(28, True), (29, True), (30, False)])
def test_no_linear_model_of_as_many_columns_as_rows(rng, n_columns, has_model):
    """The columns count, and not their rank, which takes a model to find."""
    X = np.repeat(rng.normal(size=(30, 10)), 3, axis=1)[:, :n_columns]
    y = X[:, 0] + rng.normal(size=30)
    data = read_dataset(X, y)
    assert data.has_linear_model == has_model
    assert (data.linear_model_for(None) is None) != has_model
    calibration = calibrate(data, bv.BART(), data.weighted_response, 20)
    design = np.column_stack([np.ones(30), X[:, ::3]])
    residuals = y - design @ np.linalg.lstsq(design, y)[0]
    expected = math.sqrt(residuals @ residuals / 19) if has_model else y.std(ddof=1)
    assert calibration.sigma_hat == pytest.approx(expected, rel=1e-6)


def test_columns_of_the_linear_model_are_those_of_its_design():
    """A categorical column counts one for each of its categories that occurs but the first."""
    site = pd.Categorical(list("bcdef") * 2, categories=list("abcdefg"))
    table = {"site": site, "gap": [np.nan, *range(9)]}
    y = np.arange(10.0)
    for n_more, has_model in ((4, True), (5, False)):
        numbers = {f"x{j}": np.cos(np.arange(10.0) * (j + 1)) for j in range(n_more)}
        data = read_dataset(pd.DataFrame({**numbers, **table}), y)
        width = sum(len(block.T) for block in data.design_blocks())
        assert data.layout.n_design_columns(data.X.source) == width == n_more + 5
        assert data.has_linear_model == has_model


def test_null_replicates_without_a_linear_model(rng):
    """sigma_hat of a permuted response is the sd of y too, and with row weights their own."""
    X, y = rng.normal(size=(20, 30)), rng.normal(size=20)
    weights = rng.uniform(0.5, 2, size=20)
    for given in (None, weights):
        data = read_dataset(X, y, sample_weight=given)
        own = calibrate(data, bv.DART(), data.weighted_response, 20).sigma_hat
        words = np.arange(20, dtype=np.uint64)[::-1].copy()
        permuted = calibrate(data, bv.DART(), data.permuted(words), 20).sigma_hat
        assert permuted == pytest.approx(own)
        assert "linear_model" not in vars(data)


def test_sigma_hat_of_an_exact_linear_response_has_a_floor(rng):
    X = rng.normal(size=(50, 2))
    y = X @ [1.0, 2.0]
    calibration = GAUSSIAN.calibrate(bv.BART(), y, 20, linear_model=_core.LinearModel(X))
    assert calibration.sigma_hat == pytest.approx(1e-3 * y.std(ddof=1))


def test_numbers_for_sigma_are_in_the_units_of_y():
    y = np.array([0.0, 5.0, 10.0])
    prior = bv.BART(sigma_hat=2)
    assert not GAUSSIAN.needs_linear_model(prior)
    calibration = GAUSSIAN.calibrate(prior, y, 20)
    assert calibration.lambda_ == pytest.approx(0.2**2 * scipy.stats.chi2.ppf(0.1, 3) / 3)
    fixed = bv.BART(sigma=2)
    assert not GAUSSIAN.needs_linear_model(fixed)
    calibration = GAUSSIAN.calibrate(fixed, y, 20)
    assert core_settings(fixed, calibration, 20, 1).sigma == pytest.approx(0.2)


def test_calibration_of_a_binary_response():
    y = np.array([0.0, 0.0, 0.0, 1.0])
    assert not PROBIT.needs_linear_model(bv.BART())
    calibration = PROBIT.calibrate(bv.BART(), y, 25)
    assert calibration.leaf_sd == pytest.approx(3 / (2 * 5))
    assert calibration.offset == pytest.approx(scipy.stats.norm.ppf(0.25), rel=1e-11)
    np.testing.assert_array_equal(calibration.scale(y), y)


def test_an_outlier_calls_for_double_precision(rng):
    y = rng.normal(size=200)
    prior = bv.BART(sigma=1)
    assert GAUSSIAN.calibrate(prior, y, 20).precision == "single"
    y[0] = 1e6
    assert GAUSSIAN.calibrate(prior, y, 20).precision == "double"


def test_settings_of_the_core():
    prior = bv.DART(alpha=2, a=0.7, moves=(0.5, 0.5, 0, 0), split_weights=[1, 0, 2])
    calibration = GAUSSIAN.calibrate(bv.BART(sigma=1), np.array([0.0, 1.0, 3.0]), 20)
    settings = core_settings(prior, calibration, 20, 3)
    assert (settings.splitting, settings.alpha, settings.a) == ("collapsed", 2.0, 0.7)
    assert settings.rho == 3.0
    assert tuple(settings.moves) == (0.5, 0.5, 0, 0, 0)
    assert np.asarray(settings.weights).tolist() == [1, 0, 2]
    assert math.isnan(settings.sigma)
    explicit = core_settings(bv.DART(form="explicit"), calibration, 20, 3)
    assert explicit.splitting == "explicit"
    assert math.isnan(explicit.alpha)
    uniform = core_settings(bv.BART(), calibration, 20, 3)
    assert uniform.splitting == "fixed"
    assert np.ptp(np.asarray(uniform.weights)) == 0
