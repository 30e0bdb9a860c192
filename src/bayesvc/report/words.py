"""Numbers and lists as a reader wants them, and the sentences of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bayesvc._text import counted, listed
from bayesvc.exceptions import Note
from bayesvc.selection.result import Selection

UNKNOWN = "\u2013"
_MOST_NOTES = 12


def number(value: int) -> str:
    """Return an integer with commas between the thousands.

    Examples
    --------
    >>> from bayesvc.report.words import number
    >>> number(20000)
    '20,000'
    """
    return f"{value:,}"


def decimal(value: float) -> str:
    """Return three significant digits; a dash for what is not known.

    Examples
    --------
    >>> from bayesvc.report.words import decimal
    >>> decimal(1.23456), decimal(4321.6)
    ('1.23', '4,322')
    """
    if math.isnan(value):
        return UNKNOWN
    return number(round(value)) if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def withheld(target: str) -> str:
    """Say why nothing is selected without evidence, where the page shows the stability.

    Examples
    --------
    >>> from bayesvc.report.words import withheld
    >>> withheld("dose")
    'Nothing is selected, because there is not enough evidence that dose depends on the columns...'
    """
    return (
        f"Nothing is selected, because there is not enough evidence that {target} depends on the "
        "columns. The stability of this result cannot be judged from the replicates."
    )


def by_importance(selection: Selection) -> list[str]:
    """Return the selected names, most important first.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import by_importance
    >>> by_importance(bv.select_from(bv.Draws.from_counts([[[8, 0, 9]]])))
    ['x2', 'x0']
    """
    order = selection.indices[np.argsort(selection.ranks[selection.indices], kind="stable")]
    return [selection.labels[j] for j in order.tolist()]


def conclusion(selection: Selection, target: str = "y") -> tuple[str, list[str]]:
    """Return the opening sentence without its names, and the names.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import conclusion
    >>> conclusion(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]])))
    ('2 of 3 columns were selected as predictive of y', ['x0', 'x2'])
    """
    p, names = len(selection.mask), by_importance(selection)
    of = _out_of(len(names), p)
    verb = "was" if len(names) == 1 else "were"
    if selection.signal is not None and not selection.signal.found:
        opening = selection.signal.conclusion(target)
        if names:
            return f"{opening}; {of[0].lower()}{of[1:]} {verb} selected anyway", names
        return f"{opening}; no column is selected", []
    if not names:
        which = "The only column was not" if p == 1 else f"None of the {number(p)} columns was"
        return f"{which} selected as predictive of {target}", []
    if selection.unreached is not None:
        which = (
            "The only column does not reach" if p == 1 else f"None of {number(p)} columns reaches"
        )
        return (
            f"{which} a probability of {selection.unreached:g}; the most probable was selected"
        ), names
    return f"{of} {verb} selected as predictive of {target}", names


def agreement(selections: Mapping[str, Selection], target: str = "y") -> tuple[str, list[str]]:
    """Return the opening sentence about several methods, and the names that all of them select.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import agreement
    >>> draws = bv.Draws.from_counts([[[9, 0, 8]]])
    >>> agreement({"a": bv.select_from(draws), "b": bv.select_from(draws, measure="mpvip")})
    ('2 of 3 columns were selected by both methods', ['x0', 'x2'])
    """
    first = next(iter(selections.values()))
    masks = np.array([selection.mask for selection in selections.values()])
    common = np.flatnonzero(masks.all(axis=0)).tolist()
    p, some = len(first.mask), int(masks.any(axis=0).sum())
    names = [first.labels[j] for j in common]
    by_all = _by_all(len(masks))
    if some == 0:
        which = {1: "the method", 2: "either method"}.get(
            len(masks), f"any of {len(masks)} methods"
        )
        return f"None of {number(p)} columns was selected as predictive of {target} by {which}", []
    if first.signal is not None and not first.signal.found:
        opening = first.signal.conclusion(target)
        if names:
            were = "was" if len(names) == 1 else "were"
            return f"{opening}; {number(len(names))} {were} selected anyway {by_all}", names
        return (
            f"{opening}; {number(some)} of {number(p)} columns are selected by at least one "
            "method, none by all of them"
        ), []
    if not names:
        return (
            f"{number(some)} of {number(p)} columns were selected as predictive of {target} by "
            "some methods, none by all of them"
        ), []
    were = "was" if len(names) == 1 else "were"
    opening = f"{_out_of(len(names), p)} {were} selected {by_all}"
    if any(selection.unreached is not None for selection in selections.values()):
        opening += ", including the most probable where none is probable enough"
    return opening, names


def disagreement(selections: Mapping[str, Selection]) -> str:
    """Return a sentence on what only some methods select, where all of them select something.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import disagreement
    >>> one, other = [[[9, 0, 8, 0]]], [[[9, 0, 0, 0]]]
    >>> both = {
    ...     "a": bv.select_from(bv.Draws.from_counts(one), measure="mpvip"),
    ...     "b": bv.select_from(bv.Draws.from_counts(other), measure="mpvip"),
    ... }
    >>> disagreement(both)
    '1 more was selected by one of them.'
    """
    votes = np.sum([selection.mask for selection in selections.values()], axis=0)
    more = int(((votes > 0) & (votes < len(selections))).sum())
    if more == 0 or votes.max() < len(selections):
        return ""
    verb = "was" if more == 1 else "were"
    whom = "one" if len(selections) == 2 else "at least one"
    return f"{number(more)} more {verb} selected by {whom} of them."


def _out_of(some: int, p: int) -> str:
    """Return how many of the columns these are, at the beginning of a sentence."""
    if some == p <= 2:
        return "The only column" if p == 1 else "Both columns"
    return f"All {number(p)} columns" if some == p else f"{number(some)} of {number(p)} columns"


def _by_all(n_methods: int) -> str:
    if n_methods == 1:
        return "by the method"
    return "by both methods" if n_methods == 2 else f"by all {n_methods} methods"


def stability_note(selection: Selection) -> Note | None:
    """Say whether the selection depends on a single replicate.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import stability_note
    >>> found = bv.select_from(bv.Draws.from_counts([[[9, 0, 8]], [[8, 0, 9]]]))
    >>> stability_note(found).text
    'The selection is the same whichever of the 2 replicates is left out.'
    """
    replicates = selection.draws.n_replicates
    if not selection.method.recomputable:
        return None  # a note of the selection says why
    if selection.withheld:
        return None  # the page says so beside the stability
    if replicates == 1:
        text = "There is only one replicate, so the stability of the selection is unknown."
        return Note("stability", "info", text)
    share = selection.stability.leave_one_out
    differs = np.flatnonzero(share != selection.mask)
    by_rank = differs[np.argsort(selection.ranks[differs], kind="stable")].tolist()
    changing = [selection.labels[j] for j in by_rank]
    if not changing:
        text = f"The selection is the same whichever of the {replicates} replicates is left out."
        return Note("stability", "good", text)
    what = "One variable is" if len(changing) == 1 else f"{number(len(changing))} variables are"
    text = (
        f"{what} selected or not depending on which of the {replicates} replicates is left out: "
        f"{listed(changing)}. Increase `n_replicates`."
    )
    return Note("stability", "warning", text)


def spread_caption(selection: Selection) -> str:
    """Explain the marks of the chart of single replicates.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import spread_caption
    >>> spread_caption(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]])))
    'There is only one replicate, so no spread can be shown. The selected variables ...'
    """
    order = "The selected variables come first, then the next few."
    if selection.draws.n_replicates == 1:
        return f"There is only one replicate, so no spread can be shown. {order}"
    if selection.method.measure.replicates_average:
        marks = (
            "The large mark is the importance, and the small dots are the individual replicates."
        )
    else:
        marks = (
            "The large mark is the importance estimated from all replicates, and each small dot is "
            "estimated from one of them. Agreement between replicates counts as evidence, so the "
            "mark can lie outside the range of the dots."
        )
    return f"{marks} {order}"


def signal_note(selection: Selection, target: str = "y") -> Note | None:
    """Say that there is signal; if there is none, a warning says so.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import signal_note
    >>> signal_note(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]]))) is None
    True
    """
    if selection.signal is None or not selection.signal.found:
        return None
    return Note("signal", "good", selection.signal.describe(target))


def notes(selection: Selection, target: str = "y") -> list[Note]:
    """Return everything a reader should know of the result, warnings first.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import notes
    >>> [note.severity for note in notes(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]])))]
    ['info']
    """
    if target != selection.target:
        selection = replace(selection, target=target)
    own = selection.notes
    found = list(own[:_MOST_NOTES])
    if len(own) > _MOST_NOTES:  # twins come last
        more = counted(len(own) - _MOST_NOTES, "more selected column")
        found.append(Note("twins", "info", f"There are near-copies of {more}."))
    unsettled = any(note.code == "not-converged" for note in own)  # says as much as the other
    extra = [signal_note(selection, target), None if unsettled else stability_note(selection)]
    found += [note for note in extra if note is not None]
    order = {"warning": 0, "info": 1, "good": 2}
    return sorted(found, key=lambda note: order[note.severity])
