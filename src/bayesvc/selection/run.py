"""What `select` and `compare` do once their arguments are checked: sampling, test, selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from bayesvc._typing import BoolArray, FloatArray, IntArray
from bayesvc.data.dataset import Dataset
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior
from bayesvc.sampling.chain import sample_replicates
from bayesvc.sampling.config import SamplingConfig
from bayesvc.sampling.lengths import describe_lengths, settled
from bayesvc.sampling.plan import sample_priors
from bayesvc.sampling.replicates import NullMeasures, PriorDraws, ReplicateCounts, join
from bayesvc.selection.apply import apply_method
from bayesvc.selection.methods import Method
from bayesvc.selection.result import Selection
from bayesvc.selection.signal import SignalTest, find_signal
from bayesvc.selection.stopping import StoppingResult, sample_until_stable
from bayesvc.selection.substitutes import find_twins


def sample_methods(
    data: Dataset, methods: Sequence[Method], config: SamplingConfig
) -> dict[TreePrior, PriorDraws]:
    """Run the replicates that the methods need; each prior is sampled once."""
    counts: dict[TreePrior, ReplicateCounts] = {}
    for method in methods:
        assert method.prior is not None
        need = ReplicateCounts(method.n_replicates, method.n_permutations)
        counts[method.prior] = need.covering(counts.get(method.prior))
    return sample_priors(data, counts, config, null_measures(methods))


def null_measures(methods: Sequence[Method]) -> dict[TreePrior, NullMeasures]:
    """Return, by prior, the measures that the methods compare with null replicates."""
    found: dict[TreePrior, dict[str, Callable[[Draws], FloatArray]]] = {}
    for method in methods:
        if method.prior is not None and method.n_permutations:
            found.setdefault(method.prior, {})[method.measure.name] = method.measure.compute
    return dict(found)


def sample_until_selection_is_stable(
    data: Dataset, method: Method, config: SamplingConfig, max_seconds: float | None
) -> tuple[dict[TreePrior, PriorDraws], StoppingResult]:
    """Add replicates until they no longer change the selection."""
    prior = method.prior
    assert prior is not None
    own: list[PriorDraws] = []

    def more(draws: Draws | None, number: int) -> Draws:
        if draws is None:
            first = replace(method, n_replicates=number)
            own.append(sample_methods(data, [first], config)[prior])
            return own[0].draws
        assert draws.calibration is not None
        numbers = range(draws.n_replicates, draws.n_replicates + number)
        same = settled(config, draws)
        extra = sample_replicates(data.encoded, prior, draws.calibration, numbers, same)
        return join(draws, extra)

    def mask_of(draws: Draws) -> BoolArray:
        null = own[0].null(method.measure, method.n_permutations)
        return apply_method(replace(method, n_replicates=draws.n_replicates), draws, null)[0]

    draws, stopping = sample_until_stable(
        more, mask_of, at_once=config.n_jobs, max_seconds=max_seconds
    )
    return {prior: replace(own[0], draws=draws)}, stopping


def with_lengths(
    stopping: StoppingResult | None, draws: Draws, config: SamplingConfig
) -> StoppingResult:
    """Add to the reason for stopping how long the chains are."""
    reason = describe_lengths(draws, config)
    if stopping is None:
        return StoppingResult(draws.n_replicates, reason, stable=True)
    return replace(stopping, reason=f"{stopping.reason} {reason}")


def run_signal_test(
    data: Dataset,
    methods: Sequence[Method],
    sampled: dict[TreePrior, PriorDraws],
    config: SamplingConfig,
) -> SignalTest:
    """Test for signal, at a cost in proportion to the most expensive method."""
    costs = [
        method.prior.n_iterations(
            method.n_replicates + method.n_permutations,
            settled(config, sampled[method.prior].draws).chain.n_iterations,
        )
        for method in methods
        if method.prior is not None
    ]
    return find_signal(data, max(costs), config)


def make_selection(
    method: Method,
    sampled: dict[TreePrior, PriorDraws],
    data: Dataset,
    frame: str | None,
    signal: SignalTest | None,
    *,
    allow_empty: bool,
    target: str = "y",
) -> Selection:
    """Apply one method to its draws; `allow_empty`: select nothing if there is no signal."""
    assert method.prior is not None
    own = sampled[method.prior]
    draws = own.first(method.n_replicates)
    null = own.null(method.measure, method.n_permutations)
    mask, result, values = apply_method(method, draws, null, signal)
    found = Selection(
        method=method,
        mask=mask,
        threshold_result=result,
        values=values,
        null=null,
        draws=draws,
        permuted=None if null is None else own.permuted,
        frame=frame,
        signal=signal,
        allow_empty=allow_empty,
        target=target,
        time_order=data.shifts,
        in_blocks=data.blocks is not None,
    )
    if found.withheld:
        return replace(found, mask=np.zeros_like(mask))
    twins = find_twins(_correlations(data, found.indices), found.indices, found.labels)
    return replace(found, twins=twins)


def _correlations(data: Dataset, selected: IntArray) -> FloatArray:
    return data.encoded.columns.correlations(selected.tolist())
