"""Probability of relevance, learned on problems with known answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc._validation import check_integer
from bayesvc.exceptions import Note
from bayesvc.measures import _relevance_dart, _relevance_model
from bayesvc.measures._tally import tally_of
from bayesvc.measures.base import ColumnInfo, Measure

LEARNED_TREES = 20
_LEARNED_PRIORS = ("bart", "dart")


def relevance(draws: object, version: int = 2) -> FloatArray:
    """Return the probability that each variable is relevant, from what the replicates agree on.

    The formula behind it was learned on tables with known answers, with BART and DART forests of
    20 trees. It needs several replicates: a variable that only one of them uses is in doubt.

    Parameters
    ----------
    draws : Draws
    version : {1, 2}, default 2
        Version of the formula. BART has the first one in either case.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import relevance
    >>> vc = np.array([[2.0, 1.0] + [0.02] * 48, [2.5, 0.0] + [0.03] * 48])
    >>> relevance(SimpleNamespace(vc=vc, mpvip=np.minimum(vc, 1)))[:3].round(2)
    array([1.  , 0.03, 0.  ])
    """
    return _probability(draws, tally_of(draws, "vc"), tally_of(draws, "mpvip"), version)


def _probability(draws: object, vc: FloatArray, mpvip: FloatArray, version: int) -> FloatArray:
    if version == 1 or _is_of_bart(draws):
        return _relevance_model.probability(vc, mpvip)
    n_trees = getattr(draws, "n_trees", None) or LEARNED_TREES
    return _relevance_dart.probability(vc, mpvip, n_trees)


def _is_of_bart(draws: object) -> bool:
    prior = getattr(draws, "prior", None)
    return prior is not None and prior.name == "bart"


@dataclass(frozen=True)
class Relevance(Measure):
    """The measure "relevance".

    Parameters
    ----------
    version : {1, 2}, default 2
        Version of the formula; a file of a selection keeps its own.
    """

    version: int = 2

    name = "relevance"
    label = "P(relevant)"
    axis_label = "probability of relevance"
    description = (
        "Probability that the variable is relevant, estimated by a formula that was learned from "
        "simulated data. It uses the splits on the variable and the agreement of the replicates. "
        "It is not a posterior probability."
    )
    is_probability = True
    min_replicates = 2
    checked = True
    default_threshold = "most-probable"

    def compute(self, draws: Any) -> FloatArray:
        """Return `relevance`."""
        return relevance(draws, self.version)

    def per_replicate(self, draws: Any) -> FloatArray:
        """Return what each replicate says alone."""
        vc, mpvip = tally_of(draws, "vc"), tally_of(draws, "mpvip")
        rows = range(len(vc))
        return np.array([_probability(draws, vc[[r]], mpvip[[r]], self.version) for r in rows])

    def given_signal(self, values: FloatArray, p_value: float) -> FloatArray:
        """Return the probabilities in the light of the p-value of the signal test."""
        return values if self.version == 1 else _relevance_dart.given_signal(values, p_value)

    def columns(self, n_columns: int) -> tuple[ColumnInfo, ...]:
        """Return the column of the probability."""
        return (ColumnInfo(self.name, self.label, self.description, "probability"),)

    def with_settings(self, settings: Mapping[str, Any]) -> Relevance:
        """Return the measure with other settings; a file without a version has the first one."""
        return Relevance(version=check_integer("version", settings.get("version", 1), 1))

    def incompatibility(self, prior: Any) -> str | None:
        """Return why the model does not apply to this prior, or None."""
        if prior.name in _LEARNED_PRIORS:
            return None
        return f"it was learned on BART and DART forests, not on those of {prior.label}"

    def notes(self, draws: Any) -> tuple[Note, ...]:
        """Say that the probabilities were learned on forests of another size."""
        if draws.n_trees == LEARNED_TREES:
            return ()
        trees = "an unknown number" if draws.n_trees is None else f"{draws.n_trees}"
        text = (
            f"The probabilities of relevance were learned on forests of {LEARNED_TREES} trees, and "
            f"these have {trees}. Use them as a ranking only, or pass n_trees={LEARNED_TREES}."
        )
        return (Note("other-forest-size", "warning", text),)
