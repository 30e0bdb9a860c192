"""Notes on the data: each where it should be, and none on ordinary data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import bayesvc as bv
from bayesvc.data.examples import load_feynman
from bayesvc.exceptions import DataWarning
from bayesvc.responses.read import read_dataset
from bayesvc.selection.data_notes import with_data_notes
from tests.helpers.settings import SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

N = 100


def notes_on(
    X: pd.DataFrame, y: Any, selected: str = "a", *, prior: Any = None, **about: Any
) -> dict[str, str]:
    """Return the text of each note on these data, by its code, if one variable is selected."""
    response = about.pop("response", "auto")
    data = read_dataset(X, y, response, **about)
    counts = np.tile([float(name == selected) for name in data.names], (2, 4, 1)).astype(int)
    draws = bv.Draws.from_counts(counts, feature_names=list(data.names))
    found = bv.select_from(draws, measure="mpvip", threshold="median-probability")
    assert found.names == [selected]
    found = replace(found, method=replace(found.method, prior=prior))
    (found,) = with_data_notes([found], data, response)
    assert set(found.data_notes) <= set(found.notes)
    texts = {note.code: note.text for note in found.data_notes}
    assert len(texts) == len(found.data_notes)
    return texts


@pytest.fixture
def X(rng: np.random.Generator) -> pd.DataFrame:
    """Three plain columns."""
    return pd.DataFrame(rng.uniform(size=(N, 3)), columns=["a", "b", "c"])


@pytest.fixture
def y(X: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.float64]:
    """A response that depends on two of them."""
    return np.asarray(5 + 3 * X["a"] + X["b"] + 0.5 * rng.normal(size=N))


def test_ordinary_data_have_no_notes(X: pd.DataFrame, y: Any, rng: np.random.Generator) -> None:
    X["sex"] = rng.integers(2, size=N)
    X["site"] = list("abcde") * (N // 5)
    X["visits"] = rng.poisson(2, size=N)
    X.loc[::7, "b"] = np.nan
    for prior in (bv.DART(), bv.BART()):
        assert notes_on(X, y, prior=prior) == {}
        assert notes_on(X, y > y.mean(), prior=prior) == {}


def test_friedman_and_the_example_have_none() -> None:
    rng = np.random.default_rng(0)
    U = rng.uniform(size=(200, 10))
    z = 10 * np.sin(np.pi * U[:, 0] * U[:, 1]) + 20 * (U[:, 2] - 0.5) ** 2 + rng.normal(size=200)
    example = load_feynman()
    for X, y in ((U, z), (example.X, example.y)):
        for method in ("dart-vc", "dart-relevance"):
            found = bv.select(X, y, method, n_replicates=3, signal_test=False, **SETTLED)
            assert found.data_notes == ()


# ---- one column that determines y ------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (lambda y: np.exp(y), "a alone determines y almost exactly (rank correlation 1.00)."),
        (lambda y: -(y**3), "a alone determines y almost exactly (rank correlation -1.00)."),
        (lambda y: np.where(np.arange(N) % 5, y, np.nan), "(rank correlation 1.00)"),
        (lambda y: y + 0.2 * np.std(y) * np.sin(np.arange(N)), "a alone almost determines y (rank"),
        (lambda y: y + 0.6 * np.std(y) * np.sin(np.arange(N)), None),  # a correlation of 0.92
        (lambda y: np.where(np.arange(N) < 19, y, np.nan), None),  # too few are known
    ],
)
def test_a_column_from_which_y_follows(
    X: pd.DataFrame, y: Any, column: Any, expected: str | None
) -> None:
    X["a"] = column(y)
    notes = notes_on(X, y)
    if expected is None:
        assert notes == {}
    else:
        assert expected in notes["leak"]
        remedy = "Check that it is not" if "almost d" in expected else "If it was"
        assert f"{remedy} derived from y" in notes["leak"]
    assert notes_on(X, y, "b") == {}  # it concerns the selected columns only


def test_notes_call_the_response_by_its_name(X: pd.DataFrame, y: Any) -> None:
    X["a"] = y + 0.1 * np.std(y) * np.sin(np.arange(N))
    dose = pd.Series(y, name="dose")
    found = bv.select(X, dose, "dart-mpm", signal_test=False, **SETTLED)
    (note,) = [note for note in found.notes if note.code == "leak"]
    assert note.text.startswith("a alone almost determines dose (rank correlation 0.99")
    assert "derived from dose" in note.text
    codes = pd.Series(np.arange(N) % 2 + 1, name="class")
    both = bv.compare(X, codes, ["dart-mpm"], **SETTLED)
    text = " ".join(note.text for note in both.notes)
    assert "class has only the values 1 and 2 and was fitted as a number." in text
    assert "depends on the columns" not in text or "that class depends" in text


def test_several_such_columns(X: pd.DataFrame, y: Any) -> None:
    X["a"], X["b"] = y, -y
    data = read_dataset(X, y)
    draws = bv.Draws.from_counts([[[2, 1, 0]], [[2, 1, 0]]], feature_names=list("abc"))
    found = bv.select_from(draws, measure="mpvip", threshold="median-probability")
    ((note,),) = (one.data_notes for one in with_data_notes([found], data))
    assert "a (rank correlation 1.00), b (rank correlation -1.00)" in note.text


def test_a_column_that_separates_two_classes(X: pd.DataFrame, rng: np.random.Generator) -> None:
    classes = rng.permutation(np.arange(N) < 40)
    X["a"] = rng.uniform(size=N) - classes
    assert "it separates the two classes" in notes_on(X, classes)["leak"]
    assert "it separates" in notes_on(X, np.where(classes, "no", "yes"))["leak"]
    assert notes_on(X, ~classes, "b") == {}
    X.loc[0, "a"] = 0.5 - X.loc[0, "a"]  # one row on the other side
    assert notes_on(X, classes) == {}


def test_missing_values_that_tell_the_class(X: pd.DataFrame, rng: np.random.Generator) -> None:
    classes = rng.permutation(np.arange(N) < 40)
    X["a"] = np.where(classes, X["a"], np.nan)
    assert "leak" in notes_on(X, classes)
    X.loc[np.flatnonzero(classes)[0], "a"] = np.nan
    assert notes_on(X, classes) == {}


def test_a_few_rows_may_be_told_apart_by_chance(X: pd.DataFrame) -> None:
    for few, noted in ((9, False), (10, True)):
        classes = np.arange(N) < few
        X["a"] = classes + X["b"] / 2
        assert ("leak" in notes_on(X, classes)) == noted
        X["a"] = classes
        assert ("leak" in notes_on(X, 1.0 + classes, response="continuous")) == noted


def test_categories_from_which_y_follows(X: pd.DataFrame, rng: np.random.Generator) -> None:
    X["a"] = rng.choice(list("abcde"), size=N)
    level = X["a"].map({"a": 3.0, "b": 0.0, "c": 9.0, "d": 1.0, "e": 4.0}).to_numpy()
    assert "each category has one value of y" in notes_on(X, level, response="continuous")["leak"]
    assert "leak" in notes_on(X, level > 2)
    assert notes_on(X, level + rng.normal(size=N)) == {}
    X["a"] = [f"{i // 5}" + "x" for i in range(N)]  # of so few rows each, this may be chance
    assert notes_on(X, np.repeat(rng.normal(size=N // 5), 5)) == {}


# ---- identifiers -----------------------------------------------------------------------------


def test_a_number_of_the_row(X: pd.DataFrame, y: Any, rng: np.random.Generator) -> None:
    for numbers in (np.arange(N), 1000.0 - np.arange(N)):
        X["a"] = numbers
        assert "a (it numbers the rows in their order) looks like" in notes_on(X, y)["identifier"]
        assert notes_on(X, y, "b") == {}  # it did no harm
    X["a"] = rng.permutation(N)  # such as ranks
    assert notes_on(X, y) == {}
    X["a"] = np.arange(N) / N
    assert notes_on(X, y) == {}
    X["day"] = np.arange(N)
    assert notes_on(X, y, "day") == {}


def test_a_number_of_the_row_is_no_leak(X: pd.DataFrame, y: Any) -> None:
    X["a"] = np.arange(N)
    assert set(notes_on(X, np.sort(y))) == {"identifier"}


@pytest.mark.parametrize("name", ["id", "ID", "patient_id", "patientID", "Identifier", "id.2"])
def test_a_column_called_an_identifier(
    X: pd.DataFrame, y: Any, name: str, rng: np.random.Generator
) -> None:
    X[name] = rng.permutation(10 * np.arange(N))
    expected = f"{name} (a different whole number in every row) looks like an identifier."
    assert expected in notes_on(X, y)["identifier"]
    X.loc[0, name] = X.loc[1, name]  # a patient with two rows
    assert notes_on(X, y) == {}


def test_names_that_only_resemble_one(X: pd.DataFrame, y: Any, rng: np.random.Generator) -> None:
    for name in ("acid", "idle", "width", "FLUID"):
        X[name] = rng.permutation(N)
    X["id"] = rng.uniform(size=N)  # no whole numbers
    assert notes_on(X, y) == {}


def test_categories_that_tell_rows_apart(rng: np.random.Generator) -> None:
    X = pd.DataFrame({"a": rng.uniform(size=60), "code": [f"k{i}" for i in range(60)]})
    y = rng.normal(size=60)
    assert notes_on(X, y) == {
        "identifier": "code (60 categories in 60 rows) looks like an identifier. Leave it out, "
        "unless it measures something."
    }
    X["code"] = [f"k{i // 2}" for i in range(60)]
    assert "identifier" not in notes_on(X, y)


# ---- the response ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "noted"),
    [
        ([0, 1, 2], True), ([1, 2, 3, 4], True), (list(range(10)), True), ([1.0, 2.0], True),
        ([2, 7], True),
        (list(range(11)), False), ([2, 3, 4], False), ([0, 1, 3], False), ([-1, 0, 1], False),
        ([0, 0.5, 1], False),
    ],
)  # fmt: skip
def test_numbers_that_may_be_classes(X: pd.DataFrame, values: list[float], noted: bool) -> None:
    y = np.resize(values, N)
    notes = notes_on(X, y, response="auto")
    assert ("class-codes" in notes) == noted
    if noted:
        kind = "binary" if len(values) == 2 else "continuous"
        assert f"response='{kind}'" in notes["class-codes"]
        shown = "values 1 and 2" if values == [1.0, 2.0] else f"{values[-1]}"
        assert shown in notes["class-codes"]
    assert notes_on(X, y, response="continuous") == {}  # the caller has said what they are


def test_few_rows_for_each_number(X: pd.DataFrame) -> None:
    few = X[:24]
    assert notes_on(few, np.resize(np.arange(5), 24)) == {}
    assert "class-codes" in notes_on(few, np.resize(np.arange(4), 24))


CENSORING = [
    "event", "Status", "censored", "censor", "death", "dead", "died", "died_30d", "delta",
    "DEATH_EVENT", "vital_status", "os.status", "is_censored", "event_observed",
]  # fmt: skip


@pytest.mark.parametrize("name", CENSORING)
def test_a_column_named_like_a_censoring_indicator(
    X: pd.DataFrame, y: Any, name: str, rng: np.random.Generator
) -> None:
    X[name] = rng.integers(2, size=N)
    text = notes_on(X, y)["censoring"]
    assert text.startswith(f"{name} looks like the indicator of an event.")
    assert f"Leave {name} out" in text
    assert notes_on(X, y - y.mean()) == {}  # no times
    assert notes_on(X, y > y.mean()) == {}
    X[name] = np.where(X[name], "yes", "no")
    assert "censoring" in notes_on(X, y)
    X[name] = rng.integers(3, size=N)
    assert notes_on(X, y) == {}


@pytest.mark.parametrize("name", ["marital_status", "deadline", "events", "studied", "delta_t"])
def test_names_of_other_columns(
    X: pd.DataFrame, y: Any, name: str, rng: np.random.Generator
) -> None:
    X[name] = rng.integers(2, size=N)
    assert notes_on(X, y) == {}


def test_a_skewed_response(X: pd.DataFrame, y: Any, rng: np.random.Generator) -> None:
    skewed = np.exp(2 * (y - 5))
    for prior in (bv.DART(), bv.BART(), bv.SpikeForest()):
        assert "method 'dart-relevance'" in notes_on(X, skewed, prior=prior)["skewed"]
        assert "skewed" in notes_on(X, -skewed, prior=prior)
        assert notes_on(X, y, prior=prior) == {}
        assert notes_on(X, skewed > 1, prior=prior) == {}
        assert notes_on(X, 5 + rng.standard_t(3, size=N), prior=prior) == {}
    for settings in ({"transform": "auto"}, {"errors": "auto"}, {"errors": "student"}):
        assert notes_on(X, skewed, prior=bv.DART(**settings)) == {}


# ---- values that occur in few rows -----------------------------------------------------------


def test_rare_values(X: pd.DataFrame, y: Any) -> None:
    X["rare"] = np.arange(N) < 4
    X["enough"] = np.arange(N) < 5
    X["many"] = [f"k{min(i, 30)}" for i in range(N)]  # thirty of its categories are rare
    X["one"] = ["d" if i < 4 else "abc"[i % 3] for i in range(N)]  # one of four is
    assert notes_on(X, y) == {
        "rare-values": "Columns rare, many have values that occur in fewer than 5 rows, too few to "
        "show an effect. Merge these values with others, or leave the columns out."
    }
    X["gaps"] = np.where(np.arange(N) < 3, 1, np.nan)  # of one value
    X["half"] = ["de"[i % 2] if i < 8 else "ab"[i % 2] for i in range(N)]
    assert notes_on(X, y)["rare-values"].startswith("Columns rare, many, half have values")
    few = X.drop(columns=["many", "half"])
    assert notes_on(few, y)["rare-values"].startswith("Column rare has values")


def test_at_most_five_of_them_are_named(X: pd.DataFrame, y: Any) -> None:
    for k in range(8):
        X[f"dummy{k}"] = np.arange(N) == k
    text = notes_on(X, y)["rare-values"]
    assert "dummy4 and 3 more have" in text
    assert "dummy5" not in text


def test_columns_of_a_group_are_taken_together(X: pd.DataFrame, y: Any) -> None:
    for k in range(3):
        X[f"dummy{k}"] = np.arange(N) == k
    groups = {"dummies": ["dummy0", "dummy1", "dummy2"]}
    assert notes_on(X, y, groups=groups) == {}
    X["dummy1"] = y
    assert "dummy1 alone determines" in notes_on(X, y, "dummies", groups=groups)["leak"]


# ---- from `select` to what it writes ---------------------------------------------------------


@pytest.fixture(scope="module")
def leaking() -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """A column of which y is a function, and an identifier."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(60, 4)), columns=["a", "b", "c", "d"])
    X["patient_id"] = rng.permutation(60)
    return X, np.asarray(X["b"] ** 2)


def test_they_are_issued_as_warnings_once(leaking: Any) -> None:
    settings = {"signal_test": False, **SETTLED}
    with pytest.warns(DataWarning) as caught:
        found = bv.select(*leaking, "dart-mpm", n_replicates=2, **settings)
    texts = [str(one.message)[:7] for one in caught if one.category is DataWarning]
    assert texts == ["b alone", "patient"]
    assert [note.code for note in found.data_notes] == ["leak", "identifier"]
    with pytest.warns(DataWarning) as caught:
        both = bv.compare(*leaking, ["dart-mpm", "dart-vc"], **settings)
    assert [note.code for note in both.notes].count("leak") == 1
    assert [note.code for note in both.notes].count("identifier") == 1
    assert [one.category for one in caught].count(DataWarning) == 2


def test_files_json_and_report_hold_them(leaking: Any, tmp_path: Path) -> None:
    found = bv.select(*leaking, "dart-mpm", n_replicates=2, signal_test=False, **SETTLED)
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    assert again.data_notes == found.data_notes
    assert again.notes == found.notes
    codes = [note["code"] for note in json.loads(again.to_json())["notes"]]
    assert codes[:2] == ["leak", "identifier"]
    page = again.to_html_report(tmp_path / "report.html").read_text()
    assert "b alone determines y almost exactly" in page
    assert "b alone determines y almost exactly" in repr(again)


def test_what_the_kind_of_response_settles() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 3))
    y = np.clip(np.floor(3 * X[:, 0] + 0.2 * rng.normal(size=60)), 0, 2)
    settings = {"n_replicates": 2, "signal_test": False, **SETTLED}
    assert [note.code for note in bv.select(X, y, **settings).data_notes] == ["class-codes"]
    assert bv.select(X, y, response="continuous", **settings).data_notes == ()


def test_fewer_than_twenty_rows_have_a_note_of_their_own(X: pd.DataFrame) -> None:
    X["id"] = np.arange(N)
    assert "identifier" in notes_on(X[:20], np.arange(20.0) ** 2)
    assert notes_on(X[:19], np.arange(19.0) ** 2) == {}


def test_numbers_near_the_largest(X: pd.DataFrame, rng: np.random.Generator) -> None:
    X["a"] = 1.7e308 * rng.uniform(-1, 1, size=N)
    assert set(notes_on(X, X["a"] * 1e-20)) == {"leak"}
    assert notes_on(X, rng.permutation(X["a"]) * 1e-20, prior=bv.DART()) == {}
