"""Numbers and lists as a reader wants them, and the sentences of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayesvc._text import as_sentence, listed
from bayesvc.selection.result import Selection

UNKNOWN = "\u2013"

_LEAST_ESS = 100
_MOST_NOTES = 12


@dataclass(frozen=True)
class Note:
    """A sentence about how far the result can be trusted."""

    level: Literal["good", "info", "warning"]
    text: str


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


def by_importance(selection: Selection) -> list[str]:
    """Return the selected names, most important first.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import by_importance
    >>> by_importance(bv.select_from(bv.Draws.from_counts([[[8, 0, 9]]])))
    ['x2', 'x0']
    """
    order = selection.selected[np.argsort(selection.ranks[selection.selected], kind="stable")]
    return [selection.labels[j] for j in order.tolist()]


def conclusion(selection: Selection, target: str = "y") -> tuple[str, list[str]]:
    """Return the opening sentence without its names, and the names.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import conclusion
    >>> conclusion(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]])))
    ('2 of 3 columns drive y', ['x0', 'x2'])
    """
    p, names = len(selection.mask), by_importance(selection)
    if not names:
        which = "The one column was not" if p == 1 else f"None of the {number(p)} columns was"
        return f"{which} found to drive {target}", []
    if selection.signal is not None and not selection.signal.found:
        which = "the one column" if p == 1 else f"any of the {number(p)} columns"
        verb = "was" if len(names) == 1 else "were"
        return (
            f"No sign that {which} drives {target}; by chance, it seems, "
            f"{number(len(names))} {verb} selected"
        ), names
    if selection.unreached is not None:
        which = "The one column does not drive" if p == 1 else f"None of {number(p)} columns drives"
        asked = f"with a probability of {selection.unreached:g}"
        return f"{which} {target} {asked}; the most probable is selected", names
    if p == 1:
        return f"The one column drives {target}", names
    verb = "drives" if len(names) == 1 else "drive"
    return f"{number(len(names))} of {number(p)} columns {verb} {target}", names


def agreement(selections: Mapping[str, Selection], target: str = "y") -> tuple[str, list[str]]:
    """Return the opening sentence about several methods, and the names that all of them select.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import agreement
    >>> draws = bv.Draws.from_counts([[[9, 0, 8]]])
    >>> agreement({"a": bv.select_from(draws), "b": bv.select_from(draws, "mpvip")})
    ('Both methods select 2 of 3 columns', ['x0', 'x2'])
    """
    first = next(iter(selections.values()))
    masks = np.array([selection.mask for selection in selections.values()])
    common = np.flatnonzero(masks.all(axis=0)).tolist()
    p, some = len(first.mask), int(masks.any(axis=0).sum())
    names = [first.labels[j] for j in common]
    all_select = _all_select(len(masks))
    if some == 0:
        which = {1: "the method", 2: "either method"}.get(
            len(masks), f"any of {len(masks)} methods"
        )
        return f"No column of {number(p)} was found to drive {target} by {which}", []
    if first.signal is not None and not first.signal.found:
        none = f"No sign that any of the {number(p)} columns drives {target}; by chance, it seems,"
        if names:
            return f"{none} {all_select[0].lower()}{all_select[1:]} {number(len(names))}", names
        return f"{none} some methods select {number(some)}, though all of them none", []
    if not names:
        return (
            f"{number(some)} of {number(p)} columns drive {target} according to some methods, "
            "none according to all"
        ), []
    opening = f"{all_select} {number(len(names))} of {number(p)} columns"
    if any(selection.unreached is not None for selection in selections.values()):
        opening += ", if need be the most probable"
    return opening, names


def disagreement(selections: Mapping[str, Selection]) -> str:
    """Return a sentence on what only some methods select, where all of them select something.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import disagreement
    >>> one, other = [[[9, 0, 8, 0]]], [[[9, 0, 0, 0]]]
    >>> both = {
    ...     "a": bv.select_from(bv.Draws.from_counts(one), "mpvip"),
    ...     "b": bv.select_from(bv.Draws.from_counts(other), "mpvip"),
    ... }
    >>> disagreement(both)
    '1 more is selected by one of them.'
    """
    votes = np.sum([selection.mask for selection in selections.values()], axis=0)
    more = int(((votes > 0) & (votes < len(selections))).sum())
    if more == 0 or votes.max() < len(selections):
        return ""
    verb, whom = "is" if more == 1 else "are", "one" if len(selections) == 2 else "some"
    return f"{number(more)} more {verb} selected by {whom} of them."


def _all_select(n_methods: int) -> str:
    if n_methods == 1:
        return "The method selects"
    return "Both methods select" if n_methods == 2 else f"All {n_methods} methods select"


def stability_note(selection: Selection) -> Note:
    """Say whether the selection hangs on a single fit.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import stability_note
    >>> found = bv.select_from(bv.Draws.from_counts([[[9, 0, 8]], [[8, 0, 9]]]))
    >>> stability_note(found).text
    'The selection stays the same whichever of the 2 fits is left out.'
    """
    fits = selection.draws.n_replicates
    if selection.emptied:
        text = (
            "Nothing is selected because the test for signal found none, whatever the fits say; so "
            "they tell nothing about the stability of the selection."
        )
        return Note("info", text)
    if fits == 1:
        text = "There is one fit only, so nothing can be said about the stability of the selection."
        return Note("info", text)
    share = selection.stability.leave_one_out
    differs = np.flatnonzero(share != selection.mask)
    by_rank = differs[np.argsort(selection.ranks[differs], kind="stable")].tolist()
    changing = [selection.labels[j] for j in by_rank]
    if not changing:
        text = f"The selection stays the same whichever of the {fits} fits is left out."
        return Note("good", text)
    what = "One variable is" if len(changing) == 1 else f"{number(len(changing))} variables are"
    text = (
        f"{what} selected or not depending on which of the {fits} fits is left out: "
        f"{listed(changing)}. More fits (n_replicates) would settle it."
    )
    return Note("warning", text)


def spread_caption(selection: Selection) -> str:
    """Say what the marks of the picture of single fits are.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import spread_caption
    >>> spread_caption(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]])))
    'There is one fit, so no spread can be shown. The selected variables come first, ...'
    """
    order = "The selected variables come first, then the next few."
    if selection.draws.n_replicates == 1:
        return f"There is one fit, so no spread can be shown. {order}"
    if selection.method.measure.alone is None:
        marks = "The large mark is the value that counts, the small dots are the single fits."
    else:
        marks = (
            "The large mark is the value that counts, of all fits together; the small dots are "
            "what each fit would say alone. A single fit cannot show that others agree with it, so "
            "the mark may lie beyond all of its dots, and on the other side of the threshold."
        )
    return f"{marks} {order}"


def mixing_note(selection: Selection) -> Note | None:
    """Say whether the draws of sigma agree and are many enough; None if sigma is not known.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import mixing_note
    >>> mixing_note(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]]))) is None
    True
    """
    rhat, ess = selection.mixing.sigma_rhat, selection.mixing.sigma_ess
    if math.isnan(rhat) or any("R-hat" in warning for warning in selection.warnings):
        return None
    if ess < _LEAST_ESS:
        text = (
            f"The draws of the error sd tell as much as {ess:.0f} independent ones, fewer than "
            f"{_LEAST_ESS}: longer chains (n_draws) would tell more."
        )
        return Note("warning", text)
    text = (
        f"The chains agree about the error sd (R-hat {rhat:.3f}), and its draws tell as much as "
        f"{decimal(ess)} independent ones."
    )
    return Note("good", text)


def signal_note(selection: Selection) -> Note | None:
    """Say that y has to do with the variables; where it has not, a warning says so.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import signal_note
    >>> signal_note(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]]))) is None
    True
    """
    if selection.signal is None or not selection.signal.found:
        return None
    return Note("good", as_sentence(selection.signal.sentence))


def notes(selection: Selection) -> list[Note]:
    """Return everything a reader should know of the result, warnings first.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.words import notes
    >>> [note.level for note in notes(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]])))]
    ['info']
    """
    general = len(selection.warnings) - len(selection.twins)
    sentences = [
        as_sentence(text) if i < general else f"{text}."  # a name stays as it is
        for i, text in enumerate(selection.warnings)
    ]
    found = [Note("warning", text) for text in sentences[:_MOST_NOTES]]
    if len(selection.warnings) > _MOST_NOTES:
        more = number(len(selection.warnings) - _MOST_NOTES)
        found.append(Note("warning", f"{more} more columns are nearly the same as selected ones."))
    extra = [signal_note(selection), stability_note(selection), mixing_note(selection)]
    found += [note for note in extra if note is not None]
    rank = {"warning": 0, "info": 1, "good": 2}
    return sorted(found, key=lambda note: rank[note.level])
