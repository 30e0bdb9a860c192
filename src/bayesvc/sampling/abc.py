"""Approximate Bayesian computation under the spike-and-forest prior: the sampling."""

from __future__ import annotations

import dataclasses
import heapq
import math
import threading
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc._validation import (
    check_integer,
    check_memory,
    resolve_n_jobs,
    resolve_random_state,
)
from bayesvc.data.column_layout import PLAIN, ColumnLayout
from bayesvc.data.dataset import Dataset, check_forest_memory, check_prior_fits_data
from bayesvc.data.schema import Groups
from bayesvc.draws.draws import Draws, tally_layout
from bayesvc.priors.base import (
    Calibration,
    check_sigma_prior,
    core_settings,
    prior_leaf_sd,
    round12,
    scaled_sigma,
)
from bayesvc.priors.spike_forest import AbcRecord, SpikeForest
from bayesvc.responses.encode import EncodedY
from bayesvc.sampling import joblib_backend as cluster
from bayesvc.sampling.executor import ROLE_ABC, ROLE_PERMUTED_ABC, ChainConfig, fit_seed, run_tasks
from bayesvc.sampling.progress import Progress, ProgressCallback, check_progress
from bayesvc.sampling.sample import Tallies

# Large enough that a task is worth sending, small enough that a cluster has many.
_SAMPLES_PER_TASK = 25
_SAMPLE_BYTES = 200  # of a seed and of what is recorded of each sample, kept or not

_PER_VARIABLE = (
    "vc", "vip", "vip_of_sums", "mpvip", "mi",
    "count_half_sums", "count_half_squares", "count_batch_squares",
)  # fmt: skip


def sample_abc(
    X: Any,
    y: Any,
    prior: SpikeForest,
    n_trees: int,
    burn_in: int | None,
    random_state: Any,
    n_jobs: int | None,
    progress: bool | ProgressCallback | None,
    *,
    response: Literal["auto", "continuous", "binary"],
    groups: Groups | None = None,
) -> Draws:
    """Sample under the spike-and-forest prior; see `sample` for the arguments."""
    n_trees = check_integer("n_trees", n_trees, 1)
    if burn_in is not None:
        prior = dataclasses.replace(prior, burn_in=check_integer("burn_in", burn_in, 0))
    threads = resolve_n_jobs(n_jobs)
    check_progress(progress)
    entropy = resolve_random_state(random_state)
    data = Dataset(X, y, response, groups=groups)
    check_forest_memory(n_trees, data.n_rows)
    return abc_draws(data, prior, n_trees, entropy, n_jobs=threads, progress=progress)


def abc_draws(
    data: Dataset,
    prior: SpikeForest,
    n_trees: int,
    entropy: int,
    *,
    permutation: int | None = None,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
) -> Draws:
    """Sample encoded data, or a permutation of their response; see `sample_abc`."""
    check_abc(prior, data)
    y, role, first = data.y, ROLE_ABC, 0
    if permutation is not None:
        y = dataclasses.replace(y, values=data.permuted(entropy, permutation).y)
        role, first = ROLE_PERMUTED_ABC, permutation * prior.n_samples
    seeds = [fit_seed(entropy, role, first + i) for i in range(prior.n_samples)]
    kept = run_samples(prior, data, y, n_trees, seeds, n_jobs=n_jobs, progress=progress)
    return Draws(
        **_tallied(kept.results(), len(data.names), prior),
        abc=kept.record(),
        prior=prior,
        n_trees=n_trees,
        burn_in=prior.burn_in,
        n_draws=1,
        response=data.y.response,
        classes=data.y.classes,
        random_state=entropy,
        feature_names=data.names,
        n_rows=data.n_rows,
        data_hash=data.problem.data_hash if permutation is None else data.permuted_hash,
        calibration=None,
        schema=data.problem.schema,
    )


def n_train_rows(prior: SpikeForest, n_rows: int) -> int:
    """Return how many of the rows each forest is fitted to."""
    return min(max(round(prior.train_fraction * n_rows), 2), n_rows - 1)


def n_kept(prior: SpikeForest) -> int:
    """Return how many samples the share `keep` leaves."""
    return max(1, round(prior.keep * prior.n_samples))


def abc_sampler(
    prior: SpikeForest,
    columns: _core.Columns,
    X: NDArray[np.float64],
    y: EncodedY,
    n_trees: int,
    layout: ColumnLayout = PLAIN,
) -> _core.AbcSampler:
    """Return the compiled sampler, which draws one sample for each seed."""
    from scipy.special import chdtri, ndtri

    binary = y.response == "binary"
    n_train = n_train_rows(prior, columns.n)
    leaf_sd = prior_leaf_sd(prior, n_trees, binary=binary)
    # the parts of the calibration that depend on y are found anew for each sample
    calibration = Calibration(0.0, 1.0, leaf_sd, 1.0, 0.0, None, "single", binary)
    quantile = check_sigma_prior(prior, float(chdtri(prior.nu, prior.q)))
    offsets = np.zeros(0)
    if binary:
        # half an observation away from 0 and 1, where the offset would be infinite
        shares = np.clip(np.arange(n_train + 1) / n_train, 0.5 / n_train, 1 - 0.5 / n_train)
        offsets = np.array([round12(float(offset)) for offset in ndtri(shares)])
    return _core.AbcSampler(
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
        offsets=offsets,
    )


def run_samples(
    prior: SpikeForest,
    data: Dataset,
    y: EncodedY,
    n_trees: int,
    seeds: list[NDArray[np.uint64]],
    *,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
) -> Kept:
    """Draw a sample for each seed, on threads or where joblib sends them."""
    kept = Kept(prior)
    report = Progress(progress, total=len(seeds) * (prior.burn_in + 1))
    # handing over a task takes a good part of the time of a sample
    size = min(_SAMPLES_PER_TASK, max(1, len(seeds) // (4 * n_jobs)))
    parts = [seeds[i : i + size] for i in range(0, len(seeds), size)]

    def store(part: int, results: list[dict[str, Any]]) -> None:
        for i, result in enumerate(results):
            kept.store(part * size + i, result)

    if cluster.is_active():
        shared = (prior, data.values, data.layout, y, n_trees)
        tasks = [(_draw_some, (*shared, part)) for part in parts]
        cluster.run_tasks(tasks, store, report, size * (prior.burn_in + 1))
    else:
        sampler = abc_sampler(prior, data.problem.columns, data.values, y, n_trees, data.layout)
        control = _core.Control()

        def run(part: int) -> None:
            store(part, [sampler.sample(seed, control) for seed in parts[part]])

        run_tasks(run, len(parts), control, report, n_jobs=n_jobs)
    kept.check()
    return kept


def _draw_some(
    prior: SpikeForest,
    X: NDArray[np.float64],
    layout: ColumnLayout,
    y: EncodedY,
    n_trees: int,
    seeds: list[NDArray[np.uint64]],
) -> list[dict[str, Any]]:
    """Draw some of the samples on a worker."""
    sampler = abc_sampler(prior, cluster.columns_of(X, layout), X, y, n_trees, layout)
    return [sampler.sample(seed, _core.Control()) for seed in seeds]


class Kept:
    """The samples of smallest discrepancy so far, whatever order they come in."""

    def __init__(self, prior: SpikeForest) -> None:
        self._prior = prior
        self._discrepancy = np.empty(prior.n_samples)
        self._subset_size = np.empty(prior.n_samples, dtype=np.int64)
        self._seconds = np.empty(prior.n_samples)
        self._most = n_kept(prior) if prior.epsilon is None else prior.n_samples
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
                f"epsilon={self._prior.epsilon!r} keeps none of the {self._prior.n_samples} "
                f"samples, whose smallest discrepancy is {self._discrepancy.min():.6g}; pass a "
                f"larger epsilon, or None to keep the share keep={self._prior.keep!r} of them"
            )

    def results(self) -> list[dict[str, Any]]:
        """Return what the compiled sampler told of the kept samples, in their order."""
        return [result for _, _, result in sorted(self._heap, key=lambda item: -item[1])]

    def record(self) -> AbcRecord:
        """Return the discrepancies and the kept samples' numbers."""
        kept = np.array(sorted(-i for _, i, _ in self._heap), dtype=np.int64)
        seconds = float(self._seconds.sum())
        return AbcRecord(self._discrepancy, kept, self._subset_size, seconds)


def _tallied(results: list[dict[str, Any]], n_features: int, prior: SpikeForest) -> dict[str, Any]:
    """Return the tallies of the kept samples by their names in `Draws`."""
    tallies = Tallies(len(results), n_features, ChainConfig(prior.burn_in, 1), sigma_unit=1.0)
    layout = tally_layout(n_features, 1)
    for r, result in enumerate(results):
        wide: dict[str, NDArray[Any]] = {}
        for name in _PER_VARIABLE:
            shape, dtype = layout[name]
            wide[name] = np.zeros(shape, dtype)
            wide[name][..., result["subset"]] = result[name]
        tallies.store(r, {**result, **wide})
    return tallies.contents()


def check_abc(prior: SpikeForest, data: Dataset) -> None:
    """Raise ValueError if settings of the prior cannot go with data of this size and kind."""
    n, p = data.shape
    if n < 3:
        raise ValueError(
            f"X has {n} rows, but prior=SpikeForest needs at least 3: 2 to fit to and 1 to hold "
            "out; pass more rows, or another prior"
        )
    n_train = n_train_rows(prior, n)
    if 2 * prior.min_samples_leaf > n_train:
        raise ValueError(
            f"min_samples_leaf={prior.min_samples_leaf} leaves no room for a split of the "
            f"{n_train} of {n} rows that train_fraction={prior.train_fraction!r} gives to each "
            f"forest; pass at most {n_train // 2}"
        )
    check_prior_fits_data(prior, data)
    if not data.binary:
        for name in ("sigma", "sigma_hat"):
            if isinstance(value := getattr(prior, name), float):
                scaled_sigma(name, value, float(np.ptp(data.y.values)))
    if prior.epsilon is None:
        remedy = "use a smaller keep or n_samples"
        check_memory(f"keep={prior.keep!r}", (n_kept(prior), p), 8 * 10, remedy)
    what = f"n_samples={prior.n_samples}"
    check_memory(what, (prior.n_samples,), _SAMPLE_BYTES, "use fewer", items="samples")
