"""Units, offsets, outliers and numbers at the edges of floating point.

The sampler sees y scaled to [-0.5, 0.5] and the ranks of X. So a power of two as a unit, an offset
that is added without rounding, and any unit of X leave every tally as it is, bit for bit. Other
units change the last digits of the scaled y: the same selection, but other draws.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bayesvc as bv
from tests.helpers.settings import SEEDED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = SEEDED | {"n_replicates": 2, "n_jobs": 1}
PRIORS = {
    "bart": bv.BART(),
    "dart": bv.DART(),
    "explicit": bv.DART(form="explicit"),
    "abc": bv.SpikeForest(n_samples=40, burn_in=20),
}
TALLIES = ("vc", "vip", "mpvip", "mi", "n_splits")


@pytest.fixture
def data(rng):
    """Columns 1 and 3 of six matter; y is a multiple of 2^-20, so that 1e9 + y is exact."""
    X = rng.integers(2**20, size=(100, 6)) / 2**20
    y = 10 * X[:, 1] + 5 * X[:, 3] ** 2 + 0.3 * rng.normal(size=100)
    return X, np.rint(y * 2**20) / 2**20


def fits(X, y, prior):
    settings = {"random_state": 0, "n_jobs": 1} if isinstance(prior, bv.SpikeForest) else TWO
    return bv.sample(X, y, prior, **settings)


def assert_sound(draws):
    assert np.isfinite(draws.sigma).all()
    assert (draws.sigma > 0).all()
    for name in TALLIES:
        assert np.isfinite(getattr(draws, name)).all(), name


def assert_same_tallies(a, b, names=TALLIES):
    for name in names:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40, 2.0**-900, 2.0**900])
def test_powers_of_two_as_units_of_y_change_nothing_but_sigma(data, prior, unit):
    X, y = data
    plain, scaled = fits(X, y, PRIORS[prior]), fits(X, unit * y, PRIORS[prior])
    assert_sound(scaled)
    assert_same_tallies(plain, scaled)
    np.testing.assert_array_equal(scaled.sigma, unit * plain.sigma)


@pytest.mark.parametrize("prior", PRIORS)
def test_an_offset_without_rounding_changes_nothing(data, prior):
    X, y = data
    plain, shifted = fits(X, y, PRIORS[prior]), fits(X, 1e9 + y, PRIORS[prior])
    assert_sound(shifted)
    assert_same_tallies(plain, shifted)
    np.testing.assert_array_equal(shifted.sigma, plain.sigma)


@pytest.mark.parametrize("method", ["dart-vc", "bart-mpm"])
@pytest.mark.parametrize(
    "change",
    [lambda y: 1e-12 * y, lambda y: 1e12 * y, lambda y: y / 3 + 1e9 / 7, lambda y: 1e250 * y],
    ids=["1e-12", "1e12", "shifted", "1e250"],
)
def test_any_unit_and_offset_select_the_same(data, method, change):
    X, y = data
    settings = {"burn_in": 300, "n_draws": 300, "random_state": 0, "n_jobs": 1}
    plain, changed = (bv.select(X, target, method, **settings) for target in (y, change(y)))
    assert plain.names == changed.names
    if method == "dart-vc":
        assert plain.names == ["x1", "x3"]
    assert_sound(changed.draws)


@pytest.mark.parametrize("prior", PRIORS)
def test_an_outlier_of_a_million_standard_deviations(data, prior):
    X, y = data
    y[7] = y.mean() + 1e6 * y.std()
    draws = fits(X, y, PRIORS[prior])
    assert_sound(draws)
    assert draws.calibration is None or draws.calibration.precision == "double"


def test_the_fit_beside_an_outlier_keeps_its_digits(data):
    X, y = data
    y[7] = y.mean() + 1e6 * y.std()
    draws = bv.sample(X, y, bv.BART(sigma=0.3), **TWO, keep_trees=True)
    others = np.arange(100) != 7
    # The outlier has a leaf of its own or none; rounding to 32 bits would be an error of 0.1.
    trees = draws.posterior(X, n_jobs=1)
    assert np.isfinite(trees).all()
    assert (np.abs(trees.mean(axis=0) - y)[others] < 1e5).all()


UNITS_OF_X = [1e300, -1e300, 2.0**-1070, 1e-300]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("sigma_hat", [None, 1.0])
@pytest.mark.parametrize("unit", UNITS_OF_X)
def test_units_of_x_change_nothing(rng, prior, sigma_hat, unit):
    X = rng.integers(1, 1000, size=(80, 4)).astype(float)
    y = X[:, 1] / 100 + rng.normal(size=80)
    kind = type(PRIORS[prior])
    given = {
        name: getattr(PRIORS[prior], name)
        for name in (own.name for own in dataclasses.fields(kind))
    }
    wanted = kind(**{**given, "sigma_hat": sigma_hat})
    scaled = X.copy()
    scaled[:, [1, 2]] *= abs(unit)
    if unit < 0:  # the order is reversed: other draws, but sound ones
        scaled[:, 2] *= -1
        return assert_sound(fits(scaled, y, wanted))
    # The linear model of ABC is not rounded to 12 digits, and MI shows the last one.
    unrounded = prior == "abc" and sigma_hat is None
    names = ("vc", "vip", "mpvip", "n_splits") if unrounded else TALLIES
    assert_same_tallies(fits(X, y, wanted), fits(scaled, y, wanted), names)
    return None


def test_predictions_at_the_edges_of_floating_point(rng):
    X = rng.normal(size=(60, 3))
    X[:, 0] *= 1e308 / np.abs(X[:, 0]).max()
    X[:, 1] = rng.integers(50, size=60) * 5e-324
    y = (X[:, 0] > 0) + 2.0 * (X[:, 1] > 1e-322)
    draws = bv.sample(X, y, **TWO, keep_trees=True)
    assert_sound(draws)
    assert np.corrcoef(draws.predict(X, n_jobs=1), y)[0, 1] > 0.9


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("kind", ["step", "line", "two values", "binary"])
def test_a_response_without_noise(data, prior, kind):
    X, _ = data
    y = {
        "step": 3.0 * (X[:, 1] > 0.5) + (X[:, 3] > 0.5),
        "line": X[:, 1],
        "two values": np.where(X[:, 1] > 0.5, 1e-3, 7.0),
        "binary": X[:, 1] > 0.5,
    }[kind]
    draws = fits(X, y, PRIORS[prior])
    if prior == "abc":  # training rows where y is constant have no noise at all
        assert np.isfinite(draws.sigma).all()
    else:
        assert_sound(draws)
    assert draws.vc.mean(axis=0).argmax() in ((1, 3) if kind == "step" else (1,))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1e-300, 3e-300], "must span at least.*Multiply y"),
        ([0, 5e-324, 0], "must span at least"),
        ([1e300, 1e301, 0], "must lie between.*Divide y"),
        ([1e300, 1.000001e300, 1.01e300], "must lie between"),
    ],
)
def test_responses_whose_sigma_no_number_holds(y, message):
    with pytest.raises(ValueError, match=message):
        bv.sample(np.eye(3), y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 1e-160}, r"`k` must be a number in the interval \[0.001, 1e"),
        ({"k": 1e160}, "Got 1e\\+160 instead"),
        ({"moves": (1e-300, 0.5, 0.5, 0)}, "moves.birth"),
        ({"split_weights": [1e300, 1e300]}, "`split_weights` must lie.*Got values from 1e"),
        ({"split_weights": [5e-324, 1]}, "`split_weights` must lie.*from 4.9.*e-324 to 1"),
    ],
)
@pytest.mark.parametrize("kind", [bv.BART, bv.DART, bv.SpikeForest])
def test_settings_that_cannot_be_computed_with(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        kind(**settings)


@pytest.mark.parametrize("name", ["sigma", "sigma_hat"])
@pytest.mark.parametrize("value", [1e300, 1e-300, 5e-324, 1.7e308])
@pytest.mark.parametrize("kind", [bv.BART, bv.SpikeForest])
def test_a_sigma_far_from_the_units_of_y(data, kind, name, value):
    with pytest.raises(ValueError, match=rf"`{name}` must be comparable.*units of y"):
        bv.sample(*data, kind(**{name: value}))


@pytest.mark.parametrize("settings", [{"nu": 1e-3}, {"nu": 0.05, "q": 1 - 1e-16}])
@pytest.mark.parametrize("kind", [bv.BART, bv.SpikeForest])
def test_a_prior_of_sigma_out_of_range(data, kind, settings):
    with pytest.raises(ValueError, match=r"nu=.* and q=.* The usual values are 3 and 0.9"):
        bv.sample(*data, kind(**settings))


def test_abc_with_a_sigma_that_suits_all_rows_but_not_half_of_them(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    y[0] = 1e280
    for name in ("sigma", "sigma_hat"):
        prior = bv.SpikeForest(n_samples=20, burn_in=5, **{name: 1e280})
        draws = bv.sample(X, y, prior, random_state=0, n_jobs=1)
        assert np.isfinite(draws.sigma).all()
        assert np.isfinite(draws.vc).all()
