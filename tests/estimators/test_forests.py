from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence as sklearn_partial_dependence
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import bayesvc as bv
from bayesvc.estimators.base import DEFAULT_PRIOR
from tests.helpers.estimator_checks import WEIGHTED, expected_failures
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SEEDED, SHORT

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

ONE = SHORT | {"n_trees": 20, "n_replicates": 1}
ESTIMATORS = [bv.BARTRegressor(**ONE), bv.BARTClassifier(**ONE)]


# One check is skipped by scikit-learn itself, because it needs an environment variable at the
# start of the process; the test after this one sets it.
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_check_that_needs_an_environment_variable():
    program = f"""if True:
        from sklearn.utils.estimator_checks import check_estimator
        import bayesvc as bv
        for kind, n in ((bv.BARTRegressor, 1), (bv.BARTClassifier, 1), (bv.VariableSelector, 2)):
            weighted = {WEIGHTED!r} if kind is not bv.BARTClassifier else dict()
            settings = {ONE!r} | dict(n_replicates=n)
            done = check_estimator(kind(**settings), expected_failed_checks=weighted)
            assert len(done) > 40, len(done)
            odd = {{item["check_name"] for item in done if item["status"] != "passed"}}
            print(sorted(odd - set(weighted)))
    """
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("[]\n" * 3, 0), done.stderr


@pytest.fixture
def regressor(regression):
    return bv.BARTRegressor(**ONE | {"n_replicates": 2, "random_state": 1}).fit(*regression)


@pytest.fixture
def classifier(classification):
    X, y = classification
    return bv.BARTClassifier(random_state=1, **ONE).fit(X, np.where(y == 1, "yes", "no"))


def smooth_problem(rng, n):
    X = rng.uniform(size=(n, 3))
    return X, 4 * X[:, 0] + 2 * X[:, 1] ** 2, rng.normal(size=n)


def test_intervals_cover_what_they_promise(rng):
    """f is easy and n large, so that the posterior is close to calibrated.

    Of 500 observations 90 % fall into 90 % intervals with a standard error of 1.3 %: 4 of them,
    and as much again for the intervals being those of one data set, are 10 %. Values of f at
    neighbouring rows are covered together, so that f is given twice that.
    """
    X, f, noise = smooth_problem(rng, 900)
    model = bv.BARTRegressor(n_trees=50, burn_in=300, n_draws=300, n_replicates=2, random_state=0)
    model.fit(X[:400], (f + noise)[:400])
    test, truth, seen = X[400:], f[400:], (f + noise)[400:]
    mean, low, high = model.predict(test, return_interval=0.9)
    assert np.mean((low <= truth) & (truth <= high)) > 0.8
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 0.5, "half the sd of the noise"
    _, lower, higher = model.predict(test, return_interval=0.9, interval_of="observation")
    assert np.mean((lower <= seen) & (seen <= higher)) == pytest.approx(0.9, abs=0.1)
    assert (higher - lower > high - low).all()
    _, narrow_low, narrow_high = model.predict(test, return_interval=0.3)
    assert (narrow_high - narrow_low < high - low).all()
    assert np.mean((narrow_low <= truth) & (truth <= narrow_high)) < 0.7
    assert model.sigma_ == pytest.approx(1, abs=0.2)
    assert model.sigma_ == model.draws_.sigma.mean()


def test_interval_of_an_observation_is_that_of_the_mixture(regression, regressor):
    X, _ = regression
    f = regressor.posterior_samples(X)
    sigma = regressor.draws_.sigma.ravel()[:, None]
    mean, low, high = regressor.predict(X, return_interval=0.8, interval_of="observation")
    np.testing.assert_allclose(norm.cdf(low, f, sigma).mean(axis=0), 0.1, atol=1e-8)
    np.testing.assert_allclose(norm.cdf(high, f, sigma).mean(axis=0), 0.9, atol=1e-8)
    np.testing.assert_array_equal(mean, regressor.predict(X))


def test_posterior_samples_are_what_predictions_summarise(regression, regressor):
    X, _ = regression
    samples = regressor.posterior_samples(X)
    assert samples.shape == (2 * 60, 60)
    mean, low, high = regressor.predict(X, return_interval=0.5)
    np.testing.assert_array_equal(samples.mean(axis=0), mean)
    np.testing.assert_array_equal(np.quantile(samples, (0.25, 0.75), axis=0), (low, high))


def test_defaults():
    parameters = bv.BARTRegressor().get_params()
    assert parameters == bv.BARTClassifier().get_params()
    assert parameters == {
        "prior": None, "n_trees": 200, "n_replicates": 2, "burn_in": 1000, "n_draws": 1000,
        "random_state": None, "n_jobs": None, "progress": None, "groups": None,
    }  # fmt: skip


def test_fit_is_sample_with_the_same_settings(regression):
    X, y = regression
    settings = SEEDED | {"n_trees": 10, "n_replicates": 3}
    for prior in (None, bv.DART(a=1)):
        model = bv.BARTRegressor(prior, **settings).fit(X, y)
        expected = bv.sample(X, y, DEFAULT_PRIOR if prior is None else prior, **settings)
        assert_same_bits(model.draws_, expected)
        np.testing.assert_array_equal(model.feature_importances_, expected.vip.mean(axis=0))
    assert model.draws_.prior == prior


def test_numbers_that_are_all_0_or_1_are_a_numeric_response_for_the_regressor(classification):
    model = bv.BARTRegressor(random_state=0, **ONE).fit(*classification)
    assert model.draws_.response == "continuous"


def test_importances_find_the_columns_that_matter(rng):
    X, f, noise = smooth_problem(rng, 300)
    model = bv.BARTRegressor(n_trees=20, burn_in=300, n_draws=300, random_state=0)
    importances = model.fit(X, f + 0.3 * noise).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances.argmax() == 0
    assert importances.argmin() == 2


@pytest.mark.parametrize("kind", [bv.BARTRegressor, bv.BARTClassifier])
def test_threads_do_not_change_a_bit(classification, kind):
    X, y = classification
    models = [
        kind(**ONE | {"n_replicates": 3, "n_jobs": n_jobs, "random_state": 2}).fit(X, y)
        for n_jobs in (1, 2)
    ]
    assert_same_bits(models[0].draws_, models[1].draws_)
    first, second = (model.posterior_samples(X) for model in models)
    np.testing.assert_array_equal(first, second)
    first, second = (model.partial_dependence(X, 0).samples for model in models)
    np.testing.assert_array_equal(first, second)


def test_pickle_and_clone(regression, regressor):
    X, _ = regression
    again = pickle.loads(pickle.dumps(regressor))
    np.testing.assert_array_equal(again.predict(X), regressor.predict(X))
    np.testing.assert_array_equal(again.feature_importances_, regressor.feature_importances_)
    fresh = clone(bv.BARTRegressor(bv.DART(k=3), n_trees=7))
    assert (fresh.prior, fresh.n_trees) == (bv.DART(k=3), 7)
    with pytest.raises(NotFittedError):
        clone(regressor).predict(X)


def test_grid_search_and_pipeline(regression):
    X, y = regression
    pipeline = make_pipeline(StandardScaler(), bv.BARTRegressor(random_state=0, n_jobs=1, **ONE))
    grid = {"bartregressor__prior": [bv.BART(k=2), bv.BART(k=50)]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["bartregressor__prior"].k == 2, "k=50 shrinks everything away"
    assert search.score(X, y) > 0.5


@pytest.mark.parametrize(
    ("negative", "positive"), [("no", "yes"), (False, True), (-1, 1), (0.0, 1.0), (3, 7)]
)
def test_labels_of_any_kind(classification, negative, positive):
    X, y = classification
    labels = np.where(y == 1, positive, negative)
    model = bv.BARTClassifier(random_state=0, **ONE).fit(X, labels)
    assert model.classes_.tolist() == [negative, positive]
    predicted = model.predict(X)
    assert predicted.dtype == labels.dtype
    assert np.mean(predicted == labels) > 0.8
    expected = bv.BARTClassifier(random_state=0, **ONE).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


@pytest.mark.parametrize("dtype", ["category", "object", "string"])
def test_labels_in_a_series(classification, dtype):
    X, y = classification
    labels = pd.Series(np.where(y == 1, "yes", "no")).astype(dtype)
    model = bv.BARTClassifier(random_state=0, **ONE).fit(X, labels)
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(X)) <= {"no", "yes"}


def test_probabilities(classification, classifier):
    X, _ = classification
    probability, low, high = classifier.predict_proba(X, return_interval=0.9)
    assert probability.shape == low.shape == high.shape == (80, 2)
    np.testing.assert_array_equal(probability.sum(axis=1), 1)
    np.testing.assert_array_equal(probability, classifier.predict_proba(X))
    np.testing.assert_allclose(low[:, 0] + high[:, 1], 1, rtol=1e-15)
    assert ((low >= 0) & (low < high) & (high <= 1)).all()
    samples = classifier.posterior_samples(X)
    np.testing.assert_array_equal(samples.mean(axis=0), probability[:, 1])
    quantiles = np.quantile(samples, (0.05, 0.95), axis=0)
    np.testing.assert_allclose((low[:, 1], high[:, 1]), quantiles, rtol=1e-12)
    expected = classifier.classes_[probability.argmax(axis=1)]
    np.testing.assert_array_equal(classifier.predict(X), expected)


def test_three_classes(rng):
    X = rng.uniform(size=(60, 2))
    y = np.digitize(X[:, 0], [0.3, 0.6])
    with pytest.raises(ValueError, match=r"Only binary.*multiclass.*OneVsRestClassifier"):
        bv.BARTClassifier(**ONE).fit(X, y)
    model = OneVsRestClassifier(bv.BARTClassifier(random_state=0, **ONE)).fit(X, y)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame])
def test_data_frames(regression, frame_of):
    X, y = regression
    frame = frame_of({name: X[:, j] for j, name in enumerate("abcde")})
    series = pd.Series(y) if frame_of is pd.DataFrame else pl.Series(y)
    model = bv.BARTRegressor(random_state=0, **ONE).fit(frame, series)
    plain = bv.BARTRegressor(random_state=0, **ONE).fit(X, y)
    assert model.feature_names_in_.tolist() == list("abcde")
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_array_equal(model.predict(frame), plain.predict(X))
    effect = model.partial_dependence(frame, "b")
    assert effect.features == ("b",)
    np.testing.assert_array_equal(effect.mean, plain.partial_dependence(X, 1).mean)
    with pytest.raises(ValueError, match="should match those that were passed"):
        model.predict(frame[list("bacde")])
    with pytest.raises(ValueError, match="missing"):
        model.predict(frame[list("abcd")])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(X)


def test_sparse_matrices(regression):
    X, y = regression
    X = np.where(X < 0.5, 0, X)
    plain = bv.BARTRegressor(random_state=0, **ONE).fit(X, y)
    model = bv.BARTRegressor(random_state=0, **ONE).fit(scipy.sparse.csr_array(X), y)
    assert_same_bits(model.draws_, plain.draws_)
    new = scipy.sparse.dok_matrix(X[:5])
    np.testing.assert_array_equal(model.predict(new), plain.predict(X[:5]))
    np.testing.assert_array_equal(model.posterior_samples(new), plain.posterior_samples(X[:5]))
    with pytest.raises(ValueError, match="3 features, but BARTRegressor is expecting 5"):
        model.predict(new.tocsc()[:, :3])
    with pytest.raises(TypeError, match=r"(?i)sparse.*y.*toarray"):
        model.fit(X, scipy.sparse.csr_array(y[:, None]))


def test_a_frame_with_dates_is_refused_by_name(regression):
    X, y = regression
    frame = pd.DataFrame(X, columns=list("abcde")).assign(c=pd.Timestamp(0))
    with pytest.raises(TypeError, match="'c'"):
        bv.BARTRegressor(**ONE).fit(frame, y)


def test_partial_dependence_of_scikit_learn_agrees(regression, regressor):
    X, _ = regression
    found = sklearn_partial_dependence(regressor, X, [1], grid_resolution=5)
    ours = regressor.partial_dependence(X, 1, grid=found["grid_values"][0])
    np.testing.assert_allclose(ours.mean, found["average"][0], rtol=1e-12)


def test_partial_dependence_of_scikit_learn_agrees_for_classes(classification, classifier):
    X, _ = classification
    found = sklearn_partial_dependence(
        classifier, X, [2], grid_resolution=5, response_method="predict_proba"
    )
    ours = classifier.partial_dependence(X, 2, grid=found["grid_values"][0])
    np.testing.assert_allclose(ours.mean, found["average"][0], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("prior", "BART", TypeError),
        ("n_trees", 0, ValueError),
        ("n_replicates", 1.5, TypeError),
        ("burn_in", -1, ValueError),
        ("n_draws", 0, ValueError),
        ("random_state", "seed", TypeError),
        ("n_jobs", 0, ValueError),
        ("progress", "yes", TypeError),
    ],
)
def test_fit_names_a_bad_parameter_and_init_does_not(regression, name, value, error):
    model = bv.BARTRegressor(**{name: value})
    with pytest.raises(error, match=f"{name}.*{value}"):
        model.fit(*regression)
    assert model.get_params()[name] == value
    assert not hasattr(model, "draws_")


def test_refusals(regression, regressor, classification, classifier):
    X, y = regression
    for level, error in ((0, ValueError), (1, ValueError), (90, ValueError), (True, TypeError)):
        with pytest.raises(
            error, match=rf"`return_interval` must.*Got {level} instead.*such as 0.9"
        ):
            regressor.predict(X, return_interval=level)
        with pytest.raises(
            error, match=rf"`return_interval` must.*Got {level} instead.*such as 0.9"
        ):
            classifier.predict_proba(classification[0], return_interval=level)
    with pytest.raises(ValueError, match=r"`interval_of` must be one of .* Got 'f'"):
        regressor.predict(X, 0.9, interval_of="f")
    with pytest.raises(
        ValueError, match=r"`return_interval` must be a prob.*interval_of='observation'"
    ):
        regressor.predict(X, interval_of="observation")
    with pytest.raises(TypeError, match="sample_weight"):
        bv.BARTClassifier(**ONE).fit(X, y > y.mean(), sample_weight=np.ones(60))
    with pytest.raises(ValueError, match="`y` must vary"):
        bv.BARTRegressor(**ONE).fit(X, np.ones(60))
    with pytest.raises(ValueError, match="class"):
        bv.BARTClassifier(**ONE).fit(X, np.ones(60))


def test_refusals_name_what_the_estimator_has(regression):
    X, y = regression
    with pytest.raises(
        ValueError, match=r"`prior` must keep .* Got SpikeForest\(.* Pass bayesvc.BART\(\)"
    ):
        bv.BARTRegressor(prior=bv.SpikeForest()).fit(X, y)
    with pytest.raises(TypeError, match=r"`y` must hold numbers.*Got text.*BARTClassifier"):
        bv.BARTRegressor().fit(X, np.where(y > 0, "high", "low"))


def test_unknown_names_of_the_package():
    assert {"BARTRegressor", "BARTClassifier"} < set(bv.__all__)
    with pytest.raises(AttributeError, match="BARTRanker"):
        _ = bv.BARTRanker
