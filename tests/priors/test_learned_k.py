"""``k="learned"``: from the prior through the chains to draws, files and plots."""

from __future__ import annotations

import json

import joblib
import numpy as np
import pytest

import bayesvc as bv
from bayesvc import priors
from bayesvc._archive import write_arrays
from bayesvc._core import Settings
from bayesvc._npz import open_arrays
from bayesvc.priors.calibration import core_settings
from bayesvc.report.reproduce import prior_code
from bayesvc.responses import RESPONSES
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import CONVERGED, SEEDED

PROBIT = RESPONSES["binary"]
LEARNED = [bv.BART(k="learned"), bv.DART(k="learned"), bv.DART(k="learned", form="explicit")]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 4))
    return X, 3 * X[:, 0] + rng.normal(size=80)


@pytest.mark.parametrize("prior", LEARNED)
def test_the_prior_survives_json_and_can_be_written_as_code(prior):
    about = json.loads(json.dumps(priors.prior_to_dict(prior)))
    assert priors.prior_from_dict(about) == prior
    assert eval(prior_code(prior), {"bv": bv}) == prior


def test_text_of_numpy_is_taken_for_plain_text():
    assert type(bv.BART(k=np.str_("learned")).k) is str


def test_defaults_do_not_learn_k():
    assert [kind().k for kind in priors.PRIORS.values()] == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(("k", "error"), [("lerned", TypeError), (0, ValueError)])
def test_a_bad_k_is_told_both_ways_to_set_it(k, error):
    with pytest.raises(error, match=r"a number in the interval \[0.001, 1e\+06\], or 'learned'"):
        bv.BART(k=k)


def test_spike_forest_refuses_it():
    with pytest.raises(ValueError, match=r"`k` must be a number for SpikeForest.*BART or DART"):
        bv.SpikeForest(k="learned")


@pytest.mark.parametrize(("binary", "response_range"), [(False, 0.5), (True, 3.0)])
@pytest.mark.parametrize("prior", LEARNED)
def test_draws_hold_the_k_of_every_draw(data, prior, binary, response_range):
    X, y = data
    y = y > np.median(y) if binary else y
    draws = bv.sample(X, y, prior, n_trees=7, n_replicates=2, **SEEDED)
    assert draws.k.shape == draws.sigma.shape
    np.testing.assert_allclose(draws.k, response_range / (draws.leaf_sd * np.sqrt(7)))
    assert (draws.k > 0).all()
    assert len(np.unique(draws.k)) == draws.k.size, "it changes from draw to draw, and by replicate"


@pytest.mark.parametrize(("binary", "least"), [(False, 1.0), (True, 0.5)])
@pytest.mark.parametrize("prior", LEARNED)
def test_k_becomes_smaller_for_a_binary_response(data, prior, binary, least):
    X, _ = data
    y = X[:, 0] > 0.5 if binary else X[:, 0]  # no noise, so that nothing speaks for shrinkage
    draws = bv.sample(X, y, prior, n_trees=5, n_replicates=4, **CONVERGED)
    assert least < draws.k.min() < 1.3 * least
    assert draws.k.max() < 8


def test_only_chains_that_learn_k_are_told_its_limit():
    y = np.array([0.0, 1.0, 1.0])
    calibration = PROBIT.calibrate(bv.BART(), y, 20)
    assert core_settings(bv.BART(k=3), calibration, 20, 2).leaf_sd_limit == Settings().leaf_sd_limit
    assert core_settings(LEARNED[0], calibration, 20, 2).leaf_sd_limit == 4


def test_a_file_from_before_the_limit_goes_on_with_its_own(data, tmp_path):
    X, y = data[0], data[1] > 1
    path = tmp_path / "draws.npz"
    bv.sample(X, y, LEARNED[0], n_replicates=1, **SEEDED).save(path)
    with open_arrays(path) as stored:
        arrays = dict(stored)
    about = json.loads(arrays["settings"].tobytes())
    assert about["calibration"].pop("leaf_sd_limit") == 4
    arrays["settings"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    write_arrays(path, arrays)
    assert bv.Draws.load(path).calibration.leaf_sd_limit == 2


def test_a_fixed_k_leaves_no_trace(data):
    draws = bv.sample(*data, bv.BART(k=3), n_replicates=1, **SEEDED)
    assert draws.k is None
    assert draws.leaf_sd is None


def test_the_trace_survives_files_pieces_and_more_replicates(data, tmp_path):
    draws = bv.sample(*data, LEARNED[0], n_replicates=3, **SEEDED)
    draws.save(tmp_path / "draws.npz")
    again = bv.Draws.load(tmp_path / "draws.npz")
    assert_same_bits(draws, again)
    np.testing.assert_array_equal(again.k, draws.k)
    np.testing.assert_array_equal(draws.take([2, 0]).k, draws.k[[2, 0]])
    assert_same_bits(draws.take([0]).extend(2), draws)


def test_the_trace_survives_checkpoints_and_other_processes(data, tmp_path):
    plain = bv.sample(*data, LEARNED[1], n_replicates=2, **SEEDED)
    for _ in range(2):  # the second time from the files of the first
        kept = bv.sample(*data, LEARNED[1], n_replicates=2, checkpoint=tmp_path, **SEEDED)
        assert_same_bits(kept, plain)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert_same_bits(bv.sample(*data, LEARNED[1], n_replicates=2, n_jobs=None, **SEEDED), plain)


def without_trace(path):
    with open_arrays(path) as stored:
        arrays = dict(stored)
    assert arrays.pop("leaf_sd") is not None
    write_arrays(path, arrays)


def test_a_checkpoint_without_the_trace_is_damaged(data, tmp_path):
    arguments = {"n_replicates": 1, "checkpoint": tmp_path, **SEEDED}
    bv.sample(*data, LEARNED[0], **arguments)
    without_trace(next(tmp_path.glob("fit-*.npz")))
    with pytest.raises(ValueError, match="'leaf_sd' is not what a chain leaves behind"):
        bv.sample(*data, LEARNED[0], **arguments)


def test_a_file_without_the_trace_is_damaged(data, tmp_path):
    bv.sample(*data, LEARNED[0], n_replicates=1, **SEEDED).save(tmp_path / "draws.npz")
    without_trace(tmp_path / "draws.npz")
    with pytest.raises(ValueError, match="leaf_sd"):
        bv.Draws.load(tmp_path / "draws.npz")


def test_shrinks_more_where_there_is_nothing_to_find():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(200, 5))
    noise = rng.normal(size=200)
    length = CONVERGED | {"n_replicates": 2}
    ks = [
        np.median(bv.sample(X, y, LEARNED[0], **length).k)
        for y in (noise, 10 * X[:, 0] + 5 * X[:, 1] + 0.2 * noise)
    ]
    assert ks[0] > 1.5 * ks[1]


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_estimators_and_selections_take_it(data, tmp_path):
    X, y = data
    model = bv.BARTRegressor(LEARNED[0], n_trees=10, burn_in=50, n_draws=50, random_state=0)
    assert model.fit(X, y).predict(X[:3]).shape == (3,)
    found = bv.select(X, y, prior=LEARNED[1], n_replicates=2, **SEEDED)
    found.save(tmp_path / "selection.npz")
    assert bv.Selection.load(tmp_path / "selection.npz").draws.prior == LEARNED[1]


def test_traces_show_it(data):
    draws = bv.sample(*data, LEARNED[0], n_replicates=2, **SEEDED)
    plot = bv.plots.traces(draws)
    shown = plot.data["value"][plot.data["quantity"] == "k"]
    np.testing.assert_array_equal(shown, draws.k.ravel())
    with pytest.raises(ValueError, match="`quantities` must be known for these draws"):
        bv.plots.traces(bv.sample(*data, bv.BART(), n_replicates=2, **SEEDED), quantities="k")
