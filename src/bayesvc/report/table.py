"""The table of all variables, as compact columns that the page's own script shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc.report import words
from bayesvc.selection.result import Selection

FileFormat = Literal["flag", "count", "number", "share"]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the table.

    Attributes
    ----------
    key, label, meaning : str
        Short name, heading, and a sentence for those who ask.
    kind : {"flag", "count", "number", "share"}
        How values are shown: yes or no, an integer, a number, a percentage.
    values : ndarray (n_features,)
    low_first : bool
        Whether the first click sorts the smallest up.
    extra : bool
        Whether it is shown only on request.
    """

    key: str
    label: str
    meaning: str
    kind: FileFormat
    values: NDArray[Any]
    low_first: bool = False
    extra: bool = False


@dataclass(frozen=True)
class _About:
    label: str
    meaning: str
    kind: FileFormat = "number"
    low_first: bool = False
    extra: bool = False


# Columns of `Selection.table` and of its JSON; what is not listed here is shown under its own name.
_ABOUT = {
    "selected": _About("Selected", "Whether the method selects the variable.", "flag"),
    "rank": _About("Rank", "Place by the measure; equals share one.", "count", low_first=True),
    "vc": _About("Splits per draw", "VC: mean number of splits on the variable in a forest."),
    "vip": _About("Share of splits", "VIP: mean share of the splits.", "share", extra=True),
    "mpvip": _About("In draws", "MPVIP: share of the draws that split on it at all.", "share"),
    "relevance": _About(
        "P(relevant)", "Probability that the variable matters, by what the fits agree on."
    ),
    "mi": _About(
        "Metropolis importance", "MI: how readily splits on it were accepted.", extra=True
    ),
    "threshold": _About("Threshold", "What the measure has to reach."),
    "margin": _About("Margin", "Distance to the cut; negative where not selected."),
    "p_single": _About(
        "p-value", "Of a permutation test of this variable alone.", low_first=True, extra=True
    ),
    "p_maxt": _About(
        "p, max-T", "Corrected for the number of variables (family-wise error).", low_first=True
    ),
    "p_bh": _About(
        "p, BH", "Corrected for the number of variables (false discovery rate).",
        low_first=True, extra=True,
    ),
    "leave_one_out": _About(
        "Stable", "Share of the selections with one fit left out that contain it.", "share"
    ),
    "bootstrap": _About(
        "Resampled", "Share of the selections with resampled fits that contain it.", "share"
    ),
    "row_stability": _About(
        "Other rows", "Share of the selections from resampled rows that contain it.", "share"
    ),
    "count_rhat": _About(
        "R-hat", "Agreement of the chains about its splits; near 1 is good.", extra=True
    ),
    "count_ess": _About(
        "ESS", "How many independent draws its count is worth.", extra=True
    ),
}  # fmt: skip


def row_order(selection: Selection) -> NDArray[np.intp]:
    """Return the variables with the selected ones first, by importance.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.table import row_order
    >>> row_order(bv.select_from(bv.Draws.from_counts([[[1, 0, 8, 9]]])))
    array([3, 2, 0, 1])
    """
    return np.lexsort((np.arange(len(selection.mask)), selection.ranks, ~selection.mask))


def selection_columns(selection: Selection) -> list[Column]:
    """Return the columns of a selection's table that hold anything, in the order of the data.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.table import selection_columns
    >>> found = bv.select_from(bv.Draws.from_counts([[[1, 0, 8, 9]]]), "mpvip")
    >>> [column.label for column in selection_columns(found)]
    ['Selected', 'Rank', 'In draws', 'Splits per draw', 'Share of splits', 'Threshold', 'Margin']
    """
    arrays = selection._columns()
    del arrays["variable"]
    stable, mixing = selection.stability, selection.mixing
    if not selection.emptied:  # by a test that the fits have no part in
        arrays |= {"leave_one_out": stable.leave_one_out, "bootstrap": stable.bootstrap}
    arrays |= {"count_rhat": mixing.count_rhat, "count_ess": mixing.count_ess}
    main = selection.method.measure.name.removesuffix("-measure").replace("-", "_")
    extra = {"vc": selection.method.measure.tally != "vc", main: False}
    return [
        _column(key, np.asarray(values), extra=extra.get(key))
        for key, values in arrays.items()
        if not (np.asarray(values).dtype.kind == "f" and np.isnan(values).all())
    ]


def comparison_columns(selections: Mapping[str, Selection]) -> list[Column]:
    """Return votes, mean rank, and a column of truth values per method.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.table import comparison_columns
    >>> draws = bv.Draws.from_counts([[[9, 0, 8]]])
    >>> both = {"one": bv.select_from(draws), "two": bv.select_from(draws, "mpvip")}
    >>> [column.label for column in comparison_columns(both)]
    ['Methods', 'Mean rank', 'one', 'two']
    """
    masks = np.array([selection.mask for selection in selections.values()])
    ranks = np.mean([selection.ranks for selection in selections.values()], axis=0)
    meaning = f"How many of the {len(masks)} methods select it."
    columns = [
        Column("votes", "Methods", meaning, "count", masks.sum(axis=0)),
        Column("mean_rank", "Mean rank", "Mean of its places by the methods' measures.", "number",
               ranks, low_first=True),
    ]  # fmt: skip
    for i, (name, selection) in enumerate(selections.items()):
        about = f"Selected by {name}: {selection.method.description}."
        columns.append(Column(f"m{i}", name, about, "flag", masks[i]))
    return columns


def payload(
    names: tuple[str, ...],
    columns: list[Column],
    order: NDArray[np.intp],
    marked: NDArray[np.bool_],
) -> dict[str, Any]:
    """Return the table in a form for JSON, in the order of the rows.

    `marked` are the rows that a print shows.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.report.table import Column, payload
    >>> rank = Column("rank", "Rank", "Place.", "count", np.array([2, 1]), low_first=True)
    >>> payload(("a", "b"), [rank], np.array([1, 0]), np.array([False, True]))["names"]
    ['b', 'a']
    """
    return {
        "names": [names[j] for j in order.tolist()],
        "marked": int(marked.sum()),
        "columns": [
            {
                "label": column.label,
                "kind": column.kind,
                "lowFirst": column.low_first,
                "extra": column.extra,
                "values": compact(column.values[order]),
            }
            for column in columns
        ],
    }


def compact(values: Any, digits: int = 4) -> list[Any]:
    """Return plain numbers of few digits: 1 and 0 for truth values, None for what is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.report.table import compact
    >>> compact(np.array([1.23456, np.nan, 2.0])), compact(np.array([True, False]))
    ([1.235, None, 2], [1, 0])
    """
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return [int(value) for value in array.tolist()]
    return [_short(value, digits) for value in array.tolist()]


def cell(column: Column, j: int) -> str:
    """Return the text of a cell, as the page's script would write it.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.report.table import Column, cell
    >>> cell(Column("mpvip", "In draws", "", "share", np.array([0.5])), 0)
    '50 %'
    """
    value = column.values[j]
    if column.kind == "flag":
        return "yes" if value else "no"
    if not math.isfinite(value):
        return words.UNKNOWN
    if column.kind == "share":
        return f"{100 * value:.3g} %" if 0 < value < 0.01 else f"{100 * value:.0f} %"
    return words.number(int(value)) if column.kind == "count" else words.decimal(float(value))


def _column(key: str, values: NDArray[Any], *, extra: bool | None) -> Column:
    about = _ABOUT.get(key) or _about_part(key)
    return Column(
        key, about.label, about.meaning, about.kind, values, about.low_first,
        about.extra if extra is None else extra,
    )  # fmt: skip


def _about_part(key: str) -> _About:
    """Describe a column of a measure with several, or a rank."""
    tally, _, rest = key.partition("_")
    of = {"vc": "splits per draw", "vip": "share of splits"}.get(tally, tally)
    if rest == "rank":
        return _About("Mean rank", f"Mean over the fits of its rank by {of}.", low_first=True)
    if rest == "rank_q75":
        text = f"Upper quartile over the fits of its rank by {of}."
        return _About("Rank, upper quartile", text, low_first=True, extra=True)
    if rest == "q25":
        name = f"{of[0].upper()}{of[1:]}, lower quartile"
        return _About(name, f"Lower quartile over the fits of its {of}.", extra=True)
    return _About(key, key, extra=True)


def _short(value: float, digits: int) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
