"""The one path from a plan to draws: each kind of sampler takes the priors that name it."""

from __future__ import annotations

from collections.abc import Mapping

from bayesvc.data.dataset import Dataset
from bayesvc.priors.base import TreePrior
from bayesvc.sampling import abc, chain, errors, lengths
from bayesvc.sampling.config import SamplingConfig
from bayesvc.sampling.replicates import Interrupted, NullMeasures, PriorDraws, ReplicateCounts


def sample_priors(
    data: Dataset,
    counts: Mapping[TreePrior, ReplicateCounts],
    config: SamplingConfig,
    null_measures: Mapping[TreePrior, NullMeasures] | None = None,
) -> dict[TreePrior, PriorDraws]:
    """Run all replicates that are needed; everything is checked before the first one starts.

    Parameters
    ----------
    data : Dataset
    counts : mapping from prior to ReplicateCounts
        What is needed of each prior.
    config : SamplingConfig
    null_measures : mapping from prior to measures, optional
        Measures of the draws on one permuted response, for the priors of which a permuted response
        takes a whole run.

    Raises
    ------
    Interrupted
        In the place of KeyboardInterrupt, if there is a checkpoint.
    """
    for prior, need in counts.items():
        check_plan(data, prior, need, config)
    chains = {prior: need for prior, need in counts.items() if prior.sampler == "chain"}
    found = _sample_chains(data, chains, config) if chains else {}
    for prior, need in counts.items():
        if prior not in chains:
            found[prior] = abc.sample_abc(
                data, prior, need, config, (null_measures or {}).get(prior, {})
            )
    return found


def _sample_chains(
    data: Dataset, counts: Mapping[TreePrior, ReplicateCounts], config: SamplingConfig
) -> dict[TreePrior, PriorDraws]:
    """Decide what is automatic; then sample each prior once."""
    settled = {prior: errors.settle_errors(data, prior, config) for prior in counts}
    needed: dict[TreePrior, ReplicateCounts] = {}
    for prior, need in counts.items():
        needed[settled[prior]] = need.covering(needed.get(settled[prior]))
    sample = lengths.sample_stable_chains if config.shorter else chain.sample_chains
    try:
        found = sample(data, needed, config)
    except Interrupted as interrupted:
        done = interrupted.finished
        again = {prior: done[own] for prior, own in settled.items() if own in done}
        raise Interrupted(again) from None
    return {prior: found[own].under(prior) for prior, own in settled.items()}


def check_plan(
    data: Dataset, prior: TreePrior, need: ReplicateCounts, config: SamplingConfig
) -> None:
    """Raise an error if the prior does not fit the data, or the run does not fit into memory."""
    check = {"chain": chain.check_chains, "abc": abc.check_abc}[prior.sampler]
    check(data, prior, need, config)
