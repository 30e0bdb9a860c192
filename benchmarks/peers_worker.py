"""One sampler in a process of its own: reads a task a line, answers with a line of seconds.

Started by ``peers.py``, which sets the environment and pins the core first.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from problem import Array, continuous

N_TREES = 20
Fit = Callable[[Array, Array, int, int], dict[str, float]]


def fit_bayesvc(prior: Any, X: Array, y: Array, n_draws: int, seed: int) -> dict[str, float]:
    """Time the public call from end to end: checks, encoding, sampling, all tallies.

    Its defaults: one row a leaf and all four moves, which is more work than the peers do with
    five rows a leaf and birth and death alone.
    """
    import bayesvc as bv

    draws = bv.sample(
        X,
        y,
        prior=prior,
        n_replicates=1,
        n_trees=N_TREES,
        burn_in=n_draws,
        n_draws=n_draws,
        random_state=seed,
        n_jobs=1,
    )
    return {"in_sampler": float(draws.seconds[0]), "splits": float(draws.n_splits.mean())}


def fit_stochtree(X: Array, y: Array, n_draws: int, seed: int) -> dict[str, float]:
    """Time ``BARTModel.sample``; the split counts are left in its forests, not extracted.

    ``num_gfr=0``: the same Metropolis-Hastings sampler throughout, no warm start.
    ``sample_sigma2_leaf=False``: the leaf scale is fixed in this comparison; also less work.
    Its forests and fitted values are kept because it has no other way to tell the counts
    (keeping only the last draw with ``keep_every`` makes no measurable difference).
    ``cutpoint_grid_size`` and other settings serve its greedy warm start and do not matter here.
    """
    from stochtree import BARTModel

    model = BARTModel()
    model.sample(
        X_train=X,
        y_train=y,
        num_gfr=0,
        num_burnin=n_draws,
        num_mcmc=n_draws,
        general_params={"random_seed": seed, "num_threads": 1},
        mean_forest_params={"num_trees": N_TREES, "sample_sigma2_leaf": False},
    )
    return {}


def fit_bartz(sparse: bool, X: Array, y: Array, n_draws: int, seed: int) -> dict[str, float]:
    """Time ``gbart`` until its trace is computed; the split counts are not extracted.

    ``printevery=None``: no log, and the whole chain is one compiled call.
    ``precompute_predict_train=False``: no fitted values kept, which it does by default.
    100 cuts fit its fastest, 8-bit, encoding. ``augment=False``, the default, is the cheaper
    approximate Dirichlet update. Its reduction and unrolling settings were tried: the defaults
    are the fastest at these sizes, or within the noise of it.
    """
    import jax
    from bartz.BART import gbart

    model = gbart(
        X,
        y,
        sparse=sparse,
        ntree=N_TREES,
        ndpost=n_draws,
        nskip=n_draws,
        keepevery=1,
        printevery=None,
        seed=seed,
        bart_kwargs={"precompute_predict_train": False},
    )
    jax.block_until_ready((model._main_trace, model._mcmc_state))
    return {}


def load(sampler: str) -> Fit:
    """Import a sampler and return its fit."""
    if sampler.startswith("bayesvc"):
        import bayesvc as bv

        return partial(fit_bayesvc, bv.BART() if sampler == "bayesvc-bart" else bv.DART())
    if sampler == "stochtree-bart":
        import stochtree  # noqa: F401

        return fit_stochtree
    import bartz.BART  # noqa: F401

    return partial(fit_bartz, sampler == "bartz-dart")


def answer(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


def main() -> None:
    fit = load(sys.argv[1])
    answer(ready=True)
    for line in sys.stdin:
        task = json.loads(line)
        X, y = continuous(task["n"], task["p"])
        X = np.ascontiguousarray(X)
        wall, cpu = time.perf_counter(), time.process_time()
        extra = fit(X, y, task["n_draws"], task["seed"])
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        answer(seconds=wall, cpu_seconds=cpu, peak_mb=peak, **extra)


if __name__ == "__main__":
    main()
