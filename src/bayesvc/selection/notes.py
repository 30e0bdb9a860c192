"""What a reader of a selection should know: notes with a code, a severity and a text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import skew

from bayesvc._text import counted, listed
from bayesvc.draws import diagnostics
from bayesvc.exceptions import Note
from bayesvc.measures import MEASURES
from bayesvc.selection.methods import not_recomputable

if TYPE_CHECKING:
    from bayesvc.draws.draws import Draws
    from bayesvc.selection.result import Selection

_FEW_ROWS = 20  # with fewer, even a strong effect is often not told from chance
_SKEWED = 2.0  # the skewness of an exponential distribution
_MOST_NAMES = 5


def notes_of(selection: Selection) -> tuple[Note, ...]:
    """Return all notes on a selection."""
    return (*notes_on_result(selection), *_left_out(selection), *_twins(selection))


def notes_on_result(selection: Selection) -> tuple[Note, ...]:
    """Return notes on the data, the replicates, the measure and the threshold."""
    on_threshold = (
        () if selection.withheld else selection.method.threshold.notes(selection.threshold_result)
    )
    found = [
        _no_signal(selection), _few_rows(selection), _not_converged(selection),
        _not_stable(selection), *on_threshold, *selection.method.measure.notes(selection.draws),
        _not_recomputable(selection),
    ]  # fmt: skip
    return tuple(note for note in found if note is not None)


def shared_notes(selections: Mapping[str, Selection]) -> tuple[Note, ...]:
    """Return the notes on selections from the same data, each once; see `Comparison.notes`.

    What one method leaves out and another selects is not mentioned: the comparison shows it.
    """
    told: dict[Note, list[str]] = {}
    for name, found in selections.items():
        for note in notes_on_result(found):
            told.setdefault(note, []).append(name)
    notes = [
        note
        if len(names) == len(selections)
        else Note(note.code, note.severity, f"{listed(names)}: {note.text}")
        for note, names in told.items()
    ]
    twins = {twin for found in selections.values() for twin in found.twins}
    if twins:
        pairs = sorted({f"{twin.unselected} and {twin.selected}" for twin in twins})
        text = f"The data can hardly tell these columns apart: {listed(pairs)}."
        notes.append(Note("twins", "info", text))
    return tuple(notes)


def _no_signal(selection: Selection) -> Note | None:
    if selection.signal is None or selection.signal.found:
        return None
    follows = (
        "Nothing is selected." if selection.withheld else "Any selection may be due to chance."
    )
    text = f"{selection.signal.sentence} {follows}"
    return Note("no-signal", "warning", text)


def _few_rows(selection: Selection) -> Note | None:
    rows = selection.draws.n_rows
    if rows is None or rows >= _FEW_ROWS:
        return None
    text = (
        f"There are only {counted(rows, 'row')}. With fewer than {_FEW_ROWS}, relevant variables "
        "can hardly be told from chance. Do not rely on the selection; use more rows."
    )
    return Note("few-rows", "warning", text)


def _not_converged(selection: Selection) -> Note | None:
    """Return a note if the replicates disagree.

    The limit is `diagnostics.RHAT_LIMIT`, 1.1, and not ArviZ's 1.01: the number of splits on a
    variable in a sum of trees mixes slowly, and selections are stable long before R-hat reaches
    1.01. What matters for a selection is shown by its stability over the replicates.
    """
    what, rhat = _worst_mixing(selection)
    if math.isnan(rhat) or rhat <= diagnostics.RHAT_LIMIT:
        return None
    shown = "sigma, the error standard deviation" if what == "sigma" else what
    text = (
        f"The replicates disagree about {shown} (R-hat {rhat:.3g}, above "
        f"{diagnostics.RHAT_LIMIT}), so their chains have not mixed. Look at the stability "
        "(leave-one-out) before you rely on the selection. Longer chains (`burn_in`, `n_draws`) "
        "may help."
    )
    if _is_skewed(selection.draws):
        text += " So may a prior with `transform='normal-scores'`, because y is skewed."
    return Note("not-converged", "warning", text)


def _is_skewed(draws: Draws) -> bool:
    """Tell whether the response is known, fitted as it is, positive and skewed to the right."""
    y = None if draws._encoded is None else draws._encoded.y
    if y is None or y.classes is not None or y.values.min() <= 0:
        return False
    if draws.calibration is not None and draws.calibration.score_map is not None:
        return False
    return bool(skew(y.values / y.values.max()) > _SKEWED)  # in a unit whose cube is finite


def _not_stable(selection: Selection) -> Note | None:
    """Return a note if sampling until stable stopped before that."""
    if selection.stopping is None or selection.stopping.stable:
        return None
    return Note("not-stable", "warning", selection.stopping.reason)


def _not_recomputable(selection: Selection) -> Note | None:
    if selection.method.recomputable:
        return None
    return Note("unknown-part", "info", not_recomputable(selection.method))


def _left_out(selection: Selection) -> list[Note]:
    """Return a note if a partition leaves out what the probability of relevance would select."""
    draws, signal, measure = selection.draws, selection.signal, MEASURES["relevance"]
    if not selection.method.threshold.partitions or (signal is not None and not signal.found):
        return []
    prior = draws.prior
    if prior is None or measure.incompatibility(prior) is not None or measure.notes(draws):
        return []
    if draws.n_replicates < measure.min_replicates:
        return []
    probability = np.where(selection.mask, 0.0, measure.compute(draws))
    left_out = np.flatnonzero(probability >= 0.5)
    if not len(left_out):
        return []
    order = left_out[np.argsort(-probability[left_out], kind="stable")]
    names = [f"{selection.feature_names[j]} ({probability[j]:.2f})" for j in order]
    are = "is" if len(order) == 1 else "are"
    text = (
        f"{counted(len(order), 'variable')} outside the selected cluster {are} more likely "
        f"relevant than not, by the same replicates: {listed(names, _MOST_NAMES)}. See what method "
        f"'{prior.name}-relevance' selects."
    )
    return [Note("left-out", "info", text)]


def _twins(selection: Selection) -> list[Note]:
    """Return a note for every near-twin of a selected variable."""
    return [
        Note(
            "twins",
            "info",
            f"{twin.unselected} is not selected but nearly the same as {twin.selected} (rank "
            f"correlation {twin.correlation:.2f}). The data can hardly tell them apart.",
        )
        for twin in selection.twins
    ]


def _worst_mixing(selection: Selection) -> tuple[str, float]:
    """Return what the chains are judged by, and its R-hat.

    Where sigma is no parameter, the counts of the selected variables take its place.
    """
    rhat = selection.mixing.count_rhat[selection.indices]
    model = selection.draws.response_model
    if model is None or model.has_noise_variance or np.isnan(rhat).all():
        return "sigma", selection.mixing.sigma_rhat
    worst = int(np.nanargmax(rhat))
    return f"the splits on {selection.names[worst]}", float(rhat[worst])
