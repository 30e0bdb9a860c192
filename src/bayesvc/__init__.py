"""Nonparametric variable selection with Bayesian tree ensembles.

A selection method is a tree prior, a measure and a threshold. This package samples the
posterior of BART and DART forests exactly and fast; `sample` is the place to start.

Examples
--------
>>> import numpy as np
>>> import bayesvc as bv
>>> X = np.random.default_rng(0).uniform(size=(100, 5))
>>> y = 10 * X[:, 2] + X[:, 4]
>>> draws = bv.sample(X, y, n_replicates=2, burn_in=100, n_draws=100, random_state=0)
>>> draws.vc.shape
(2, 5)
"""

from importlib import import_module
from types import ModuleType

from bayesvc.draws import Draws
from bayesvc.priors import BART, DART, Moves
from bayesvc.sampling import sample

__version__ = "0.1.0"

__all__ = ["BART", "DART", "Draws", "Moves", "__version__", "measures", "sample", "thresholds"]


def __getattr__(name: str) -> ModuleType:
    """Load what needs scipy.stats when it is first asked for: sampling does not."""
    if name in ("measures", "thresholds"):
        return import_module(f"bayesvc.{name}")
    raise AttributeError(f"module 'bayesvc' has no attribute {name!r}")
