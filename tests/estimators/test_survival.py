"""`BARTSurvival`, and the concordance index."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bayesvc as bv
from bayesvc.draws.survival import survival_function
from bayesvc.estimators.concordance import concordance_index
from tests.helpers.censored import make_censored
from tests.helpers.settings import SETTLED, SHORT

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

ONE = SHORT | {"n_trees": 20, "n_replicates": 1, "random_state": 0}


@pytest.fixture
def data(rng):
    return make_censored(rng)


@pytest.fixture
def structured(data):
    """The times as scikit-survival has them."""
    rows = list(zip(data.event, data.time, strict=True))
    return np.array(rows, dtype=[("event", "?"), ("time", "<f8")])


def test_structured_arrays_and_surv_are_the_same(data, structured):
    one = bv.BARTSurvival(**ONE).fit(data.X, data.y)
    other = bv.BARTSurvival(**ONE).fit(data.X, structured)
    assert (one.predict(data.X) == other.predict(data.X)).all()
    assert one.unique_times_.tolist() == np.unique(data.time[data.event]).tolist()
    assert one.n_features_in_ == 4
    assert one.feature_importances_.sum() == pytest.approx(1)
    assert one.score(data.X, structured) == concordance_index(data.y, one.predict(data.X))


def test_conventions_of_scikit_learn(data, structured):
    model = bv.BARTSurvival(**ONE)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict(data.X)
    assert model.fit(data.X, structured) is model
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(data.X) == model.predict(data.X)).all()
    with pytest.raises(ValueError, match="3 features"):
        model.predict(data.X[:, :3])
    frame = pd.DataFrame(data.X, columns=list("abcd"), index=np.arange(80)[::-1])
    named = bv.BARTSurvival(**ONE).fit(frame, data.y)
    assert named.feature_names_in_.tolist() == list("abcd")


@pytest.mark.parametrize("kind", ["surv", "structured"])
def test_cross_validation_and_pipelines(kind, data, structured):
    y = data.y if kind == "surv" else structured
    model = make_pipeline(StandardScaler(), bv.BARTSurvival(**ONE))
    scores = cross_val_score(model, data.X, y, cv=3)
    assert (scores > 0.6).all()


def test_rows_belong_to_times_by_position(data):
    y = bv.Surv(pd.Series(data.time, index=np.arange(80)[::-1]), pd.Series(data.event))
    X = pd.DataFrame(data.X)
    by_position = bv.Surv(data.time, data.event[::-1])
    one, other = (bv.BARTSurvival(**ONE).fit(X, own) for own in (y, by_position))
    assert one.draws_.data_hash == other.draws_.data_hash


def test_a_selector_takes_them_too(data, structured):
    settings = SETTLED | {"n_replicates": 2}
    for y in (data.y, structured):
        selector = bv.VariableSelector(**settings).fit(data.X, y)
        assert selector.get_support(indices=True).tolist() == [1, 3]
    model = make_pipeline(bv.VariableSelector(**settings), bv.BARTSurvival(**ONE))
    assert model.fit(data.X, data.y).score(data.X, data.y) > 0.7


def test_a_selector_can_be_saved(data, tmp_path):
    settings = SETTLED | {"n_replicates": 2}
    selector = bv.VariableSelector(response="survival", **settings).fit(data.X, data.y)
    selector.save(tmp_path / "selector.npz")
    again = bv.VariableSelector.load(tmp_path / "selector.npz")
    assert again.get_params() == selector.get_params()
    assert (again.support_ == selector.support_).all()


@pytest.mark.parametrize("errors", ["gaussian", "student"])
def test_survival_functions_are_means_over_the_draws(errors, data):
    prior = bv.BART(errors=errors)
    model = bv.BARTSurvival(prior, **ONE).fit(data.X, data.y)
    times = np.array([0.5, 3.0, 20.0])
    found = model.predict_survival_function(data.X[:5], times, return_array=True)
    assert found.shape == (5, 3)
    assert (np.diff(found, axis=1) <= 0).all()
    assert (found >= 0).all()
    assert (found <= 1).all()
    if errors == "gaussian":
        medians, sigma = model.posterior_samples(data.X[:5]), model.draws_.sigma.reshape(-1, 1)
        expected = [norm.sf(np.log(t / medians) / sigma).mean(axis=0) for t in times]
        np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-10)


def test_survival_functions_are_steps_at_the_observed_times(data):
    model = bv.BARTSurvival(**ONE).fit(data.X, data.y)
    functions = model.predict_survival_function(data.X[:3])
    assert functions.shape == (3,)
    assert functions[0].x is model.unique_times_
    assert functions[0](0.0) == 1.0
    assert functions[0](model.unique_times_[-1]) == functions[0].y[-1]
    assert functions[0].domain == (0.0, model.unique_times_[-1])
    with pytest.raises(ValueError, match="`times` must be times from 0 to"):
        functions[0](1e9)


def test_the_median_is_where_half_survive(data):
    """Up to the difference between a mean over draws of medians and a median of their mixture."""
    model = bv.BARTSurvival(**ONE | SETTLED).fit(data.X, data.y)
    medians = model.predict(data.X[:10])
    alive = survival_function(model.draws_, data.X[:10], np.sort(medians))
    own = alive[np.arange(10), np.argsort(np.argsort(medians))]
    assert np.abs(own - 0.5).max() < 0.1


def test_intervals_of_medians_and_of_new_rows(data):
    model = bv.BARTSurvival(**ONE | SETTLED).fit(data.X, data.y)
    median, low, high = model.predict(data.X, return_interval=0.9)
    same, lower, higher = model.predict(data.X, return_interval=0.9, interval_of="observation")
    assert (median == same).all()
    assert ((lower < low) & (low < median) & (median < high) & (high < higher)).all()
    inside = (lower <= data.time) & (data.time <= higher)
    assert inside[data.event].mean() > 0.8
    with pytest.raises(ValueError, match="`return_interval` must be a probability"):
        model.predict(data.X, interval_of="observation")


def test_weights_are_precisions(data, rng):
    weights = rng.uniform(0.5, 2, size=80)
    model = bv.BARTSurvival(**ONE).fit(data.X, data.y, sample_weight=weights)
    plain = bv.BARTSurvival(**ONE).fit(data.X, data.y)
    assert (model.predict(data.X) != plain.predict(data.X)).any()


@pytest.mark.parametrize(
    ("times", "error"),
    [([], ValueError), ([2, 1], ValueError), ([0, 1], ValueError), ("soon", TypeError)],
)
def test_bad_times_are_refused(times, error, data):
    model = bv.BARTSurvival(**ONE | {"burn_in": 5, "n_draws": 5}).fit(data.X, data.y)
    with pytest.raises(error, match="`times` must be"):
        model.predict_survival_function(data.X, times)


def test_other_responses_are_refused(data, nothing_sampled):
    with pytest.raises(TypeError, match=r"`y` must be censored times.*bayesvc\.Surv"):
        bv.BARTSurvival(**ONE).fit(data.X, data.time)
    with pytest.raises(ValueError, match="must keep trees"):
        bv.BARTSurvival(bv.SpikeForest(), **ONE).fit(data.X, data.y)
    with pytest.raises(ValueError, match="`response` must be 'survival' or 'auto'"):
        bv.BARTRegressor(**ONE).fit(data.X, data.y)


def test_survival_functions_of_other_responses_are_refused(data):
    draws = bv.sample(data.X, data.time, n_replicates=1, keep_trees=True, **SHORT)
    with pytest.raises(ValueError, match="`draws` must be of censored times"):
        survival_function(draws, data.X, [1.0])


# ---- concordance -----------------------------------------------------------------------
def concordance_by_pairs(time, event, predicted):
    """Harrell's definition, pair by pair."""
    right = pairs = 0.0
    for i, j in combinations(range(len(time)), 2):
        first, other = (i, j) if (time[i], not event[i]) < (time[j], not event[j]) else (j, i)
        if not event[first] or (time[first] == time[other] and event[other]):
            continue
        pairs += 1
        right += 0.5 * (predicted[first] == predicted[other]) + (
            predicted[first] < predicted[other]
        )
    return right / pairs


def test_concordance_by_its_definition(rng):
    time, event = rng.integers(1, 20, size=60).astype(float), rng.random(60) < 0.6
    predicted = np.round(time + 8 * rng.normal(size=60))
    found = concordance_index(bv.Surv(time, event), predicted)
    assert found == pytest.approx(concordance_by_pairs(time, event, predicted))


def test_concordance_of_intervals():
    y = bv.Surv.interval([1, 2, 0, 4], [2, np.inf, 3, 4])
    # known: the first before the second and the fourth, the third before the fourth
    assert concordance_index(y, np.array([1.0, 2.0, 3.0, 4.0])) == 1
    assert concordance_index(y, np.array([4.0, 2.0, 3.0, 1.0])) == 0


def test_concordance_needs_pairs_and_times():
    with pytest.raises(ValueError, match="two times of which one is known to come first"):
        concordance_index(bv.Surv([1, 2], [0, 1]), np.array([1.0, 2.0]))
    with pytest.raises(TypeError, match="`y` must be censored times"):
        concordance_index(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="one time per row of X, 3"):
        concordance_index(bv.Surv([1, 2], [1, 1]), np.arange(3.0))
