"""What a reader of a selection should know: notes with a code, a severity and a text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesvc._text import counted, listed
from bayesvc.draws import diagnostics
from bayesvc.exceptions import Note
from bayesvc.measures import MEASURES
from bayesvc.selection.methods import not_recomputable
from bayesvc.selection.stability import MOST_NUMBERS
from bayesvc.selection.substitutes import near_twins
from bayesvc.selection.table import shown_paper_mask

if TYPE_CHECKING:
    from bayesvc.selection.result import Selection

FEW_ROWS = 20  # with fewer, even a strong effect is often not told from chance
_UNSETTLED = (0.1, 0.9)  # how often a variable is selected with one replicate left out
_MOST_NAMES = 5
_LEAST_CORRELATION, _CLEAR = 0.15, 4.0  # of residuals of successive rows; in standard errors


def notes_of(selection: Selection) -> tuple[Note, ...]:
    """Return all notes on a selection."""
    return (
        *notes_on_result(selection),
        *_left_out(selection),
        *_differs_from_paper(selection),
        *_provisional(selection),
        *_twins(selection),
    )


def notes_on_result(selection: Selection, among: Sequence[Selection] = ()) -> tuple[Note, ...]:
    """Return notes on the data, the replicates, the measure and the threshold.

    `among`: all selections of a comparison, for which some notes are the same.
    """
    on_threshold = (
        () if selection.withheld else selection.method.threshold.notes(selection.threshold_result)
    )
    found = [
        _no_signal(selection, among or (selection,)),
        _dependent_rows(selection, among or (selection,)), _few_rows(selection),
        *selection.data_notes, _not_converged(selection, is_compared=bool(among)),
        _not_stable(selection), *on_threshold,
        *selection.method.measure.notes(selection.draws), _not_recomputable(selection),
    ]  # fmt: skip
    return tuple(note for note in found if note is not None)


def shared_notes(selections: Mapping[str, Selection]) -> tuple[Note, ...]:
    """Return the notes on selections from the same data, each once; see `Comparison.notes`.

    What one method leaves out and another selects is not mentioned: the comparison shows it.
    """
    told: dict[Note, list[str]] = {}
    among = list(selections.values())
    for name, found in selections.items():
        for note in notes_on_result(found, among):
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


def _no_signal(selection: Selection, among: Sequence[Selection]) -> Note | None:
    if selection.signal is None or selection.signal.found:
        return None
    text = selection.signal.describe(selection.target)
    if any(found.mask.any() for found in among):
        text += " A selection without evidence may be due to chance."
    return Note("no-signal", "warning", text)


def _dependent_rows(selection: Selection, among: Sequence[Selection]) -> Note | None:
    """Return a note if rows are not independent, by their residuals or by what the caller says."""
    r = _clear_correlation(selection)
    if selection.time_order or selection.in_blocks:
        return _accounted_in_part(selection, among, r)
    if r is None:
        return None
    text = (
        f"The residuals of successive rows are correlated ({r:.2f}), so the rows do not seem to be "
        "independent. Columns that drift over time, or differ between groups of rows, may be "
        f"selected although they are unrelated to {selection.target}. If the rows are in time "
        "order, use time_order=True (--time-order); if they come in groups, use permute_within= "
        "(--blocks). The signal test then takes it into account, the rest of the method does not. "
        "If the table was only sorted by a column, shuffle its rows."
    )
    return Note("dependent-rows", "warning", text)


def _clear_correlation(selection: Selection) -> float | None:
    """Return the correlation of the residuals of successive rows if it is beyond chance."""
    test, rows = selection.signal, selection.draws.n_rows
    if test is None or test.residual_correlation is None or rows is None:
        return None
    r = test.residual_correlation
    return None if r < _LEAST_CORRELATION or r * math.sqrt(rows) < _CLEAR else r


def _accounted_in_part(
    selection: Selection, among: Sequence[Selection], r: float | None
) -> Note | None:
    """Return a note on the parts of the methods that take rows for independent nevertheless."""
    if not any(found.mask.any() for found in among):
        return None
    order, drift = zip(
        *(
            [("the time order", "drift over time")] * selection.time_order
            + [("the blocks", "differ between blocks")] * selection.in_blocks
        ),
        strict=True,
    )
    tests = [
        *(["the signal test"] if selection.signal is not None else []),
        *(["the null replicates"] if any(found.null is not None for found in among) else []),
    ]
    probable = all(found.method.measure.is_probability for found in among)
    rest = "the probabilities" if probable else "the importances"
    if any(found.row_frequency is not None for found in among):
        rest += " and half-samples"
    take = "takes" if tests == ["the signal test"] else "take"
    text = f"Only {' and '.join(tests)} {take} {' and '.join(order)} into account; {rest} do not. "
    columns = (
        f"olumns that {' or '.join(drift)} may be selected although they are unrelated to "
        f"{selection.target}."
    )
    if r is None:
        return Note("dependent-rows", "info", f"{text}C{columns}")
    text += f"The residuals of successive rows are correlated ({r:.2f}), so c{columns}"
    return Note("dependent-rows", "warning", text)


def _few_rows(selection: Selection) -> Note | None:
    rows = selection.draws.n_rows
    if rows is None or rows >= FEW_ROWS:
        return None
    text = (
        f"There are only {counted(rows, 'row')}. With fewer than {FEW_ROWS}, relevant variables "
        "can hardly be told from chance. Do not rely on the selection; use more rows."
    )
    return Note("few-rows", "warning", text)


def _not_converged(selection: Selection, *, is_compared: bool) -> Note | None:
    """Return a note if the selection hangs on the replicates, and these disagree about splits.

    Neither alone is of use: the number of splits on a variable in a sum of trees mixes slowly, and
    so does sigma, while the selection is the same whichever replicate is left out. Hence also the
    limit of 1.1 and not ArviZ's 1.01. A column that determines y leaves nothing to agree about.
    """
    if any(note.code == "leak" for note in selection.data_notes):
        return None
    draws, signal, rhat = selection.draws, selection.signal, selection.mixing.count_rhat
    if (signal is not None and not signal.found) or draws.vc.size > MOST_NUMBERS:
        return None
    if not (rhat > diagnostics.RHAT_LIMIT).any():
        return None
    frequency, (low, high) = selection.left_out_frequency, _UNSETTLED
    unsettled = np.flatnonzero((frequency >= low) & (frequency <= high))
    worst = np.max(rhat[unsettled], initial=0, where=~np.isnan(rhat[unsettled]))
    if worst <= diagnostics.RHAT_LIMIT:
        return None
    one = len(unsettled) == 1
    shown = f"R-hat {'' if one else 'up to '}{worst:.3g}"
    names = listed([selection.feature_names[j] for j in unsettled], _MOST_NAMES, last="and")
    more = "" if is_compared else f" or more replicates (n_replicates={2 * draws.n_replicates})"
    text = (
        f"Whether {names} {'is' if one else 'are'} selected depends on which of the "
        f"{draws.n_replicates} replicates is left out, and the replicates disagree about the "
        f"number of splits on {'it' if one else 'them'} ({shown}, above "
        f"{diagnostics.RHAT_LIMIT}). Use longer chains (`burn_in`, `n_draws`){more}."
    )
    return Note("not-converged", "warning", text)


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


def _differs_from_paper(selection: Selection) -> list[Note]:
    """Return a note if the VC-measure selects other variables from the same replicates.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> counts = np.zeros((2, 10, 20), dtype=int)
    >>> counts[:, :, 0], counts[:, :, 1] = 30, 1
    >>> bv.select_from(bv.Draws.from_counts(counts)).notes[-1].code
    'vc-measure'
    """
    own, other = selection.mask, shown_paper_mask(selection)
    if other is None or (own == other).all():
        return []
    more, fewer = (
        [selection.labels[j] for j in np.flatnonzero(some).tolist()]
        for some in (other & ~own, own & ~other)
    )
    also = f"also select {listed(more, _MOST_NAMES, last='and')}" if more else ""
    less = f"not select {listed(fewer, _MOST_NAMES, last='and')}" if fewer else ""
    text = (
        "From these replicates, clustering by the VC-measure would "
        f"{' and '.join(part for part in (also, less) if part)}. The method dart-vc, which has "
        "replicates of its own, may select others."
    )
    return [Note("vc-measure", "info", text)]


def _provisional(selection: Selection) -> list[Note]:
    """Return a note on variables that are selected, but from few of the subsamples."""
    frequency = selection.row_frequency
    if frequency is None:
        return []
    few = np.flatnonzero(selection.mask & (frequency < 0.5))
    if not len(few):
        return []
    order = few[np.argsort(selection.ranks[few], kind="stable")]
    names = listed([selection.labels[j] for j in order.tolist()], _MOST_NAMES, last="and")
    was, them = ("was", "it") if len(few) == 1 else ("were", "them")
    parts = "half-samples" if selection.row_fraction == 0.5 else "subsamples"
    text = f"{names} {was} selected in fewer than half of the {parts}; treat {them} as provisional."
    return [Note("provisional", "info", text)]


def _twins(selection: Selection) -> list[Note]:
    """Return a note for every selected variable with near-twins."""
    found = []
    for selected, twins in near_twins(selection.twins).items():
        names = listed([twin.unselected for twin in twins], _MOST_NAMES, last="and")
        nearest = f"{twins[0].correlation:.2f}"
        least = f"at least {min(abs(twin.correlation) for twin in twins):.2f}, in absolute value"
        one = len(twins) == 1
        text = (
            f"{selected} is nearly the same as {names}, which {'is' if one else 'are'} not "
            f"selected (rank correlation {nearest if one else least}). The data can hardly tell "
            "them apart."
        )
        found.append(Note("twins", "info", text))
    return found
