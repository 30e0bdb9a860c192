"""Selections from other rows: which rows are drawn, what goes with them, and what comes out."""

from __future__ import annotations

import inspect
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import bayesvc as bv
from bayesvc.responses.read import read_dataset
from bayesvc.selection import subsample_stability as resampled
from bayesvc.selection.subsamples import SubsampleScheme, draw_rows
from tests.helpers.settings import SEEDED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = SEEDED | {"n_replicates": 2, "n_trees": 10}
PAIRS = SubsampleScheme(8, 0.5, pairs=True)


@pytest.fixture(scope="module")
def planted():
    """160 rows, 12 columns; y depends on columns 2 and 7, clearly."""
    rng = np.random.default_rng(11)
    X = rng.uniform(size=(160, 12))
    return X, 8 * X[:, 2] + 8 * X[:, 7] + 0.5 * rng.normal(size=160)


@pytest.fixture
def spied(monkeypatch):
    """What `select` was given, call by call; it selects nothing but looks real."""
    calls = []
    real = resampled.select

    def select(*args, **given):
        calls.append(given)
        return real(*args, **given)

    monkeypatch.setattr(resampled, "select", select)
    return calls


def test_parameters_are_those_of_select():
    own = inspect.signature(bv.row_stability).parameters
    theirs = inspect.signature(bv.select).parameters
    assert set(resampled.SETTINGS) == set(theirs) - set(own) - {"row_stability"}
    for name in set(own) & set(theirs) - {"allow_empty"}:  # that of the selection, if there is one
        assert own[name].default == theirs[name].default


def test_halves_are_tested_for_signal_only_if_that_is_asked_for(spied):
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(100, 8)), rng.normal(size=100)
    empty = bv.select(X, y, **TWO)
    assert empty.names == []
    bv.row_stability(X, y, selection=empty, n_subsamples=2)
    assert [call["allow_empty"] for call in spied] == [False, False]
    assert [call["signal_test"] for call in spied] == [False, False]
    bv.row_stability(X, y, selection=empty, n_subsamples=2, allow_empty=True)
    assert [call["allow_empty"] for call in spied[2:]] == [True, True]
    assert [call["signal_test"] for call in spied[2:]] == [True, True]
    assert not any(call["row_stability"] for call in spied)


def test_drivers_are_always_selected_and_noise_seldom(planted):
    """Of 10 noise columns one may slip into a resample; none into a quarter of them."""
    stable = bv.row_stability(*planted, n_subsamples=20, **TWO | {"burn_in": 300})
    assert stable.selection.selected.tolist() == [2, 7]
    assert stable.frequency[[2, 7]].tolist() == [1, 1]
    noise = np.delete(stable.frequency, [2, 7])
    assert noise.max() <= 0.25
    assert noise.mean() <= 0.1
    assert stable.masks.shape == (20, 12)
    assert set(stable.n_rows) == {80}


def test_a_weak_driver_is_missed_by_some(planted):
    X, _ = planted
    rng = np.random.default_rng(0)
    y = 8 * X[:, 2] + 1.2 * X[:, 7] + rng.normal(size=160)
    stable = bv.row_stability(X, y, "dart-mpm", n_subsamples=20, **TWO | {"n_replicates": 1})
    assert stable.frequency[2] == 1
    assert 0 < stable.frequency[7] < 1


def test_the_number_of_threads_changes_nothing(planted):
    X, y = planted
    for method in ("dart-vc", "bart-vip-local"):
        how = {**TWO, "n_permutations": 19 if method == "bart-vip-local" else None}
        one = bv.row_stability(X, y, method, n_subsamples=4, n_jobs=1, **how)
        two = bv.row_stability(X, y, method, n_subsamples=4, n_jobs=2, **how)
        np.testing.assert_array_equal(one.masks, two.masks)
        np.testing.assert_array_equal(one.selection.values, two.selection.values)


def test_more_resamples_begin_with_the_same(planted):
    few = bv.row_stability(*planted, n_subsamples=4, **TWO)
    more = bv.row_stability(*planted, n_subsamples=8, **TWO)
    np.testing.assert_array_equal(more.masks[:4], few.masks)
    other = draw_rows(read_dataset(*planted), PAIRS, entropy=5)
    assert not np.array_equal(other[0], draw_rows(read_dataset(*planted), PAIRS, entropy=4)[0])


@pytest.mark.parametrize("fraction", [0.5, 0.3])
def test_pairs_share_no_row(planted, fraction):
    rows = draw_rows(read_dataset(*planted), SubsampleScheme(10, fraction, pairs=True), entropy=0)
    size = int(fraction * 160)
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert len(first) == len(second) == size
        assert not set(first) & set(second)
        assert len(set(first)) == size
        assert (np.diff(first) > 0).all()
    assert len({tuple(own) for own in rows}) == 10


def test_every_row_has_the_same_chance(planted):
    """Of 400 halves a row is in 200, sd 10; one of 160 rows is 5 sd off once in 10,000 cases."""
    rows = draw_rows(read_dataset(*planted), SubsampleScheme(400, 0.5, pairs=False), entropy=0)
    counts = np.bincount(np.concatenate(rows), minlength=160)
    assert abs(counts - 200).max() <= 50
    assert counts.sum() == 400 * 80


def test_an_odd_number_of_rows_leaves_one_out(planted):
    X, y = planted
    first, second = draw_rows(
        read_dataset(X[:31], y[:31], "auto"), SubsampleScheme(2, 0.5, pairs=True), 0
    )
    assert len(first) == len(second) == 15


def test_blocks_are_drawn_whole(planted):
    patient = np.arange(160) // 5
    rows = draw_rows(read_dataset(*planted), PAIRS, 0, patient)
    for own in rows:
        drawn = np.unique(patient[own])
        assert len(drawn) == 16
        assert len(own) == 80
        assert set(np.flatnonzero(np.isin(patient, drawn))) == set(own)


def test_both_classes_are_always_there(rng):
    y = np.zeros(60)
    y[:4] = 1  # rare
    data = read_dataset(rng.uniform(size=(60, 2)), y, "auto")
    rows = draw_rows(data, SubsampleScheme(40, 0.5, pairs=True), 0)
    assert {int(y[own].sum()) for own in rows} == {2}
    assert {len(own) for own in rows} == {30}


def test_blocks_with_rare_classes_are_drawn_until_both_are_there(rng):
    y = np.zeros(60)
    y[[0, 1, 10, 11]] = 1
    data = read_dataset(rng.uniform(size=(60, 2)), y, "auto")
    rows = draw_rows(data, SubsampleScheme(20, 0.5, pairs=True), 0, np.arange(60) // 5)
    assert all(0 < y[own].sum() < 4 for own in rows)


def test_everything_travels_with_its_row(planted, spied):
    """Weights and labels are functions of the row, as is the first column, so they must agree."""
    X, y = planted
    number = np.arange(160)
    X = np.column_stack([number, X[:, 1:]])
    weights, site = 1.0 + number, number // 40
    bv.row_stability(
        X, y + number, "bart-vip-local", n_subsamples=4, n_permutations=19, sample_weight=weights,
        permute_within=site, groups={"pair": [3, 4]}, **TWO,
    )  # fmt: skip
    full, *parts = spied
    assert full["groups"] == {"pair": [3, 4]}
    assert len(parts) == 4
    for given in parts:
        rows = given["X"].values[:, 0].astype(int)
        assert len(rows) == 80
        np.testing.assert_array_equal(given["X"].values, X[rows])
        np.testing.assert_array_equal(given["y"].values, (y + number)[rows])
        ratio = given["sample_weight"] / weights[rows]
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
        np.testing.assert_array_equal(given["permute_within"], site[rows])
        assert given["X"].schema.groups == (("pair", (3, 4)),)
    assert len({given["random_state"] for given in parts}) == 4


def test_rows_of_weight_zero_are_in_no_resample(planted, spied):
    X, y = planted
    X = np.column_stack([np.arange(160), X])
    weights = np.where(np.arange(160) % 4 == 0, 0.0, 2.0)
    patient = np.arange(160) // 8
    stable = bv.row_stability(X, y, n_subsamples=2, sample_weight=weights, blocks=patient, **TWO)
    assert set(stable.n_rows) == {60}
    for given in spied[1:]:
        rows = given["X"].values[:, 0].astype(int)
        assert (weights[rows] > 0).all()
        assert given["sample_weight"] is None  # all are equal


def test_why_rows_are_not_drawn_twice():
    """What a bootstrap sample does: sigma far below the truth, 1, and noise that is selected."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 20))
    y = np.sqrt(12) * X[:, 0] + rng.normal(size=200)
    how = {"burn_in": 400, "n_draws": 200, "random_state": 0, "signal_test": False}
    half, twice = rng.permutation(200)[:100], rng.integers(200, size=200)
    without = bv.select(X[half], y[half], "dart-mpm", **how)
    bootstrap = bv.select(X[twice], y[twice], "dart-mpm", **how)
    assert without.draws.sigma.mean() > 0.7
    assert bootstrap.draws.sigma.mean() < 0.35
    assert without.mask[1:].sum() <= 3
    assert bootstrap.mask[1:].sum() >= 10


def test_kinds_of_tables_give_the_same(planted):
    X, y = planted
    names = [f"x{j}" for j in range(12)]
    expected = bv.row_stability(X, y, n_subsamples=4, **TWO)
    for table in (
        pd.DataFrame(X, columns=names, index=np.arange(160)[::-1]),
        pl.DataFrame(X, schema=names),
        scipy.sparse.csr_array(X),
        X.tolist(),
    ):
        found = bv.row_stability(table, list(y), n_subsamples=4, **TWO)
        np.testing.assert_array_equal(found.masks, expected.masks)
    assert isinstance(bv.row_stability(table, y, n_subsamples=2, **TWO).table, pd.DataFrame)
    frame = pl.DataFrame(X, schema=names)
    assert isinstance(bv.row_stability(frame, y, n_subsamples=2, **TWO).table, pl.DataFrame)


def test_categories_missing_values_and_classes(rng):
    n = 120
    site = rng.choice(["north", "south", "west"], n)
    X = pd.DataFrame({"dose": rng.uniform(size=n), "site": site, "age": rng.uniform(size=n)})
    X.loc[::7, "age"] = np.nan
    y = np.where((site == "west") ^ (rng.uniform(size=n) < 0.05), "ill", "well")
    stable = bv.row_stability(X, y, "dart-vc", n_subsamples=6, **TWO)
    assert stable.selection.names == ["site"]
    assert stable.frequency[1] == 1
    assert stable.table["variable"].tolist() == ["dose", "site", "age"]


def test_from_a_selection_that_is_there(planted):
    X, y = planted
    frame = pd.DataFrame(X, columns=[f"v{j}" for j in range(12)])
    groups = {"ends": ["v0", "v11"]}
    found = bv.select(frame, y, groups=groups, **TWO)
    stable = bv.row_stability(frame, y, selection=found, n_subsamples=4)
    both = bv.row_stability(frame, y, groups=groups, n_subsamples=4, **TWO)
    np.testing.assert_array_equal(stable.masks, both.masks)
    assert stable.selection.names == found.names
    assert stable.selection.feature_names[0] == "ends"
    for method in ("bart-vip-gse", "dart-mpm"):
        how = TWO | ({"n_permutations": 19} if method == "bart-vip-gse" else {})
        found = bv.select(X, y, method, signal_test=False, **how)
        stable = bv.row_stability(X, y, selection=found, n_subsamples=2)
        again = bv.row_stability(X, y, method, n_subsamples=2, signal_test=False, **how)
        np.testing.assert_array_equal(stable.masks, again.masks)


def test_spike_forests_and_empty_selections(planted):
    X, y = planted
    spike = bv.SpikeForest(n_samples=40, burn_in=5)
    found = bv.select(X[:, :4], y, prior=spike, n_trees=5, random_state=0)
    assert bv.row_stability(X[:, :4], y, selection=found, n_subsamples=2).masks.shape == (2, 4)
    noise = np.random.default_rng(2).normal(size=160)
    how = {**TWO, "n_subsamples": 8}
    assert bv.row_stability(X, noise, **how).masks.any(axis=1).all()
    empty = bv.row_stability(X, noise, allow_empty=True, **how)
    assert empty.masks.any(axis=1).mean() <= 0.5


def test_a_stopped_run_goes_on(planted, tmp_path, monkeypatch):
    X, y = planted
    expected = bv.row_stability(X, y, n_subsamples=4, **TWO)
    real, calls = resampled.select, []

    def stop(*args, **given):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*args, **given)

    monkeypatch.setattr(resampled, "select", stop)
    with pytest.raises(KeyboardInterrupt):
        bv.row_stability(X, y, n_subsamples=4, checkpoint=tmp_path, **TWO)
    kept = len(list(tmp_path.iterdir()))
    assert kept == 4  # the fits to all rows, and those of one resample
    found = bv.row_stability(X, y, n_subsamples=4, checkpoint=tmp_path, **TWO)
    np.testing.assert_array_equal(found.masks, expected.masks)
    assert len(list(tmp_path.iterdir())) == 10


def test_progress_is_counted_in_selections(planted, monkeypatch):
    monkeypatch.setattr("bayesvc.sampling.progress._SECONDS_BETWEEN_UPDATES", 0)
    seen = []
    bv.row_stability(*planted, n_subsamples=4, progress=lambda *at: seen.append(at), **TWO)
    assert seen == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_what_is_shown(planted, tmp_path):
    stable = bv.row_stability(*planted, n_subsamples=4, **TWO)
    text = str(stable)
    assert text.startswith("dart-relevance on 2 pairs of disjoint subsamples of 80 of 160 rows\n")
    assert "  x2             yes      100 %" in text
    assert "a low frequency does not rule a variable out" in text
    page = stable._repr_html_()
    cells = re.findall(r"<td style=\"text-align:(\w+)[^>]*>([^<]*)</td>", page)
    of_x2 = cells.index(("left", "x2"))
    assert cells[of_x2 + 1 : of_x2 + 3] == [("left", "yes"), ("right", "100 %")]
    found = stable.selection
    assert found.table["row_stability"].tolist() == stable.frequency.tolist()
    assert "in half-samples" in str(found)
    assert "It is selected in 100 % of the runs that use only half of the rows." in found.explain(
        "x2"
    )
    told = json.loads(found.to_json())["variables"][2]
    assert told["row_stability"] == 1
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    np.testing.assert_array_equal(again.row_frequency, stable.frequency)
    pytest.importorskip("jinja2")
    found.to_html_report(tmp_path / "report.html")
    assert "In half-samples" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_other_fractions_are_not_called_halves(planted, tmp_path):
    found = bv.row_stability(*planted, n_subsamples=2, fraction=0.4, **TWO).selection
    assert "in subsamples" in str(found)
    assert "in half-samples" not in str(found)
    found.save(tmp_path / "found.npz")
    assert str(bv.Selection.load(tmp_path / "found.npz")) == str(found)


def test_rows_in_time_order(planted):
    """Nothing is permuted but in the test for signal, unless the method does."""
    plain = bv.row_stability(*planted, n_subsamples=2, **TWO)
    shifted = bv.row_stability(*planted, n_subsamples=2, time_order=True, **TWO)
    np.testing.assert_array_equal(shifted.masks, plain.masks)
    again = bv.row_stability(
        *planted, selection=shifted.selection, n_subsamples=2, time_order=True, allow_empty=True
    )
    assert again.masks[:, 2].all()
    with pytest.raises(TypeError, match="`time_order` must be True or False"):
        bv.row_stability(*planted, n_subsamples=2, time_order="yes", **TWO)


def test_names_are_no_html():
    X = pd.DataFrame(np.random.default_rng(0).uniform(size=(60, 2)), columns=["<b>", "c"])
    page = bv.row_stability(X, X["<b>"], n_subsamples=2, **TWO)._repr_html_()
    assert ">&lt;b&gt;</td>" in page
    assert "<b></td>" not in page


def test_many_variables_are_not_all_shown():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 60))
    stable = bv.row_stability(X, X[:, 0], n_subsamples=2, **TWO)
    masks = stable.masks.copy()
    masks[0] = True
    many = resampled.RowStability(stable.selection, masks, stable.n_rows, stable.scheme)
    assert "... and 40 more" in str(many)
    assert "... and 40 more" in many._repr_html_()
