"""Rung 2: with the likelihood switched off the chain must draw from the prior.

Catches wrong bookkeeping of the forced birth at a stump and of prunable nodes, cuts drawn by row,
off-by-one in cuts, updates of s that ignore exhaustion, ghosts counted as splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammainc

from tests.helpers.stat.chains import (
    assert_means_agree,
    assert_uniform,
    fitting,
    make_chain,
    thinned,
)
from tests.helpers.stat.datasets import (
    KINDS_OF_COLUMNS,
    LISTABLE,
    LISTABLE_MESSY,
    MAKERS,
    listable_data,
    make_data,
)
from tests.helpers.stat.features import Features, mean_and_error
from tests.helpers.stat.reference.enumeration import exact_posterior
from tests.helpers.stat.reference.model import MOVE_SETS, PROBIT_LEAF_SD_RANGE, Model
from tests.helpers.stat.reference.trees import Data, Node, canonical, n_splits, parse

PUBLISHED_SIZES = (0.0500, 0.5523, 0.2753, 0.0918, 0.0240, 0.0053, 0.0010)
PUBLISHED_MEAN = 1.5087
NAN, INF = float("nan"), float("inf")


def size_distribution(n: int, largest: int = 12) -> NDArray[np.float64]:
    """P(a tree on n distinct values has k splits), from the deepest level up.

    ``below[r, k]`` is the probability that a subtree on r rows has k splits; children of r rows
    have l and r - l rows, l uniform, hence the convolutions over rows.
    """
    below = np.zeros((n + 1, largest + 1))
    below[1:, 0] = 1.0
    for depth in reversed(range(largest)):
        sizes = np.zeros_like(below)
        for i in range(largest):
            for j in range(largest - i):
                sizes[:, i + j + 1] += np.convolve(below[:, i], below[:, j])[: n + 1]
        p_split = 0.95 * (1.0 + depth) ** -2.0
        sizes[2:] *= p_split / (np.arange(2, n + 1) - 1.0)[:, None]
        sizes[1, 0] = 1.0
        sizes[2:, 0] = 1.0 - p_split
        below = sizes
    return below[n]


def test_recursion_gives_the_published_sizes() -> None:
    """Deterministic: gamma 0.95, beta 2, against the known digits; 500 rows change the fourth."""
    sizes = limiting_sizes()
    np.testing.assert_allclose(sizes[:7], PUBLISHED_SIZES, atol=6e-5)
    assert sizes @ np.arange(len(sizes)) == pytest.approx(PUBLISHED_MEAN, abs=6e-5)
    np.testing.assert_allclose(size_distribution(500)[:7], PUBLISHED_SIZES, atol=1e-3)
    np.testing.assert_allclose(size_distribution(3)[:3], exact_sizes_of_three_rows(), atol=1e-14)


def exact_sizes_of_three_rows() -> list[float]:
    """Written out: a split leaves one row, which is a leaf, and two, which split with 0.95 / 4."""
    return [0.05, 0.95 * (1.0 - 0.95 / 4.0), 0.95 * 0.95 / 4.0]


def limiting_sizes(depth: int = 0, largest: int = 24) -> NDArray[np.float64]:
    """The same without exhausted nodes, that is with many rows."""
    if depth == largest:
        return np.eye(1, largest + 1)[0]
    below = limiting_sizes(depth + 1, largest)
    p_split = 0.95 * (1.0 + depth) ** -2.0
    return np.append(1.0 - p_split, p_split * np.convolve(below, below)[:largest])


def count_splits(nodes: Sequence[Node]) -> int:
    return sum(node[0] >= 0 for node in nodes)


@pytest.mark.parametrize(
    ("moves", "splitting"),
    [(m, "fixed") for m in MOVE_SETS] + [("all", "explicit"), ("all", "collapsed")],
)
def test_number_of_splits_of_a_tree(
    moves: str, splitting: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Shares of trees with 0 to 5 splits and the mean; false alarms: FALSE_ALARM a case."""
    model = Model(
        n_trees=5, moves=MOVE_SETS[moves], splitting=splitting, alpha=1.0, likelihood=False
    )
    data = Data(MAKERS["continuous"](rng, 500, 3))
    chain = make_chain(model, data, np.zeros(500), chain_seed)
    states = thinned(chain, 12_000, thin=4)
    splits = np.array([[count_splits(nodes) for nodes in state.trees()] for state in states])
    sizes = [(splits == k).mean(axis=1) for k in range(6)] + [splits.mean(axis=1)]
    expected = size_distribution(500)
    names = [f"{k} splits" for k in range(6)] + ["mean"]
    mean = expected @ np.arange(len(expected))
    assert_means_agree(np.column_stack(sizes), np.append(expected[:6], mean), names)


LISTED_MODELS = {
    "bart": Model(likelihood=False, sigma=1.0),
    "bart-weighted": Model(likelihood=False, sigma=1.0, weights=(0.6, 0.3, 0.1)),
    "explicit": Model(likelihood=False, sigma=1.0, splitting="explicit", alpha=1.5),
    "collapsed": Model(likelihood=False, sigma=1.0, splitting="collapsed", alpha=1.5),
}


def check_against_list(
    model: Model, data: Data, seed: NDArray[np.uint64], n_kept: int, thin: int
) -> None:
    """Visits to each common forest, forest sizes and mean s against the listed prior."""
    prior = exact_posterior(model, data, None)
    common = np.flatnonzero(prior.probability >= 0.01)
    visits = np.zeros((n_kept, len(common) + 3 + data.p))
    position = {prior.forests[i]: column for column, i in enumerate(common)}
    chain = make_chain(model, data, np.zeros(data.n), seed)
    for row, state in zip(visits, thinned(chain, n_kept, thin), strict=True):
        forest = tuple(canonical(data, parse(nodes)) for nodes in state.trees())
        assert forest in prior.index, f"the prior cannot make {forest}"
        if forest in position:
            row[position[forest]] = 1.0
        else:
            row[len(common)] = 1.0
        size = sum(map(n_splits, forest))
        row[len(common) + 1 : len(common) + 3] = size, size**2
        row[len(common) + 3 :] = state.split_probabilities()
    splits = prior.mean(lambda forest: sum(map(n_splits, forest)) ** np.array([1.0, 2.0]))
    s = [prior.mean_s(j) for j in range(data.p)]
    rare = 1.0 - prior.probability[common].sum()
    expected = np.concatenate([prior.probability[common], [rare], splits, s])
    names = [str(prior.forests[i]) for i in common] + ["rare forests", "splits", "squared splits"]
    names += [f"s of variable {j}" for j in range(data.p)]
    assert_means_agree(visits, expected, names)


@pytest.mark.parametrize("columns", ["binary", "tied", "missing", "categories", "groups"])
@pytest.mark.parametrize("name", LISTED_MODELS)
def test_chain_visits_listed_trees_as_often_as_the_prior_says(
    columns: str, name: str, chain_seed: NDArray[np.uint64]
) -> None:
    """All moves, one tree; false alarms: FALSE_ALARM a case over all trees and s."""
    data = listable_data(columns)
    check_against_list(fitting(LISTED_MODELS[name], data), data, chain_seed, 15_000, 3)


@pytest.mark.stat
@pytest.mark.parametrize("columns", [*LISTABLE, *LISTABLE_MESSY])
@pytest.mark.parametrize("moves", MOVE_SETS)
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
def test_each_set_of_moves_visits_listed_trees(
    columns: str, moves: str, name: str, chain_seed: NDArray[np.uint64]
) -> None:
    """One tree, each set of moves; false alarms: FALSE_ALARM a case over all trees and s."""
    data = listable_data(columns)
    model = replace(fitting(LISTED_MODELS[name], data), moves=MOVE_SETS[moves])
    check_against_list(model, data, chain_seed, 60_000, 4)


DIRECT_MODELS = {
    "bart": Model(),
    "bart-weighted": Model(weights=(0.5, 0.2, 0.2, 0.1)),
    "explicit": Model(splitting="explicit", alpha=0.8, weights=(0.4, 0.3, 0.2, 0.1)),
    "collapsed": Model(splitting="collapsed", alpha=0.8, weights=(0.4, 0.3, 0.2, 0.1)),
    # Beta(2, 2) keeps alpha away from 0, where s never leaves a corner and no chain mixes.
    "explicit-hyper": Model(splitting="explicit", alpha=NAN, a=2.0, b=2.0),
    "collapsed-hyper": Model(splitting="collapsed", alpha=NAN, a=2.0, b=2.0),
    "bart-learned": Model(learn_leaf_sd=True),
    "explicit-learned": Model(splitting="explicit", alpha=0.8, learn_leaf_sd=True),
    "probit-learned": Model(binary=True, learn_leaf_sd=True, leaf_sd_range=PROBIT_LEAF_SD_RANGE),
    "bart-student": Model(student=True),
    "explicit-student": Model(splitting="explicit", alpha=0.8, student=True),
    "collapsed-learned": Model(splitting="collapsed", alpha=0.8, learn_leaf_sd=True),
    "bart-censored": Model(intervals=((0.0, 0.0), (1.0, INF))),
    "explicit-censored-student": Model(
        splitting="explicit", alpha=0.8, student=True, intervals=((-1.0, 1.0), (3.0, INF))
    ),
}


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", ["bart-learned", "explicit-learned", "collapsed-learned"])
def test_learned_leaf_sd_is_half_cauchy(
    name: str, binary: bool, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Kolmogorov-Smirnov test of 2,000 draws so far apart that they are independent.

    An update draws the sd from a slice, which forgets its start within a few.
    False alarms: FALSE_ALARM a case.
    """
    model = replace(DIRECT_MODELS[name], n_trees=2, binary=binary, likelihood=False)
    if binary:
        model = replace(model, leaf_sd_range=PROBIT_LEAF_SD_RANGE)
    data = make_data("tied", rng, 10, 4)
    chain = make_chain(model, data, np.zeros(data.n), chain_seed)
    shares = [float(model.leaf_sd_share(state.leaf_sd)) for state in thinned(chain, 2_000, thin=30)]
    assert_uniform(shares, "share of the leaf sd")


@pytest.mark.parametrize("name", ["bart-student", "explicit-student", "explicit-censored-student"])
def test_degrees_of_freedom_and_mixing_weights_follow_their_prior(
    name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Kolmogorov-Smirnov tests of 2,000 draws, df after 10 updates each, and of 20,000 weights.

    An update draws df from a slice, which forgets its start within a few. False alarms:
    FALSE_ALARM a case over both.
    """
    model = replace(DIRECT_MODELS[name], n_trees=2, likelihood=False)
    data = make_data("row-weights", rng, 10, 4)
    chain = make_chain(model, data, np.zeros(data.n), chain_seed)
    dfs, positions = [], []
    for state in thinned(chain, 2_000, thin=40):
        dfs.append(float(model.df_share(state.df)))
        lambdas = state.precisions() / data.row_weights
        positions += gammainc(state.df / 2, state.df / 2 * lambdas).tolist()
    assert_uniform(dfs, "degrees of freedom", 2)
    assert_uniform(positions, "mixing weights", 2)


def check_against_direct_draws(
    model: Model,
    data: Data,
    rng: np.random.Generator,
    seed: NDArray[np.uint64],
    n_kept: int,
    thin: int,
) -> None:
    """Means of all features over the chain against direct draws from the prior."""
    features = Features(model, data)
    expected, error = mean_and_error(features.of_prior(rng, n_kept))
    codes = np.arange(data.n) % max(len(model.intervals), 1)  # zeros, unless there are intervals
    chain = make_chain(model, data, codes, seed)
    draws = np.array([features.of_chain(state) for state in thinned(chain, n_kept, thin)])
    assert_means_agree(draws, expected, features.names, error)


@pytest.mark.parametrize("name", ["bart-censored", "explicit-censored-student"])
def test_censored_values_do_not_tell_without_likelihood(
    name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Quick, two trees; false alarms: FALSE_ALARM a case over all features."""
    model = replace(DIRECT_MODELS[name], n_trees=2, beta=1.0, likelihood=False)
    check_against_direct_draws(model, make_data("tied", rng, 12, 4), rng, chain_seed, 5_000, 10)


@pytest.mark.stat
@pytest.mark.parametrize("columns", KINDS_OF_COLUMNS)
@pytest.mark.parametrize("n_trees", [1, 2, 5])
@pytest.mark.parametrize("name", DIRECT_MODELS)
def test_chain_agrees_with_direct_draws(
    columns: str,
    n_trees: int,
    name: str,
    rng: np.random.Generator,
    chain_seed: NDArray[np.uint64],
) -> None:
    """Sizes, depth, rules, s, alpha, sigma; false alarms: FALSE_ALARM a case over all of them."""
    min_samples_leaf = 2 if n_trees == 2 else 1
    model = replace(
        DIRECT_MODELS[name],
        n_trees=n_trees,
        beta=1.0,
        min_samples_leaf=min_samples_leaf,
        likelihood=False,
    )
    if model.binary and columns.endswith("row-weights"):
        pytest.skip("a binary response has no row weights")
    data = make_data(columns, rng, 12, 4, min_samples_leaf)
    check_against_direct_draws(model, data, rng, chain_seed, 15_000, 10)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary"])
@pytest.mark.parametrize("splitting", ["explicit", "collapsed"])
def test_default_prior_of_alpha_with_one_tree(
    columns: str, splitting: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Beta(0.5, 1), where alpha comes close to 0; false alarms: FALSE_ALARM a case."""
    model = Model(splitting=splitting, likelihood=False)
    data = make_data(columns, rng, 10, 3)
    check_against_direct_draws(model, data, rng, chain_seed, 20_000, 20)
