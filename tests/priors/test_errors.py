"""``errors="student"``: from the prior through the chains to draws, files and predictions."""

from __future__ import annotations

import html
import json

import numpy as np
import pytest
from scipy.stats import t as student

import bayesvc as bv
from bayesvc import priors
from bayesvc._archive import write_arrays
from bayesvc._npz import open_arrays
from bayesvc.draws.prediction import _mixture_quantile
from bayesvc.report import summarize_data, write_report
from bayesvc.report.reproduce import prior_code
from bayesvc.report.summary import known_summary
from bayesvc.responses import Gaussian
from bayesvc.responses.shape import error_model, robust_sd, robust_span
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import CONVERGED, SEEDED

STUDENT = [bv.BART(errors="student"), bv.DART(errors="student", k="learned")]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(120, 4))
    return X, 6 * X[:, 0] + 0.5 * rng.standard_t(2, size=120)


@pytest.mark.parametrize("prior", STUDENT)
def test_the_prior_survives_json_and_can_be_written_as_code(prior):
    about = json.loads(json.dumps(priors.prior_to_dict(prior)))
    assert priors.prior_from_dict(about) == prior
    assert eval(prior_code(prior), {"bv": bv}) == prior


def test_defaults_are_the_papers():
    for kind in priors.PRIORS.values():
        assert (kind().errors, kind().transform) == ("gaussian", None)


def test_settings_that_earlier_files_lack_have_their_defaults():
    about = priors.prior_to_dict(bv.DART())
    del about["errors"], about["transform"]
    assert priors.prior_from_dict(about) == bv.DART()
    unknown = priors.prior_from_dict(about | {"kind": "SomeoneElses"})
    assert (unknown.errors, unknown.transform) == ("gaussian", None)


@pytest.mark.parametrize("prior", STUDENT)
def test_draws_hold_the_degrees_of_freedom_of_every_draw(data, prior):
    draws = bv.sample(*data, prior, n_replicates=2, **SEEDED)
    assert draws.calibration.model == "student"
    assert draws.df.shape == draws.sigma.shape
    assert (draws.df >= 1).all()
    assert (draws.df <= 200).all()
    assert len(np.unique(draws.df)) > draws.df.size / 5, "drawn after every fourth sweep"
    assert bv.sample(*data, n_replicates=1, **SEEDED).df is None


def test_the_trace_survives_files_checkpoints_and_more_replicates(data, tmp_path):
    draws = bv.sample(*data, STUDENT[1], n_replicates=3, **SEEDED)
    draws.save(tmp_path / "draws.npz")
    assert_same_bits(draws, bv.Draws.load(tmp_path / "draws.npz"))
    assert_same_bits(draws.take([0]).extend(2), draws)
    for _ in range(2):  # the second time from the files of the first
        kept = bv.sample(*data, STUDENT[1], n_replicates=3, checkpoint=tmp_path / "c", **SEEDED)
        assert_same_bits(kept, draws)


def test_a_file_without_the_trace_is_damaged(data, tmp_path):
    path = tmp_path / "draws.npz"
    bv.sample(*data, STUDENT[0], n_replicates=1, **SEEDED).save(path)
    with open_arrays(path) as stored:
        arrays = dict(stored)
    del arrays["df"]
    write_arrays(path, arrays)
    with pytest.raises(ValueError, match="df"):
        bv.Draws.load(path)


def test_traces_and_diagnostics_show_it(data):
    draws = bv.sample(*data, STUDENT[0], n_replicates=2, **SEEDED)
    plot = bv.plots.traces(draws)
    shown = plot.data["value"][plot.data["quantity"] == "df"]
    np.testing.assert_array_equal(shown, draws.df.ravel())
    mixing = bv.diagnostics.mixing(draws)
    assert mixing.df_rhat > 0.9
    assert mixing.df_ess > 1
    assert np.isnan(bv.diagnostics.mixing(bv.sample(*data, n_replicates=2, **SEEDED)).df_rhat)


def test_finds_the_scale_and_the_tails_of_the_errors():
    """Wide bounds: 90 % intervals of a chain on 2,000 rows lie well within them."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(2000, 3))
    length = CONVERGED | {"n_replicates": 1}
    heavy = bv.sample(X, 9 * X[:, 0] + 0.7 * rng.standard_t(3, 2000), STUDENT[0], **length)
    assert 2 < np.median(heavy.df) < 4.5
    assert 0.55 < np.median(heavy.sigma) < 0.85
    normal = bv.sample(X, 9 * X[:, 0] + 0.7 * rng.normal(size=2000), STUDENT[0], **length)
    assert np.median(normal.df) > 10


def test_outliers_move_neither_predictions_nor_scaling():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(200, 3))
    f = 4 * X[:, 0]
    y = f + 0.2 * rng.normal(size=200)
    y[:4] += [1e4, -3e4, 2e4, 5e4]
    errors = {}
    for prior in (bv.BART(), STUDENT[0]):
        model = bv.BARTRegressor(prior, burn_in=300, n_draws=300, random_state=0).fit(X, y)
        errors[prior.errors] = np.sqrt(np.mean((model.predict(X) - f) ** 2))
    assert errors["student"] < 0.3
    assert errors["gaussian"] > 100


def test_weights_of_rows_scale_the_errors():
    """Rows of weight 1e-6 say nothing, so that replacing their y changes nothing but the scale."""
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(300, 2))
    y = 3 * X[:, 0] + 0.1 * rng.normal(size=300)
    weights = np.where(np.arange(300) < 60, 1e-6, 1.0)
    y[:60] = rng.uniform(-3, 3, size=60)
    model = bv.BARTRegressor(STUDENT[0], burn_in=300, n_draws=300, random_state=0)
    fitted = model.fit(X, y, sample_weight=weights).predict(X)
    assert np.sqrt(np.mean((fitted - 3 * X[:, 0]) ** 2)) < 0.15


def test_intervals_of_observations_are_quantiles_of_students_t():
    rng = np.random.default_rng(4)
    means, sds, df = rng.normal(size=(50, 3)), np.full((50, 1), 0.5), rng.uniform(1, 6, (50, 1))
    for probability in (0.005, 0.05, 0.5, 0.9):
        found = _mixture_quantile(probability, means, sds, df)
        reached = student.cdf((found - means) / sds, df).mean(axis=0)
        np.testing.assert_allclose(reached, probability, atol=1e-8)


def test_intervals_of_observations_cover(data):
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(700, 2))
    y = 5 * X[:, 0] + 0.4 * rng.standard_t(2, 700)
    model = bv.BARTRegressor(STUDENT[0], n_trees=50, burn_in=300, n_draws=300, random_state=0)
    model.fit(X[:400], y[:400])
    _, low, high = model.predict(X[400:], return_interval=0.9, interval_of="observation")
    # 300 rows: the error of a coverage of 0.9 is 0.017, and four of these are allowed
    assert np.mean((low < y[400:]) & (y[400:] < high)) == pytest.approx(0.9, abs=0.07)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (np.arange(8.0), 4 / 1.349 * 7 / 8),
        (np.array([0.0] * 5 + [1.0] * 5), 1 / 1.349),
        (np.array([0.0] * 8 + [1.0] * 2), 1 / 2.563),
        (np.array([0.0] * 99 + [1.0]), 0.0),
    ],
)
def test_robust_sd_falls_back_on_wider_quantiles(y, expected):
    assert robust_sd(y) == pytest.approx(expected, rel=1e-3)


def test_bulk_of_the_response():
    y = np.append(np.arange(-50.0, 51.0), 1e4)
    low, width = robust_span(y)
    assert low + width / 2 == pytest.approx(np.median(y))
    assert width == pytest.approx(6 * robust_sd(y))
    assert robust_span(np.array([0.0] * 99 + [1.0])) == (0.0, 1.0)
    assert robust_span(np.append(y, 1e12))[1] > 1e5, "no scaled value is above a million"


def test_auto_decides_by_outlying_values_alone():
    rng = np.random.default_rng(6)
    auto, y = bv.DART(errors="auto"), rng.normal(size=500)
    assert error_model(auto, y) == "gaussian"
    y[7] = 12
    assert error_model(auto, y) == error_model(auto, rng.permutation(y)) == "student"
    assert error_model(bv.DART(), y) == "gaussian"


@pytest.mark.parametrize("prior", [bv.BART(), bv.BART(errors="student")])
def test_normal_errors_map_the_range_and_student_errors_the_bulk(prior):
    y = np.append(np.arange(-50.0, 51.0), 1e4)
    scaled = Gaussian()._scaled_to(prior, y, 20).scale(y)
    unit = 6 * robust_sd(y) if prior.errors == "student" else np.ptp(y)
    assert np.ptp(scaled[:-1]) == pytest.approx(100 / unit)


def test_the_result_says_what_was_chosen(data, tmp_path):
    X, y = data
    y = y.copy()
    y[0] = 100
    arguments = {"n_replicates": 2, "signal_test": False, **SEEDED}
    with pytest.warns(bv.exceptions.BayesvcWarning):
        found = bv.select(X, y, prior=bv.DART(errors="auto"), **arguments)
    with pytest.warns(bv.exceptions.BayesvcWarning):
        plain = bv.select(X, y, prior=bv.DART(), **arguments)
    said = "continuous, Student-t errors (chosen automatically)"
    assert f"response: {said}" in repr(found)
    assert json.loads(found.to_json())["response"] == said
    assert "response:" not in repr(plain)
    assert known_summary(found).response == said
    page = tmp_path / "page.html"
    write_report(found, page, data_summary=summarize_data(X, y))
    assert said in html.unescape(page.read_text())
    assert json.loads(plain.to_json())["response"] == "continuous"


def test_spike_forest_and_binary_responses_refuse_it(data):
    with pytest.raises(ValueError, match=r"`errors` must be 'gaussian' for SpikeForest.*'student'"):
        bv.SpikeForest(errors="student")
    with pytest.raises(ValueError, match=r"`errors` must be 'gaussian' or 'auto' for a binary"):
        bv.sample(data[0], data[1] > 3, STUDENT[0], **SEEDED)
    draws = bv.sample(data[0], data[1] > 3, bv.BART(errors="auto"), n_replicates=1, **SEEDED)
    assert draws.calibration.model == "probit"
