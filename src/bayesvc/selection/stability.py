"""How far a selection depends on its replicates: leave-one-out and bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bayesvc._typing import BoolArray, FloatArray
from bayesvc.sampling.seeds import Role, random_words

MOST_NUMBERS = 200_000
"""Replicates times variables; beyond, a glance at a result does not wait for its stability."""


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """How often each variable is selected with other replicates than those of the run.

    Attributes
    ----------
    leave_one_out : ndarray (n_features,)
        Proportion of the selections with one replicate left out; NaN with a single replicate.
    bootstrap : ndarray (n_features,)
        Proportion of the selections with as many replicates drawn with replacement.
    n_bootstrap : int
        Number of such bootstrap samples; 0 with a single replicate.
    changes : int
        Number of variables whose selection changes when one of the replicates is left out.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(60, 4))
    >>> found = bv.select(X, X[:, 0], n_replicates=3, burn_in=200, n_draws=200, random_state=0)
    >>> found.stability.leave_one_out
    array([1., 0., 0., 0.])
    """

    leave_one_out: FloatArray
    bootstrap: FloatArray
    n_bootstrap: int
    changes: int

    def __repr__(self) -> str:
        if not self.n_bootstrap:
            return "<Stability: unknown, because there is only one replicate>"
        changing = int(((self.bootstrap > 0) & (self.bootstrap < 1)).sum())
        return (
            f"<Stability: of {len(self.bootstrap)} variables {self.changes} change with one "
            f"replicate left out, {changing} in some of {self.n_bootstrap} bootstrap samples>"
        )


Select = Callable[[Sequence[int]], BoolArray]
"""Returns the mask for a list of replicates."""


def leave_one_out(select: Select, n_replicates: int) -> BoolArray:
    """Return the masks with each replicate left out: (n_replicates, n_features).

    Examples
    --------
    >>> from bayesvc.selection.stability import leave_one_out
    >>> leave_one_out(lambda kept: [0 in kept, 1 in kept], 2)
    array([[False,  True],
           [ True, False]])
    """
    everyone = range(n_replicates)
    return np.array([select([r for r in everyone if r != left]) for left in everyone])


def compute_stability(
    select: Select, mask: BoolArray, without: BoolArray, entropy: int, n_bootstrap: int = 50
) -> Stability:
    """Return the stability of `mask`; `without` are the masks of `leave_one_out`.

    Examples
    --------
    See `Stability`.
    """
    n_replicates = len(without)
    if n_replicates == 1:
        nothing = np.full(len(mask), np.nan)
        return Stability(nothing, nothing.copy(), 0, 0)
    words = random_words(entropy, Role.BOOTSTRAP, 0, n_bootstrap * n_replicates)
    picks = (words % n_replicates).reshape(n_bootstrap, n_replicates).astype(int)
    bootstrapped = np.array([select(pick) for pick in np.sort(picks, axis=1).tolist()])
    changes = int((without != mask).any(axis=0).sum())
    return Stability(without.mean(axis=0), bootstrapped.mean(axis=0), n_bootstrap, changes)
