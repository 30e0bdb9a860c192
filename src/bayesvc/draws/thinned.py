"""Every so many draws of each replicate."""

from __future__ import annotations

from dataclasses import replace

from bayesvc.draws.draws import Draws

_TRACES = ("sigma", "n_splits", "alpha", "leaf_sd", "df", "counts", "s")


def thinned(draws: Draws, most: int) -> Draws:
    """Return draws with trees, evenly spaced, of which there are about `most` in all replicates.

    The tallies stay those of all draws.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.draws.thinned import thinned
    >>> X = np.random.default_rng(0).uniform(size=(50, 3))
    >>> draws = bv.sample(
    ...     X, X[:, 0], n_replicates=2, burn_in=20, n_draws=30, random_state=0, keep_trees=True
    ... )
    >>> thinned(draws, 20).posterior(X).shape
    (20, 50)
    """
    assert draws.forests is not None
    step = max(1, draws.n_draws * draws.n_replicates // most)
    traces = {name: getattr(draws, name) for name in _TRACES}
    traces = {
        name: trace[:, ::step] for name, trace in traces.items() if trace is not None
    }  # by replicate and draw
    forests = tuple(forest.every(step) for forest in draws.forests)
    return replace(draws, forests=forests, n_draws=-(-draws.n_draws // step), **traces)
