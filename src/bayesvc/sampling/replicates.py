"""Which replicates are asked for, and what comes back, by prior."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.draws.draws import Draws
from bayesvc.draws.tallies import tally_layout
from bayesvc.priors.base import TreePrior


class NullMeasure(Protocol):
    """What is asked of a measure here."""

    @property
    def name(self) -> str:
        """Name of the measure."""
        ...

    def per_replicate(self, draws: object) -> FloatArray:
        """Return the measure of each replicate alone: (n_replicates, n_features)."""
        ...


# By name, functions from the draws on one permuted response to (n_features,) importances.
NullMeasures = Mapping[str, Callable[[Draws], FloatArray]]


@dataclass(frozen=True)
class ReplicateCounts:
    """How many replicates a prior needs, on the data and on permuted responses."""

    n_replicates: int
    n_permutations: int

    def covering(self, other: ReplicateCounts | None) -> ReplicateCounts:
        """Return the numbers that serve both."""
        if other is None:
            return self
        return ReplicateCounts(
            max(self.n_replicates, other.n_replicates),
            max(self.n_permutations, other.n_permutations),
        )


class Interrupted(KeyboardInterrupt):
    """Stopped by the user; `finished` tells how many chains of each prior the checkpoint holds."""

    def __init__(self, finished: Mapping[TreePrior, ReplicateCounts]) -> None:
        super().__init__()
        self.finished = finished


@dataclass(frozen=True, eq=False)
class PriorDraws:
    """Replicates of one prior on the data, and null replicates.

    Where each permuted response takes a whole run, as in approximate Bayesian computation,
    `null_values` holds what each measure makes of that run, by the name of the measure.
    """

    draws: Draws
    permuted: Draws | None = None
    null_values: Mapping[str, FloatArray] | None = None

    def first(self, n_replicates: int) -> Draws:
        """Return the first replicates; each depends on its own number only."""
        if self.draws.abc is not None:
            return self.draws
        return self.draws.take(range(n_replicates))

    def under(self, prior: TreePrior) -> PriorDraws:
        """Return the same replicates as those of a prior whose settings led to them."""
        permuted = None if self.permuted is None else replace(self.permuted, prior=prior)
        return replace(self, draws=replace(self.draws, prior=prior), permuted=permuted)

    def null(self, measure: NullMeasure, n_permutations: int) -> FloatArray | None:
        """Return a measure of the first null replicates: (n_permutations, n_features)."""
        if n_permutations == 0:
            return None
        if self.null_values is not None:
            return self.null_values[measure.name][:n_permutations]
        assert self.permuted is not None
        return measure.per_replicate(self.permuted)[:n_permutations]


def join(first: Draws, second: Draws) -> Draws:
    """Return the replicates of both; they must come from the same run."""
    fields = dict(second.__dict__)
    fields["feature_names"] = first.feature_names
    for name in tally_layout(0, 0):
        if fields[name] is not None:
            fields[name] = np.concatenate([getattr(first, name), fields[name]])
    if first.forests is not None and second.forests is not None:
        fields["forests"] = first.forests + second.forests
    return Draws(**fields)
