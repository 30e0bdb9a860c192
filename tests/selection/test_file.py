"""Selections and selectors in files: back as they were, or refused."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import bayesvc as bv
from tests.fixtures.make_selection_1 import data
from tests.helpers.paths import FIXTURES
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SEEDED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

EXPECTED = json.loads((FIXTURES / "selection-1.json").read_text())
FEW_TREES = SEEDED | {"n_trees": 5}


@pytest.mark.parametrize("name", EXPECTED)
def test_selections_of_version_1(name):
    found, expected = bv.Selection.load(FIXTURES / f"selection-1-{name}.npz"), EXPECTED[name]
    assert found.method.name == expected["method"]
    assert found.method.threshold == eval(expected["threshold"], vars(bv.thresholds))
    assert type(found.method.prior).__name__ == expected["prior"]
    assert found.names == expected["names"]
    assert list(found.feature_names) == expected["feature_names"]
    assert found.draws.data_hash == expected["data_hash"]
    np.testing.assert_array_equal(found.importance, expected["importance"])
    np.testing.assert_array_equal(found.threshold_result.margin, expected["margin"])
    if expected["leave_one_out"] is not None:
        np.testing.assert_array_equal(found.left_out_frequency, expected["leave_one_out"])
    if expected["p_values"] is not None:
        np.testing.assert_array_equal(found.p_values["maxt"], expected["p_values"])
    assert (found.signal and found.signal.explained) == expected["explained"]
    assert (found.stopping and found.stopping.reason) == expected["enough"]
    assert found.data_notes == ()
    assert type(found.table).__module__.startswith("pandas")


def test_a_selector_of_version_1():
    selector = bv.VariableSelector.load(FIXTURES / "selector-1.npz")
    assert selector.prior == bv.BART(k=3.0)
    assert selector.threshold == bv.Permutation("gse", alpha=0.1)
    assert selector.groups == {"pair": ["c", "d"]}
    assert selector.feature_names_in_.tolist() == ["a", "b", "c", "d", "site"]
    X, _ = data()
    kept = selector.transform(X)
    assert kept.shape == (20, selector.n_features_)
    assert "b" in selector.get_feature_names_out()


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("dart-vc", {"n_replicates": 3}),
        ("bart-vip-local", {"n_replicates": 2, "n_permutations": 19}),
        ("bart-vip-rank", {"n_replicates": 2, "signal_test": False}),
        ("dart-mpm", {"allow_empty": True}),
    ],
)
def test_a_selection_comes_back_as_it_was(regression, tmp_path, method, settings):
    X, y = regression
    frame = pd.DataFrame(X, columns=list("abcde")).assign(twin=X[:, 1])
    found = bv.select(frame, y, method, **FEW_TREES, **settings)
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    assert again.method == found.method
    assert again.twins == found.twins
    assert_same_bits(again.draws, found.draws)
    assert str(again) == str(found)
    assert again.to_json() == found.to_json()
    assert again._repr_html_() == found._repr_html_()
    pd.testing.assert_frame_equal(again.table, found.table)
    assert type(again.threshold_result) is type(found.threshold_result)
    for name, part in vars(found.threshold_result).items():
        np.testing.assert_array_equal(getattr(again.threshold_result, name), part)


def test_selections_of_all_kinds_of_fits_come_back(regression, tmp_path):
    X, y = regression
    path = tmp_path / "found"
    spike = bv.SpikeForest(n_samples=30, burn_in=5)
    counts = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    for found in (
        bv.select(X, y, prior=spike, random_state=1, n_trees=5),
        bv.select_from(counts, threshold=bv.Clustering(weights=(1, 1, 2, 2))),
        bv.select(X, y > y.mean(), "dart-mpm", **FEW_TREES),
        bv.select(np.ones((30, 3)), np.arange(30), n_replicates=2, signal_test=False, **FEW_TREES),
        bv.select(X[:, :1], y, n_replicates=2, signal_test=False, **FEW_TREES),
    ):
        found.save(path)
        again = bv.Selection.load(path)
        assert again.method == found.method
        assert again.to_json() == found.to_json()


def test_an_empty_selection_stays_empty(rng, tmp_path):
    X, noise = rng.uniform(size=(60, 3)), np.random.default_rng(3).normal(size=60)
    found = bv.select(X, noise, allow_empty=True, n_replicates=2, **FEW_TREES)
    assert found.names == []
    found.save(tmp_path / "found")
    assert bv.Selection.load(tmp_path / "found").names == []


def test_a_selector_comes_back_as_it_was(regression, tmp_path):
    X, y = regression
    frame = pd.DataFrame(X, columns=list("abcde"))
    selector = bv.VariableSelector(
        "bart-vip-local", threshold=bv.Permutation("local", alpha=0.2), n_permutations=9,
        n_replicates=2, prior=bv.BART(split_weights=[1, 2, 3, 4, 5]), n_jobs=np.int64(1),
        progress=lambda done, total: None, **FEW_TREES | {"random_state": np.random.default_rng(0)},
    )  # fmt: skip
    selector.fit(frame, y).save(tmp_path / "s.npz")
    again = bv.VariableSelector.load(tmp_path / "s.npz")
    np.testing.assert_array_equal(again.transform(frame), selector.transform(frame))
    np.testing.assert_array_equal(again.scores_, selector.scores_)
    np.testing.assert_array_equal(again.ranking_, selector.ranking_)
    left = {"progress", "random_state"}
    before = {k: v for k, v in selector.get_params().items() if k not in left}
    assert {k: v for k, v in again.get_params().items() if k not in left} == before
    assert again.progress is None
    # a fit anew gives the same again, because the seed that was drawn is known
    assert_same_bits(again.fit(frame, y).selection_.draws, selector.selection_.draws)
    with pytest.raises(ValueError, match="should match those that were passed"):
        again.transform(frame[list("bacde")])


def test_a_selector_of_an_array_has_no_names(regression, tmp_path):
    selector = bv.VariableSelector(n_replicates=2, **FEW_TREES).fit(*regression)
    selector.save(tmp_path / "s.npz")
    again = bv.VariableSelector.load(tmp_path / "s.npz")
    assert not hasattr(again, "feature_names_in_")
    np.testing.assert_array_equal(again.transform(regression[0]), selector.transform(regression[0]))


def test_a_selector_that_is_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        bv.VariableSelector().save(tmp_path / "s.npz")
    assert not list(tmp_path.iterdir())


FILES = {
    "selection-1-permutation.npz": (bv.Selection, "Selection"),
    "selector-1.npz": (bv.VariableSelector, "VariableSelector"),
    "draws-1-bart.npz": (bv.Draws, "Draws"),
}


@pytest.mark.parametrize("name", FILES)
def test_no_file_is_taken_for_another(name):
    for other, (kind, holds) in FILES.items():
        if other != name:
            with pytest.raises(ValueError, match=f"{holds}.save wrote.*it is not a {holds} file"):
                kind.load(FIXTURES / name)


@pytest.mark.parametrize("name", list(FILES)[:2])
def test_one_wrong_byte_never_goes_unnoticed(name, tmp_path):
    good = (FIXTURES / name).read_bytes()
    path, kind = tmp_path / "file", FILES[name][0]

    def told(result):
        return (result if isinstance(result, bv.Selection) else result.selection_).to_json()

    expected = told(kind.load(FIXTURES / name))
    refused = 0
    for i in range(0, len(good), 97):
        path.write_bytes(good[:i] + bytes([good[i] ^ 0xFF]) + good[i + 1 :])
        try:
            assert told(kind.load(path)) == expected
        except ValueError as error:
            assert re.search("cannot be read|format version", str(error))  # noqa: PT017
            refused += 1
    assert refused > len(good) / 97 / 2


def changed(path, prefix="", settings=None, **arrays):
    """Write the file anew with other settings or arrays."""
    with np.load(path) as file:
        parts = dict(file)
    told = json.loads(parts[f"{prefix}settings"].tobytes()) | (settings or {})
    parts[f"{prefix}settings"] = np.frombuffer(json.dumps(told).encode(), np.uint8)
    parts |= arrays
    np.savez(path, **{name: part for name, part in parts.items() if part is not None})


OTHER_METHOD = {"name": "x", "measure": "vip", "threshold": {"kind_": "Other"}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"settings": {"version": 2}},
            r"a Selection file of format version 1. Got .* version 2 instead",
        ),
        ({"settings": {"version": [1]}}, "format version"),
        ({"settings": {"method": None}}, "are inconsistent"),
        ({"settings": {"method": OTHER_METHOD}}, "are inconsistent"),
        ({"settings": {"twins": [{"other": 1}]}}, "are inconsistent"),
        ({"settings": {"enough": {"reason": "so"}}}, "are inconsistent"),
        ({"mask": np.ones(3, bool)}, r"are inconsistent \(mask is bool \(3,\)"),
        ({"mask": np.ones(2)}, r"are inconsistent \(mask is float64"),
        ({"values": np.ones((2, 4))}, "are inconsistent"),
        ({"null": np.ones((3, 2))}, "are inconsistent"),
        ({"cut/margin": None}, "are inconsistent"),
        ({"draws/vc": np.ones((3, 3))}, "are inconsistent"),
        ({"permuted/settings": np.zeros(3, np.uint8)}, "are inconsistent"),
        (
            {"prefix": "draws/", "settings": {"version": 9}},
            r"Draws file of .*Got .* of format version 9",
        ),
        ({"prefix": "permuted/", "settings": {"feature_names": ["u", "v"]}}, "other variables"),
    ],
)
def test_files_of_other_contents(tmp_path, change, message):
    path = tmp_path / "file.npz"
    path.write_bytes((FIXTURES / "selection-1-permutation.npz").read_bytes())
    changed(path, **change)
    with pytest.raises(ValueError, match=message):
        bv.Selection.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {"version": 2}}, r"VariableSelector file .*Got .* of format version 2"),
        (
            {"settings": {"parameters": {"prior": None, "threshold": None, "n": 1}}},
            "are inconsistent",
        ),
        ({"settings": {"n_features_in": 7}}, "not of 7 columns"),
        ({"settings": {"feature_names_in": ["a"]}}, "not of 5 columns"),
        ({"selection/mask": None}, "are inconsistent"),
    ],
)
def test_selectors_of_other_contents(tmp_path, change, message):
    path = tmp_path / "file.npz"
    path.write_bytes((FIXTURES / "selector-1.npz").read_bytes())
    changed(path, **change)
    with pytest.raises(ValueError, match=message):
        bv.VariableSelector.load(path)


class Bomb:
    """Fails the test if it is ever made from a pickle."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("kind", [bv.Selection, bv.VariableSelector])
def test_pickles_are_not_loaded(kind, tmp_path):
    path = tmp_path / "file.npz"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="or it is damaged"):
        kind.load(path)
    np.savez(path, settings=np.array([Bomb()], dtype=object))
    with pytest.raises(ValueError, match="or it is damaged"):
        kind.load(path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_leaf_without_a_finite_value_is_damage(value, tmp_path):
    X = np.random.default_rng(0).uniform(size=(40, 3))
    draws = bv.sample(X, X[:, 0], n_replicates=2, keep_trees=True, **SEEDED)
    bv.select_from(draws).save(tmp_path / "found.npz")
    with np.load(tmp_path / "found.npz") as file:
        arrays = dict(file)
    leaf = np.flatnonzero(arrays["draws/forests/1/variable"] < 0)[0]
    arrays["draws/forests/1/value"][leaf] = value
    np.savez(tmp_path / "found.npz", **arrays)
    with pytest.raises(ValueError, match=f"a leaf has the value {value}"):
        bv.Selection.load(tmp_path / "found.npz")
