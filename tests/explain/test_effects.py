"""`Selection.effects`: tables, kinds of data, refusals and reproducibility."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesvc as bv
from bayesvc.responses import Gaussian
from tests.helpers.no_sampling import no_sampling

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

COLUMNS = [
    "variable", "first_order", "first_order_low", "first_order_high", "total", "change",
    "direction", "loss", "loss_low", "loss_high",
]  # fmt: skip
SELECT = {"n_replicates": 2, "burn_in": 300, "n_draws": 300, "random_state": 0, "n_jobs": 1}
FIT = {"n_trees": 20, "n_replicates": 2, "burn_in": 100, "n_draws": 60, "n_folds": 3, "n_jobs": 1}


@pytest.fixture(scope="module")
def plain():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(240, 5))
    y = 10 * X[:, 0] - 5 * X[:, 3] + 0.5 * rng.normal(size=240)
    return X, y, bv.select(X, y, **SELECT)


@pytest.fixture(scope="module")
def effects(plain):
    X, y, found = plain
    return found.effects(X, y, **FIT)


def test_the_table(effects):
    assert list(effects.table.columns) == COLUMNS
    assert effects.table["variable"].tolist() == ["x0", "x3"]
    assert effects.table["direction"].tolist() == ["increasing", "decreasing"]
    np.testing.assert_allclose(effects.table["first_order"], [0.8, 0.2], atol=0.06)
    np.testing.assert_allclose(effects.table["change"], [8, -4], atol=0.8)
    np.testing.assert_allclose(effects.table["loss"], [0.79, 0.2], atol=0.15)
    low, high = effects.table["first_order_low"], effects.table["first_order_high"]
    assert ((low < effects.table["first_order"]) & (effects.table["first_order"] < high)).all()
    assert (effects.table["total"] >= effects.table["first_order"]).all()


def test_the_details(effects):
    details = effects.details.set_index("variable")
    assert details.loc["x0", "change_low"] < effects.table["change"][0]
    assert float(details.loc["x0", "change_from"]) == pytest.approx(0.1, abs=0.05)
    assert details.loc["x3", "decreasing"] == details.loc["x3", "direction_probability"] > 0.9
    assert (details["interaction"] < 0.1).all()


def test_text_and_json(effects):
    text = repr(effects)
    assert text.startswith("effects of 2 variables on the mean of y")
    assert "out-of-sample R2 0.9" in text
    assert "shares assume independent variables" in text
    assert "These rows also selected the variables, so the effects are optimistic" in text
    assert "<table" in effects._repr_html_()
    written = json.loads(effects.to_json())
    assert [row["variable"] for row in written["variables"]] == ["x0", "x3"]
    assert set(COLUMNS) <= set(written["variables"][0])
    assert written["overlap"] == 1.0


def test_json_is_written(effects, tmp_path):
    text = effects.to_json(tmp_path / "effects.json")
    assert (tmp_path / "effects.json").read_text() == text + "\n"


def test_threads_and_repetition_do_not_matter(plain, effects):
    X, y, found = plain
    again = found.effects(X, y, **FIT | {"n_jobs": 3})
    pd.testing.assert_frame_equal(again.table, effects.table, check_exact=True)
    pd.testing.assert_frame_equal(again.details, effects.details, check_exact=True)
    other = found.effects(X, y, **FIT, random_state=1)
    assert (other.table["total"] != effects.table["total"]).any()


def test_they_can_be_pickled(effects):
    again = pickle.loads(pickle.dumps(effects))
    pd.testing.assert_frame_equal(again.table, effects.table)
    np.testing.assert_array_equal(again.curve("x0", "pd").mean, effects.curve("x0", "pd").mean)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_tables_are_frames_of_the_caller(plain, kind):
    X, y, found = plain
    frame = kind({f"x{j}": X[:, j] for j in range(5)})
    own = found.effects(frame, y, **FIT, loss=False)
    assert isinstance(own.table, kind)
    assert isinstance(own.details, kind)
    assert np.isnan(own.table["loss"].to_numpy()).all()
    assert own.loss is None
    assert "loss" not in repr(own).split("Note")[0]


def test_other_rows(plain):
    X, y, found = plain
    rng = np.random.default_rng(1)
    new = rng.uniform(size=(120, 5))
    y_new = 10 * new[:, 0] - 5 * new[:, 3] + 0.5 * rng.normal(size=120)
    own = found.effects(new, y_new, **FIT, loss=False)
    assert (own.overlap, own.same_rows) == (0.0, False)
    assert own.notes[0].code == "other-rows"
    half = found.effects(np.vstack([X[:120], new]), np.append(y[:120], y_new), **FIT, loss=False)
    assert half.overlap == 0.5
    assert "50 % of these rows also selected" in half.notes[0].text
    order = rng.permutation(len(y))
    assert found.effects(X[order], y[order], **FIT, loss=False).overlap == 1.0


def test_of_a_selection_from_a_file_other_rows_are_unknown(plain, tmp_path):
    X, y, found = plain
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    assert again.effects(X, y, **FIT, loss=False).overlap == 1.0
    own = again.effects(X[:100], y[:100], **FIT, loss=False)
    assert own.same_rows is None
    assert own.notes[0].code == "unknown-rows"


def test_progress_goes_up_to_the_end(plain):
    X, y, found = plain
    seen = []
    found.effects(X, y, **FIT, progress=lambda done, total: seen.append((done, total)))
    total = 2 * 160 + 3 * 3 * 160
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.fixture(scope="module")
def messy():
    """A table with missing values, categories, ordered levels, a rare flag and a group."""
    rng = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame(rng.uniform(size=(n, 6)), columns=["a", "b", "c", "d", "n1", "n2"])
    table["colour"] = rng.choice(["red", "green", "blue"], n)
    levels = ["low", "mid", "high"]
    table["grade"] = pd.Categorical(rng.choice(levels, n), categories=levels, ordered=True)
    table["flag"] = rng.uniform(size=n) < 0.06
    table.loc[::7, "a"] = np.nan
    colour = table["colour"].map({"red": 0.0, "green": 1.5, "blue": 3.0})
    score = 5 * table["a"].fillna(2) + 3 * table["b"] * table["c"] + colour
    score += 1.5 * table["grade"].cat.codes + 4 * table["flag"]
    y = score + 0.3 * rng.normal(size=n)
    found = bv.select(table, y, groups={"pair": ["b", "c"]}, **SELECT)
    assert set(found.names) == {"a", "pair", "colour", "grade", "flag"}
    return table, y, found


def test_a_messy_table(messy):
    table, y, found = messy
    own = found.effects(table, y, **FIT)
    row = own.table.set_index("variable")
    assert row.loc["colour", "direction"] == "red < green < blue"
    assert row.loc["grade", "direction"] == row.loc["flag", "direction"] == "increasing"
    assert row.loc["pair", "direction"] == "column group"
    assert np.isnan(row.loc["pair", "change"])
    assert row.loc["colour", "change"] == pytest.approx(3, abs=0.6)
    assert row.loc["flag", "change"] == pytest.approx(4, abs=1)
    assert (row["loss"] > 0).all()
    details = own.details.set_index("variable")
    assert (details.loc["grade", "change_from"], details.loc["grade", "change_to"]) == (
        "low",
        "high",
    )
    assert details.loc["pair", "change_from"] == ""
    assert "pair" not in own.curves
    assert own.curve("b", "pd").variable == "b"
    with pytest.raises(ValueError, match=r"`variable` must be single columns.*one of its columns"):
        own.curve("pair")
    json.loads(own.to_json())


def test_two_classes(messy):
    table, y, _ = messy
    sick = np.where(y > y.median(), "sick", "healthy")
    found = bv.select(table, sick, groups={"pair": ["b", "c"]}, **SELECT)
    own = found.effects(table, sick, **FIT)
    assert own.loss.name == "log loss"
    assert "on the probability of sick" in repr(own)
    assert "rise of log loss" in repr(own)
    assert "probit-scale" in [note.code for note in own.notes]
    changes = own.table["change"].dropna().abs()
    assert ((changes > 0) & (changes < 1)).all()


def test_a_skewed_response(plain):
    X, y, found = plain
    own = found.effects(X, np.exp(y / 3), **FIT)
    assert "normal-scores" in [note.code for note in own.notes]
    assert own.table["direction"].tolist() == ["increasing", "decreasing"]


def test_row_weights(plain):
    X, y, found = plain
    weights = np.where(np.arange(240) % 3 == 0, 0.0, 1.0 + np.arange(240) % 2)
    own = found.effects(X, y, **FIT, sample_weight=weights)
    assert own.draws.n_rows == 160
    assert own.loss.weights.mean() == pytest.approx(1)
    assert own.table["direction"].tolist() == ["increasing", "decreasing"]


def test_dependent_columns_are_reported():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=200)
    X = np.column_stack([x, x + 0.1 * rng.normal(size=200)])
    y = X.sum(axis=1) + 0.1 * rng.normal(size=200)
    found = bv.select(X, y, measure="vc", threshold=lambda v: v > 0, **SELECT)
    text = repr(found.effects(X, y, **FIT, loss=False))
    assert "the rank correlation of 'x0' and 'x1' is 0.9" in text
    assert "read them together" in text


def test_a_single_variable(plain):
    X = plain[0]
    found = bv.select(X, X[:, 0], **SELECT)
    own = found.effects(X, X[:, 0], **FIT)
    assert own.table["total"][0] == pytest.approx(1)
    assert own.table["loss"][0] == pytest.approx(1, abs=0.1)


def test_integer_names_stay(plain):
    X, y, _ = plain
    frame = pd.DataFrame(X)
    own = bv.select(frame, y, **SELECT).effects(frame, y, **FIT, loss=False)
    assert own.names == (0, 3)
    assert own.curve(3).variable == "3"


def test_curves(effects):
    ale, partial = effects.curve("x0"), effects.curve(0, "pd", interval=0.5)
    assert ale is effects.curves["x0"]
    assert (ale.kind, partial.kind, partial.interval) == ("ale", "pd", 0.5)
    rows = effects.individual_curves("x3", n_rows=7)
    assert rows.values.shape == (7, len(rows.x))
    assert "accumulated local effect of x0" in repr(ale)


@dataclass(frozen=True)
class Odd(Gaussian):
    """A response whose loss is none of ours."""

    name = label = "odd"
    loss = "deviance"


REFUSALS = {
    "interval": ({"interval": 1.5}, "`interval` must be"),
    "folds": ({"n_folds": 1}, "`n_folds` must be"),
    "too many folds": ({"n_folds": 1000}, "at most the number of rows"),
    "chains": ({"n_replicates": 0}, "`n_replicates` must be"),
    "auto": ({"burn_in": "auto"}, "`burn_in` must be"),
    "prior": ({"prior": bv.SpikeForest()}, "must keep trees"),
    "weights": ({"sample_weight": [1.0]}, "one number per row"),
    "flag": ({"loss": 1}, "`loss` must be"),
    "progress": ({"progress": 3}, "`progress` must be"),
    "leaf": ({"prior": bv.BART(min_samples_leaf=200)}, "`min_samples_leaf` must be at most"),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_done_is_refused_before_anything_runs(plain, case):
    X, y, found = plain
    settings, message = case
    with no_sampling(), pytest.raises((ValueError, TypeError), match=message):
        found.effects(X, y, **FIT | settings)


def test_data_that_do_not_fit_are_refused(plain):
    X, y, found = plain
    with no_sampling():
        with pytest.raises(ValueError, match="must have the 5 columns"):
            found.effects(X[:, :4], y)
        with pytest.raises(ValueError, match="one value per row"):
            found.effects(X, y[:-1])


def test_an_empty_selection_and_other_responses_are_refused(plain):
    X, y, _ = plain
    empty = bv.select(X, y, measure="vc", threshold=lambda v: v > 1e9, **SELECT)
    odd = bv.select(X, y, response=Odd(), **SELECT)
    binary = bv.select(X, y > 0, **SELECT)
    with no_sampling():
        with pytest.raises(ValueError, match="needs at least one selected variable"):
            empty.effects(X, y)
        with pytest.raises(ValueError, match="of a continuous response or of two classes"):
            odd.effects(X, y)
        with pytest.raises(ValueError, match="`sample_weight` must be None"):
            binary.effects(X, y > 0, sample_weight=np.ones(240))


def test_curves_refuse_what_is_not_there(effects):
    with pytest.raises(ValueError, match="`kind` must be one of"):
        effects.curve("x0", "ice")
    with pytest.raises(ValueError, match="`variable` must be one of"):
        effects.curve("x1")
    with pytest.raises(ValueError, match="`n_rows` must be"):
        effects.individual_curves("x0", n_rows=0)


def test_draws_of_other_packages_can_be_explained(plain):
    X, y, _ = plain
    counts = np.zeros((1, 10, 5), dtype=int)
    counts[:, :, [0, 3]] = 3
    found = bv.select_from(bv.Draws.from_counts(counts), "dart-mpm")
    own = found.effects(X, y, **FIT, random_state=0, loss=False)
    assert own.labels == ("x0", "x3")
    assert own.same_rows is None
