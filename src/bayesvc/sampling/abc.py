"""Approximate Bayesian computation under the spike-and-forest prior."""

from __future__ import annotations

import heapq
import math
import threading
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bayesvc._core import AbcSampler, Columns, Control
from bayesvc._typing import FloatArray
from bayesvc._validation import check_memory
from bayesvc.data.column_layout import PLAIN, ColumnLayout
from bayesvc.data.dataset import Dataset
from bayesvc.draws.draws import Draws
from bayesvc.draws.tallies import Tallies, tally_layout
from bayesvc.priors.base import TreePrior
from bayesvc.priors.calibration import (
    Calibration,
    check_sigma_prior,
    core_settings,
    round12,
    scaled_sigma,
)
from bayesvc.priors.spike_forest import AbcRecord, SpikeForest
from bayesvc.responses.base import EncodedResponse
from bayesvc.sampling.chain import check_prior_fits_data
from bayesvc.sampling.checkpoint import Checkpoint
from bayesvc.sampling.config import SamplingConfig
from bayesvc.sampling.executor import Inputs, execute
from bayesvc.sampling.memory import check_forest_memory
from bayesvc.sampling.replicates import NullMeasures, PriorDraws, ReplicateCounts
from bayesvc.sampling.seeds import Role, chain_seed, random_words

# Large enough that a task is worth sending, small enough that a cluster has many.
_SAMPLES_PER_TASK = 25
_SAMPLE_BYTES = 200  # of a seed and of what is recorded of each sample, kept or not

_PER_VARIABLE = (
    "vc",
    "vip",
    "vip_of_sums",
    "mpvip",
    "mi",
    "count_half_sums",
    "count_half_squares",
    "count_batch_squares",
)


def sample_abc(
    data: Dataset,
    prior: TreePrior,
    need: ReplicateCounts,
    config: SamplingConfig,
    null_measures: NullMeasures,
) -> PriorDraws:
    """Sample the data, and each permuted response, of which only the measures are kept."""
    prior = cast(SpikeForest, prior)
    draws = abc_draws(data, prior, config)
    if not need.n_permutations:
        return PriorDraws(draws)
    null: dict[str, list[FloatArray]] = {name: [] for name in null_measures}
    for number in range(need.n_permutations):
        permuted = abc_draws(data, prior, config, permutation=number)
        for name, measure in null_measures.items():
            null[name].append(measure(permuted))
    return PriorDraws(draws, null_values={name: np.array(rows) for name, rows in null.items()})


def abc_draws(
    data: Dataset, prior: SpikeForest, config: SamplingConfig, *, permutation: int | None = None
) -> Draws:
    """Sample the data, or a permutation of their response."""
    y, role, first = data.y, Role.ABC_SAMPLE, 0
    if permutation is not None:
        words = random_words(config.entropy, Role.PERMUTATION, permutation, data.n_rows)
        y = replace(y, values=data.permuted(words).y)
        role, first = Role.NULL_ABC_SAMPLE, permutation * prior.n_samples
    seeds = [chain_seed(config.entropy, role, first + i) for i in range(prior.n_samples)]
    kept = _run_samples(prior, data, y, seeds, config)
    return Draws(
        **_tallied(kept.results(), len(data.names)),
        abc=kept.record(),
        prior=prior,
        n_trees=config.n_trees,
        burn_in=prior.burn_in,
        n_draws=1,
        response=data.y.response,
        classes=data.y.classes,
        random_state=config.entropy,
        feature_names=data.names,
        n_rows=data.n_rows,
        data_hash=data.encoded.data_hash if permutation is None else data.permuted_hash,
        calibration=None,
        schema=data.encoded.schema,
    )


def _run_samples(
    prior: SpikeForest,
    data: Dataset,
    y: EncodedResponse,
    seeds: list[NDArray[np.uint64]],
    config: SamplingConfig,
) -> Kept:
    """Draw a sample for each seed."""
    kept = Kept(prior)
    # handing over a task takes a good part of the time of a sample
    size = min(_SAMPLES_PER_TASK, max(1, len(seeds) // (4 * config.n_jobs)))
    job = AbcJob(prior, y, config.n_trees)
    tasks = [AbcTask(job, seeds[i : i + size]) for i in range(0, len(seeds), size)]

    def store(number: int, results: list[dict[str, Any]]) -> None:
        for i, result in enumerate(results):
            kept.store(number * size + i, result)

    execute(data.encoded, tasks, store, config)
    kept.check()
    return kept


@dataclass(eq=False)
class AbcJob:
    """What all samples of one response share; in each process they share a compiled sampler."""

    prior: SpikeForest
    y: EncodedResponse
    n_trees: int
    _sampler: AbcSampler | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sampler(self, inputs: Inputs) -> AbcSampler:
        """Return the compiled sampler, which draws one sample for each seed."""
        with self._lock:
            if self._sampler is None:
                self._sampler = abc_sampler(
                    self.prior, inputs.columns, inputs.values(), self.y, self.n_trees, inputs.layout
                )
            return self._sampler

    def __reduce__(self) -> tuple[Any, ...]:
        return AbcJob, (self.prior, self.y, self.n_trees)


@dataclass(frozen=True, eq=False)
class AbcTask:
    """Some of the samples."""

    job: AbcJob
    seeds: list[NDArray[np.uint64]]

    @property
    def n_iterations(self) -> int:
        """Burn-in and one draw of each sample."""
        return len(self.seeds) * (self.job.prior.burn_in + 1)

    @property
    def needs_matrix(self) -> bool:
        """Return True: each sample has a linear model of its own."""
        return True

    def without_response(self) -> tuple[AbcTask, None]:
        """Return the task with its response."""
        return self, None

    def with_response(self, y: FloatArray) -> AbcTask:
        """Return the task, which has its response."""
        return self

    def run(self, inputs: Inputs, control: Control) -> list[dict[str, Any]]:
        """Draw the samples."""
        sampler = self.job.sampler(inputs)
        return [sampler.sample(seed, control) for seed in self.seeds]

    def key(self, columns: Columns) -> None:
        """Return None: samples are too short to be worth keeping one by one."""
        return

    def load(self, checkpoint: Checkpoint, key: str, columns: Columns) -> None:
        """Return None: no checkpoint holds samples."""
        return

    def pack(self, result: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the result, which can be sent as it is."""
        return result

    def unpack(self, packed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the result, which was sent as it is."""
        return packed


def abc_sampler(
    prior: SpikeForest,
    columns: Columns,
    X: FloatArray,
    y: EncodedResponse,
    n_trees: int,
    layout: ColumnLayout = PLAIN,
) -> AbcSampler:
    """Return the compiled sampler, which draws one sample for each seed."""
    from scipy.special import chdtri

    n_train = prior.n_train_rows(columns.n)
    # the parts of the calibration that depend on y are found anew for each sample
    calibration = Calibration(y.model.compiled, y.model.leaf_sd(prior, n_trees))
    quantile = check_sigma_prior(prior, float(chdtri(prior.nu, prior.q)))
    return AbcSampler(
        columns=columns,
        X=layout.design(X),
        design=layout.design_columns(X),
        y=y.values,
        settings=core_settings(prior, calibration, n_trees, columns.p),
        burn_in=prior.burn_in,
        n_train=n_train,
        a0=prior.a0,
        b0=prior.b0,
        sigma_hat=prior.sigma_hat if isinstance(prior.sigma_hat, float) else math.nan,
        corrected=prior.sigma_hat != "lm-uncorrected",
        lambda_unit=round12(quantile / prior.nu),
        offsets=y.model.offsets_by_count(n_train),
    )


class Kept:
    """The samples of smallest discrepancy so far, whatever order they come in."""

    def __init__(self, prior: SpikeForest) -> None:
        self._prior = prior
        self._discrepancy = np.empty(prior.n_samples)
        self._subset_size = np.empty(prior.n_samples, dtype=np.int64)
        self._seconds = np.empty(prior.n_samples)
        self._most = prior.n_kept if prior.epsilon is None else prior.n_samples
        # the worst first: the largest discrepancy, and of equal ones the latest
        self._heap: list[tuple[float, int, dict[str, Any]]] = []
        self._lock = threading.Lock()

    def store(self, i: int, result: dict[str, Any]) -> None:
        """Take note of sample `i`, and keep it if it is close enough."""
        discrepancy = result["discrepancy"]
        self._discrepancy[i] = discrepancy
        self._subset_size[i] = len(result["subset"])
        self._seconds[i] = result["seconds"]
        if self._prior.epsilon is not None and discrepancy > self._prior.epsilon:
            return
        with self._lock:
            heapq.heappush(self._heap, (-discrepancy, -i, result))
            if len(self._heap) > self._most:
                heapq.heappop(self._heap)

    def check(self) -> None:
        """Raise ValueError if no sample was close enough."""
        if not self._heap:
            raise ValueError(
                "`epsilon` must be at least the smallest discrepancy of the "
                f"{self._prior.n_samples} samples, {self._discrepancy.min():.6g}. Got "
                f"{self._prior.epsilon!r} instead. Pass None to keep the fraction "
                f"keep={self._prior.keep!r} of the samples."
            )

    def results(self) -> list[dict[str, Any]]:
        """Return what the compiled sampler told of the kept samples, in their order."""
        return [result for _, _, result in sorted(self._heap, key=lambda item: -item[1])]

    def record(self) -> AbcRecord:
        """Return the discrepancies and the kept samples' numbers."""
        kept = np.array(sorted(-i for _, i, _ in self._heap), dtype=np.int64)
        seconds = float(self._seconds.sum())
        return AbcRecord(self._discrepancy, kept, self._subset_size, seconds)


def _tallied(results: list[dict[str, Any]], n_features: int) -> dict[str, Any]:
    """Return the tallies of the kept samples by their names in `Draws`."""
    tallies = Tallies(len(results), n_features, 1, sigma_unit=1.0)
    layout = tally_layout(n_features, 1)
    for r, result in enumerate(results):
        wide: dict[str, NDArray[Any]] = {}
        for name in _PER_VARIABLE:
            shape, dtype = layout[name]
            wide[name] = np.zeros(shape, dtype)
            wide[name][..., result["subset"]] = result[name]
        tallies.store(r, {**result, **wide})
    return tallies.contents()


def check_abc(
    data: Dataset, prior: TreePrior, need: ReplicateCounts, config: SamplingConfig
) -> None:
    """Raise an error if the prior does not fit the data, or the run does not fit into memory."""
    check_samples_fit_data(cast(SpikeForest, prior), data)
    check_forest_memory(config.n_trees, data.n_rows)


def check_samples_fit_data(prior: SpikeForest, data: Dataset) -> None:
    """Raise an error if settings of the prior are not compatible with the data."""
    n, p = data.shape
    if n < 3:
        raise ValueError(
            f"`X` must have at least 3 rows for prior=SpikeForest: 2 to fit to and 1 to hold out. "
            f"Got {n} rows instead. Pass more rows, or another prior."
        )
    n_train = prior.n_train_rows(n)
    if 2 * prior.min_samples_leaf > n_train:
        raise ValueError(
            f"`min_samples_leaf` must be at most {n_train // 2}, half of the {n_train} of {n} rows "
            f"that train_fraction={prior.train_fraction!r} gives to each forest. Got "
            f"{prior.min_samples_leaf} instead."
        )
    check_prior_fits_data(prior, data)
    if data.y.model.has_noise_variance:
        for name in ("sigma", "sigma_hat"):
            if isinstance(value := getattr(prior, name), float):
                scaled_sigma(name, value, float(np.ptp(data.y.values)))
    if prior.epsilon is None:
        remedy = "use a smaller keep or n_samples"
        check_memory(f"keep={prior.keep!r}", (prior.n_kept, p), 8 * 10, remedy)
    what = f"n_samples={prior.n_samples}"
    check_memory(what, (prior.n_samples,), _SAMPLE_BYTES, "use fewer", items="samples")
