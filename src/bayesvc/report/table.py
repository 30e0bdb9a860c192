"""The table of all variables, as compact columns that the page's own script shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import percent, probability
from bayesvc.measures._tally import TALLIES
from bayesvc.measures.base import ColumnInfo
from bayesvc.report import words
from bayesvc.selection.result import Selection
from bayesvc.selection.table import shown_paper_mask, table_columns


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the table.

    Attributes
    ----------
    key, label, meaning : str
        Short name, heading, and a sentence for those who ask.
    kind : {"flag", "count", "number", "percentage", "probability"}
        How values are shown: yes or no, an integer, a number, and so on.
    values : ndarray (n_features,)
    low_first : bool
        Whether the first click sorts the smallest up.
    extra : bool
        Whether it is shown only on request.
    """

    key: str
    label: str
    meaning: str
    kind: Literal["flag", "count", "number", "percentage", "probability"]
    values: NDArray[Any]
    low_first: bool = False
    extra: bool = False


# Columns of `Selection.table` and of its JSON that do not come from a measure.
_ABOUT = {
    column.key: column
    for column in (
        ColumnInfo("selected", "Selected", "Whether the method selects the variable.", "flag"),
        ColumnInfo("rank", "Rank", "Rank by importance; tied variables share a rank.", "count",
                   lower_is_better=True),
        ColumnInfo("threshold", "Threshold", "What the importance is compared with."),
        ColumnInfo("margin", "Margin",
                   "Distance to the threshold or, with clustering, to the nearest variable of the "
                   "other cluster on the standardised scale of the clustering; negative if not "
                   "selected."),
        ColumnInfo("p_single", "p-value", "Permutation test of this variable alone.",
                   lower_is_better=True, extra=True),
        ColumnInfo("p_maxt", "p, max-T",
                   "Corrected for the number of variables (family-wise error rate).",
                   lower_is_better=True),
        ColumnInfo("p_bh", "p, BH",
                   "Corrected for the number of variables (false discovery rate).",
                   lower_is_better=True, extra=True),
        ColumnInfo("leave_one_out", "One replicate left out",
                   "How often the variable is selected when each replicate is left out in turn.",
                   "percentage"),
        ColumnInfo("bootstrap", "Replicates resampled",
                   "How often the variable is selected with resampled replicates.", "percentage"),
        ColumnInfo("vc_measure_selects", "VC-measure selects",
                   "Whether clustering by the VC-measure, the rule of the method dart-vc, selects "
                   "the variable from these replicates. The method dart-vc itself always assumes "
                   "normal errors, so it may select other variables.", "flag", extra=True),
        ColumnInfo("row_stability", "In subsamples",
                   "Proportion of random subsamples of the rows in which the variable is selected "
                   "(by default 16 halves, with shorter chains). They hold less information than "
                   "all rows, so a low proportion does not show that the variable is irrelevant.",
                   "percentage"),
        ColumnInfo("count_rhat", "R-hat",
                   "How much the replicates differ in the number of splits on the variable; "
                   "1 means full agreement.",
                   extra=True),
        ColumnInfo("count_ess", "ESS",
                   "Effective sample size of the number of splits on the variable.",
                   extra=True),
    )
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
    >>> found = bv.select_from(bv.Draws.from_counts([[[1, 0, 8, 9]]]), measure="mpvip")
    >>> [column.label for column in selection_columns(found)]
    ['Selected', 'Rank', 'In draws', 'Splits per draw', 'Proportion of splits', ...]
    """
    arrays = table_columns(selection)
    del arrays["variable"]
    if shown_paper_mask(selection) is None:
        arrays.pop("vc_measure_selects", None)
    mixing = selection.mixing
    if selection.method.recomputable and not selection.withheld:
        stable = selection.stability
        arrays |= {"leave_one_out": stable.leave_one_out, "bootstrap": stable.bootstrap}
    arrays |= {"count_rhat": mixing.count_rhat, "count_ess": mixing.count_ess}
    tallies = {name: tally.column for name, tally in TALLIES.items()}
    about = _ABOUT | tallies | {"vc": replace(tallies["vc"], extra=True)}
    if selection.row_fraction == 0.5:
        about["row_stability"] = replace(about["row_stability"], label="In half-samples")
    about |= selection.measure_columns
    return [
        _column(key, about[key], np.asarray(values))
        for key, values in arrays.items()
        if not (np.asarray(values).dtype.kind == "f" and np.isnan(values).all())
    ]


def comparison_columns(selections: Mapping[str, Selection]) -> list[Column]:
    """Return votes, mean rank, and a boolean column per method.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.table import comparison_columns
    >>> draws = bv.Draws.from_counts([[[9, 0, 8]]])
    >>> both = {"one": bv.select_from(draws), "two": bv.select_from(draws, measure="mpvip")}
    >>> [column.label for column in comparison_columns(both)]
    ['Methods', 'Mean rank', 'one', 'two']
    """
    masks = np.array([selection.mask for selection in selections.values()])
    ranks = np.mean([selection.ranks for selection in selections.values()], axis=0)
    meaning = f"How many of the {len(masks)} methods select it."
    columns = [
        Column("votes", "Methods", meaning, "count", masks.sum(axis=0)),
        Column("mean_rank", "Mean rank", "Mean of its ranks by the methods' measures.", "number",
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
    """Return plain numbers of few digits: 1 and 0 for booleans, None for what is not finite.

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
    >>> cell(Column("mpvip", "In draws", "", "percentage", np.array([0.5])), 0)
    '50 %'
    """
    value = column.values[j]
    if column.kind == "flag":
        return "yes" if value else "no"
    if not math.isfinite(value):
        return words.UNKNOWN
    if column.kind == "percentage":
        return f"{100 * value:.3g} %" if 0 < value < 0.01 else percent(float(value))
    if column.kind == "probability":
        return probability(float(value))
    return words.number(int(value)) if column.kind == "count" else words.decimal(float(value))


def _column(key: str, about: ColumnInfo, values: NDArray[Any]) -> Column:
    return Column(
        key, about.label, about.description, about.kind, values, about.lower_is_better, about.extra
    )


def _short(value: float, digits: int) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
