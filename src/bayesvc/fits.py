"""One set of fits for many methods: replicates and permuted fits of several priors, in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc.draws import Draws
from bayesvc.encode import data_hash, encode_X, encode_y
from bayesvc.measures import Measure
from bayesvc.priors import Calibration, TreePrior, calibrate, core_settings, needs_linear_model
from bayesvc.progress import ProgressCallback
from bayesvc.sampling import (
    ROLE_FIT,
    ROLE_PERMUTATION,
    ROLE_PERMUTED_FIT,
    Fit,
    Length,
    Problem,
    Tallies,
    check_prior_fits_data,
    draws_of,
    fit_seed,
    interruptible,
    run_fits,
)

FloatArray = NDArray[np.float64]


class Data:
    """Encoded data, and what fits to every arrangement of the response share."""

    def __init__(self, X: Any, y: Any, response: str) -> None:
        encoded = encode_X(X)
        self.values = encoded.values
        self.names = encoded.names
        self.y = encode_y(y, response, n_rows=len(encoded.values))

    @property
    def binary(self) -> bool:
        """Whether the response has two classes."""
        return self.y.response == "binary"

    @cached_property
    def problem(self) -> Problem:
        """The data as the sampler reads them."""
        columns = interruptible(lambda: _core.Columns(self.values, keep_values=False))
        return Problem(columns, self.names, self.y, data_hash(columns, self.y.values))

    @cached_property
    def linear_model(self) -> _core.LinearModel:
        """The full linear model, whose residuals tell sigma_hat of any response."""
        return interruptible(lambda: _core.LinearModel(self.values))

    def calibration(self, prior: TreePrior, y: FloatArray, n_trees: int) -> Calibration:
        """Calibrate the prior to y, which may be permuted."""
        needed = needs_linear_model(prior, binary=self.binary)
        model = self.linear_model if needed else None
        return calibrate(prior, y, n_trees, binary=self.binary, linear_model=model)

    def permuted(self, entropy: int, number: int) -> FloatArray:
        """Return the response in the order of permutation `number`.

        By sorting the words of a seed sequence: these are the same in every version of numpy.
        """
        sequence = np.random.SeedSequence(entropy, spawn_key=(ROLE_PERMUTATION, number))
        order = np.argsort(sequence.generate_state(len(self.y.values), np.uint64), kind="stable")
        return self.y.values[order]


@dataclass(frozen=True)
class Need:
    """How many fits a prior needs, to the data and to permuted responses."""

    n_replicates: int
    n_permutations: int

    def both(self, other: Need | None) -> Need:
        """Return what serves both."""
        if other is None:
            return self
        return Need(
            max(self.n_replicates, other.n_replicates),
            max(self.n_permutations, other.n_permutations),
        )


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits of one prior to the data, and to permuted responses (a replicate each)."""

    draws: Draws
    permuted: Draws | None

    def first(self, n_replicates: int) -> Draws:
        """Return the first replicates; each depends on its own number only."""
        return self.draws.take(range(n_replicates))

    def null(self, measure: Measure, n_permutations: int) -> FloatArray | None:
        """Return the measure in the first permuted fits: (n_permutations, n_features)."""
        if n_permutations == 0:
            return None
        assert self.permuted is not None
        return measure.per_fit(self.permuted)[:n_permutations]


def sample_fits(
    data: Data,
    needs: Mapping[TreePrior, Need],
    *,
    n_trees: int,
    length: Length,
    entropy: int,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
) -> dict[TreePrior, Fits]:
    """Run all fits that are needed on one set of threads."""
    for prior in needs:
        check_prior_fits_data(prior, *data.values.shape, binary=data.binary)
    batches = [
        batch
        for prior, need in needs.items()
        for batch in _batches(data, prior, need, n_trees, length, entropy)
    ]
    places = [(batch, i) for batch in batches for i in range(len(batch.fits))]

    def store(number: int, result: dict[str, Any]) -> None:
        batch, i = places[number]
        batch.tallies.store(i, result)

    fits = [batch.fits[i] for batch, i in places]
    run_fits(data.problem.columns, fits, length, store, n_jobs=n_jobs, progress=progress)
    found: dict[TreePrior, dict[str, Draws]] = {}
    for batch in batches:
        draws = draws_of(
            batch.tallies, data.problem, batch.prior, batch.calibration, n_trees, length, entropy
        )
        found.setdefault(batch.prior, {})[batch.role] = draws
    return {prior: Fits(by["data"], by.get("permuted")) for prior, by in found.items()}


@dataclass(frozen=True, eq=False)
class _Batch:
    role: str
    prior: TreePrior
    calibration: Calibration
    fits: list[Fit]
    tallies: Tallies


def _batches(
    data: Data, prior: TreePrior, need: Need, n_trees: int, length: Length, entropy: int
) -> list[_Batch]:
    p = len(data.names)
    calibration = data.calibration(prior, data.y.values, n_trees)

    def fit(y: FloatArray, own: Calibration, role: int, number: int) -> Fit:
        settings = core_settings(prior, own, n_trees, p)
        return Fit(own.scale(y), settings, fit_seed(entropy, role, number))

    def batch(role: str, fits: list[Fit]) -> _Batch:
        tallies = Tallies(len(fits), p, length, sigma_unit=calibration.y_range)
        return _Batch(role, prior, calibration, fits, tallies)

    replicates = range(need.n_replicates)
    found = [
        batch("data", [fit(data.y.values, calibration, ROLE_FIT, r) for r in replicates]),
    ]
    if need.n_permutations:
        fits = []
        for number in range(need.n_permutations):
            y = data.permuted(entropy, number)
            own = data.calibration(prior, y, n_trees)
            fits.append(fit(y, own, ROLE_PERMUTED_FIT, number))
        found.append(batch("permuted", fits))
    return found
