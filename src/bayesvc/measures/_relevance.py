"""Probability of relevance, learned on problems with known answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.exceptions import Note
from bayesvc.measures._relevance_model import LEARNED_TREES, probability
from bayesvc.measures._tally import tally_of
from bayesvc.measures.base import ColumnInfo, Measure

_LEARNED_PRIORS = ("bart", "dart")


def relevance(draws: object) -> FloatArray:
    """Return the probability that each variable is relevant, from what the replicates agree on.

    The model behind it was learned on problems with known answers, with BART and DART forests of
    20 trees. It needs several replicates: a variable that only one of them uses is in doubt. With
    a single replicate the usual agreement is assumed.

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
    array([0.9 , 0.01, 0.  ])
    """
    return probability(tally_of(draws, "vc"), tally_of(draws, "mpvip"))


@dataclass(frozen=True)
class Relevance(Measure):
    """The measure "relevance"."""

    name = "relevance"
    label = "P(relevant)"
    axis_label = "probability of relevance"
    description = "Probability that the variable is relevant, from what the replicates agree on."
    is_probability = True
    min_replicates = 2
    default_threshold = "most-probable"

    def compute(self, draws: Any) -> FloatArray:
        """Return `relevance`."""
        return relevance(draws)

    def per_replicate(self, draws: Any) -> FloatArray:
        """Return what each replicate says if the others agreed with it as usual."""
        counts, inclusion = tally_of(draws, "vc"), tally_of(draws, "mpvip")
        rows = range(len(counts))
        return np.array([probability(counts[[row]], inclusion[[row]]) for row in rows])

    def columns(self, n_columns: int) -> tuple[ColumnInfo, ...]:
        """Return the column of the probability."""
        return (ColumnInfo(self.name, self.label, self.description),)

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
