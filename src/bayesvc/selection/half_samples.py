"""How often a method selects each variable from half of the rows, with short chains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.dataset import MOST_COPIED_CELLS, Dataset
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior
from bayesvc.sampling.chain import sample_side_by_side
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.progress import Progress
from bayesvc.sampling.seeds import Role, derived_entropy
from bayesvc.selection.apply import apply_method
from bayesvc.selection.methods import Method
from bayesvc.selection.subsamples import SubsampleScheme, draw_rows

N_HALF_SAMPLES = 16  # eight complementary pairs
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
    is too small or too large, if half of it is too small for the prior, and if y does not vary in
    halves.
    """
    assert method.prior is not None
    assert draws.n_draws is not None
    halves = _halves(data, method.prior, config)
    if not halves:
        return None
    n_replicates = max(method.measure.min_replicates, 1)
    cost = draws.n_replicates * ((draws.burn_in or 0) + draws.n_draws)
    length = int(np.clip(_FRACTION * cost / (N_HALF_SAMPLES * n_replicates), *_ITERATIONS))
    short = replace(
        method, prior=with_settled_errors(method.prior, draws), n_replicates=n_replicates
    )
    chain = ChainConfig(length // 2, length - length // 2)
    own = replace(config, chain=chain, shorter=(), checkpoint=None)
    each = n_replicates * length
    report = Progress(config.progress, total=N_HALF_SAMPLES * each)
    selected = np.zeros(len(data.names))
    at_once = _at_once(data)
    try:
        for first in range(0, N_HALF_SAMPLES, at_once):
            progress = _further(report, first * each)
            configs = [
                replace(own, entropy=_entropy(config, number), progress=progress)
                for number in range(first, min(first + at_once, N_HALF_SAMPLES))
            ]
            selected += _select(data, halves[first : first + at_once], short, configs)
    except BaseException:
        report.abandon()
        raise
    report.finish()
    return selected / N_HALF_SAMPLES


def _at_once(data: Dataset) -> int:
    """Return how many half-samples are in memory at a time: of a large table, no more than two."""
    n, p = data.X.shape
    return max(1, min(N_HALF_SAMPLES, int(MOST_COPIED_CELLS / (n * p / 2))))


def _further(report: Progress, done: int) -> Callable[[int, int], None]:
    """Return what reports the iterations of some half-samples after those of others."""
    return lambda more, _: report.update(done + more)


def _halves(data: Dataset, prior: TreePrior, config: SamplingConfig) -> list[IntArray]:
    """Return the rows of each half-sample; none if there cannot be any."""
    n, p = data.X.shape
    if n < _LEAST_ROWS or n * p > MOST_COPIED_CELLS:
        return []
    try:
        halves = draw_rows(data, SubsampleScheme(N_HALF_SAMPLES, 0.5, pairs=True), config.entropy)
    except ValueError:  # y is constant in nearly all of them
        return []
    return [] if min(map(len, halves)) < 2 * prior.min_samples_leaf else halves


def with_settled_errors(prior: TreePrior, draws: Draws) -> TreePrior:
    """Return the prior with the errors that were decided on with all rows.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.selection.half_samples import with_settled_errors
    >>> draws = bv.sample([[1], [2], [3], [4]], [0.0, 1, 2, 3], burn_in=5, n_draws=5)
    >>> with_settled_errors(bv.BART(errors="auto"), draws).errors
    'gaussian'
    """
    if prior.errors != "auto" or draws.calibration is None:
        return prior
    return replace(prior, errors="student" if draws.calibration.learns_df else "gaussian")


def _entropy(config: SamplingConfig, number: int) -> int:
    return derived_entropy(config.entropy, Role.HALF_SAMPLE, number)


def _select(
    data: Dataset, halves: list[IntArray], method: Method, configs: list[SamplingConfig]
) -> FloatArray:
    """Return from how many of the parts the method selects each variable."""
    parts = [data.part(rows, n_jobs=configs[0].n_jobs) for rows in halves]
    assert method.prior is not None
    sampled = sample_side_by_side(parts, method.prior, method.n_replicates, configs)
    masks = [apply_method(method, draws, None)[0] for draws in sampled]
    return np.asarray(np.sum(masks, axis=0, dtype=np.float64))
