"""What a reader of a selection should know, in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesvc._text import counted
from bayesvc.draws import diagnostics
from bayesvc.measures import relevance
from bayesvc.measures._relevance_model import LEARNED_TREES
from bayesvc.priors import BART, DART
from bayesvc.thresholds import ClusteringResult

if TYPE_CHECKING:
    from bayesvc.selection.result import Selection

_FEW_ROWS = 20  # below, even a strong driver is often not told from chance
_MANY = 10  # variables; of fewer, more than half may well matter
_MOST_NAMES = 5


def of_result(selection: Selection) -> list[str]:
    """Return notes on the data, the fits and the cut."""
    notes = []
    if selection.signal is not None and not selection.signal.found:
        follows = "so nothing is selected" if selection.emptied else "any selection may be chance"
        notes.append(f"{selection.signal.sentence}; {follows}")
    rows = selection.draws.n_rows
    if rows is not None and rows < _FEW_ROWS:
        notes.append(
            f"there are {rows} rows only: from fewer than {_FEW_ROWS} hardly anything can be "
            "told from chance, so do not rely on the selection; use more rows"
        )
    what, rhat = _worst_mixing(selection)
    if rhat > diagnostics.RHAT_LIMIT:
        notes.append(
            f"the chains disagree about {what} (R-hat {rhat:.4g}, more than "
            f"{diagnostics.RHAT_LIMIT}): see how stable the selection is; longer ones (burn_in, "
            "n_draws) may agree more"
        )
    mask = selection.mask
    if isinstance(selection.cut, ClusteringResult) and mask.sum() > max(_MANY, len(mask) / 2):
        notes.append(
            f"more than half of the variables are selected ({len(selection.selected)} of "
            f"{len(mask)}): the clustering split off a few odd ones instead of those that "
            "matter, so do not rely on it; use measure 'mpvip' with threshold "
            "'median-probability', more fits, or fewer columns"
        )
    if selection.unreached is not None:
        notes.append(
            f"no variable reaches a probability of {selection.unreached:g}, so the most probable "
            "one is selected: more rows or longer fits may tell more"
        )
    n_trees = selection.draws.n_trees
    if selection.method.measure.name == "relevance" and n_trees != LEARNED_TREES:
        trees = "another number" if n_trees is None else n_trees
        notes.append(
            f"the probabilities were learned on forests of {LEARNED_TREES} trees, and these "
            f"may have {trees}: take them for a ranking, or use n_trees={LEARNED_TREES}"
        )
    return notes


def of_left_out(selection: Selection) -> list[str]:
    """Return a note if clusters leave out what the probability of relevance would select."""
    draws, signal = selection.draws, selection.signal
    if not isinstance(selection.cut, ClusteringResult) or (signal is not None and not signal.found):
        return []
    known = isinstance(draws.prior, BART | DART) and draws.n_trees == LEARNED_TREES
    if not known or draws.n_replicates < 2:
        return []
    probability = np.where(selection.mask, 0.0, relevance(draws))
    left_out = np.flatnonzero(probability >= 0.5)
    if not len(left_out):
        return []
    order = left_out[np.argsort(-probability[left_out], kind="stable")]
    names = [f"{selection.feature_names[j]} ({probability[j]:.2f})" for j in order[:_MOST_NAMES]]
    more = f" and {len(order) - _MOST_NAMES} more" if len(order) > _MOST_NAMES else ""
    method = "dart-relevance" if isinstance(draws.prior, DART) else "bart-relevance"
    are = "is" if len(order) == 1 else "are"
    return [
        f"by the same fits {counted(len(order), 'variable')} that the clusters leave out {are} "
        f"more probably relevant than not, {', '.join(names)}{more}: see what {method!r} selects"
    ]


def of_twins(selection: Selection) -> list[str]:
    """Return a note for every near-twin of a selected variable."""
    return [
        f"{twin.unselected} was not selected but is nearly the same as {twin.selected} "
        f"(rank correlation {twin.correlation:.2f}): the data can hardly tell them apart"
        for twin in selection.twins
    ]


def _worst_mixing(selection: Selection) -> tuple[str, float]:
    """Return what the chains are judged by, and its R-hat.

    Sigma is 1 for a binary response, so that the counts of the selected variables must do.
    """
    rhat = selection.mixing.count_rhat[selection.selected]
    if selection.draws.response != "binary" or np.isnan(rhat).all():
        return "sigma", selection.mixing.sigma_rhat
    worst = int(np.nanargmax(rhat))
    return str(selection.names[worst]), float(rhat[worst])
