"""Automatic errors: a short chain tells heavy-tailed errors from a heavy-tailed signal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayesvc.data.dataset import Dataset
from bayesvc.priors.base import TreePrior
from bayesvc.sampling.chain import calibrate, sample_replicates
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.replicates import Interrupted, ReplicateCounts

LARGEST_DF = 5.0  # posterior median above which errors are taken to be normal
_PILOT = ChainConfig(500, 500)


def settle_errors(data: Dataset, prior: TreePrior, config: SamplingConfig) -> TreePrior:
    """Return the prior with its errors decided, if they are to be chosen automatically.

    A response without outlying values has normal errors. Otherwise a short chain with Student-t
    errors decides: they are kept if the posterior median of their degrees of freedom is below 5.
    The values of y alone would not do, because its tails may be those of the signal. The decision
    depends on the data, the settings and the seed. Permuted responses share it.

    Raises
    ------
    Interrupted
        In the place of KeyboardInterrupt, if there is a checkpoint.
    """
    if prior.errors != "auto":
        return prior
    calibration = calibrate(data, prior, data.weighted_response, config.n_trees)
    normal, student = (replace(prior, errors=own) for own in ("gaussian", "student"))
    if not calibration.learns_df:
        return normal
    own = replace(config, chain=_PILOT, shorter=(), progress=None)
    try:
        pilot = sample_replicates(data.encoded, student, calibration, range(1), own)
    except Interrupted:  # the chain is none of those that are asked for
        raise Interrupted({prior: ReplicateCounts(0, 0)}) from None
    assert pilot.df is not None
    return student if np.median(pilot.df) < LARGEST_DF else normal
