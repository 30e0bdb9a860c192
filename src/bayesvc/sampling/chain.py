"""Replicates by Markov chains: tasks, memory, and the way to `Draws`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._core import Columns, Control, SavedForests, Settings, fit
from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.dataset import Dataset, EncodedData, WeightedResponse
from bayesvc.data.rows import order_within
from bayesvc.draws.draws import Draws
from bayesvc.draws.tallies import Tallies, learned_traces
from bayesvc.priors.base import TreePrior
from bayesvc.priors.calibration import Calibration, core_settings, has_df
from bayesvc.responses.base import Response
from bayesvc.sampling.checkpoint import Checkpoint, chain_key, settings_to_dict
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.executor import Inputs, execute_each
from bayesvc.sampling.memory import check_run_memory
from bayesvc.sampling.replicates import Interrupted, PriorDraws, ReplicateCounts, join
from bayesvc.sampling.seeds import Role, chain_seed, random_words


@dataclass(frozen=True, eq=False)
class Permutation:
    """A random order of the rows, made anew whenever it is needed: many would fill the memory."""

    entropy: int
    role: Role
    number: int
    blocks: IntArray | None = None
    shifts: bool = False

    def apply(self, to: WeightedResponse) -> WeightedResponse:
        """Return response and weights in this order."""
        words = random_words(self.entropy, self.role, self.number, len(to.y))
        return to.take(order_within(words, self.blocks, self.shifts))


@dataclass(frozen=True, eq=False)
class ChainTask:
    """One chain to run: the scaled response, the settings, the seed and the length.

    Where the response is to be permuted, so are the row weights, which the settings then lack.
    """

    y: FloatArray
    settings: Settings
    seed: NDArray[np.uint64]
    chain: ChainConfig
    weights: FloatArray | None = None
    permutation: Permutation | None = None

    @property
    def n_iterations(self) -> int:
        """Burn-in and kept draws together."""
        return self.chain.n_iterations

    @property
    def needs_matrix(self) -> bool:
        """Return False: the encoded columns are enough."""
        return False

    def without_response(self) -> tuple[ChainTask, FloatArray]:
        """Return the task and, apart from it, the response that it shares with others."""
        return replace(self, y=np.zeros(0)), self.y

    def with_response(self, y: FloatArray) -> ChainTask:
        """Return the task with a response that was sent apart from it."""
        return replace(self, y=y)

    def arranged(self) -> tuple[FloatArray, Settings]:
        """Return the response and the settings, permuted if they are to be."""
        if self.permutation is None:
            return self.y, self.settings
        to = self.permutation.apply(WeightedResponse(self.y, self.weights))
        if to.weights is None:
            return to.y, self.settings
        return to.y, _settings_of({**settings_to_dict(self.settings), "row_weights": to.weights})

    def run(self, inputs: Inputs, control: Control) -> dict[str, Any]:
        """Run the chain."""
        chain = self.chain
        y, settings = self.arranged()
        return fit(
            inputs.columns,
            y,
            settings,
            self.seed,
            chain.burn_in,
            chain.n_draws,
            chain.keep_counts,
            chain.keep_s,
            chain.keep_trees,
            control,
            chain.keep_fitted,
        )

    def key(self, columns: Columns) -> str:
        """Return a fingerprint of all that the result depends on."""
        return chain_key(columns, *self.arranged(), self.seed, self.chain)

    def load(self, checkpoint: Checkpoint, key: str, columns: Columns) -> dict[str, Any] | None:
        """Return the result that a checkpoint holds, or None."""
        settings = self.settings
        learned = learned_traces(settings.learn_leaf_sd, has_df(settings.response))
        return checkpoint.find(key, columns.p, self.chain, learned)

    def pack(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the result with its trees as arrays."""
        forests = result["forests"]
        return {**result, "forests": None if forests is None else forests.to_arrays()}

    def unpack(self, packed: dict[str, Any]) -> dict[str, Any]:
        """Return the result that `pack` packed."""
        arrays = packed["forests"]
        return {
            **packed,
            "forests": None if arrays is None else SavedForests.from_arrays(arrays),
        }

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "settings": settings_to_dict(self.settings)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, settings=_settings_of(state["settings"]))


def _settings_of(parts: Mapping[str, Any]) -> Settings:
    """Return the settings that `settings_to_dict` took apart."""
    settings = Settings()
    for name, value in parts.items():
        setattr(settings, name, value)
    return settings


@dataclass(frozen=True, eq=False)
class Batch:
    """Chains of one prior, on the data or on permuted responses, and their tallies.

    `first` is the number of the first of them.
    """

    data: EncodedData
    prior: TreePrior
    calibration: Calibration
    permuted: bool
    tasks: list[ChainTask]
    tallies: Tallies
    first: int = 0


def calibrate(data: Dataset, prior: TreePrior, to: WeightedResponse, n_trees: int) -> Calibration:
    """Calibrate the prior to a response, which may be permuted."""
    response = data.y.model
    model = None
    if response.needs_linear_model(prior):
        model = data.linear_model_for(to.weights)
    return response.calibrate(prior, to.y, n_trees, linear_model=model, weights=to.weights)


def chain_tasks(
    to: WeightedResponse,
    prior: TreePrior,
    calibration: Calibration,
    n_features: int,
    config: SamplingConfig,
    role: Role,
    numbers: Iterable[int],
    *,
    response: Response,
) -> list[ChainTask]:
    """Return a chain on the response for each number."""
    y, bounds = response.sampled(to.y, calibration)
    settings = core_settings(prior, calibration, config.n_trees, n_features, to.weights, bounds)
    return [
        ChainTask(y, settings, chain_seed(config.entropy, role, number), config.chain)
        for number in numbers
    ]


def null_tasks(
    data: Dataset,
    prior: TreePrior,
    config: SamplingConfig,
    roles: tuple[Role, Role],
    numbers: Iterable[int],
) -> list[ChainTask]:
    """Return a chain on a permuted response for each number; `roles`: permutations and chains."""
    p, to, found = len(data.names), data.weighted_response, []
    sampled: tuple[FloatArray, dict[str, FloatArray]] | None = None
    for number in numbers:
        permutation = Permutation(config.entropy, roles[0], number, data.blocks, data.shifts)
        calibration = calibrate(data, prior, permutation.apply(to), config.n_trees)
        if sampled is None:  # the same for all, which have the same range
            sampled = data.y.model.sampled(to.y, calibration)
        y, bounds = sampled
        settings = core_settings(prior, calibration, config.n_trees, p, bounds=bounds)
        seed = chain_seed(config.entropy, roles[1], number)
        found.append(ChainTask(y, settings, seed, config.chain, to.weights, permutation))
    return found


def sample_replicates(
    data: EncodedData,
    prior: TreePrior,
    calibration: Calibration,
    numbers: range,
    config: SamplingConfig,
) -> Draws:
    """Run the replicates with the numbers given; each depends on its own number only."""
    batch = _replicate_batch(data, prior, calibration, numbers, config)
    run_batches([batch], config)
    return batch_draws(batch, config)


def sample_side_by_side(
    parts: Sequence[Dataset], prior: TreePrior, n_replicates: int, configs: Sequence[SamplingConfig]
) -> list[Draws]:
    """Run replicates of one prior on several data sets, each with a configuration of its own.

    The number of threads, the progress and the checkpoint are those of the first.
    """
    batches = []
    for data, config in zip(parts, configs, strict=True):
        calibration = calibrate(data, prior, data.weighted_response, config.n_trees)
        data.forget_linear_model()
        numbers = range(n_replicates)
        batches.append(_replicate_batch(data.encoded, prior, calibration, numbers, config))
    run_batches(batches, configs[0])
    return [batch_draws(batch, config) for batch, config in zip(batches, configs, strict=True)]


def sample_chains(
    data: Dataset,
    counts: Mapping[TreePrior, ReplicateCounts],
    config: SamplingConfig,
    known: Mapping[TreePrior, Draws] | None = None,
) -> dict[TreePrior, PriorDraws]:
    """Run all chains that the priors need on one set of threads.

    `known` holds the first replicates of priors, sampled before with the same configuration.

    Raises
    ------
    Interrupted
        In the place of KeyboardInterrupt, if there is a checkpoint.
    """
    known = {
        prior: draws.take(range(min(draws.n_replicates, counts[prior].n_replicates)))
        for prior, draws in (known or {}).items()
    }
    batches = [
        batch
        for prior, need in counts.items()
        for batch in _batches(data, prior, need, config, known.get(prior))
    ]
    data.forget_linear_model()
    run_batches(batches, config)
    found = {prior: PriorDraws(draws) for prior, draws in known.items()}
    for batch in batches:
        draws = batch_draws(batch, config)
        if batch.permuted:
            permuted = replace(draws, data_hash=data.permuted_hash, _encoded=None)
            found[batch.prior] = replace(found[batch.prior], permuted=permuted)
        else:
            first = known.get(batch.prior)
            found[batch.prior] = PriorDraws(draws if first is None else join(first, draws))
    return found


def _batches(
    data: Dataset,
    prior: TreePrior,
    need: ReplicateCounts,
    config: SamplingConfig,
    known: Draws | None,
) -> list[Batch]:
    calibration = None if known is None else known.calibration
    if calibration is None:
        calibration = calibrate(data, prior, data.weighted_response, config.n_trees)
    numbers = range(0 if known is None else known.n_replicates, need.n_replicates)
    found = []
    if numbers:
        found.append(_replicate_batch(data.encoded, prior, calibration, numbers, config))
    if need.n_permutations:
        roles = (Role.PERMUTATION, Role.NULL_REPLICATE)
        tasks = null_tasks(data, prior, config, roles, range(need.n_permutations))
        tallies = _tallies(len(tasks), len(data.names), config.chain, prior, calibration)
        found.append(Batch(data.encoded, prior, calibration, True, tasks, tallies))
    return found


def _replicate_batch(
    data: EncodedData,
    prior: TreePrior,
    calibration: Calibration,
    numbers: range,
    config: SamplingConfig,
) -> Batch:
    p = data.columns.p
    tasks = chain_tasks(
        data.weighted_response, prior, calibration, p, config, Role.REPLICATE, numbers,
        response=data.y.model,
    )  # fmt: skip
    tallies = _tallies(len(tasks), p, config.chain, prior, calibration)
    return Batch(data, prior, calibration, False, tasks, tallies, numbers.start)


def _tallies(
    n: int, n_features: int, chain: ChainConfig, prior: TreePrior, calibration: Calibration
) -> Tallies:
    return Tallies(
        n,
        n_features,
        chain.n_draws,
        sigma_unit=calibration.y_range,
        keep_counts=chain.keep_counts,
        keep_s=chain.keep_s,
        keep_trees=chain.keep_trees,
        learned=learned_traces(prior.learns_k, calibration.learns_df),
    )


def run_batches(batches: Sequence[Batch], config: SamplingConfig) -> None:
    """Run the chains of all batches, and fill their tallies."""
    places = [(batch, i) for batch in batches for i in range(len(batch.tasks))]
    done: set[int] = set()

    def store(number: int, result: dict[str, Any]) -> None:
        batch, i = places[number]
        batch.tallies.store(i, result)
        done.add(number)

    try:
        execute_each([(batch.data, batch.tasks[i]) for batch, i in places], store, config)
    except KeyboardInterrupt:
        if config.checkpoint is None:
            raise
        raise Interrupted(_finished(batches, [n in done for n in range(len(places))])) from None


def _finished(batches: Sequence[Batch], done: list[bool]) -> dict[TreePrior, ReplicateCounts]:
    """Return how many chains of each prior were finished before the first unfinished one."""
    found: dict[TreePrior, ReplicateCounts] = {}
    first = 0
    for batch in batches:
        mine = done[first : first + len(batch.tasks)]
        first += len(mine)
        number = batch.first + [*mine, False].index(False)
        own = ReplicateCounts(0, number) if batch.permuted else ReplicateCounts(number, 0)
        found[batch.prior] = own.covering(found.get(batch.prior))
    return found


def batch_draws(batch: Batch, config: SamplingConfig) -> Draws:
    """Return what the chains of a batch left behind."""
    data = batch.data
    return Draws(
        **batch.tallies.contents(),
        prior=batch.prior,
        n_trees=config.n_trees,
        burn_in=config.chain.burn_in,
        n_draws=config.chain.n_draws,
        response=data.y.response,
        classes=data.y.classes,
        random_state=config.entropy,
        feature_names=data.names,
        n_rows=data.columns.n,
        data_hash=data.data_hash,
        calibration=batch.calibration,
        schema=data.schema,
        _encoded=data,
    )


def check_chains(
    data: Dataset, prior: TreePrior, need: ReplicateCounts, config: SamplingConfig
) -> None:
    """Raise an error if the prior does not fit the data, or the run does not fit into memory."""
    check_prior_fits_data(prior, data)
    what, n_chains = f"n_replicates={need.n_replicates}", need.n_replicates
    if need.n_permutations:
        what += f" and n_permutations={need.n_permutations}"
        n_chains += need.n_permutations
    check_run_memory(what, n_chains, config, data.shape, prior)


def check_prior_fits_data(prior: TreePrior, data: Dataset) -> None:
    """Raise ValueError if settings of the prior are not compatible with the data."""
    weights, (n, p) = prior.split_weights, data.shape
    if weights is not None and len(weights) != p:
        what = "variable" if data.schema.groups else "column"
        raise ValueError(
            f"`split_weights` must have one number per {what} of X, {p}. Got {len(weights)} "
            "instead."
        )
    if 2 * prior.min_samples_leaf > n:
        raise ValueError(
            f"`min_samples_leaf` must be at most {n // 2}, half the number of rows. Got "
            f"{prior.min_samples_leaf} instead."
        )
    data.y.model.check_prior(prior)
