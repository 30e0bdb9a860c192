"""Integer column names of pandas frames stay integers wherever names are looked up."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc.data.encode import encode_new_X, encode_X
from bayesvc.data.schema import ColumnSchema
from bayesvc.estimators.partial_dependence import partial_dependence
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SETTLED, TINY

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

RUN = {**SETTLED, "n_trees": 10, "n_replicates": 2, "n_jobs": 1}


@pytest.fixture(name="X", scope="module")
def _X():
    return np.random.default_rng(0).uniform(size=(80, 4))


@pytest.fixture(name="found", scope="module")
def _found(X):
    frame = pd.DataFrame(X, columns=[2020, 2010, "site", 7])
    return bv.select(frame, 5 * X[:, 1] + X[:, 0], signal_test=False, **RUN)


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (None, (0, 1, 2, 3)),
        ([3, 1, 2, 0], (3, 1, 2, 0)),
        (pd.RangeIndex(10, 18, 2), (10, 12, 14, 16)),
        ([-1, "b", 5, "a"], (-1, "b", 5, "a")),
        (np.array([1, 2, 3, 4], np.int32), (1, 2, 3, 4)),
        ([1.5, 2.5, 3.5, 4.5], ("1.5", "2.5", "3.5", "4.5")),
        ([True, "b", "c", "d"], ("True", "b", "c", "d")),
        (list("abcd"), ("a", "b", "c", "d")),
    ],
)
def test_names_of_frames(X, columns, names):
    assert encode_X(pd.DataFrame(X, columns=columns)).names == names


def test_names_of_arrays(X):
    assert encode_X(X).names == ("x0", "x1", "x2", "x3")


def test_names_that_are_equal_as_text_are_refused(X):
    with pytest.raises(ValueError, match="'1'"):
        encode_X(pd.DataFrame(X, columns=[1, "1", 2, 3]))


def test_selected_names_index_the_frame(X, found):
    frame = pd.DataFrame(X, columns=[2020, 2010, "site", 7])
    assert 2010 in found.names
    assert all(type(name) in (int, str) for name in found.names)
    assert frame[found.names].shape == (80, len(found.names))
    assert found.feature_names == found.draws.feature_names == (2020, 2010, "site", 7)
    plain = pd.DataFrame(X)
    assert plain[bv.select(plain, X[:, 1], signal_test=False, **RUN).names].columns[0] == 1


def test_display_is_text(found):
    assert found.labels == ("2020", "2010", "site", "7")
    assert found.table["variable"].tolist() == list(found.labels)
    assert "2010" in repr(found)
    assert "2010" in found._repr_html_()
    about = json.loads(found.to_json())
    assert about["variables"][1]["variable"] == "2010"
    assert "2010" in about["selected"]


def test_explain_takes_the_name_or_its_text(found):
    assert found.explain(2010) == found.explain("2010")
    with pytest.raises((TypeError, ValueError), match=r"`name` must be one of .* Got 1 instead"):
        found.explain(1)


def test_plots_and_report(found, tmp_path):
    for kind in ("importance", "scatter", "stability"):
        assert found.plot(kind) is not None
    clustered = bv.select_from(found.draws, measure="vc-measure", threshold="clustering")
    assert clustered.plot("dendrogram") is not None
    assert "2010" in found.to_html_report(tmp_path / "report.html").read_text()


def test_files_keep_the_type(found, tmp_path):
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    assert again.names == found.names
    assert again.feature_names == found.feature_names
    assert_same_bits(again.draws, found.draws)


def test_groups(X):
    frame = pd.DataFrame(X, columns=[2, 0, 3, 7])
    schema = encode_X(frame, groups={"pair": [0, "7"]}).schema
    assert schema.groups == (("pair", (1, 3)),), "integers are names, not positions"
    assert schema.variable_names == (2, "pair", 3)
    assert ColumnSchema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema
    with pytest.raises(ValueError, match=r"`groups\['g'\]` must be one of the column names 2, 0"):
        encode_X(frame, groups={"g": [1]})
    named = pd.DataFrame(X, columns=list("abcd"))
    assert encode_X(named, groups={"pair": [0, "d"]}).schema.groups == (("pair", (0, 3)),)


def test_draws_with_groups_can_be_extended_and_checked(X):
    frame = pd.DataFrame(X, columns=[10, 11, 12, 13])
    groups = {"pair": [11, 13]}
    settings = {**TINY, "n_replicates": 1, "n_jobs": 1, "random_state": 0}
    draws = bv.sample(frame, X[:, 0], groups=groups, **settings)
    assert draws.extend(1, frame, X[:, 0], n_jobs=1).n_replicates == 2
    settings["n_replicates"] = 2
    found = bv.select(frame, X[:, 0], groups=groups, signal_test=False, **settings)
    checked = found.check_prediction(frame, X[:, 0], **TINY, n_folds=2, n_jobs=1)
    assert checked.of_all >= 0


def test_predictions_compare_names_as_text(X):
    frame = pd.DataFrame(X, columns=[10, 11, 12, 13])
    settings = {**TINY, "n_replicates": 1, "n_jobs": 1, "random_state": 0}
    draws = bv.sample(frame, X[:, 0], keep_trees=True, **settings)
    expected = draws.predict(frame)
    np.testing.assert_array_equal(draws.predict(X), expected)
    np.testing.assert_array_equal(draws.predict(frame.rename(columns=str)), expected)
    with pytest.raises(ValueError, match=r"[Cc]olumn 0 of .*11"):
        draws.predict(frame[[11, 10, 12, 13]])
    effect = partial_dependence(draws, frame, 11, grid=[0.2, 0.8])
    assert effect.features == ("11",)
    with pytest.raises(ValueError, match="`features` must be one of the column names 10, 11"):
        partial_dependence(draws, frame, 1)


def test_old_schemas_hold_text():
    schema = ColumnSchema(("10", "11"), missing=frozenset({0}))
    assert encode_new_X(pd.DataFrame(np.eye(2), columns=[10, 11]), schema).schema is schema


def test_estimators_keep_the_rules_of_scikit_learn(X):
    frame = pd.DataFrame(X)
    selector = bv.VariableSelector(**RUN, signal_test=False).fit(frame, X[:, 1])
    assert not hasattr(selector, "feature_names_in_")
    assert selector.get_feature_names_out()[0] == "x1"


def test_partial_dependence_takes_integers_for_names(X):
    columns = [7, 1, 0, 8]
    frame, y = pd.DataFrame(X, columns=columns), 10 * X[:, 1] - 9 * X[:, 2]
    found = bv.select(frame, y, signal_test=False, **RUN)
    short = {"burn_in": 100, "n_draws": 100, "n_trees": 20}
    for name, slope in ((1, 10), (0, -9)):
        drawn = found.plot("partial_dependence", X=frame, y=y, features=[name], **short).data
        assert set(drawn["variable"]) == {str(name)}
        rise = (drawn["mean"][-1] - drawn["mean"][0]) / (drawn["x"][-1] - drawn["x"][0])
        assert np.sign(rise) == np.sign(slope)
    both = found.plot("partial_dependence", X=frame, y=y, **short)
    assert set(both.data["variable"]) == {str(name) for name in found.names}


def test_explain_takes_the_integers_of_numpy(found):
    assert found.explain(np.int64(2010)) == found.explain(2010)
    assert found.explain(2010).startswith("2010 is selected")


@pytest.mark.parametrize("argument", ["y", "sample_weight"])
def test_a_frame_of_one_column_with_an_integer_name(X, argument):
    y, weight = X[:, 1], np.linspace(1, 2, len(X))
    given = {"y": y, "sample_weight": weight}
    given[argument] = pd.DataFrame(given[argument])
    framed = bv.sample(X, n_replicates=1, random_state=1, **given, **TINY)
    plain = bv.sample(X, y, n_replicates=1, random_state=1, sample_weight=weight, **TINY)
    assert_same_bits(framed, plain)
