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

from bayesvc._version import __version__
from bayesvc._wiring import wire

if TYPE_CHECKING:
    from bayesvc import exceptions, measures, plots, report, responses, thresholds
    from bayesvc.draws import diagnostics
    from bayesvc.draws.draws import Draws
    from bayesvc.estimators.classifier import BARTClassifier
    from bayesvc.estimators.regressor import BARTRegressor
    from bayesvc.estimators.selector import VariableSelector
    from bayesvc.estimators.survival import BARTSurvival
    from bayesvc.explain.result import Effects
    from bayesvc.priors import BART, DART, Moves, SpikeForest
    from bayesvc.report import write_report
    from bayesvc.responses.surv import Surv
    from bayesvc.sampling.sample import sample
    from bayesvc.selection.comparison import Comparison
    from bayesvc.selection.from_draws import select_from
    from bayesvc.selection.methods import recipes
    from bayesvc.selection.result import Selection
    from bayesvc.selection.select import compare, select
    from bayesvc.selection.subsample_stability import RowStability, row_stability
    from bayesvc.thresholds import FDR, Clustering, MedianProbability, Permutation

# Methods that a class offers and a higher layer, or another module of its own, carries out.
wire(
    {
        "Draws.extend": "bayesvc.sampling.sample:extend_draws",
        "Draws.predict": "bayesvc.draws.prediction:predict",
        "Draws.posterior": "bayesvc.draws.prediction:posterior",
        "Draws.save": "bayesvc.draws.file:write",
        "Draws.load": "bayesvc.draws.file:read",
        "Draws.from_counts": "bayesvc.draws.adapters.counts:from_counts",
        "Draws.from_stochtree": "bayesvc.draws.adapters.stochtree:from_stochtree",
        "Draws.from_bartz": "bayesvc.draws.adapters.bartz:from_bartz",
        "Draws.from_pymc_bart": "bayesvc.draws.adapters.pymc_bart:from_pymc_bart",
        "Selection.plot": "bayesvc.plots:plot_selection",
        "Selection.effects": "bayesvc.explain.effects:selection_effects",
        "Effects.plot": "bayesvc.plots:plot_effects",
        "Selection.save": "bayesvc.selection.file:write",
        "Selection.load": "bayesvc.selection.file:read",
        "Selection.to_html_report": "bayesvc.report:write_report",
        "Comparison.plot": "bayesvc.plots:agreement",
        "Comparison.to_html_report": "bayesvc.report:write_report",
    }
)

# Loaded when first asked for: `bayesvc --help` needs no numpy, and sampling no scikit-learn.
_MODULES = {
    "diagnostics": "draws.diagnostics",
    "exceptions": "exceptions",
    "measures": "measures",
    "plots": "plots",
    "prediction_check": "selection.prediction_check",
    "report": "report",
    "responses": "responses",
    "thresholds": "thresholds",
}
_LATER = {
    "BART": "priors",
    "BARTClassifier": "estimators.classifier",
    "BARTRegressor": "estimators.regressor",
    "BARTSurvival": "estimators.survival",
    "Clustering": "thresholds",
    "Comparison": "selection.comparison",
    "DART": "priors",
    "Draws": "draws.draws",
    "Effects": "explain.result",
    "FDR": "thresholds",
    "MedianProbability": "thresholds",
    "Moves": "priors",
    "Permutation": "thresholds",
    "RowStability": "selection.subsample_stability",
    "Selection": "selection.result",
    "SpikeForest": "priors",
    "Surv": "responses.surv",
    "VariableSelector": "estimators.selector",
    "compare": "selection.select",
    "recipes": "selection.methods",
    "row_stability": "selection.subsample_stability",
    "sample": "sampling.sample",
    "select": "selection.select",
    "select_from": "selection.from_draws",
    "write_report": "report",
}

__all__ = [
    "BART",
    "DART",
    "FDR",
    "BARTClassifier",
    "BARTRegressor",
    "BARTSurvival",
    "Clustering",
    "Comparison",
    "Draws",
    "Effects",
    "MedianProbability",
    "Moves",
    "Permutation",
    "RowStability",
    "Selection",
    "SpikeForest",
    "Surv",
    "VariableSelector",
    "__version__",
    "compare",
    "diagnostics",
    "exceptions",
    "measures",
    "plots",
    "recipes",
    "report",
    "responses",
    "row_stability",
    "sample",
    "select",
    "select_from",
    "thresholds",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"bayesvc.{_MODULES[name]}")
    if name in _LATER:
        return getattr(import_module(f"bayesvc.{_LATER[name]}"), name)
    raise AttributeError(f"module 'bayesvc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
