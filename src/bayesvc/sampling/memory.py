"""Memory that a run will need, checked before it starts."""

from __future__ import annotations

import math

import numpy as np

from bayesvc._validation import check_memory
from bayesvc.draws.tallies import learned_traces, tally_layout
from bayesvc.priors.base import TreePrior
from bayesvc.sampling.config import ChainConfig, SamplingConfig

_TREE_BYTES = 400  # of a tree of a few nodes, beside the numbers of its rows
_KEPT_TREE_BYTES = 72  # of a tree with four nodes


def check_forest_memory(n_trees: int, n_rows: int) -> None:
    """Raise MemoryError if a forest of so many trees is too large."""
    per_tree = _TREE_BYTES + 2 * n_rows
    check_memory(f"n_trees={n_trees}", (n_trees,), per_tree, "use fewer", items="trees")


def check_run_memory(
    what: str, n_chains: int, config: SamplingConfig, shape: tuple[int, int], prior: TreePrior
) -> None:
    """Raise MemoryError if a forest, or what so many chains leave behind, is too large."""
    (n_rows, n_features), chain = shape, config.chain
    check_forest_memory(config.n_trees, n_rows)
    _check_kept_memory(chain, n_chains, n_features)
    layout = tally_layout(n_features, chain.n_draws)
    learned = learned_traces(prior.learns_k, prior.errors != "gaussian")
    apart = {"counts", "s", *learned_traces(True, True)}.difference(learned)
    per_chain = sum(
        math.prod(own) * np.dtype(dtype).itemsize
        for name, (own, dtype) in layout.items()
        if name not in apart
    )
    what = f"{what} with n_draws={chain.n_draws}"
    check_memory(what, (n_chains,), per_chain, "use fewer", items="replicates")
    if chain.keep_trees:
        remedy = "use fewer n_replicates, n_draws or n_trees"
        size = (n_chains, chain.n_draws, config.n_trees)
        check_memory("keep_trees=True", size, _KEPT_TREE_BYTES, remedy, items="trees")


def _check_kept_memory(chain: ChainConfig, n_replicates: int, n_features: int) -> None:
    shape = (n_replicates, chain.n_draws, n_features)
    remedy = "use fewer n_replicates or n_draws, or leave it False: the tallies need no draws"
    if chain.keep_counts and chain.keep_s:
        check_memory("keep_counts=True and keep_s=True", shape, 6, remedy)
    elif chain.keep_counts:
        check_memory("keep_counts=True", shape, 2, remedy)
    elif chain.keep_s:
        check_memory("keep_s=True", shape, 4, remedy)
