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

from tests.helpers.stat.chains import assert_means_agree, make_chain
from tests.helpers.stat.datasets import KINDS_OF_COLUMNS, make_data
from tests.helpers.stat.features import Features, mean_and_error
from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.simulate import draw_prior, draw_response
from tests.helpers.stat.reference.trees import Data

NAN = float("nan")
BASE = Model(n_trees=2, leaf_sd=0.4, nu=6.0, lambda_=0.25, beta=1.0)
MODELS = {
    "bart": BASE,
    "bart-weighted": replace(BASE, weights=(0.6, 0.3, 0.1)),
    "explicit": replace(BASE, splitting="explicit", alpha=1.0),
    "collapsed": replace(BASE, splitting="collapsed", alpha=1.0),
    "explicit-hyper": replace(BASE, splitting="explicit", a=2.0, b=2.0),
    "collapsed-hyper": replace(BASE, splitting="collapsed", a=2.0, b=2.0),
}
JOINT_NAMES = ["f(x0)", "f(x0)^2", "f(x0) f(x1)", "f(x0)^4", "splits times f(x0)^2"]


def joint_features(fitted: NDArray[np.float64], total_splits: int, sigma: float) -> list[float]:
    """Moments of the sum of trees, and how it goes with the other unknowns."""
    at0, at1 = fitted[0], fitted[1]
    return [at0, at0**2, at0 * at1, at0**4, total_splits * at0**2, np.log(sigma) * at0**2]


def from_prior(
    rng: np.random.Generator, model: Model, data: Data, n_draws: int
) -> NDArray[np.float64]:
    """All statistics of direct draws."""
    features, rows = Features(model, data), []
    for _ in range(n_draws):
        draw = draw_prior(rng, model, data)
        splits = sum(node[0] >= 0 for nodes in draw.trees for node in nodes)
        simple = features.of(draw.shapes, np.exp(draw.log_s), draw.alpha, draw.sigma)
        rows.append(simple + joint_features(draw.fitted(data), splits, draw.sigma))
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
    y = draw_response(rng, model, data, start.fitted(data), start.sigma)
    chain = make_chain(model, data, y, seed)
    chain.sweep(50)
    for step in range(-500, n_kept * thin):
        chain.set_y(draw_response(rng, model, data, chain.fitted(), chain.sigma))
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
