"""Sobol indices of forests against enumeration, and against formulas."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc._core import SavedForests
from bayesvc._core import variance_shares as compute
from bayesvc.data.encode import encode_X
from bayesvc.draws.prediction import tree_sums
from bayesvc.draws.thinned import thinned
from bayesvc.explain import shares
from bayesvc.explain.shares import numeric_variables, variance_shares

LEAF = -1


def forest_of(*trees):
    """Return one draw of trees, each a list of (column, cutpoint) and leaf values in preorder."""
    variable, right, value, start = [], [], [], []

    def add(nodes):
        node = next(nodes)
        here = len(variable)
        split = isinstance(node, tuple)
        variable.append(node[0] if split else LEAF)
        value.append(node[1] if split else node)
        right.append(0)
        if split:
            add(nodes)
            right[here] = len(variable) - here
            add(nodes)

    for tree in trees:
        start.append(len(variable))
        add(iter(tree))
    return SavedForests.from_arrays(
        {
            "n_trees": np.array([len(trees)]),
            "variable": np.array(variable, dtype=np.int32),
            "right": np.array(right, dtype=np.int32),
            "value": np.array(value, dtype=np.float64),
            "tree_start": np.array(start, dtype=np.uint64),
        }
    )


def by_enumeration(forest, draw, rows, variables, weights):
    """Return the variances over all combinations of the rows' values."""
    n, d = len(rows), len(variables)
    which = np.array(list(itertools.product(range(n), repeat=d)))
    p = np.prod(weights[which], axis=1)
    X = np.empty((len(which), rows.shape[1]), order="F")
    for j, columns in enumerate(variables):
        for c in columns:
            X[:, c] = rows[which[:, j], c]
    f = forest.predict(X)[draw]
    mean = p @ f
    first, total = np.empty(d), np.empty(d)
    for j in range(d):
        here = np.bincount(which[:, j], p * f, n) / weights
        first[j] = weights @ (here - mean) ** 2
        others = np.ravel_multi_index(np.delete(which, j, axis=1).T, (n,) * (d - 1))
        p_others = np.bincount(others, p)
        given = np.bincount(others, p * f) / p_others
        total[j] = p @ f**2 - p_others @ given**2
    return p @ f**2 - mean**2, first, total


def test_one_split():
    forest = forest_of([(0, 0.5), 1.0, 3.0])
    rows = np.asfortranarray([[0.1, 5.0], [0.4, 6.0], [0.5, 7.0], [0.9, 8.0]])
    variance, first, total = compute(forest, rows, [0, 1], [1, 1], np.full((1, 4), 0.25))
    assert variance[0] == pytest.approx(4 * 3 / 16)
    np.testing.assert_allclose(first, [[0.75, 0.0]])
    np.testing.assert_allclose(total, [[0.75, 0.0]])


def test_a_pure_interaction():
    """The exclusive or of two columns: nothing alone, everything together."""
    forest = forest_of([(0, 0.5), (1, 0.5), 0.0, 1.0, (1, 0.5), 1.0, 0.0])
    rows = np.asfortranarray([[0.0, 0.0], [1.0, 1.0]])
    variance, first, total = compute(forest, rows, [0, 1], [1, 1], np.full((1, 2), 0.5))
    assert variance[0] == pytest.approx(0.25)
    np.testing.assert_allclose(first, 0, atol=1e-15)
    np.testing.assert_allclose(total, 0.25)


def test_additive_trees_have_no_interactions():
    forest = forest_of([(0, 0.3), -1.0, 2.0], [(1, 0.6), 0.5, (1, 0.8), 1.0, -2.0], [4.0])
    rows = np.asfortranarray(np.random.default_rng(0).uniform(size=(50, 3)))
    variance, first, total = compute(forest, rows, [0, 1, 2], [1, 1, 1], np.full((1, 50), 0.02))
    np.testing.assert_allclose(first, total, atol=1e-14)
    assert first.sum() == pytest.approx(variance[0])
    assert first[0, 2] == 0


def test_missing_values_are_values_of_their_own():
    """Without a rule for them missing values go right."""
    forest = forest_of([(0, 0.5), 0.0, 1.0])
    rows = np.asfortranarray([[0.1], [0.2], [0.3], [np.nan]])
    variance, first, _ = compute(forest, rows, [0], [1], np.full((1, 4), 0.25))
    assert variance[0] == pytest.approx(3 / 16)
    assert first[0, 0] == pytest.approx(3 / 16)


@pytest.fixture(scope="module")
def messy():
    """Draws on numbers, missing values, categories and a group."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.uniform(size=(150, 5)), columns=list("abcde"))
    table["colour"] = rng.choice(["red", "green", "blue", None], 150)
    table.loc[::5, "a"] = np.nan
    y = table["a"].fillna(2) + 2 * table["b"] * table["c"] + (table["colour"] == "red") + table["d"]
    draws = bv.sample(
        table, y, bv.BART(k="learned"), n_replicates=2, n_trees=20, burn_in=100, n_draws=20,
        random_state=0, keep_trees=True, groups={"pair": ["d", "e"]},
    )  # fmt: skip
    return draws, encode_X(table, groups=draws.columns.groups).values


@pytest.mark.parametrize("number", range(6))
def test_forests_against_enumeration(messy, number):
    draws, rows = messy
    schema = draws.columns
    rng = np.random.default_rng(number)
    some = np.asfortranarray(rows[rng.choice(len(rows), 6, replace=False)])
    weights = rng.dirichlet(np.ones(6), size=1)
    found = compute(
        draws.forests[0], some, schema.variable_of.tolist(), numeric_variables(schema), weights,
        3 * number,
    )  # fmt: skip
    own = [columns for _, columns in schema.variables]
    expected = by_enumeration(draws.forests[0], 3 * number, some, own, weights[0])
    for value, truth in zip(found, expected, strict=True):
        np.testing.assert_allclose(value[0], truth, atol=1e-13)


@pytest.mark.parametrize("number", range(3))
def test_covariances_of_two_draws_against_enumeration(messy, number):
    """The variance of a sum of two draws holds their covariance twice."""
    draws, rows = messy
    schema = draws.columns
    arguments = (schema.variable_of.tolist(), numeric_variables(schema))
    rng = np.random.default_rng(number)
    some = np.asfortranarray(rows[rng.choice(len(rows), 5, replace=False)])
    weights = rng.dirichlet(np.ones(5), size=1)
    a, b = draws.forests
    parts = [a.to_arrays(), b.to_arrays()]
    ends = [slice(*np.append(p["tree_start"], len(p["value"]))[[40, 60]].astype(int))
            for p in parts]  # fmt: skip
    both = {"n_trees": np.array([40])}
    for name in ("variable", "right", "value", "missing_left", "subset"):
        own = [
            p.get(
                name,
                np.zeros(
                    len(p["value"]), dtype=parts[0].get(name, parts[1].get(name, p["value"])).dtype
                ),
            )
            for p in parts
        ]
        both[name] = np.concatenate([part[end] for part, end in zip(own, ends, strict=True)])
    starts = [p["tree_start"][40:60] - p["tree_start"][40] for p in parts]
    both["tree_start"] = np.concatenate(
        [starts[0], starts[1] + np.uint64(ends[0].stop - ends[0].start)]
    )
    joint = SavedForests.from_arrays(both)
    whole = compute(joint, some, *arguments, weights)
    each = [compute(forest, some, *arguments, weights, 2) for forest in draws.forests]
    covariance = compute(a, some, *arguments, weights, 2, 1, b, 2)
    for w, x, y, c in zip(whole, *each, covariance, strict=True):
        np.testing.assert_allclose(w - x - y, 2 * c, atol=1e-13)


def test_rows_without_weight_do_not_count(messy):
    draws, rows = messy
    schema = draws.columns
    arguments = (schema.variable_of.tolist(), numeric_variables(schema))
    weights = np.zeros((1, 20))
    weights[0, :8] = 1 / 8
    some = np.asfortranarray(rows[:20])
    whole = compute(draws.forests[1], some, *arguments, weights)
    part = compute(
        draws.forests[1], np.asfortranarray(rows[:8]), *arguments, np.full((1, 8), 1 / 8)
    )
    for a, b in zip(whole, part, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-13)


def test_shares_lie_between_0_and_1(messy):
    found = variance_shares(*messy, 0)
    assert found.first_order.shape == (40, 5)
    assert (found.first_order >= -1e-12).all()
    assert (found.total >= found.first_order - 1e-12).all()
    assert (found.total <= 1 + 1e-12).all()
    assert (found.first_order.sum(axis=1) <= 1 + 1e-12).all()


def test_noise_is_taken_off_the_main_effects():
    """Of columns that do not matter nothing is left."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=150)
    for n_replicates in (1, 4):
        draws = bv.sample(
            X, y, bv.BART(), n_replicates=n_replicates, n_trees=50, burn_in=300, n_draws=200,
            random_state=0, keep_trees=True,
        )  # fmt: skip
        few = thinned(draws, 100)
        raw = variance_shares(few, X, 0, correct=False)
        found = variance_shares(few, X, 0)
        assert (raw.noise == 0).all()
        assert (found.noise > 0.005).all()
        assert raw.first_order[:, 1].mean() > 0.03
        assert found.first_order[:, 1].mean() < 0.5 * raw.first_order[:, 1].mean()
        assert (found.total >= found.first_order).all()


def test_any_number_of_threads_gives_the_same_bits(messy):
    one, three = (variance_shares(*messy, 0, n_threads=n) for n in (1, 3))
    for name in ("variance", "first_order", "total"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


def test_batches_of_draws_do_not_matter(messy, monkeypatch):
    whole = variance_shares(*messy, 0)
    monkeypatch.setattr(shares, "_WEIGHTS_AT_ONCE", 3 * len(messy[1]))
    np.testing.assert_array_equal(variance_shares(*messy, 0).total, whole.total)


def test_the_seed_decides_on_the_resampled_rows(messy):
    fixed = variance_shares(*messy, 0, resample=False)
    a, b = variance_shares(*messy, 0), variance_shares(*messy, 1)
    assert (a.total != b.total).any()
    np.testing.assert_allclose(a.total.mean(axis=0), fixed.total.mean(axis=0), atol=0.05)


def test_large_tables_are_cut_down(messy, monkeypatch):
    monkeypatch.setattr(shares, "_MOST_DISTINCT_ROWS", 60)
    whole = variance_shares(*messy, 0, resample=False).total.mean(axis=0)
    part = variance_shares(*messy, 0).total.mean(axis=0)
    np.testing.assert_allclose(part, whole, atol=0.15)


def test_a_constant_forest_has_no_shares():
    rows = np.asfortranarray([[0.0], [1.0]])
    variance, first, total = compute(forest_of([2.0]), rows, [0], [1], np.full((1, 2), 0.5))
    assert variance[0] == first[0, 0] == total[0, 0] == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"variable_of": [0]}, "one value for each column"),
        ({"variable_of": [0, 5]}, "must hold variables"),
        ({"numeric": [1]}, "must hold variables"),
        ({"variable_of": [0, 0]}, "must have one column"),
        ({"weights": np.ones((1, 3))}, "one column for each row"),
        ({"first_draw": 1}, "must be draws"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changed, message):
    arguments = {
        "X": np.zeros((2, 2), order="F"),
        "variable_of": [0, 1],
        "numeric": [1, 1],
        "weights": np.full((1, 2), 0.5),
    }
    with pytest.raises(ValueError, match=message):
        compute(forest_of([(1, 0.5), 1.0, 3.0]), **arguments | changed)


def test_thinned_draws_are_every_so_many(messy):
    draws, rows = messy
    few = thinned(draws, 10)
    assert (few.n_draws, few.n_replicates) == (5, 2)
    own = tree_sums(draws, rows, 1).reshape(2, 20, -1)[:, ::4]
    np.testing.assert_array_equal(tree_sums(few, rows, 1), own.reshape(10, -1))
    np.testing.assert_array_equal(few.sigma, draws.sigma[:, ::4])
    with pytest.raises(ValueError, match="at least 1"):
        draws.forests[0].every(0)
