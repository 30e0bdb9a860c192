"""Run each sampler on the agreement problem, with priors matched, and summarise its chains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.helpers.peers.problem import N_RELEVANT, Problem, summarise

Summaries = dict[str, NDArray[np.float64]]  # quantity -> one value per chain

BURN_IN, N_DRAWS, THIN = 5_000, 20_000, 10
BIRTH_DEATH = (0.5, 0.5, 0.0, 0.0)


def collect(chains: Iterable[dict[str, float]]) -> Summaries:
    rows = list(chains)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def run_bayesvc(
    problem: Problem,
    n_chains: int,
    *,
    dart: bool = False,
    burn_in: int = BURN_IN,
    n_draws: int = N_DRAWS,
    as_bartz: bool = False,
    **settings: Any,
) -> Summaries:
    """Run bayesvc; ``as_bartz`` reweights its draws to bartz's prior, see BartzPrior."""
    import bayesvc as bv

    h = problem.hyper
    prior = (bv.DART if dart else bv.BART)(
        k=h.k, nu=h.nu, q=0.9, gamma=h.gamma, beta=h.beta, sigma_hat=h.sigma_hat, **settings
    )
    draws = bv.sample(
        problem.X,
        problem.y_raw,
        prior,
        n_replicates=n_chains,
        n_trees=h.n_trees,
        burn_in=burn_in,
        n_draws=n_draws,
        random_state=1,
        keep_counts=as_bartz,
        keep_trees=as_bartz,
    )
    if as_bartz:
        there = BartzPrior(problem, prior.min_samples_leaf)
        return collect(
            there.summarise(draws.counts[r], draws.sigma[r], draws.forests[r].to_arrays())
            for r in range(n_chains)
        )
    return {
        "splits": draws.n_splits.mean(axis=1),
        "sigma": draws.sigma.mean(axis=1),
        "vc_relevant": draws.vc[:, :N_RELEVANT].mean(axis=1),
        "vc_irrelevant": draws.vc[:, N_RELEVANT:].mean(axis=1),
        "mpvip_relevant": draws.mpvip[:, :N_RELEVANT].mean(axis=1),
        "mpvip_irrelevant": draws.mpvip[:, N_RELEVANT:].mean(axis=1),
    }


def run_stochtree(problem: Problem, n_chains: int, *, likelihood: bool = True) -> Summaries:
    """Run stochtree on the scaled y, so that every prior is given in its units.

    One row a leaf: its cuts lie between the smallest and the largest value in the node, so no
    proposal is lost and the prior over sizes is that of an exact sampler (but for its flaws).
    Without likelihood sigma is held so large that the data do not matter.
    """
    from stochtree import BARTModel

    h = problem.hyper
    variance = (
        {"sigma2_global_shape": h.nu / 2, "sigma2_global_scale": h.nu * h.lambda_ / 2}
        if likelihood
        else {"sample_sigma2_global": False, "sigma2_init": 1e12}
    )

    def chain(seed: int) -> dict[str, float]:
        model = BARTModel()
        model.sample(
            X_train=problem.X,
            y_train=problem.y,
            num_gfr=0,
            num_burnin=BURN_IN if likelihood else 500,
            num_mcmc=N_DRAWS // THIN,
            general_params={
                "random_seed": seed,
                "standardize": False,
                "keep_every": THIN if likelihood else 3,
                **variance,
            },
            mean_forest_params={
                "num_trees": h.n_trees,
                "alpha": h.gamma,
                "beta": h.beta,
                "min_samples_leaf": 1,
                "max_depth": -1,
                "sample_sigma2_leaf": False,
                "sigma2_leaf_init": h.leaf_sd**2,
            },
        )
        forests, p = model.forest_container_mean, problem.X.shape[1]
        counts = [forests.get_forest_split_counts(i, p) for i in range(N_DRAWS // THIN)]
        sigma2 = model.global_var_samples if likelihood else np.ones(N_DRAWS // THIN)
        return summarise(np.array(counts), np.sqrt(sigma2) * problem.y_range)

    return collect(chain(seed) for seed in range(1, n_chains + 1))


def run_bartz(problem: Problem, n_chains: int, *, sparse: bool, rows_per_leaf: int) -> Summaries:
    """Run bartz with a cut at every observed value.

    augment=False: with 499 cuts a variable no rule is ever exhausted, so the augmentation would
    do nothing but take time. The Dirichlet prior acts from the first sweep, as in bayesvc.
    """
    from bartz.BART import gbart

    h = problem.hyper
    start = {
        "min_points_per_leaf": rows_per_leaf,
        "min_points_per_decision_node": 2 * rows_per_leaf,
        **({"sparse_on_at": 0} if sparse else {}),
    }

    def chain(seed: int) -> dict[str, float]:
        model = gbart(
            problem.X,
            problem.y_raw.astype(np.float32),
            sparse=sparse,
            usequants=True,
            numcut=len(problem.y) - 1,
            sigest=h.sigma_hat,
            sigdf=h.nu,
            sigquant=0.9,
            k=h.k,
            base=h.gamma,
            power=h.beta,
            offset=problem.midrange,
            ntree=h.n_trees,
            nskip=BURN_IN,
            ndpost=N_DRAWS // THIN,
            keepevery=THIN,
            printevery=None,
            seed=seed,
            bart_kwargs={"precompute_predict_train": False, "init_kw": start},
        )
        return summarise(np.asarray(model.varcount), np.asarray(model.sigma_))

    return collect(chain(seed) for seed in range(1, n_chains + 1))


class BartzPrior:
    """Importance weights that turn bayesvc's tree prior into that of bartz.

    Both want at least m rows in a leaf. bartz draws the cut among all that the rules above leave
    open and cuts the prior off where a leaf gets too small; bayesvc draws it among those that
    leave m rows on both sides, so that a node splits with its full prior probability. No setting
    makes them alike. A tree's weight is the product over its nodes of (cuts that leave m rows) /
    (open cuts), at most 1. Besides, a leaf with fewer than 2 m rows, or at bartz's greatest
    depth, has no factor 1 - p_split in one of the two, and bartz has no deeper trees.
    """

    GREATEST_DEPTH = 5

    def __init__(self, problem: Problem, rows_per_leaf: int) -> None:
        self.h, self.m = problem.hyper, rows_per_leaf
        self.ordered = np.sort(problem.X, axis=0)
        self.codes = problem.X.argsort(axis=0).argsort(axis=0)
        self.known: dict[bytes, float] = {}

    def summarise(
        self,
        counts: NDArray[np.integer],
        sigma: NDArray[np.float64],
        forests: dict[str, NDArray[Any]],
    ) -> dict[str, float]:
        """Summarise every THIN-th draw of a chain, weighted."""
        variable = forests["variable"]
        # Not the leaves: their values would make every tree a new one.
        cut = np.where(variable >= 0, forests["value"], 0.0)
        starts = np.append(forests["tree_start"], len(variable)).astype(np.int64)
        kept = range(THIN - 1, len(sigma), THIN)
        log_weights = np.zeros(len(kept))
        for i, draw in enumerate(kept):
            for t in range(draw * self.h.n_trees, (draw + 1) * self.h.n_trees):
                nodes = slice(starts[t], starts[t + 1])
                log_weights[i] += self._of_tree(variable[nodes], cut[nodes])
        weights = np.exp(log_weights - log_weights.max())
        found = summarise(counts[THIN - 1 :: THIN], sigma[THIN - 1 :: THIN], weights)
        size = float(weights.sum() ** 2 / (weights @ weights))
        return found | {"effective_share": size / len(weights)}

    def _of_tree(self, variable: NDArray[np.integer], cut: NDArray[np.float64]) -> float:
        key = variable.tobytes() + cut.tobytes()
        if key not in self.known:
            nodes = iter(zip(variable.tolist(), cut.tolist(), strict=True))
            self.known[key] = self._of_node(nodes, np.arange(len(self.codes)), {}, 0)
        return self.known[key]

    def _of_node(
        self,
        preorder: Iterator[tuple[int, float]],
        rows: NDArray[np.integer],
        limits: dict[int, tuple[int, int]],
        depth: int,
    ) -> float:
        variable, cut_value = next(preorder)
        m = self.m
        if variable < 0:
            p_split = self.h.gamma * (1.0 + depth) ** -self.h.beta
            factor_here, factor_there = rows.size >= 2 * m, depth < self.GREATEST_DEPTH
            return (int(factor_there) - int(factor_here)) * math.log1p(-p_split)
        x = self.codes[rows, variable]
        ordered = np.sort(x)
        low, high = limits.get(variable, (0, len(self.codes) - 2))
        cut = int(np.searchsorted(self.ordered[:, variable], cut_value, side="right")) - 1
        log_weight = math.log((ordered[-m] - ordered[m - 1]) / (high - low + 1))
        if depth >= self.GREATEST_DEPTH:
            log_weight = -math.inf
        left, right = limits | {variable: (low, cut - 1)}, limits | {variable: (cut + 1, high)}
        log_weight += self._of_node(preorder, rows[x <= cut], left, depth + 1)
        log_weight += self._of_node(preorder, rows[x > cut], right, depth + 1)
        return log_weight
