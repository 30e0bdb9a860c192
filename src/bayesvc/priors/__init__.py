"""Tree priors: frozen settings, one file each, and their calibration to a response."""

from bayesvc.priors.bart import BART
from bayesvc.priors.base import TreePrior, check_prior, prior_from_dict, prior_to_dict
from bayesvc.priors.dart import DART
from bayesvc.priors.moves import Moves
from bayesvc.priors.spike_forest import SpikeForest

PRIORS: dict[str, type[TreePrior]] = {kind.name: kind for kind in (BART, DART, SpikeForest)}

__all__ = [
    "BART",
    "DART",
    "PRIORS",
    "Moves",
    "SpikeForest",
    "TreePrior",
    "check_prior",
    "prior_from_dict",
    "prior_to_dict",
]
