"""Rung 4: Geweke's joint-distribution test.

A chain that alternates y given everything else with one sweep must leave the joint distribution
of the model alone, so its unknowns have their prior distribution. One side is that chain, the
other direct draws from the prior. Catches errors in the updates of leaf means, sigma, s, alpha
and latent values as well as in the moves, with no exact posterior needed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, ks_2samp

from tests.helpers.stat.chains import (
    FALSE_ALARM,
    assert_means_agree,
    assert_uniform,
    make_chain,
)
from tests.helpers.stat.datasets import KINDS_OF_COLUMNS, make_data
from tests.helpers.stat.features import Features, mean_and_error
from tests.helpers.stat.reference.model import PROBIT_LEAF_SD_RANGE, Model
from tests.helpers.stat.reference.simulate import draw_prior, draw_response
from tests.helpers.stat.reference.trees import Data

NAN, INF = float("nan"), float("inf")
BASE = Model(n_trees=2, leaf_sd=0.4, nu=6.0, lambda_=0.25, beta=1.0)
MODELS = {
    "bart": BASE,
    "bart-weighted": replace(BASE, weights=(0.6, 0.3, 0.1)),
    "explicit": replace(BASE, splitting="explicit", alpha=1.0),
    "collapsed": replace(BASE, splitting="collapsed", alpha=1.0),
    "explicit-hyper": replace(BASE, splitting="explicit", a=2.0, b=2.0),
    "collapsed-hyper": replace(BASE, splitting="collapsed", a=2.0, b=2.0),
}
# A scale well below sigma: a chain that redraws y crosses large leaf values in steps of sigma.
LEARNED = {
    name: replace(MODELS[name], leaf_sd=0.2, learn_leaf_sd=True)
    for name in ("bart", "explicit", "collapsed")
}
LEARNED_PROBIT = {
    name: replace(model, binary=True, leaf_sd_range=PROBIT_LEAF_SD_RANGE)
    for name, model in LEARNED.items()
}
STUDENT = {
    name: replace(MODELS[name], student=True) for name in ("bart", "explicit", "collapsed-hyper")
}
# Values are only known to lie in one of these. Observed ones are in the other tests.
GROUPED = ((-INF, -0.3), (-0.3, 0.1), (0.1, 0.5), (0.5, INF))
CENSORED = {
    name: replace(MODELS[name], intervals=GROUPED)
    for name in ("bart", "explicit", "collapsed-hyper")
}
JOINT_NAMES = ["f(x0)", "f(x0)^2", "f(x0) f(x1)", "f(x0)^4", "splits times f(x0)^2"]


def joint_features(fitted: NDArray[np.float64], total_splits: int, sigma: float) -> list[float]:
    """Moments of the sum of trees, and how it goes with the other unknowns."""
    at0, at1 = fitted[:2]
    return [at0, at0**2, at0 * at1, at0**4, total_splits * at0**2, np.log(sigma) * at0**2]


def from_prior(
    rng: np.random.Generator, model: Model, data: Data, n_draws: int
) -> NDArray[np.float64]:
    """All statistics of direct draws."""
    features, rows = Features(model, data), []
    for _ in range(n_draws):
        draw = draw_prior(rng, model, data)
        splits = sum(node[0] >= 0 for nodes in draw.trees for node in nodes)
        joint = joint_features(draw.fitted(data), splits, draw.sigma)
        rows.append(features.of_draw(draw) + joint)
    return np.array(rows)


def from_chain(
    rng: np.random.Generator,
    model: Model,
    data: Data,
    seed: NDArray[np.uint64],
    n_kept: int,
    thin: int,
) -> NDArray[np.float64]:
    """The same of the chain that also redraws y."""
    features, rows = Features(model, data), []
    start = draw_prior(rng, model, data)
    y = draw_response(rng, model, data, start.fitted(data), start.sigma, start.df)
    chain = make_chain(model, data, y, seed)
    chain.sweep(50)
    for step in range(-500, n_kept * thin):
        latent_weights = model.student and model.intervals  # which outlive a change of y
        known = chain.precisions() if latent_weights else None
        chain.set_y(draw_response(rng, model, data, chain.fitted(), chain.sigma, chain.df, known))
        chain.sweep(1)
        if step >= 0 and step % thin == 0:
            joint = joint_features(chain.fitted(), chain.n_splits, chain.sigma)
            rows.append(features.of_chain(chain) + joint)
    return np.array(rows)


def check(
    model: Model,
    data: Data,
    rng: np.random.Generator,
    seed: NDArray[np.uint64],
    n_kept: int,
    thin: int,
) -> None:
    expected, error = mean_and_error(from_prior(rng, model, data, n_kept))
    names = [*Features(model, data).names, *JOINT_NAMES, "log sigma times f(x0)^2"]
    draws = from_chain(rng, model, data, seed, n_kept, thin)
    assert_means_agree(draws, expected, names, error)


@pytest.mark.parametrize("columns", ["binary", "tied", "messy-row-weights"])
@pytest.mark.parametrize("name", ["bart-weighted", "explicit", "collapsed"])
def test_joint_distribution_quickly(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """False alarms: FALSE_ALARM a case over all statistics."""
    check(MODELS[name], make_data(columns, rng, 6, 3), rng, chain_seed, 3_000, 5)


def test_joint_distribution_of_probit_quickly(
    rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Latent values and offset; false alarms: FALSE_ALARM over all statistics."""
    model = replace(MODELS["bart"], binary=True, offset=0.3, leaf_sd=0.7)
    check(model, make_data("mixed", rng, 6, 3), rng, chain_seed, 3_000, 5)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", LEARNED)
def test_joint_distribution_with_a_learned_leaf_sd_quickly(
    name: str, binary: bool, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """False alarms: FALSE_ALARM a case over all statistics."""
    model = (LEARNED_PROBIT if binary else LEARNED)[name]
    check(model, make_data("tied", rng, 6, 3), rng, chain_seed, 3_000, 20)


def check_that_states_stay(
    model: Model,
    data: Data,
    rng: np.random.Generator,
    seed: NDArray[np.uint64],
    n_draws: int,
    n_sweeps: int,
) -> None:
    """Sweep from independent draws of the joint distribution, so that no mixing is needed.

    Kolmogorov-Smirnov tests of leaf sd, degrees of freedom, sigma and f(x0), the latter against
    other direct draws, at FALSE_ALARM over the four. BART only, whose whole state can be set.
    """
    chain = make_chain(model, data, np.zeros(data.n), seed)
    found = []
    for _ in range(n_draws):
        draw = draw_prior(rng, model, data)
        chain.set_trees(draw.trees)
        chain.sigma, chain.leaf_sd, chain.df = draw.sigma, draw.leaf_sd, draw.df
        chain.set_y(draw_response(rng, model, data, draw.fitted(data), draw.sigma, draw.df))
        chain.sweep(n_sweeps)
        found.append([chain.leaf_sd, chain.df, chain.sigma, chain.fitted()[0]])
    leaf_sds, dfs, sigmas, fitted = np.array(found).T
    if model.learn_leaf_sd:
        assert_uniform(model.leaf_sd_share(leaf_sds).tolist(), "leaf sd", 4)
    if model.student:
        assert_uniform(model.df_share(dfs).tolist(), "degrees of freedom", 4)
    if not model.binary:
        scaled = chi2.cdf(model.nu * model.lambda_ / sigmas**2, model.nu)
        assert_uniform(scaled.tolist(), "sigma", 4)
    direct = [draw_prior(rng, model, data).fitted(data)[0] for _ in range(n_draws)]
    assert ks_2samp(fitted, direct).pvalue > FALSE_ALARM / 4


@pytest.mark.parametrize("binary", [False, True])
def test_state_from_the_joint_distribution_stays_there(
    binary: bool, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """A learned leaf sd, three sweeps; false alarms: FALSE_ALARM a case."""
    model = (LEARNED_PROBIT if binary else LEARNED)["bart"]
    data = make_data("tied", rng, 6, 3)
    check_that_states_stay(model, data, rng, chain_seed, 5_000, 3)


@pytest.mark.parametrize("columns", ["tied", "messy-row-weights"])
@pytest.mark.parametrize("name", STUDENT)
def test_joint_distribution_with_student_errors_quickly(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """False alarms: FALSE_ALARM a case over all statistics."""
    check(STUDENT[name], make_data(columns, rng, 6, 3), rng, chain_seed, 3_000, 10)


def test_state_with_student_errors_stays_in_the_joint_distribution(
    rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Ten sweeps, so that mixing weights are drawn twice; false alarms: FALSE_ALARM."""
    data = make_data("row-weights", rng, 12, 3)
    check_that_states_stay(STUDENT["bart"], data, rng, chain_seed, 5_000, 10)


@pytest.mark.parametrize("columns", ["tied", "messy-row-weights"])
@pytest.mark.parametrize("student", [False, True])
@pytest.mark.parametrize("name", CENSORED)
def test_joint_distribution_of_censored_values_quickly(
    name: str, student: bool, columns: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Latent values beside all else; false alarms: FALSE_ALARM a case over all statistics."""
    model = replace(CENSORED[name], student=student)
    check(model, make_data(columns, rng, 6, 3), rng, chain_seed, 3_000, 15)


@pytest.mark.stat
@pytest.mark.parametrize("columns", KINDS_OF_COLUMNS)
@pytest.mark.parametrize("student", [False, True])
@pytest.mark.parametrize("name", CENSORED)
def test_joint_distribution_of_censored_values(
    name: str, student: bool, columns: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Eight rows, two trees; false alarms: FALSE_ALARM a case over all statistics."""
    model = replace(CENSORED[name], student=student)
    check(model, make_data(columns, rng, 8, 3), rng, chain_seed, 25_000, 20)


@pytest.mark.parametrize("columns", ["tied", "row-weights"])
def test_state_with_censored_values_stays_in_the_joint_distribution(
    columns: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Three sweeps with a learned leaf sd; false alarms: FALSE_ALARM a case."""
    model = replace(LEARNED["bart"], intervals=GROUPED)
    check_that_states_stay(model, make_data(columns, rng, 10, 3), rng, chain_seed, 5_000, 3)


@pytest.mark.stat
@pytest.mark.parametrize("columns", KINDS_OF_COLUMNS)
@pytest.mark.parametrize("name", STUDENT)
def test_joint_distribution_with_student_errors(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Eight rows, two trees; false alarms: FALSE_ALARM a case over all statistics."""
    check(STUDENT[name], make_data(columns, rng, 8, 3), rng, chain_seed, 25_000, 15)


@pytest.mark.stat
@pytest.mark.parametrize("name", ["bart", "explicit"])
def test_joint_distribution_with_student_errors_in_single_precision(
    name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """32-bit residuals and precisions, a learned leaf sd; false alarms: FALSE_ALARM a case."""
    model = replace(LEARNED[name], student=True, precision="single")
    check(model, make_data("messy-row-weights", rng, 8, 3), rng, chain_seed, 20_000, 40)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "tied", "messy-row-weights"])
def test_many_states_with_student_errors_stay_in_the_joint_distribution(
    columns: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """20 rows, 20 sweeps; false alarms: FALSE_ALARM a case."""
    data = make_data(columns, rng, 20, 3)
    check_that_states_stay(STUDENT["bart"], data, rng, chain_seed, 30_000, 20)


@pytest.mark.stat
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied", "messy"])
def test_many_states_from_the_joint_distribution_stay_there(
    columns: str, binary: bool, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """A learned leaf sd, 20 rows, 20 sweeps; false alarms: FALSE_ALARM a case."""
    model = replace(LEARNED_PROBIT["bart"], offset=-0.2) if binary else LEARNED["bart"]
    check_that_states_stay(model, make_data(columns, rng, 20, 3), rng, chain_seed, 30_000, 20)


@pytest.mark.stat
@pytest.mark.parametrize("columns", KINDS_OF_COLUMNS)
@pytest.mark.parametrize("name", LEARNED)
def test_joint_distribution_with_a_learned_leaf_sd(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Eight rows, two trees; false alarms: FALSE_ALARM a case over all statistics."""
    check(LEARNED[name], make_data(columns, rng, 8, 3), rng, chain_seed, 25_000, 40)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied", "messy"])
@pytest.mark.parametrize("name", LEARNED_PROBIT)
def test_joint_distribution_of_probit_with_a_learned_leaf_sd(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Binary y and an offset; false alarms: FALSE_ALARM a case over all statistics."""
    model = replace(LEARNED_PROBIT[name], offset=0.3)
    check(model, make_data(columns, rng, 8, 3), rng, chain_seed, 25_000, 40)


@pytest.mark.stat
@pytest.mark.parametrize("columns", KINDS_OF_COLUMNS)
@pytest.mark.parametrize("name", MODELS)
def test_joint_distribution(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Eight rows, two trees; false alarms: FALSE_ALARM a case over all statistics."""
    check(MODELS[name], make_data(columns, rng, 8, 3), rng, chain_seed, 25_000, 10)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied", "messy"])
@pytest.mark.parametrize("name", ["bart", "explicit", "collapsed"])
def test_joint_distribution_of_probit(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Binary y and an offset: latent values too; false alarms: FALSE_ALARM a case."""
    model = replace(MODELS[name], binary=True, offset=0.3, leaf_sd=0.7)
    check(model, make_data(columns, rng, 8, 3), rng, chain_seed, 25_000, 10)


@pytest.mark.stat
def test_joint_distribution_in_single_precision(
    rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """32-bit residuals over five trees; false alarms: FALSE_ALARM."""
    model = replace(MODELS["collapsed"], n_trees=5, precision="single")
    check(model, make_data("mixed", rng, 40, 3), rng, chain_seed, 15_000, 20)
