from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import bayesvc as bv
from tests.helpers.estimator_checks import expected_failures
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import CONVERGED, SETTLED, TINY

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = TINY | {"n_replicates": 2}
THREE = SETTLED | {"n_replicates": 3, "random_state": 0}
NAMES = list("abcde")


# One check is skipped by scikit-learn itself, because it needs an environment variable at the
# start of the process; test_forests.py sets it and runs them all.
# What a permutation test makes of their noise may be an empty selection.
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@parametrize_with_checks(
    [
        bv.VariableSelector(**TWO),
        bv.VariableSelector("bart-vip-local", n_permutations=20, **TWO),
        bv.VariableSelector("dart-mpm", **TWO),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def selector(regression):
    return bv.VariableSelector(**THREE).fit(*regression)


def test_parameters_are_those_of_select():
    parameters = {
        item.name: item.default for item in inspect.signature(bv.select).parameters.values()
    }
    of_rows = inspect.signature(bv.VariableSelector.fit).parameters  # which belong to `fit`
    own = {name: value for name, value in parameters.items() if name not in of_rows}
    assert own.pop("n_jobs") == -1
    assert bv.VariableSelector().get_params() == {**own, "n_jobs": None}
    assert set(of_rows) - {"self"} == {"X", "y", "sample_weight", "permute_within"}


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "dart-relevance"),
        ({"method": "dart-vc"}, "dart-vc"),
        ({"goal": "paper"}, "dart-vc"),
        ({"method": "bart-vip-rank"}, "bart-vip-rank"),
        ({"method": "dart-mpm", "n_trees": 10}, "dart-mpm"),
        ({"goal": "screening"}, "bart-vip-rank"),
        ({"goal": "quick", "n_replicates": None}, "dart-relevance"),
        ({"prior": bv.BART(k=3), "measure": "mpvip"}, "bart-mpm"),
        ({"prior": bv.BART(), "measure": "vc", "threshold": "clustering"}, "bart-vc-clustering"),
        (
            {"method": "bart-vip-gse", "threshold": bv.Permutation("gse", alpha=0.1),
             "n_permutations": 12},
            "bart-vip-gse",
        ),
    ],
)  # fmt: skip
def test_fit_is_select_with_the_same_settings(regression, settings, name):
    settings = THREE | {"burn_in": 50, "n_draws": 50} | settings
    selector = bv.VariableSelector(**settings).fit(*regression)
    expected = bv.select(*regression, **settings)
    found = selector.selection_
    assert found.method == expected.method
    assert found.method.name == name
    assert found.method.reason == expected.method.reason
    assert_same_bits(found.draws, expected.draws)
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(selector.support_, expected.mask)
    np.testing.assert_array_equal(selector.get_support(), expected.mask)
    np.testing.assert_array_equal(selector.get_support(indices=True), expected.selected)
    np.testing.assert_array_equal(selector.scores_, expected.importance)
    np.testing.assert_array_equal(selector.ranking_, expected.ranks)
    assert selector.n_features_ == len(expected.selected)
    assert (found.row_frequency is None) == (expected.row_frequency is None)
    if found.row_frequency is not None:
        np.testing.assert_array_equal(found.row_frequency, expected.row_frequency)


@pytest.mark.parametrize("method", ["dart-vc", "bart-vip-local"])
def test_threads_do_not_change_a_bit(classification, method):
    settings = TWO | {"random_state": 3, "n_permutations": 20 if "local" in method else None}
    one, two = (
        bv.VariableSelector(method, n_jobs=n_jobs, **settings).fit(*classification)
        for n_jobs in (1, 2)
    )
    assert_same_bits(one.selection_.draws, two.selection_.draws)
    np.testing.assert_array_equal(
        one.selection_.threshold_result.margin, two.selection_.threshold_result.margin
    )
    np.testing.assert_array_equal(one.support_, two.support_)


def test_what_matters_is_kept(regression):
    X, y = regression
    selector = bv.VariableSelector(**THREE | CONVERGED).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 3]
    assert selector.ranking_[1] == 1
    np.testing.assert_array_equal(selector.transform(X), X[:, [1, 3]])
    assert selector.get_feature_names_out().tolist() == ["x1", "x3"]
    assert selector.get_feature_names_out(NAMES).tolist() == ["b", "d"]
    assert not hasattr(selector, "feature_names_in_")
    restored = selector.inverse_transform(X[:, [1, 3]])
    np.testing.assert_array_equal(restored[:, [1, 3]], X[:, [1, 3]])
    assert not restored[:, [0, 2, 4]].any()


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (0, 1)])
def test_two_classes_of_any_kind(classification, labels):
    X, y = classification
    named = np.where(y == 1, labels[1], labels[0])
    selector = bv.VariableSelector(**THREE).fit(X, named)
    assert selector.get_support(indices=True).tolist() == [2]
    draws = selector.selection_.draws
    assert draws.response == "binary"
    assert draws.classes.tolist() == list(labels)
    assert_same_bits(draws, bv.select(X, named, **THREE).draws)
    for other in (pd.Series(named).astype("category"), pl.Series(named), list(named)):
        again = bv.VariableSelector(**THREE).fit(X, other)
        assert_same_bits(again.selection_.draws, draws)


def test_the_response_may_be_forced(classification):
    X, y = classification
    numbers = bv.VariableSelector(response="continuous", **TWO).fit(X, y)
    assert numbers.selection_.draws.response == "continuous"
    classes = bv.VariableSelector(response="binary", **TWO).fit(X, 2 * y - 1)
    assert classes.selection_.draws.classes.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("frame_of", "output"), [(pd.DataFrame, "pandas"), (pl.DataFrame, "polars")]
)
def test_data_frames(regression, selector, frame_of, output):
    X, y = regression
    frame = frame_of({name: X[:, j] for j, name in enumerate(NAMES)})
    named = bv.VariableSelector(**THREE).fit(frame, y)
    assert named.feature_names_in_.tolist() == NAMES
    assert named.get_feature_names_out().tolist() == named.selection_.names == ["b", "d"]
    assert isinstance(named.selection_.table, frame_of)
    np.testing.assert_array_equal(named.scores_, selector.scores_)
    np.testing.assert_array_equal(named.transform(frame), X[:, [1, 3]])
    found = named.set_output(transform=output).transform(frame)
    assert isinstance(found, frame_of)
    assert list(found.columns) == ["b", "d"]
    np.testing.assert_array_equal(found.to_numpy(), X[:, [1, 3]])
    with pytest.raises(ValueError, match="should match those that were passed"):
        named.transform(frame[list("bacde")])


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_output_of_arrays_as_frames(regression, selector, output):
    X, _ = regression
    found = selector.set_output(transform=output).transform(X)
    assert type(found).__module__.startswith(output)
    assert list(found.columns) == ["x1", "x3"]


def test_a_pandas_frame_keeps_types_and_index(regression):
    X, _ = regression
    frame = pd.DataFrame(X, columns=NAMES, index=np.arange(60) + 7).assign(b=X[:, 1] > 0.5)
    y = 10 * frame["b"] + 10 * frame["d"]
    selector = bv.VariableSelector(**THREE).set_output(transform="pandas").fit(frame, y)
    found = selector.transform(frame)
    assert found.dtypes.astype(str).to_dict() == {"b": "bool", "d": "float64"}
    assert found.index.equals(frame.index)


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_nothing_selected(rng, output):
    X, y = rng.uniform(size=(60, 3)), rng.normal(size=60)
    selector = bv.VariableSelector(threshold=bv.Permutation("gmax", 0.02), measure="vip", **TWO)
    selector.set_output(transform=output).fit(X, y)
    assert selector.n_features_ == 0
    assert selector.get_feature_names_out().tolist() == []
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape[1] == 0
    if output == "default":
        with pytest.warns(UserWarning, match="No features were selected"):
            assert selector.transform(scipy.sparse.csr_array(X)).shape == (60, 0)


def test_sparse_matrices(regression):
    X, y = regression
    X = np.where(X < 0.3, 0, X)
    plain = bv.VariableSelector(**THREE).fit(X, y)
    for sparse in (scipy.sparse.csr_array(X), scipy.sparse.dok_matrix(X)):
        selector = bv.VariableSelector(**THREE).fit(sparse, y)
        assert_same_bits(selector.selection_.draws, plain.selection_.draws)
        found = selector.transform(sparse)
        assert scipy.sparse.issparse(found)
        np.testing.assert_array_equal(found.toarray(), plain.transform(X))
    frame = pd.DataFrame(X, columns=NAMES).astype(pd.SparseDtype(float, 0))
    selector = bv.VariableSelector(**THREE).fit(frame, y)
    assert_same_bits(selector.selection_.draws, plain.selection_.draws)
    found = selector.set_output(transform="pandas").transform(frame)
    pd.testing.assert_frame_equal(found, frame[selector.get_feature_names_out()])


def test_pipelines(regression, classification):
    X, y = regression
    model = make_pipeline(StandardScaler(), bv.VariableSelector(**THREE), LinearRegression())
    model.fit(X, y)
    assert model[-1].n_features_in_ == 2
    assert model[:-1].get_feature_names_out().tolist() == ["x1", "x3"]
    by_hand = LinearRegression().fit(X[:, [1, 3]], y)
    np.testing.assert_allclose(model.predict(X), by_hand.predict(X[:, [1, 3]]))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.5
    X, y = classification
    labels = np.where(y == 1, "yes", "no")
    model = make_pipeline(bv.VariableSelector(**THREE), LogisticRegression()).fit(X, labels)
    assert model.score(X, labels) > 0.8
    assert set(model.predict(X)) <= {"yes", "no"}


def test_part_of_the_columns(regression):
    X, y = regression
    frame = pd.DataFrame(X, columns=NAMES)
    both = make_column_transformer(
        ("passthrough", ["a"]), (bv.VariableSelector(**THREE), ["b", "c", "d", "e"])
    ).set_output(transform="pandas")
    columns = both.fit_transform(frame, y).columns
    assert list(columns) == ["passthrough__a", "variableselector__b", "variableselector__d"]


def test_grid_search(regression):
    X, y = regression
    pipeline = make_pipeline(bv.VariableSelector(**THREE | {"n_jobs": 1}), LinearRegression())
    grid = {
        "variableselector__method": ["dart-vc", "dart-mpm"],
        "variableselector__n_replicates": [1, 2],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    chosen = search.best_estimator_[0].selection_
    assert chosen.method.name == search.best_params_["variableselector__method"]
    assert chosen.draws.n_replicates == search.best_params_["variableselector__n_replicates"]
    assert search.score(X, y) > 0.5


def test_clone_and_pickle(regression, selector):
    X, _ = regression
    original = bv.VariableSelector(prior=bv.DART(k=3), threshold=bv.Permutation("gse", 0.1))
    fresh = clone(original)
    assert fresh.get_params() == original.get_params()
    with pytest.raises(NotFittedError):
        clone(selector).transform(X)
    with pytest.raises(NotFittedError):
        clone(selector).get_support()
    for again in (pickle.loads(pickle.dumps(selector)), copy.deepcopy(selector)):
        np.testing.assert_array_equal(again.transform(X), selector.transform(X))
        assert_same_bits(again.selection_.draws, selector.selection_.draws)
        assert repr(again.selection_) == repr(selector.selection_)
        assert again.selection_.explain("x1") == selector.selection_.explain("x1")
        assert again.selection_.stability.changes == selector.selection_.stability.changes


def test_a_pickle_holds_no_data(rng):
    X = rng.normal(size=(5000, 20))
    selector = bv.VariableSelector(**TWO).fit(X, X[:, 0])
    assert len(pickle.dumps(selector)) < 0.05 * X.nbytes


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("method", "dart-cv", ValueError),
        ("goal", "speed", ValueError),
        ("prior", "BART", TypeError),
        ("measure", "vipp", ValueError),
        ("threshold", "0.5", ValueError),
        ("n_replicates", 0, ValueError),
        ("n_permutations", 50, ValueError),
        ("n_trees", 0, ValueError),
        ("burn_in", -1, ValueError),
        ("n_draws", 1.5, TypeError),
        ("random_state", "seed", TypeError),
        ("n_jobs", 0, ValueError),
        ("progress", "yes", TypeError),
        ("response", "ordinal", ValueError),
    ],
)
def test_fit_names_a_bad_parameter_and_init_does_not(regression, name, value, error):
    sweeps = []
    selector = bv.VariableSelector(**{"progress": lambda *done: sweeps.append(done), name: value})
    with pytest.raises(error, match=f"{name}.*{value}"):
        selector.fit(*regression)
    assert selector.get_params()[name] == value
    assert not hasattr(selector, "selection_")
    assert not sweeps


def test_bad_data_is_refused_before_sampling(regression):
    X, y = regression
    sweeps = []
    infinite = np.where(X > 0.9, np.inf, X)
    selector = bv.VariableSelector(progress=lambda *done: sweeps.append(done))
    for data, response, message in [
        (infinite, y, "Input X contains infinity"),
        (pd.DataFrame(infinite), y, "infinite values"),
        (scipy.sparse.csr_array(infinite), y, "infinite values"),
        (X, np.where(y > y.mean(), np.inf, y), "`y` .* infinite"),
        (X, np.ones(60), "`y` must vary"),
        (X, np.array(["a", "b", "c"] * 20), "3 classes"),
        (X, y[1:], "per row of X, 60. Got 59 values"),
        (X, None, "requires y"),
    ]:
        with pytest.raises(ValueError, match=message):
            selector.fit(data, response)
    with pytest.raises(TypeError, match=r"'b'"):
        selector.fit(pd.DataFrame(X, columns=NAMES).assign(b=pd.Timestamp(0)), y)
    with pytest.raises(TypeError, match=r"(?i)sparse.*y.*toarray"):
        selector.fit(X, scipy.sparse.csr_array(y[:, None]))
    assert not sweeps
    selector.set_params(**TWO).fit(X, y)
    assert sweeps
