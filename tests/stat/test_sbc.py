"""Rung 5: simulation-based calibration.

Truth from the prior, data from the truth, posterior from the chain: the rank of the truth among
nearly independent posterior draws is uniform. Catches what Geweke's test may miss because it
needs no agreement of moments: posteriors too wide, too narrow or shifted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from tests.helpers.stat.chains import FALSE_ALARM, make_chain
from tests.helpers.stat.datasets import make_data
from tests.helpers.stat.reference.model import PROBIT_LEAF_SD_RANGE, Model
from tests.helpers.stat.reference.simulate import PriorDraw, draw_prior, draw_response
from tests.helpers.stat.reference.trees import Data, variable_counts

BASE = Model(n_trees=2, leaf_sd=0.5, nu=6.0, lambda_=0.2)
MODELS = {
    "bart": BASE,
    "explicit": replace(BASE, splitting="explicit", alpha=1.0),
    "collapsed": replace(BASE, splitting="collapsed", alpha=1.0),
    "explicit-hyper": replace(BASE, splitting="explicit", a=2.0, b=2.0),
    "collapsed-hyper": replace(BASE, splitting="collapsed", a=2.0, b=2.0),
}
LEARNED = {
    name: replace(MODELS[name], learn_leaf_sd=True) for name in ("bart", "explicit", "collapsed")
}
WIDE = {
    f"{name}-wide": replace(model, leaf_sd_range=PROBIT_LEAF_SD_RANGE)
    for name, model in LEARNED.items()
}
STUDENT = {
    name: replace(MODELS[name], student=True) for name in ("bart", "explicit", "collapsed-hyper")
}
CENSORED = {
    name: replace(MODELS[name], censored=True) for name in ("bart", "explicit", "collapsed-hyper")
}
N_DRAWS = 31  # so ranks run from 0 to 31
N_BINS = 16
BURN_IN = 400


def quantities(draw: PriorDraw, data: Data) -> list[float]:
    """sigma, f(x0), splits on variable 0, splits, alpha, leaf sd and df of the truth."""
    counts = variable_counts(draw.shapes, data.p)
    at0 = draw.fitted(data)[0]
    return [draw.sigma, at0, counts[0], counts.sum(), draw.alpha, draw.leaf_sd, draw.df]


def draw_truth(
    rng: np.random.Generator, model: Model, data: Data
) -> tuple[PriorDraw, NDArray[np.float64]]:
    """The unknowns and a response."""
    truth = draw_prior(rng, model, data)
    return truth, draw_response(rng, model, data, truth.fitted(data), truth.sigma, truth.df)


def censor(
    rng: np.random.Generator, model: Model, y: NDArray[np.float64]
) -> tuple[Model, NDArray[np.float64]]:
    """Keep what is below a random limit of each row, and know of some rows only their tenth."""
    limits, tenths = rng.normal(0.3, 0.6, size=len(y)), np.floor(2 * y) / 2
    kinds = [y > limits, np.arange(len(y)) % 5 == 0]
    low = np.select(kinds, [limits, tenths], y)
    high = np.select(kinds, [np.inf, tenths + 0.5], y)
    return replace(model, intervals=tuple(zip(low, high, strict=True))), np.arange(len(y)) + 0.0


def ranks_of_truth(
    rng: np.random.Generator, model: Model, data: Data, thin: int
) -> NDArray[np.int64]:
    """Ranks of the true quantities among posterior draws, ties broken at random."""
    truth, y = draw_truth(rng, model, data)
    if model.censored:
        model, y = censor(rng, model, y)
    seed = rng.integers(0, 2**63, size=4, dtype=np.uint64)
    chain = make_chain(model, data, y, seed)
    chain.sweep(BURN_IN)
    draws = np.empty((N_DRAWS, 7))
    for row in draws:
        chain.sweep(thin)
        row[:4] = chain.sigma, chain.fitted()[0], chain.counts()[0], chain.n_splits
        row[4:] = chain.alpha, chain.leaf_sd, chain.df
    actual = np.array(quantities(truth, data))
    below, ties = (draws < actual).sum(axis=0), (draws == actual).sum(axis=0)
    return np.asarray(below + rng.integers(0, ties + 1))


def check(rng: np.random.Generator, model: Model, data: Data, n_replicates: int, thin: int) -> None:
    """Chi-square tests of the ranks, Bonferroni over the quantities that are random."""
    ranks = np.array([ranks_of_truth(rng, model, data, thin) for _ in range(n_replicates)])
    names = ["sigma", "f(x0)", "splits on variable 0", "splits", "alpha", "leaf sd", "df"]
    random = {"sigma": not model.binary, "alpha": model.splitting != "fixed"}
    random["alpha"] = random["alpha"] and bool(np.isnan(model.alpha))
    random |= {"leaf sd": model.learn_leaf_sd, "df": model.student}
    tested = [i for i, name in enumerate(names) if random.get(name, True)]
    for i in tested:
        counts = np.bincount(ranks[:, i] * N_BINS // (N_DRAWS + 1), minlength=N_BINS)
        p_value = chisquare(counts).pvalue
        assert p_value > FALSE_ALARM / len(tested), f"{names[i]}: ranks {counts}, p {p_value:.1e}"


@pytest.mark.parametrize("columns", ["continuous", "binary", "tied"])
def test_calibration_quickly(columns: str, rng: np.random.Generator) -> None:
    """Collapsed DART, 300 data sets of 15 rows; false alarms: FALSE_ALARM a case."""
    check(rng, MODELS["collapsed"], make_data(columns, rng, 15, 3), 300, thin=15)


@pytest.mark.parametrize("name", LEARNED | WIDE)
def test_calibration_of_the_leaf_sd_quickly(name: str, rng: np.random.Generator) -> None:
    """300 data sets of 15 rows; false alarms: FALSE_ALARM a case."""
    check(rng, (LEARNED | WIDE)[name], make_data("mixed", rng, 15, 3), 300, thin=60)


@pytest.mark.parametrize("columns", ["mixed", "row-weights"])
@pytest.mark.parametrize("name", CENSORED)
def test_calibration_with_censoring_quickly(
    columns: str, name: str, rng: np.random.Generator
) -> None:
    """300 data sets of 20 rows, normal errors; false alarms: FALSE_ALARM a case."""
    check(rng, CENSORED[name], make_data(columns, rng, 20, 3), 300, thin=30)


@pytest.mark.stat
@pytest.mark.parametrize("student", [False, True])
@pytest.mark.parametrize("columns", ["continuous", "tied", "messy-row-weights"])
@pytest.mark.parametrize("name", CENSORED)
def test_calibration_with_censoring(
    columns: str, name: str, student: bool, rng: np.random.Generator
) -> None:
    """1,500 data sets of 30 rows; false alarms: FALSE_ALARM a case over all quantities."""
    model = replace(CENSORED[name], student=student)
    check(rng, model, make_data(columns, rng, 30, 3), 1_500, thin=60)


@pytest.mark.parametrize("columns", ["mixed", "row-weights"])
def test_calibration_with_student_errors_quickly(columns: str, rng: np.random.Generator) -> None:
    """BART, 300 data sets of 30 rows; false alarms: FALSE_ALARM a case."""
    check(rng, STUDENT["bart"], make_data(columns, rng, 30, 3), 300, thin=30)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "tied", "messy-row-weights"])
@pytest.mark.parametrize("name", STUDENT)
def test_calibration_with_student_errors(columns: str, name: str, rng: np.random.Generator) -> None:
    """1,500 data sets of 30 rows; false alarms: FALSE_ALARM a case over all quantities."""
    check(rng, STUDENT[name], make_data(columns, rng, 30, 3), 1_500, thin=60)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied"])
@pytest.mark.parametrize("name", LEARNED | WIDE)
def test_calibration_of_the_leaf_sd(columns: str, name: str, rng: np.random.Generator) -> None:
    """1,500 data sets of 20 rows; false alarms: FALSE_ALARM a case over all quantities.

    A binary y says nothing about how large its leaf sd is, so that chains take too long; for it
    see test_geweke. The wide range of its leaf sd is calibrated with a continuous y.
    """
    check(rng, (LEARNED | WIDE)[name], make_data(columns, rng, 20, 3), 1_500, thin=150)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied"])
@pytest.mark.parametrize("name", MODELS)
def test_calibration(columns: str, name: str, rng: np.random.Generator) -> None:
    """2,000 data sets of 20 rows; false alarms: FALSE_ALARM a case over all quantities."""
    check(rng, MODELS[name], make_data(columns, rng, 20, 3), 2_000, thin=40)


@pytest.mark.stat
@pytest.mark.parametrize("columns", ["continuous", "binary", "tied"])
@pytest.mark.parametrize("name", ["bart", "explicit", "collapsed"])
def test_calibration_of_probit(columns: str, name: str, rng: np.random.Generator) -> None:
    """Binary y, 1,500 data sets of 25 rows; false alarms: FALSE_ALARM a case."""
    model = replace(MODELS[name], binary=True, offset=-0.2, leaf_sd=0.8)
    check(rng, model, make_data(columns, rng, 25, 3), 1_500, thin=40)
