"""How often a method selects each variable from half of the rows, with short chains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.dataset import Dataset
from bayesvc.data.rows import scaled_weights
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.plan import sample_priors
from bayesvc.sampling.progress import Progress
from bayesvc.sampling.replicates import ReplicateCounts
from bayesvc.sampling.seeds import Role, random_words
from bayesvc.selection.apply import apply_method
from bayesvc.selection.methods import Method
from bayesvc.selection.subsamples import SubsampleScheme, draw_rows

N_HALF_SAMPLES = 16  # eight complementary pairs
MOST_CELLS = 20_000_000  # of X; halves of a larger table would take too much memory
_LEAST_ROWS = 20
_FRACTION = 0.5  # of the iterations of the selection
_ITERATIONS = (100, 2000)  # of a chain, at least and at most


def can_repeat(method: Method) -> bool:
    """Tell whether a method can be repeated with short chains."""
    chains = method.prior is not None and method.prior.sampler == "chain"
    return chains and not method.threshold.needs_null


def half_sample_frequency(
    data: Dataset, method: Method, draws: Draws, config: SamplingConfig
) -> FloatArray | None:
    """Return the proportion of half-samples from which the method selects each variable.

    The halves come in complementary pairs. Each has as few replicates as the measure allows, and
    all chains together take about half as many iterations as those of `draws`. None if the table
    is too small or too large, or y does not vary in halves of it.
    """
    assert method.prior is not None
    assert draws.n_draws is not None
    halves = _halves(data, config)
    if not halves:
        return None
    n_replicates = max(method.measure.min_replicates, 1)
    cost = draws.n_replicates * ((draws.burn_in or 0) + draws.n_draws)
    length = int(np.clip(_FRACTION * cost / (N_HALF_SAMPLES * n_replicates), *_ITERATIONS))
    short = replace(method, prior=_settled(method.prior, draws), n_replicates=n_replicates)
    chain = ChainConfig(length // 2, length - length // 2)
    own = replace(config, chain=chain, shorter=(), checkpoint=None, progress=None)
    report = Progress(config.progress, total=N_HALF_SAMPLES)
    selected = np.zeros(len(data.names))
    try:
        for number, rows in enumerate(halves):
            report.update(number + 1)
            selected += _select(data, rows, short, replace(own, entropy=_seed(config, number)))
    except BaseException:
        report.abandon()
        raise
    report.finish()
    return selected / N_HALF_SAMPLES


def _halves(data: Dataset, config: SamplingConfig) -> list[IntArray]:
    """Return the rows of each half-sample; none if there cannot be any."""
    n, p = data.X.shape
    if n < _LEAST_ROWS or n * p > MOST_CELLS:
        return []
    try:
        return draw_rows(data, SubsampleScheme(N_HALF_SAMPLES, 0.5, pairs=True), config.entropy)
    except ValueError:  # y is constant in nearly all of them
        return []


def _settled(prior: TreePrior, draws: Draws) -> TreePrior:
    """Return the prior with the errors that were decided on with all rows."""
    if prior.errors != "auto" or draws.calibration is None:
        return prior
    return replace(prior, errors="student" if draws.calibration.learns_df else "gaussian")


def _seed(config: SamplingConfig, number: int) -> int:
    words = random_words(config.entropy, Role.HALF_SAMPLE, number, 2)
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


def _select(data: Dataset, rows: IntArray, method: Method, config: SamplingConfig) -> FloatArray:
    """Return what the method selects from some rows, as 0 and 1."""
    part = Dataset(
        data.X.take(rows, range(len(data.names))),
        data.y.take(rows),
        weights=None if data.weights is None else scaled_weights(data.weights[rows]),
        n_jobs=config.n_jobs,
    )
    assert method.prior is not None
    need = {method.prior: ReplicateCounts(method.n_replicates, 0)}
    sampled = sample_priors(part, need, config)[method.prior]
    return apply_method(method, sampled.draws, None)[0].astype(np.float64)
