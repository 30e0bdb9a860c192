"""Rung 3: the exact posterior over all forests on a tiny problem, sigma fixed.

Catches everything that makes the stationary distribution wrong, whatever the single ratios say:
also what no ratio shows, such as residuals of the other trees or an update of s or alpha.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.stat.chains import assert_means_agree, fitting, make_chain, thinned
from tests.helpers.stat.datasets import LISTABLE, LISTABLE_MESSY, listable_data
from tests.helpers.stat.reference.enumeration import ExactPosterior, Forest, exact_posterior
from tests.helpers.stat.reference.model import MOVE_SETS, PROBIT_LEAF_SD_RANGE, Model
from tests.helpers.stat.reference.trees import Data, canonical, n_splits, parse, variable_counts

NAN, INF = float("nan"), float("inf")
TWO_BINARY = LISTABLE["binary"][:, :2]
RESPONSES = {
    "continuous": np.array([0.4, -0.7, 0.5, 0.9]),
    "binary": np.array([-0.6, 0.5, 0.4, 1.1, -0.2, -0.9]),
    "tied": np.array([-0.5, 0.6, -0.9, 0.8, 0.3]),
    "constant": np.array([-0.5, 0.6, -0.9, 0.8, 0.3]),
    "missing": np.array([0.7, -0.6, 0.1, -0.8, 0.9]),
    "categories": np.array([0.7, -0.6, 0.1, -0.8, 0.9]),
    "groups": np.array([0.6, -0.7, 0.2, 0.9, -0.5]),
    "row-weights": np.array([-0.5, 0.6, -0.9, 0.8, 0.3]),
}
MODELS = {
    "bart": Model(sigma=0.6),
    "bart-weighted": Model(sigma=0.6, weights=(0.2, 0.5, 0.3)),
    "explicit": Model(sigma=0.6, splitting="explicit", alpha=1.5),
    "collapsed": Model(sigma=0.6, splitting="collapsed", alpha=1.5),
}
STUDENT = {name: replace(model, student=True) for name, model in MODELS.items()}
LEARNED = {name: replace(model, learn_leaf_sd=True) for name, model in MODELS.items()}
# Observed values, right-, left- and interval-censored ones.
INTERVALS = ((-0.6, -0.6), (0.2, INF), (-INF, -0.4), (-0.1, 0.7), (0.9, 0.9))
CENSORED = {name: replace(model, intervals=INTERVALS) for name, model in MODELS.items()}
CODES = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 1.0])
RANGES = {"narrow": Model.leaf_sd_range, "wide": PROBIT_LEAF_SD_RANGE}


def common_forests(exact: ExactPosterior) -> list[Forest]:
    """Forests likely enough for the normal approximation of their share of visits."""
    return [exact.forests[i] for i in np.flatnonzero(exact.probability >= 0.005)]


def summary(forest: Forest, common: dict[Forest, int], p: int) -> NDArray[np.float64]:
    """Which common forest it is, splits of each tree and of the forest, counts by variable."""
    visits = np.zeros(len(common) + 1)
    visits[common.get(forest, len(common))] = 1.0
    sizes = [n_splits(shape) for shape in forest]
    root_variables = [float(shape is not None and shape[0] == 0) for shape in forest]
    counts = variable_counts(forest, p)
    numbers = [*sizes, sum(sizes) ** 2, *root_variables, *counts, *(counts == 0)]
    return np.concatenate([visits, numbers])


def check(
    model: Model,
    data: Data,
    y: NDArray[np.float64],
    seed: NDArray[np.uint64],
    n_kept: int,
    thin: int,
) -> None:
    """Visits, sizes, counts, s and alpha of the chain against the exact posterior."""
    exact = exact_posterior(model, data, y)
    common = {forest: i for i, forest in enumerate(common_forests(exact))}
    random_s = model.splitting != "fixed"
    random_alpha = random_s and bool(np.isnan(model.alpha))
    draws: list[NDArray[np.float64]] = []
    summarized: dict[Forest, NDArray[np.float64]] = {}  # a short chain on few rows repeats itself
    chain = make_chain(model, data, y, seed)
    for state in thinned(chain, n_kept, thin):
        forest = tuple(canonical(data, parse(nodes)) for nodes in state.trees())
        assert forest in exact.index, f"the prior cannot make {forest}"
        if forest not in summarized:
            summarized[forest] = summary(forest, common, data.p)
        extra = list(state.split_probabilities()) if random_s else []
        if random_alpha:
            extra.append(state.alpha / (state.alpha + model.rho_for(data.p)))
        if model.learn_leaf_sd:
            share = float(model.leaf_sd_share(state.leaf_sd))
            extra += [share, share**2]
        if model.student:
            share = float(model.df_share(state.df))
            extra += [share, share**2]
        draws.append(np.append(summarized[forest], extra))
    expected = exact.mean(lambda forest: summary(forest, common, data.p))
    extra = [exact.mean_s(j) for j in range(data.p)] if random_s else []
    if random_alpha:
        extra.append(exact.mean_alpha_share())
    if model.learn_leaf_sd or model.student:
        extra += exact.mean_shares()
    assert_means_agree(np.array(draws), np.append(expected, extra), labels(model, common, data.p))


def labels(model: Model, common: dict[Forest, int], p: int) -> list[str]:
    """Names of the entries of ``summary`` and of what is appended to it."""
    trees = range(model.n_trees)
    names = [str(forest) for forest in common] + ["rare forests"]
    names += [f"splits of tree {t}" for t in trees] + ["squared splits"]
    names += [f"root of tree {t} on variable 0" for t in trees]
    names += [f"splits on variable {j}" for j in range(p)]
    names += [f"variable {j} unused" for j in range(p)]
    if model.splitting != "fixed":
        names += [f"s of variable {j}" for j in range(p)]
        names += ["alpha / (alpha + rho)"] if np.isnan(model.alpha) else []
    if model.learn_leaf_sd:
        names += ["share of the leaf sd", "its square"]
    if model.student:
        names += ["share of the degrees of freedom", "its square"]
    return names


@pytest.mark.parametrize("columns", [*LISTABLE, *LISTABLE_MESSY])
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
def test_one_tree_all_moves(columns: str, name: str, chain_seed: NDArray[np.uint64]) -> None:
    """Quick; false alarms: FALSE_ALARM a case over all trees, counts and s."""
    data = listable_data(columns)
    check(fitting(MODELS[name], data), data, RESPONSES[columns], chain_seed, 15_000, 3)


@pytest.mark.parametrize("columns", ["binary", "tied", "row-weights"])
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
@pytest.mark.parametrize("within", RANGES)
def test_learned_leaf_sd(
    columns: str, name: str, within: str, chain_seed: NDArray[np.uint64]
) -> None:
    """Quick, one tree; false alarms: FALSE_ALARM a case over all trees, counts, s and leaf sd."""
    data = listable_data(columns)
    model = replace(fitting(LEARNED[name], data), leaf_sd_range=RANGES[within])
    check(model, data, RESPONSES[columns], chain_seed, 15_000, 10)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("columns", ["tied", "row-weights"])
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
def test_student_errors(
    columns: str, name: str, precision: str, chain_seed: NDArray[np.uint64]
) -> None:
    """Quick, one tree; false alarms: FALSE_ALARM a case over all trees, counts, s and df."""
    data = listable_data(columns)
    model = replace(fitting(STUDENT[name], data), precision=precision)
    check(model, data, RESPONSES[columns], chain_seed, 15_000, 10)


@pytest.mark.parametrize("student", [False, True])
@pytest.mark.parametrize("columns", ["tied", "row-weights"])
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
def test_censored_values(
    columns: str, name: str, student: bool, chain_seed: NDArray[np.uint64]
) -> None:
    """Quick, one tree; false alarms: FALSE_ALARM a case over all trees, counts, s and df."""
    data = listable_data(columns)
    model = replace(fitting(CENSORED[name], data), student=student)
    check(model, data, CODES[: data.n], chain_seed, 15_000, 15)


@pytest.mark.stat
@pytest.mark.parametrize("student", [False, True])
@pytest.mark.parametrize("columns", [*LISTABLE, *LISTABLE_MESSY])
@pytest.mark.parametrize("name", CENSORED)
def test_censored_values_at_length(
    columns: str, name: str, student: bool, chain_seed: NDArray[np.uint64]
) -> None:
    """In 32-bit precision if errors are normal; false alarms: FALSE_ALARM a case."""
    data = listable_data(columns)
    model = replace(fitting(CENSORED[name], data), student=student)
    model = replace(model, precision="double" if student else "single")
    check(model, data, CODES[: data.n], chain_seed, 60_000, 20)


@pytest.mark.stat
@pytest.mark.parametrize("columns", [*LISTABLE, *LISTABLE_MESSY])
@pytest.mark.parametrize("name", STUDENT)
def test_student_errors_at_length(columns: str, name: str, chain_seed: NDArray[np.uint64]) -> None:
    """With an outlying response; false alarms: FALSE_ALARM a case."""
    data, y = listable_data(columns), RESPONSES[columns].copy()
    y[1] += 1.0
    check(fitting(STUDENT[name], data), data, y, chain_seed, 60_000, 15)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied", "missing", "groups"])
@pytest.mark.parametrize("name", LEARNED)
@pytest.mark.parametrize("n_trees", [1, 2])
@pytest.mark.parametrize("within", RANGES)
def test_learned_leaf_sd_at_length(
    columns: str, name: str, n_trees: int, within: str, chain_seed: NDArray[np.uint64]
) -> None:
    """Up to two trees, so one sd of all leaves; false alarms: FALSE_ALARM a case."""
    data = listable_data(columns, 5 if columns in LISTABLE else 4)
    model = replace(fitting(LEARNED[name], data), n_trees=n_trees, leaf_sd=0.4)
    model = replace(model, leaf_sd_range=RANGES[within])
    check(model, data, RESPONSES[columns][: data.n], chain_seed, 50_000, 20)


@pytest.mark.stat
@pytest.mark.parametrize("columns", [*LISTABLE, *LISTABLE_MESSY])
@pytest.mark.parametrize("moves", MOVE_SETS)
@pytest.mark.parametrize("name", MODELS)
def test_one_tree(columns: str, moves: str, name: str, chain_seed: NDArray[np.uint64]) -> None:
    """Each set of moves; false alarms: FALSE_ALARM a case over all trees, counts and s."""
    data = listable_data(columns)
    model = replace(fitting(MODELS[name], data), moves=MOVE_SETS[moves])
    check(model, data, RESPONSES[columns], chain_seed, 60_000, 5)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied", "missing", "groups"])
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
@pytest.mark.parametrize("moves", ["birth-death", "all"])
def test_two_trees(columns: str, name: str, moves: str, chain_seed: NDArray[np.uint64]) -> None:
    """Pairs of trees, so also residuals; false alarms: FALSE_ALARM a case."""
    data = listable_data(columns, 5 if columns in LISTABLE else 4)
    model = replace(fitting(MODELS[name], data), n_trees=2, moves=MOVE_SETS[moves], leaf_sd=0.4)
    check(model, data, RESPONSES[columns][: data.n], chain_seed, 50_000, 6)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["binary", "tied"])
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
def test_two_rows_in_every_leaf(columns: str, name: str, chain_seed: NDArray[np.uint64]) -> None:
    """min_samples_leaf = 2, rows doubled; false alarms: FALSE_ALARM a case."""
    data = Data(np.repeat(LISTABLE[columns][:4], 2, axis=0)[:7], min_samples_leaf=2)
    y = np.repeat(RESPONSES[columns][:4], 2)[:7] + 0.1 * np.arange(7)
    model = replace(fitting(MODELS[name], data), min_samples_leaf=2)
    check(model, data, y, chain_seed, 50_000, 5)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary"])
@pytest.mark.parametrize("splitting", ["explicit", "collapsed"])
@pytest.mark.parametrize("n_trees", [1, 2])
def test_unknown_alpha(
    columns: str, splitting: str, n_trees: int, chain_seed: NDArray[np.uint64]
) -> None:
    """alpha with its Beta prior, two variables; false alarms: FALSE_ALARM a case."""
    data = Data(TWO_BINARY if columns == "binary" else LISTABLE[columns])
    # One tree visits the stump, where alpha and s are free; two trees need alpha away from 0.
    a = 0.5 if n_trees == 1 else 2.0
    b = 1.0 if n_trees == 1 else 2.0
    model = Model(sigma=0.6, splitting=splitting, alpha=NAN, a=a, b=b, n_trees=n_trees)
    check(model, data, RESPONSES[columns], chain_seed, 50_000, 10)
