"""Nonparametric variable selection with Bayesian tree ensembles.

A selection method is a tree prior, a measure and a threshold. This package samples the
posterior of BART and DART forests exactly and fast, and that of the spike-and-forest prior by
approximate Bayesian computation; `sample` is the place to start.

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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesvc import diagnostics, measures, plots, report, thresholds
    from bayesvc.comparison import Comparison
    from bayesvc.cuts import Clustering, MedianProbability, Permutation
    from bayesvc.draws import Draws
    from bayesvc.estimators import BARTClassifier, BARTRegressor
    from bayesvc.methods import compare, select, select_from
    from bayesvc.priors import BART, DART, Moves
    from bayesvc.recipe import recipes
    from bayesvc.report import write_report
    from bayesvc.resampled import RowStability, row_stability
    from bayesvc.sampling import sample
    from bayesvc.selection import Selection
    from bayesvc.selector import VariableSelector
    from bayesvc.spike_forest import SpikeForest

__version__ = "0.1.0"

# Loaded when first asked for: `bayesvc --help` needs no numpy, and sampling no scikit-learn.
_MODULES = ("diagnostics", "measures", "plots", "prediction_check", "report", "thresholds")
_LATER = {
    "BART": "priors",
    "BARTClassifier": "estimators",
    "BARTRegressor": "estimators",
    "Clustering": "cuts",
    "Comparison": "comparison",
    "DART": "priors",
    "Draws": "draws",
    "MedianProbability": "cuts",
    "Moves": "priors",
    "Permutation": "cuts",
    "RowStability": "resampled",
    "Selection": "selection",
    "SpikeForest": "spike_forest",
    "VariableSelector": "selector",
    "compare": "methods",
    "recipes": "recipe",
    "row_stability": "resampled",
    "sample": "sampling",
    "select": "methods",
    "select_from": "methods",
    "write_report": "report",
}

__all__ = [
    "BART",
    "DART",
    "BARTClassifier",
    "BARTRegressor",
    "Clustering",
    "Comparison",
    "Draws",
    "MedianProbability",
    "Moves",
    "Permutation",
    "RowStability",
    "Selection",
    "SpikeForest",
    "VariableSelector",
    "__version__",
    "compare",
    "diagnostics",
    "measures",
    "plots",
    "recipes",
    "report",
    "row_stability",
    "sample",
    "select",
    "select_from",
    "thresholds",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"bayesvc.{name}")
    if name in _LATER:
        return getattr(import_module(f"bayesvc.{_LATER[name]}"), name)
    raise AttributeError(f"module 'bayesvc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
