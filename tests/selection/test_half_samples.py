"""A selection by the default method says how much it depends on the rows."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bayesvc as bv
from bayesvc.selection import half_samples
from bayesvc.selection.half_samples import N_HALF_SAMPLES
from tests.helpers.settings import SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

TWO = SETTLED | {"n_replicates": 2, "signal_test": False}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(120, 6))
    return X, 5 * X[:, 1] + 0.9 * X[:, 4] + rng.normal(scale=0.5, size=120)


@pytest.fixture(scope="module")
def found(data):
    return bv.select(*data, **TWO)


def test_the_proportion_of_halves_is_told(found):
    share = found.row_frequency * N_HALF_SAMPLES
    np.testing.assert_allclose(share, np.rint(share))
    assert found.row_frequency[1] == 1
    assert found.row_frequency[[0, 2, 3, 5]].max() <= 0.5
    assert found.table["row_stability"].tolist() == found.row_frequency.tolist()
    assert "in half-samples" in repr(found)
    assert "one replicate left out" not in repr(found)
    assert "It is selected in 100 % of the runs that use only half of the rows" in found.explain(
        "x1"
    )


def test_it_does_not_depend_on_threads_and_changes_nothing_else(data, found):
    again = bv.select(*data, n_jobs=1, **TWO)
    np.testing.assert_array_equal(again.row_frequency, found.row_frequency)
    without = bv.select(*data, row_stability=False, **TWO)
    assert without.row_frequency is None
    np.testing.assert_array_equal(without.values, found.values)


def test_another_seed_draws_other_halves(data, found):
    other = bv.select(*data, **TWO | {"random_state": 2})
    assert (other.row_frequency != found.row_frequency).any()


def test_it_comes_with_probabilities_of_relevance_only(data):
    assert bv.select(*data, "dart-vc", **TWO).row_frequency is None
    asked = bv.select(*data, "dart-vc", row_stability=True, **TWO)
    assert asked.row_frequency is not None
    assert bv.compare(*data, ["dart-relevance"], **SETTLED | {"signal_test": False})[
        "dart-relevance"
    ].row_frequency is None  # fmt: skip


def test_methods_without_short_chains_refuse(data):
    with pytest.raises(ValueError, match="`row_stability` must be False with method 'abc-vc'"):
        bv.select(*data, "abc-vc", row_stability=True)
    with pytest.raises(ValueError, match="'bart-vip-gse', which cannot be repeated"):
        bv.select(*data, "bart-vip-gse", row_stability=True)


@pytest.mark.parametrize("n_rows", [10, 120])
def test_a_response_that_hardly_varies_goes_without(n_rows):
    X = np.random.default_rng(0).uniform(size=(n_rows, 3))
    y = np.zeros(n_rows)
    y[0] = 1
    found = bv.select(X, y, response="continuous", **TWO)
    assert found.row_frequency is None


def test_a_prior_that_half_of_the_rows_do_not_suffice_for_goes_without(data):
    found = bv.select(*data, prior=bv.DART(min_samples_leaf=40), **TWO)
    assert found.method.name == "dart-relevance"
    assert found.row_frequency is None
    assert bv.select(*data, prior=bv.DART(min_samples_leaf=30), **TWO).row_frequency is not None


def test_progress_counts_iterations(data, monkeypatch):
    monkeypatch.setattr("bayesvc.sampling.progress._SECONDS_BETWEEN_UPDATES", 0)
    seen = []
    bv.select(*data, progress=lambda *at: seen.append(at), **TWO)
    totals = {total for _, total in seen}
    n_all, n_halves = 2 * 400, N_HALF_SAMPLES * 2 * 100  # half-samples have the shortest chains
    assert totals == {n_all, n_halves}
    done = [at for at, total in seen if total == n_halves]
    assert done == sorted(done)
    assert 0 < done[0] < done[-1] == n_halves


def test_large_tables_are_halved_a_few_times_at_once(data, found, monkeypatch):
    parts = []
    run = half_samples.sample_side_by_side

    def noted(own, *rest):
        parts.append(len(own))
        return run(own, *rest)

    monkeypatch.setattr(half_samples, "sample_side_by_side", noted)
    for most, expected in (
        (half_samples.MOST_COPIED_CELLS, [16]),
        (120 * 6, [2] * 8),
        (2000, [5, 5, 5, 1]),
    ):
        parts.clear()
        monkeypatch.setattr(half_samples, "MOST_COPIED_CELLS", most)
        again = bv.select(*data, **TWO)
        assert parts == expected
        np.testing.assert_array_equal(again.row_frequency, found.row_frequency)
    monkeypatch.setattr(half_samples, "MOST_COPIED_CELLS", 120 * 6 - 1)
    assert bv.select(*data, **TWO).row_frequency is None


def test_classes_weights_and_categories_are_halved_too(data):
    X, y = data
    rows = [[*row, "ab"[k % 2]] for k, row in enumerate(X.tolist())]
    weights = np.linspace(0.5, 2, len(y))
    assert bv.select(rows, y > y.mean(), **TWO).row_frequency[1] >= 0.9
    assert bv.select(rows, y, sample_weight=weights, **TWO).row_frequency[1] == 1


def test_nothing_is_repeated_where_nothing_is_selected_for_want_of_evidence():
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(100, 8)), rng.normal(size=100)
    found = bv.select(X, y, **SETTLED | {"n_replicates": 2})
    assert found.withheld
    assert found.row_frequency is None
    candidates = re.findall(r"^  x\d +no ", repr(found), flags=re.M)
    assert len(candidates) == 5


def test_it_is_kept_in_files(found, tmp_path):
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz")
    np.testing.assert_array_equal(again.row_frequency, found.row_frequency)
