"""The reference against itself, before it judges anything else. Nothing here is compiled."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import chisquare, halfcauchy

from tests.helpers.stat.datasets import KINDS_OF_COLUMNS, LISTABLE, make_data
from tests.helpers.stat.reference.enumeration import all_shapes, exact_posterior
from tests.helpers.stat.reference.integrals import DirichletAverage, LeafSdAverage
from tests.helpers.stat.reference.likelihood import log_marginal
from tests.helpers.stat.reference.model import MOVE_SETS, PROBIT_LEAF_SD_RANGE, Model
from tests.helpers.stat.reference.moves import Conditional, apply
from tests.helpers.stat.reference.prior import GivenS, PolyaUrn, dirichlet_multinomial, log_prior
from tests.helpers.stat.reference.simulate import draw_log_dirichlet, draw_prior, draw_shape
from tests.helpers.stat.reference.trees import Data, parse, rows_by_node, subtrees, to_preorder


def transition_matrix(
    conditional: Conditional, shapes: list[object], y: NDArray[np.float64], sigma: float
) -> NDArray[np.float64]:
    """Metropolis-Hastings kernel over all trees, from the listed proposals."""
    index = {shape: i for i, shape in enumerate(shapes)}
    kernel = np.zeros((len(shapes), len(shapes)))
    for i, shape in enumerate(shapes):
        for move, probability in conditional.proposals(shape):
            log_ratio = conditional.log_ratio(shape, move, y, sigma)
            if log_ratio > -np.inf:
                target = index[apply(shape, move)]
                kernel[i, target] += probability * min(1.0, np.exp(log_ratio))
        kernel[i, i] += 1.0 - kernel[i].sum()
    return kernel


@pytest.mark.parametrize("name", LISTABLE)
@pytest.mark.parametrize("moves", MOVE_SETS)
def test_each_set_of_moves_keeps_the_posterior(
    name: str, moves: str, rng: np.random.Generator
) -> None:
    """Deterministic: pi P = pi over all trees, with weighted s, to rounding error."""
    model = Model(moves=MOVE_SETS[moves], sigma=0.6, beta=0.7)
    data = Data(LISTABLE[name])
    y = rng.standard_normal(data.n)
    log_s = np.log(rng.dirichlet(np.ones(data.p)))
    shapes = all_shapes(data)
    assert len(set(shapes)) == len(shapes)
    log_pi = [
        log_prior(model, data, s, log_s) + log_marginal(data, [s], y, 0.6, model.leaf_sd)
        for s in shapes
    ]
    pi = np.exp(np.array(log_pi) - max(log_pi))
    pi /= pi.sum()
    kernel = transition_matrix(Conditional(model, data, GivenS(log_s)), shapes, y, 0.6)
    rounding = 1e-13  # of sums over some hundred proposals; the diagonal is 1 minus such a sum
    assert kernel.min() >= -rounding
    np.testing.assert_allclose(pi @ kernel, pi, atol=rounding)


def test_collapsed_moves_keep_the_prior_of_the_urn() -> None:
    """Deterministic: the same with s integrated out, given one split in another tree."""
    model = Model(likelihood=False, beta=1.0)
    data = Data(LISTABLE["continuous"])
    rest = ((1, (0, 1)),)
    conditional = Conditional(model, data, PolyaUrn(np.array([0.5, 0.3])), rest)
    shapes = all_shapes(data)
    log_pi = np.array([conditional.log_prior(shape) for shape in shapes])
    pi = np.exp(log_pi) / np.exp(log_pi).sum()
    kernel = transition_matrix(conditional, shapes, np.zeros(data.n), 1.0)
    np.testing.assert_allclose(pi @ kernel, pi, atol=1e-13)


@pytest.mark.parametrize("name", LISTABLE)
@pytest.mark.parametrize("min_samples_leaf", [1, 2])
def test_prior_sums_to_one(name: str, min_samples_leaf: int, rng: np.random.Generator) -> None:
    """Deterministic: over all trees, given s and with s integrated out."""
    model = Model(min_samples_leaf=min_samples_leaf)
    data = Data(LISTABLE[name], min_samples_leaf)
    log_s = np.log(rng.dirichlet(np.ones(data.p)))
    total = sum(np.exp(log_prior(model, data, shape, log_s)) for shape in all_shapes(data))
    assert total == pytest.approx(1.0, abs=1e-12)
    for alpha, splitting in product([0.8, 4.0], ["explicit"]):
        exact_posterior(replace(model, splitting=splitting, alpha=alpha), data, None)


@pytest.mark.parametrize("name", ["binary", "tied", "constant"])
def test_direct_draws_follow_the_listed_prior(name: str, rng: np.random.Generator) -> None:
    """Chi-square over all trees of 6,000 direct draws; false alarms: 1e-5."""
    model = Model(splitting="explicit", alpha=1.5)
    data = Data(LISTABLE[name])
    prior = exact_posterior(model, data, None)
    observed = np.zeros(len(prior.forests))
    for _ in range(6_000):
        observed[prior.index[tuple(draw_prior(rng, model, data).shapes)]] += 1
    assert_counts_fit(observed, prior.probability)


def assert_counts_fit(observed: NDArray[np.float64], probability: NDArray[np.float64]) -> None:
    expected = probability * observed.sum()
    common = expected >= 8.0
    cells, means = observed[common], expected[common]
    if expected[~common].sum() > 0.0:
        cells = np.append(cells, observed[~common].sum())
        means = np.append(means, expected[~common].sum())
    assert chisquare(cells, means).pvalue > 1e-5


def test_dirichlet_integral_agrees_with_closed_forms() -> None:
    """Deterministic: free choices against the urn, pairs against an aggregated Dirichlet."""
    concentration = np.array([0.4, 1.1, 0.6])
    everything = (0, 1, 2)
    average = DirichletAverage(concentration)
    free = [(0, everything), (2, everything), (0, everything)]
    exact = dirichlet_multinomial(np.array([2, 0, 1]), concentration)
    log_s, log_density = average._log_s_grid()
    on_grid = np.log(np.exp(log_density + 2 * log_s[0] + log_s[2]).sum())
    assert average.log_probability(free) == pytest.approx(exact, abs=1e-12)
    assert on_grid == pytest.approx(exact, abs=1e-9)
    within_pair = dirichlet_multinomial(np.array([2, 1]), concentration[:2])
    pairs = [(0, (0, 1)), (1, (0, 1)), (0, (0, 1))]
    assert average.log_probability(pairs) == pytest.approx(within_pair, abs=1e-9)


def test_dirichlet_integral_agrees_with_simulation(rng: np.random.Generator) -> None:
    """Two kinds of exhausted nodes at once: mean over 8,000 draws; false alarms: 1e-7."""
    concentration = np.array([0.4, 1.1, 0.6])
    choices = [(0, (0, 1)), (2, (1, 2)), (1, (0, 1, 2)), (2, (0, 2))]
    given = [
        np.exp(GivenS(draw_log_dirichlet(rng, concentration)).log_probability(choices))
        for _ in range(8_000)
    ]
    exact = np.exp(DirichletAverage(concentration).log_probability(choices))
    error = np.std(given) / np.sqrt(len(given))
    assert abs(np.mean(given) - exact) < 5.3 * error
    assert error < 0.03 * exact


def test_quantities_of_a_tree_written_out_by_hand() -> None:
    """Deterministic: x = (0, 0, 1, 2), split at 0 and then at 1 on the right."""
    data = Data(np.array([[0.0], [0.0], [5.0], [9.0]]))
    model = Model()
    nodes = [(0, 0), (-1, 0.5), (0, 1), (-1, -1.0), (-1, 2.0)]
    shape = parse(nodes)
    assert shape == (0, 0, None, (0, 1, None, None))
    assert to_preorder(shape, [0.5, -1.0, 2.0]) == nodes
    assert rows_by_node(data, shape) == [(0, 1, 2, 3), (0, 1), (2, 3), (2,), (3,)]
    assert [data.cuts(rows, 0) for rows in rows_by_node(data, shape)] == [(0, 1), (), (1,), (), ()]
    # Root: split, one of two cuts. Left: nothing eligible. Right: split, one cut. Below: nothing.
    expected = np.log(0.95) - np.log(2) + np.log(0.95 / 4)
    assert log_prior(model, data, shape, np.zeros(1)) == pytest.approx(expected, abs=1e-14)
    assert Data(data.X, 2).cuts((0, 1, 2, 3), 0) == (0,)
    assert Data(data.X, 2).eligible((0, 1, 2)) == ()


@pytest.mark.parametrize("kind", KINDS_OF_COLUMNS)
@pytest.mark.parametrize("m", [1, 2, 3])
def test_eligible_means_having_a_cut(kind: str, m: int, rng: np.random.Generator) -> None:
    """Deterministic but for the data: the quick test of eligibility against the cuts."""
    data = make_data(kind, rng, 12, 4, m)
    model = Model(beta=0.3, min_samples_leaf=m)
    for _ in range(50):
        shape = draw_shape(rng, model, data, np.log(np.full(4, 0.25)))
        for rows, _node in zip(rows_by_node(data, shape), subtrees(shape), strict=True):
            assert data.eligible(rows) == tuple(j for j in range(4) if data.cuts(rows, j))


@pytest.mark.parametrize("low_and_high", [Model.leaf_sd_range, PROBIT_LEAF_SD_RANGE])
def test_leaf_sd_is_integrated_out_of_the_likelihood(
    low_and_high: tuple[float, float], rng: np.random.Generator
) -> None:
    """Deterministic: a few points against adaptive quadrature over the half-Cauchy density."""
    low, high = low_and_high
    model = Model(leaf_sd=0.4, learn_leaf_sd=True, leaf_sd_range=low_and_high)
    data = Data(LISTABLE["tied"])
    y = rng.standard_normal(data.n)
    for shape in all_shapes(data)[:4]:

        def density(sd: float, shape: object = shape) -> float:
            weight = halfcauchy.pdf(sd, scale=model.leaf_sd)
            return float(weight * np.exp(log_marginal(data, [shape], y, 0.6, sd)))

        within = halfcauchy.cdf(high) - halfcauchy.cdf(low)
        expected = quad(density, low * model.leaf_sd, high * model.leaf_sd)[0] / within
        found = logsumexp(LeafSdAverage(model).log_terms(data, [shape], y, 0.6))
        assert np.exp(found) == pytest.approx(expected, rel=1e-6)
