"""The hard case: one binary column drives y, fifty columns, alpha near 0.1.

Below a split on the driving column almost no weight of s is eligible, so a sequence of ineligible
draws would be huge: neither form may hang (each test has a time limit), and the explicit and the
collapsed form must agree with each other, and without likelihood with direct draws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student

from tests.helpers.stat.chains import (
    FALSE_ALARM,
    assert_means_agree,
    make_chain,
    seed_from,
    thinned,
)
from tests.helpers.stat.features import Features, mean_and_error
from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.trees import Data

P = 50
N = 80
N_CHAINS = 12
NAN = float("nan")
BASE = Model(n_trees=3, leaf_sd=0.3, nu=5.0, lambda_=0.05, alpha=0.1)
MODELS = {
    "fixed alpha": BASE,
    "unknown alpha": replace(BASE, alpha=NAN),
    "unknown alpha, small rho": replace(BASE, alpha=NAN, a=1.0, b=1.0, rho=1.0),
}
NAMES = [
    "splits", "squared splits", "splits on the driver", "trees' share of the driver",
    "other variables in use", "log sigma", "s of the driver", "largest other s",
    "fitted where driver is 0", "alpha / (alpha + rho)", "log alpha",
]  # fmt: skip


def matrix(kind: str) -> NDArray[np.float64]:
    """Binary columns, or binary, three-valued and continuous ones; the first always binary."""
    rng = np.random.default_rng(seed_from(kind))
    X = rng.integers(0, 2, size=(N, P)).astype(float)
    if kind == "mixed":
        X[:, 1::3] = rng.integers(0, 3, size=X[:, 1::3].shape)
        X[:, 2::3] = rng.random(X[:, 2::3].shape)
    return X


def response(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first column and noise."""
    noise = 0.25 * np.random.default_rng(0).standard_normal(len(X))
    return np.asarray(X[:, 0] - 0.5 + noise)


def statistics(chain: Any, rho: float, driver_off: NDArray[np.bool_]) -> list[float]:
    """One row of numbers from the state of a chain, in the order of NAMES."""
    counts, s = chain.counts(), chain.split_probabilities()
    splits = chain.n_splits
    assert counts.sum() == splits
    share = counts[0] / splits if splits else 0.0
    return [
        splits, splits**2, counts[0], share, np.count_nonzero(counts[1:]), np.log(chain.sigma),
        s[0], s[1:].max(), chain.fitted()[driver_off].mean(), chain.alpha / (chain.alpha + rho),
        np.log(chain.alpha),
    ]  # fmt: skip


def chain_means(
    model: Model, data: Data, y: NDArray[np.float64], name: str, n_kept: int, thin: int
) -> NDArray[np.float64]:
    """Means of the statistics over each of several independent chains."""
    driver_off = data.X[:, 0] == 0.0
    means = []
    for k in range(N_CHAINS):
        chain = make_chain(model, data, y, seed_from(f"{name} {model.splitting} {k}"))
        rows = [
            statistics(state, model.rho_for(P), driver_off)
            for state in thinned(chain, n_kept, thin, burn_in=2_000)
        ]
        means.append(np.mean(rows, axis=0))
    return np.array(means)


def check_forms_agree(
    model: Model, kind: str, name: str, n_kept: int, thin: int
) -> NDArray[np.float64]:
    """Welch tests between chains of both forms, Bonferroni over the statistics."""
    data = Data(matrix(kind))
    y = response(data.X)
    both = [
        chain_means(replace(model, splitting=splitting), data, y, name, n_kept, thin)
        for splitting in ("explicit", "collapsed")
    ]
    (mean_e, var_e), (mean_c, var_c) = ((m.mean(axis=0), m.var(axis=0, ddof=1)) for m in both)
    error = np.sqrt((var_e + var_c) / N_CHAINS)
    difference = mean_e - mean_c
    for i, label in enumerate(NAMES):
        if abs(difference[i]) > 1e-9:
            p_value = 2.0 * student.sf(abs(difference[i]) / error[i], N_CHAINS - 1)
            assert p_value > FALSE_ALARM / len(NAMES), (
                f"{label}: explicit {mean_e[i]:.4f}, collapsed {mean_c[i]:.4f}, p {p_value:.1e}"
            )
    return np.asarray(0.5 * (mean_e + mean_c))


@pytest.mark.parametrize("kind", ["binary", "mixed"])
def test_neither_form_hangs_and_both_agree(kind: str) -> None:
    """Short chains, alpha 0.1; false alarms: FALSE_ALARM a case over all statistics."""
    means = check_forms_agree(MODELS["fixed alpha"], kind, f"quick {kind}", 150, 10)
    assert means[NAMES.index("splits on the driver")] > 1.0, "the driver does not drive"


@pytest.mark.parametrize("splitting", ["explicit", "collapsed"])
@pytest.mark.parametrize("alpha", [0.002, NAN])
def test_alpha_close_to_zero(
    splitting: str, alpha: float, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """All of s but one entry is below the smallest number; false alarms: FALSE_ALARM a case.

    A sampled alpha gets a prior that reaches below 1e-8, where sequences of ineligible draws are
    longer than any number: the shares of tiny alphas tell whether their length was cut off.
    """
    settings = {"alpha": alpha, "a": 0.3, "b": 1.0, "rho": 0.1, "beta": 0.8}
    model = Model(splitting=splitting, likelihood=False, **settings)  # type: ignore[arg-type]
    data = Data(matrix("mixed")[:16, :4])
    features = Features(model, data)
    expected, error = mean_and_error(features.of_prior(rng, 4_000))
    chain = make_chain(model, data, np.zeros(data.n), chain_seed)
    draws, alphas = [], []
    for state in thinned(chain, 4_000, 40):
        draws.append(features.of_chain(state))
        alphas.append(state.alpha)
    assert np.all(np.isfinite(draws))
    assert_means_agree(np.array(draws), expected, features.names, error)
    if features.samples_alpha:
        bounds = np.array([1e-4, 1e-3, 1e-2])  # of the share, whose distribution function is u^a
        shares = np.array(alphas)[:, None] / (np.array(alphas)[:, None] + model.rho)
        names = [f"alpha / (alpha + rho) below {bound}" for bound in bounds]
        assert_means_agree((shares < bounds).astype(float), bounds**model.a, names)


@pytest.mark.stat
@pytest.mark.parametrize("kind", ["binary", "mixed"])
@pytest.mark.parametrize("name", MODELS)
def test_forms_agree(kind: str, name: str) -> None:
    """Long chains; false alarms: FALSE_ALARM a case over all statistics."""
    check_forms_agree(MODELS[name], kind, f"{kind} {name}", 2_000, 20)


@pytest.mark.stat
@pytest.mark.parametrize("kind", ["binary", "mixed"])
@pytest.mark.parametrize("splitting", ["explicit", "collapsed"])
@pytest.mark.parametrize("alpha", [0.1, NAN])
def test_prior_of_fifty_columns(
    kind: str,
    splitting: str,
    alpha: float,
    rng: np.random.Generator,
    chain_seed: NDArray[np.uint64],
) -> None:
    """Without likelihood, against direct draws; false alarms: FALSE_ALARM a case."""
    # One tree, so that the stump is visited and s leaves its corner; larger trees by beta.
    model = Model(splitting=splitting, alpha=alpha, a=1.0, rho=2.0, beta=0.8, likelihood=False)
    data = Data(matrix(kind)[:30])
    features = Features(model, data)
    expected, error = mean_and_error(features.of_prior(rng, 15_000))
    chain = make_chain(model, data, np.zeros(data.n), chain_seed)
    draws = np.array([features.of_chain(state) for state in thinned(chain, 15_000, 20)])
    assert_means_agree(draws, expected, features.names, error)
