"""One set of fits for many methods: replicates and permuted fits of several priors, in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.data.dataset import (
    Dataset,
    WeightedResponse,
    check_forest_memory,
    check_permuted_memory,
    check_prior_fits_data,
)
from bayesvc.draws.draws import Draws
from bayesvc.measures import MEASURES, Measure
from bayesvc.priors.base import Calibration, TreePrior
from bayesvc.priors.spike_forest import SpikeForest
from bayesvc.sampling.abc import abc_draws, check_abc
from bayesvc.sampling.checkpoint import Checkpoint
from bayesvc.sampling.executor import (
    ROLE_FIT,
    ROLE_PERMUTED_FIT,
    ChainConfig,
    FitTask,
    fit_seed,
    run_fits,
)
from bayesvc.sampling.progress import ProgressCallback
from bayesvc.sampling.sample import Tallies, check_run_memory, draws_of, fits_to


@dataclass(frozen=True)
class ReplicateCounts:
    """How many fits a prior needs, to the data and to permuted responses."""

    n_replicates: int
    n_permutations: int

    def both(self, other: ReplicateCounts | None) -> ReplicateCounts:
        """Return what serves both."""
        if other is None:
            return self
        return ReplicateCounts(
            max(self.n_replicates, other.n_replicates),
            max(self.n_permutations, other.n_permutations),
        )


class Interrupted(KeyboardInterrupt):
    """Stopped by the user; `finished` tells how many fits of each prior the checkpoint holds."""

    def __init__(self, finished: Mapping[TreePrior, ReplicateCounts]) -> None:
        super().__init__()
        self.finished = finished


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits of one prior to the data, and to permuted responses (a replicate each).

    Under `SpikeForest` a permuted response takes all its samples; `null_scores` then holds, by
    measure, what the kept ones amount to.
    """

    draws: Draws
    permuted: Draws | None = None
    null_scores: Mapping[str, FloatArray] | None = None

    def first(self, n_replicates: int) -> Draws:
        """Return the first replicates; each depends on its own number only."""
        if self.draws.abc is not None:
            return self.draws
        return self.draws.take(range(n_replicates))

    def null(self, measure: Measure, n_permutations: int) -> FloatArray | None:
        """Return the measure in the first permuted fits: (n_permutations, n_features)."""
        if n_permutations == 0:
            return None
        if self.null_scores is not None:
            return self.null_scores[measure.name][:n_permutations]
        assert self.permuted is not None
        return measure.per_fit(self.permuted)[:n_permutations]


def sample_fits(
    data: Dataset,
    needs: Mapping[TreePrior, ReplicateCounts],
    *,
    n_trees: int,
    length: ChainConfig,
    entropy: int,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
    checkpoint: Checkpoint | None = None,
) -> dict[TreePrior, Fits]:
    """Run all fits that are needed; those of BART and DART on one set of threads.

    Raises
    ------
    Interrupted
        In the place of KeyboardInterrupt, if there is a checkpoint.
    """
    for prior, need in needs.items():
        if isinstance(prior, SpikeForest):
            check_abc(prior, data)
            check_forest_memory(n_trees, data.n_rows)
        else:
            check_prior_fits_data(prior, data)
            what, n_fits = f"n_replicates={need.n_replicates}", need.n_replicates
            if need.n_permutations:
                what += f" and n_permutations={need.n_permutations}"
                n_fits += need.n_permutations
                own = f"n_permutations={need.n_permutations}"
                check_permuted_memory(own, need.n_permutations, data, "use fewer")
            check_run_memory(what, n_fits, length, n_trees, data.shape)
    batches = [
        batch
        for prior, need in needs.items()
        if not isinstance(prior, SpikeForest)
        for batch in _batches(data, prior, need, n_trees, length, entropy)
    ]
    data.forget_linear_model()
    _run_batches(data, batches, length, n_jobs, progress, checkpoint)
    found: dict[TreePrior, Fits] = {}
    for batch in batches:
        draws = draws_of(
            batch.tallies, data.problem, batch.prior, batch.calibration, n_trees, length, entropy
        )
        if batch.permuted:
            permuted = replace(draws, data_hash=data.permuted_hash, _problem=None)
            found[batch.prior] = replace(found[batch.prior], permuted=permuted)
        else:
            found[batch.prior] = Fits(draws)
    for prior, need in needs.items():
        if isinstance(prior, SpikeForest):
            found[prior] = _abc_fits(
                data, prior, need, n_trees, entropy, n_jobs=n_jobs, progress=progress
            )
    return found


def _abc_fits(
    data: Dataset, prior: SpikeForest, need: ReplicateCounts, n_trees: int, entropy: int, **how: Any
) -> Fits:
    draws = abc_draws(data, prior, n_trees, entropy, **how)
    if not need.n_permutations:
        return Fits(draws)
    null: dict[str, list[FloatArray]] = {
        name: []
        for name, measure in MEASURES.items()
        if measure.shape == "scores" and "abc" in measure.priors
    }
    for number in range(need.n_permutations):
        permuted = abc_draws(data, prior, n_trees, entropy, permutation=number, **how)
        for name, rows in null.items():
            rows.append(MEASURES[name].compute(permuted))
    return Fits(draws, null_scores={name: np.array(rows) for name, rows in null.items()})


@dataclass(frozen=True, eq=False)
class _Batch:
    permuted: bool
    prior: TreePrior
    calibration: Calibration
    fits: list[FitTask]
    tallies: Tallies


def _run_batches(
    data: Dataset,
    batches: list[_Batch],
    length: ChainConfig,
    n_jobs: int,
    progress: bool | ProgressCallback | None,
    checkpoint: Checkpoint | None,
) -> None:
    places = [(batch, i) for batch in batches for i in range(len(batch.fits))]
    done: set[int] = set()

    def store(number: int, result: dict[str, Any]) -> None:
        batch, i = places[number]
        batch.tallies.store(i, result)
        done.add(number)

    if not places:
        return
    fits = [batch.fits[i] for batch, i in places]
    try:
        run_fits(
            data.problem.columns, fits, length, store, n_jobs=n_jobs, progress=progress,
            X=data.values, layout=data.layout, checkpoint=checkpoint,
        )  # fmt: skip
    except KeyboardInterrupt:
        if checkpoint is None:
            raise
        raise Interrupted(_finished(batches, [n in done for n in range(len(places))])) from None


def _finished(batches: list[_Batch], done: list[bool]) -> dict[TreePrior, ReplicateCounts]:
    """Return how many fits of each prior were finished without a gap."""
    found: dict[TreePrior, ReplicateCounts] = {}
    first = 0
    for batch in batches:
        mine = done[first : first + len(batch.fits)]
        first += len(mine)
        number = [*mine, False].index(False)
        before = found.get(batch.prior, ReplicateCounts(0, 0))
        own = ReplicateCounts(0, number) if batch.permuted else ReplicateCounts(number, 0)
        found[batch.prior] = own.both(before)
    return found


def _batches(
    data: Dataset,
    prior: TreePrior,
    need: ReplicateCounts,
    n_trees: int,
    length: ChainConfig,
    entropy: int,
) -> list[_Batch]:
    p = len(data.names)
    calibration = data.calibration(prior, data.arranged, n_trees)

    def fits(to: WeightedResponse, own: Calibration, role: int, numbers: range) -> list[FitTask]:
        seeds = [fit_seed(entropy, role, number) for number in numbers]
        return fits_to(to, prior, own, n_trees, p, seeds)

    def batch(permuted: bool, its_fits: list[FitTask]) -> _Batch:
        tallies = Tallies(len(its_fits), p, length, sigma_unit=calibration.y_range)
        return _Batch(permuted, prior, calibration, its_fits, tallies)

    found = [batch(False, fits(data.arranged, calibration, ROLE_FIT, range(need.n_replicates)))]
    if need.n_permutations:
        permuted: list[FitTask] = []
        for number in range(need.n_permutations):
            to = data.permuted(entropy, number)
            own = data.calibration(prior, to, n_trees)
            permuted += fits(to, own, ROLE_PERMUTED_FIT, range(number, number + 1))
        found.append(batch(True, permuted))
    return found
