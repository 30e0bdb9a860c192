"""The one path from a plan to draws: each kind of sampler takes the priors that name it."""

from __future__ import annotations

from collections.abc import Mapping

from bayesvc.data.dataset import Dataset
from bayesvc.priors.base import TreePrior
from bayesvc.sampling import abc, chain, lengths
from bayesvc.sampling.config import SamplingConfig
from bayesvc.sampling.replicates import NullMeasures, PriorDraws, ReplicateCounts


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
    sample = lengths.sample_stable_chains if config.shorter else chain.sample_chains
    found = sample(data, chains, config) if chains else {}
    for prior, need in counts.items():
        if prior not in chains:
            found[prior] = abc.sample_abc(
                data, prior, need, config, (null_measures or {}).get(prior, {})
            )
    return found


def check_plan(
    data: Dataset, prior: TreePrior, need: ReplicateCounts, config: SamplingConfig
) -> None:
    """Raise an error if the prior does not fit the data, or the run does not fit into memory."""
    check = {"chain": chain.check_chains, "abc": abc.check_abc}[prior.sampler]
    check(data, prior, need, config)
