"""Censored times through `select`, `sample` and what belongs to them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesvc as bv
from bayesvc._logarithms import log
from bayesvc.responses import Survival, encode_y
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.chain import calibrate, chain_tasks
from bayesvc.sampling.config import check_sampling_config
from bayesvc.sampling.seeds import Role, random_words
from tests.helpers.censored import make_censored
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SEEDED, SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = SEEDED | {"n_replicates": 2, "n_jobs": 1}


@pytest.fixture
def data(rng):
    return make_censored(rng)


def test_encoded_times_are_numbers_of_their_bounds(data):
    encoded = encode_y(data.y)
    model = encoded.model
    codes = encoded.values.astype(int)
    np.testing.assert_allclose(np.exp(model.log_low[codes]), data.time)
    assert (np.isfinite(model.log_high[codes]) == data.event).all()
    assert (np.diff(model.log_low) >= 0).all()
    assert encode_y(data.y, "survival").values.tolist() == encoded.values.tolist()


def test_all_ways_to_say_it_are_the_same(data):
    structured = np.array(
        list(zip(data.event, data.time, strict=True)), dtype=[("e", "?"), ("t", "f8")]
    )
    first, *others = [
        bv.sample(data.X, y, **TWO)
        for y in (
            data.y,
            structured,
            bv.Surv.interval(data.time, np.where(data.event, data.time, np.inf)),
            bv.Surv(pl.Series(data.time), pl.Series(data.event)),
        )
    ]
    for other in others:
        assert other.data_hash == first.data_hash
        assert_same_bits(other, first)


def test_observed_times_are_a_continuous_response_of_their_logarithms(data):
    for prior in (bv.DART(), bv.BART(errors="student"), bv.DART(k="learned", errors="auto")):
        observed = bv.Surv(data.time, np.ones(len(data.time)))
        times = bv.sample(data.X, observed, prior, **TWO)
        logs = bv.sample(data.X, log(data.time), prior, **TWO)
        assert_same_bits(times, logs)


def test_censoring_is_not_ignored(data):
    exact = bv.sample(data.X, np.log(data.time), **TWO)
    assert (bv.sample(data.X, data.y, **TWO).sigma != exact.sigma).any()


@pytest.mark.parametrize("errors", ["gaussian", "student", "auto"])
def test_what_matters_is_selected(data, errors):
    prior = bv.DART(k="learned", errors=errors)
    found = bv.select(data.X, data.y, prior=prior, n_replicates=4, **SETTLED)
    assert found.names == ["x1", "x3"]
    assert found.signal.found
    assert found.row_frequency is not None


def test_the_result_says_what_y_was_taken_for(data):
    found = bv.select(data.X, data.y, n_replicates=2, **SEEDED)
    said = f"80 times, {(~data.event).sum()} of them right-censored"
    assert said in repr(found).splitlines()[0]
    assert "response: survival times, log-normal model" in repr(found)
    assert said in found.to_json()


def test_a_file_keeps_it(data, tmp_path):
    found = bv.select(data.X, data.y, n_replicates=2, **SEEDED)
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    assert repr(again) == repr(found)
    assert again.to_json() == found.to_json()


def test_draws_from_a_file_predict_and_go_on(data, tmp_path):
    draws = bv.sample(data.X, data.y, keep_trees=True, **TWO)
    draws.save(tmp_path / "draws.npz")
    again = bv.Draws.load(tmp_path / "draws.npz")
    assert (again.predict(data.X) == draws.predict(data.X)).all()
    longer = bv.sample(data.X, data.y, keep_trees=True, **TWO | {"n_replicates": 3})
    assert_same_bits(again.extend(1, data.X, data.y), longer)
    with pytest.raises(ValueError, match="must be the data of the first replicates"):
        again.extend(1, data.X, bv.Surv(data.time, np.ones(80)))
    assert_same_bits(pickle.loads(pickle.dumps(draws)).extend(1, data.X, data.y), longer)


def test_a_checkpoint_finds_its_chains_and_no_others(data, tmp_path):
    first = bv.sample(data.X, data.y, checkpoint=tmp_path, **TWO)
    files = {path.name for path in tmp_path.iterdir()}
    assert_same_bits(bv.sample(data.X, data.y, checkpoint=tmp_path, **TWO), first)
    assert {path.name for path in tmp_path.iterdir()} == files
    changed = bv.Surv(data.time, ~data.event)
    bv.sample(data.X, changed, checkpoint=tmp_path, **TWO)
    assert len(list(tmp_path.iterdir())) == 2 * len(files)


def test_permutations_keep_each_time_with_its_event(data):
    dataset = read_dataset(data.X, data.y)
    words = random_words(0, Role.PERMUTATION, 0, len(data.time))
    permuted = dataset.permuted(words)
    model = dataset.y.model
    pairs = model.content(dataset.y.values).tolist()
    assert model.content(permuted.y).tolist() != pairs
    assert sorted(model.content(permuted.y).tolist()) == sorted(pairs)


def test_the_calibration_does_not_depend_on_the_order_of_rows(data, rng):
    order = rng.permutation(len(data.time))
    one, other = (
        calibrate(own, bv.BART(), own.weighted_response, 20)
        for own in (read_dataset(data.X, data.y), read_dataset(data.X[order], data.y[order]))
    )
    assert (one.y_low, one.y_range) == (other.y_low, other.y_range)
    assert one.sigma_hat == pytest.approx(other.sigma_hat)


def test_the_guess_of_sigma_takes_censoring_into_account(rng):
    """The sd of the log times is 1; that of what is observed of them is far smaller."""
    n = 2000
    X, z = rng.uniform(size=(n, 3)), rng.normal(size=n)
    y = bv.Surv(np.exp(np.minimum(z, 0)), z < 0)
    dataset = read_dataset(X, y)
    found = calibrate(dataset, bv.BART(), dataset.weighted_response, 20)
    assert found.sigma_hat == pytest.approx(1, abs=0.1)
    assert found.y_low + found.y_range > 0.6  # of the expected time of the censored rows


@pytest.mark.parametrize("method", ["bart-vip-gse", "dart-vc"])
def test_other_methods(data, method):
    settings = SEEDED | {"n_replicates": 3}
    if method == "bart-vip-gse":
        settings["n_permutations"] = 19
    assert bv.select(data.X, data.y, method, **settings).draws.response == "survival"


def test_comparisons_and_row_stability(data):
    both = bv.compare(data.X, data.y, ["dart-vc", "dart-mpm"], **SEEDED)
    assert set(both) == {"dart-vc", "dart-mpm"}
    stable = bv.row_stability(
        data.X, data.y, "dart-mpm", n_subsamples=4, n_replicates=1, signal_test=False, **SEEDED
    )
    assert stable.frequency.shape == (4,)


def test_half_samples_hold_events_and_censored_rows_in_proportion(rng):
    y = encode_y(bv.Surv(np.arange(1, 41.0), np.arange(40) % 4 == 0))
    strata = y.model.strata(y)
    assert [len(rows) for _, rows in strata] == [10, 30]


def test_weights_blocks_time_order_and_missing_values(data, rng):
    X = data.X.copy()
    X[::9, 0] = np.nan
    weights = rng.uniform(0.5, 2, size=80)
    weights[:3] = 0
    for extra in ({"permute_within": np.arange(80) // 20}, {"time_order": True}):
        found = bv.select(X, data.y, n_replicates=2, sample_weight=weights, **SEEDED, **extra)
        assert found.draws.n_rows == 77


def test_a_pandas_index_aligns_times_with_rows(data, rng):
    X = pd.DataFrame(data.X, index=[f"r{i}" for i in range(80)])
    order = rng.permutation(80)
    event = pd.Series(data.event, index=X.index)
    y = bv.Surv(pd.Series(data.time, index=X.index).iloc[order], event)
    assert bv.sample(X, y, **TWO).data_hash == bv.sample(data.X, data.y, **TWO).data_hash
    with pytest.raises(ValueError, match=r"`y` must have the index of `X`"):
        bv.sample(X, bv.Surv(pd.Series(data.time), data.event), **TWO)


def test_predictions_are_median_times_in_their_units(rng):
    data = make_censored(rng, 300)
    draws = bv.sample(data.X, data.y, n_replicates=2, keep_trees=True, **SETTLED)
    truth = np.exp(3 * data.X[:, 1] + 2 * data.X[:, 3] ** 2)
    median, low, high = draws.predict(data.X, interval=0.9)
    assert np.abs(np.log(median / truth)).mean() < 0.2
    assert ((low < median) & (median < high)).all()
    scaled = bv.Surv(365 * data.time, data.event)
    other = bv.sample(data.X, scaled, n_replicates=2, keep_trees=True, **SETTLED)
    np.testing.assert_allclose(other.predict(data.X), 365 * median, rtol=0.05)
    assert other.sigma.mean() == pytest.approx(draws.sigma.mean(), rel=0.05)


def test_interval_censored_times(rng):
    data = make_censored(rng, 300)
    edges = np.append(np.arange(0, 30, 2.0), np.inf)
    place = np.searchsorted(edges, data.time) - 1
    y = bv.Surv.interval(edges[place], edges[place + 1])
    found = bv.select(data.X, y, n_replicates=3, **SETTLED)
    assert {"x1", "x3"} <= set(found.names)


REFUSED = [
    (lambda d: bv.select(d.X, bv.Surv(d.time, np.zeros(80))), "not all right-censored"),
    (lambda d: bv.select(d.X, bv.Surv.interval(0 * d.time, d.time)), "not all left-censored"),
    (lambda d: bv.select(d.X, bv.Surv(0 * d.time + 5, d.event)), "must vary"),
    (lambda d: bv.select(d.X, d.y[:50]), "one value per row of X, 80. Got 50"),
    (lambda d: bv.select(d.X, d.y, response="continuous"), "must be 'survival' or 'auto'"),
    (lambda d: bv.select(d.X, d.y, "abc-mpm"), "not compatible with prior=SpikeForest"),
    (lambda d: bv.compare(d.X, d.y), "Of `methods` these are compatible: ['dart-vc'"),
    (lambda d: bv.sample(d.X, d.y, bv.DART(transform="normal-scores")), "`transform` must be None"),
    (lambda d: bv.sample(d.X, d.y, bv.DART(sigma=1e15)), "must be comparable to the range of y"),
]


@pytest.mark.parametrize(("call", "says"), REFUSED)
def test_what_makes_no_sense_is_refused_before_anything_runs(call, says, data, nothing_sampled):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call(data)
    assert says in str(caught.value)


def test_plain_values_need_the_events(data, nothing_sampled):
    with pytest.raises(TypeError, match=r"Pass bayesvc\.Surv\(time, event\)"):
        bv.select(data.X, data.time, response="survival")


def test_predictions_cannot_be_checked(data):
    found = bv.select(data.X, data.y, n_replicates=2, **SEEDED)
    with pytest.raises(ValueError, match="Compare the concordance of BARTSurvival"):
        found.check_prediction(data.X, data.y)
    with pytest.raises(ValueError, match=r"Use bayesvc\.plots\.partial_dependence"):
        found.effects(data.X, data.y)


def test_explanations_plots_and_the_report(data, tmp_path):
    found = bv.select(data.X, data.y, n_replicates=2, **SETTLED)
    assert "selected" in found.explain("x1")
    plot = found.plot("partial_dependence", X=data.X, y=data.y, burn_in=50, n_draws=50)
    assert plot.axes[0].get_ylabel() == "median time"
    page = found.to_html_report(tmp_path / "report.html").read_text()
    assert "right-censored" in page
    assert 'response="survival"' in page.replace("&#34;", '"').replace("&quot;", '"')


def test_few_times_are_no_classes(rng):
    X, time = rng.uniform(size=(60, 3)), rng.integers(1, 6, size=60)
    found = bv.select(X, bv.Surv(time, time % 2), n_replicates=2, **SEEDED)
    assert {"class-codes", "censoring", "skewed"}.isdisjoint(note.code for note in found.notes)


def test_the_note_on_an_indicator_names_the_remedy(data):
    X = pd.DataFrame(data.X, columns=list("abcd")).assign(died=data.event.astype(int))
    found = bv.select(X, data.time, n_replicates=2, **SEEDED)
    (note,) = [note for note in found.notes if note.code == "censoring"]
    assert "bayesvc.Surv(time, event)" in note.text
    assert "--event died" in note.text


def test_a_leak_is_seen(data):
    X = np.column_stack([data.X, data.time])
    found = bv.select(X, data.y, n_replicates=2, **SETTLED)
    assert "leak" in {note.code for note in found.notes}


def test_models_are_equal_to_themselves_alone(data):
    one, other = encode_y(data.y).model, encode_y(data.y).model
    assert one != other
    assert one in [one]
    assert repr(Survival()) == "Survival()"
    assert not one.can_be_fitted(np.zeros(3))


def test_events_at_one_time_can_be_fitted(rng):
    """Censored before it, so that all times are expected there."""
    X = rng.uniform(size=(40, 2))
    time = np.where(np.arange(40) % 2, 5.0, 1.0 + np.arange(40) / 20)
    draws = bv.sample(X, bv.Surv(time, time == 5), **TWO)
    assert np.isfinite(draws.sigma).all()


def test_tasks_take_the_bounds_with_them_to_other_processes(data):
    dataset, config = read_dataset(data.X, data.y), check_sampling_config(**SEEDED)
    to, prior = dataset.weighted_response, bv.DART()
    calibration = calibrate(dataset, prior, to, config.n_trees)
    (task,) = chain_tasks(
        to, prior, calibration, 4, config, Role.REPLICATE, [0], response=dataset.y.model
    )
    again = pickle.loads(pickle.dumps(task))
    assert again.settings.response == "interval"
    assert (again.settings.lower == task.settings.lower).all()
    assert (again.settings.upper == task.settings.upper).all()
    assert again.key(dataset.encoded.columns) == task.key(dataset.encoded.columns)


def test_many_times_are_quick():
    """Permutations share what does not depend on the order of the rows."""
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=50_000), rng.random(50_000) < 0.5
    encoded = encode_y(bv.Surv(time, event))
    first = encoded.rank_scores
    order = rng.permutation(50_000)
    shuffled = encoded.take(order)
    assert (shuffled.rank_scores == first[order]).all()
    assert encoded.model.spread(encoded.values) == encoded.model.spread(shuffled.values)
