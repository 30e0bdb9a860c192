"""Compiled chains from reference models, and comparisons that know their false-alarm rate."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kstest
from scipy.stats import t as student

from bayesvc import _core
from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.trees import Data

# Rate of false alarms of one test (one set of parameters). Some 400 of them are random, so the
# whole suite raises one with probability below 1e-3; seeds are fixed, so the risk is run once.
FALSE_ALARM = 2e-6
N_BATCHES = 50


def seed_from(name: str) -> NDArray[np.uint64]:
    """Seed of a chain that follows from a name."""
    return np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype=np.uint64).copy()


def encoded(data: Data) -> Any:
    """The data as the compiled sampler reads them."""
    return _core.Columns(np.ascontiguousarray(data.X), **data.layout)


def chain_settings(model: Model, data: Data) -> Any:
    """Settings of the compiled sampler, every one of them set."""
    settings, p = _core.Settings(), data.p
    if np.any(data.row_weights != 1.0):
        settings.row_weights = data.row_weights
    for name in ("n_trees", "gamma", "beta", "min_samples_leaf", "moves", "nu"):
        setattr(settings, name, getattr(model, name))
    for name in (
        "leaf_sd",
        "learn_leaf_sd",
        "lambda_",
        "sigma",
        "offset",
        "splitting",
        "alpha",
        "a",
        "b",
    ):
        setattr(settings, name, getattr(model, name))
    settings.response = "probit" if model.binary else "student" if model.student else "gaussian"
    if model.intervals:
        settings.response = "interval-student" if model.student else "interval"
        settings.lower, settings.upper = np.array(model.intervals).T.copy()
    settings.leaf_sd_limit = model.leaf_sd_range[1]
    settings.rho = model.rho_for(p)
    settings.weights = model.base_measure(p)
    settings.likelihood = model.likelihood
    settings.precision = model.precision
    settings.kernel = "auto"
    return settings


def make_chain(model: Model, data: Data, y: NDArray[np.float64], seed: NDArray[np.uint64]) -> Any:
    """A compiled chain on the data of the reference."""
    assert data.min_samples_leaf == model.min_samples_leaf
    response = np.ascontiguousarray(y, dtype=np.float64)
    return _core.Chain(encoded(data), response, chain_settings(model, data), seed)


def fitting(model: Model, data: Data) -> Model:
    """The model with as many weights as there are variables."""
    return replace(model, weights=model.weights and model.weights[: data.p])


def batch_means(samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean of each column of a chain's draws, and its standard error from batch means."""
    length = len(samples) // N_BATCHES
    batches = samples[: length * N_BATCHES].reshape(N_BATCHES, length, -1).mean(axis=1)
    return batches.mean(axis=0), batches.std(axis=0, ddof=1) / np.sqrt(N_BATCHES)


def assert_means_agree(
    samples: NDArray[np.float64],
    expected: NDArray[np.float64],
    names: Sequence[str],
    expected_error: NDArray[np.float64] | float = 0.0,
) -> None:
    """t tests of the chain's means, Bonferroni-corrected to FALSE_ALARM over all columns.

    Columns of zeros and ones get at least the error of independent draws, so that a state the
    chain never visits is a deviation and not a division by zero.
    """
    mean, error = batch_means(np.asarray(samples, dtype=float))
    expected = np.asarray(expected, dtype=float)
    indicator = np.all((samples == 0.0) | (samples == 1.0), axis=0)
    iid_error = np.sqrt(np.clip(expected * (1.0 - expected), 0.0, None) / len(samples))
    error = np.where(indicator, np.maximum(error, iid_error), error)
    error = np.sqrt(error**2 + np.asarray(expected_error) ** 2)
    difference = mean - expected
    exact = np.abs(difference) < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(exact, 0.0, difference / error)
    p_values = 2.0 * student.sf(np.abs(z), N_BATCHES - 1)
    report = [
        f"{name}: chain {m:.5f}, expected {e:.5f}, z {score:+.1f}"
        for name, m, e, score, p in zip(names, mean, expected, z, p_values, strict=True)
        if not p > FALSE_ALARM / len(names)
    ]
    assert not report, "; ".join(report)


def assert_uniform(values: Sequence[float], what: str, comparisons: int = 1) -> None:
    """Kolmogorov-Smirnov test of uniformity at FALSE_ALARM over all ``comparisons``."""
    result = kstest(values, "uniform")
    assert result.pvalue > FALSE_ALARM / comparisons, (
        f"{what}: {len(values)} values are not uniform, distance {result.statistic:.3f}, "
        f"p {result.pvalue:.1e}"
    )


def randomised_position(
    rng: np.random.Generator, probabilities: NDArray[np.float64], taken: int
) -> float:
    """Uniform on (0, 1) if ``taken`` is drawn with these probabilities."""
    below = probabilities[:taken].sum()
    return float((below + rng.random() * probabilities[taken]) / probabilities.sum())


def thinned(chain: Any, n_kept: int, thin: int = 1, burn_in: int = 200) -> Iterator[Any]:
    """The chain after each ``thin`` sweeps."""
    chain.sweep(burn_in)
    for _ in range(n_kept):
        chain.sweep(thin)
        yield chain
