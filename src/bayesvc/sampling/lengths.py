"""Automatic chain lengths: short chains first, longer ones if the importance is not stable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bayesvc.data.dataset import Dataset
from bayesvc.draws.diagnostics import half_means
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior
from bayesvc.sampling.chain import calibrate, sample_chains, sample_replicates
from bayesvc.sampling.config import SamplingConfig
from bayesvc.sampling.replicates import Interrupted, PriorDraws, ReplicateCounts

PILOT_REPLICATES = 4
TOLERANCE = 1.25  # distance of the split counts of two halves, in log(1 + count)


def sample_stable_chains(
    data: Dataset, counts: Mapping[TreePrior, ReplicateCounts], config: SamplingConfig
) -> dict[TreePrior, PriorDraws]:
    """Run all chains that the priors need, each prior's as long as its pilot replicates ask for.

    The pilot replicates are the first replicates of the run. If they are stable, the others are
    made as long as they are; if not, longer ones are tried. The decision depends on the data, the
    settings and the seed, but not on the number of threads.

    Raises
    ------
    Interrupted
        In the place of KeyboardInterrupt, if there is a checkpoint.
    """
    found: dict[TreePrior, PriorDraws] = {}
    for prior, need in counts.items():
        pilot = _stable_pilot(data, prior, config)
        known = {} if pilot is None else {prior: pilot}
        found |= sample_chains(data, {prior: need}, settled(config, pilot), known)
    return found


def settled(config: SamplingConfig, draws: Draws | None) -> SamplingConfig:
    """Return the configuration with the lengths of `draws`, or with the longest for None."""
    if draws is None or draws.burn_in is None:
        return replace(config, shorter=())
    chain = replace(config.chain, burn_in=draws.burn_in, n_draws=draws.n_draws)
    return replace(config, chain=chain, shorter=())


def _stable_pilot(data: Dataset, prior: TreePrior, config: SamplingConfig) -> Draws | None:
    """Return the shortest pilot replicates that are stable, None if the longest are needed."""
    calibration = calibrate(data, prior, data.weighted_response, config.n_trees)
    data.forget_linear_model()
    for chain in config.shorter:
        own = replace(config, chain=chain, shorter=())
        numbers = range(PILOT_REPLICATES)
        try:
            pilot = sample_replicates(data.encoded, prior, calibration, numbers, own)
        except Interrupted:  # what is finished may turn out too short
            raise Interrupted({prior: ReplicateCounts(0, 0)}) from None
        if is_stable(pilot):
            return pilot
    return None


def is_stable(draws: Draws) -> bool:
    """Tell whether the two halves of the kept draws agree about the split counts.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.sampling.lengths import is_stable
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> draws = bv.sample(X, X[:, 0], n_replicates=2, burn_in=500, n_draws=500, random_state=0)
    >>> is_stable(draws)
    True
    """
    return half_distance(draws) <= TOLERANCE


def half_distance(draws: Draws) -> float:
    """Return how far apart the two halves of each replicate are, as a root mean square.

    The distance of two halves is Euclidean, over the variables, in log(1 + mean split count).

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.sampling.lengths import half_distance
    >>> half_distance(bv.Draws.from_counts([[[4, 0], [4, 0]], [[4, 0], [4, 0]]]))
    0.0
    """
    means = np.log1p(half_means(draws))
    squares = np.square(means[:, 1] - means[:, 0]).sum(axis=1)
    return float(np.sqrt(squares.mean()))


def describe_lengths(draws: Draws, config: SamplingConfig) -> str:
    """Return a sentence about the lengths that were chosen."""
    length = f"{draws.burn_in:,} + {draws.n_draws:,} iterations"
    if draws.burn_in == config.chain.burn_in and draws.n_draws == config.chain.n_draws:
        return f"Chains of {length} (burn-in + draws), the longest that were allowed."
    return f"Chains of {length} (burn-in + draws); the importance was stable at this length."
