"""The columns of a selection's table: the measure, the other tallies, and p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesvc import thresholds
from bayesvc._typing import BoolArray, FloatArray
from bayesvc.measures._tally import TALLIES
from bayesvc.measures.base import ColumnInfo

if TYPE_CHECKING:
    from bayesvc.selection.result import Selection

_FEWEST_CLUSTERED = 10
_OTHER_COLUMNS = (
    "variable",
    "selected",
    "rank",
    "threshold",
    "margin",
    "p_single",
    "p_maxt",
    "p_bh",
    "vc_measure_selects",
    "row_stability",
)


def table_columns(selection: Selection) -> dict[str, Any]:
    """Return the columns of the table, by name."""
    columns: dict[str, Any] = {
        "variable": list(selection.labels),
        "selected": selection.mask,
        "rank": selection.ranks,
    }
    values = np.atleast_2d(selection.values.T)
    columns |= dict(zip(selection.measure_columns, values, strict=True))
    for tally in TALLIES:
        columns.setdefault(tally, getattr(selection.draws, tally).mean(axis=0))
    columns |= {"threshold": selection.threshold, "margin": selection.margin}
    if selection.null is not None:
        columns |= {f"p_{kind}": p for kind, p in selection.p_values.items()}
    if selection.paper_mask is not None:
        columns["vc_measure_selects"] = selection.paper_mask
    if selection.row_frequency is not None:
        columns["row_stability"] = selection.row_frequency
    return columns


def shown_paper_mask(selection: Selection) -> BoolArray | None:
    """Return `paper_mask` where readers should see it; clustering is of no use for few columns."""
    few = len(selection.mask) < _FEWEST_CLUSTERED
    return None if few or selection.withheld else selection.paper_mask


def measure_columns(selection: Selection) -> dict[str, ColumnInfo]:
    """Return the columns that hold the measure, by their names in the table.

    A column that would have the name of another column gets an underscore.
    """
    n_columns = 1 if selection.values.ndim == 1 else selection.values.shape[1]
    found: dict[str, ColumnInfo] = {}
    for column in selection.method.measure.columns(n_columns):
        key = column.key
        while key in found or key in _OTHER_COLUMNS:
            key += "_"
        found[key] = column
    return found


def p_values(selection: Selection) -> dict[str, FloatArray]:
    """Return the permutation p-values of a method that permutes; see `Selection.p_values`."""
    if selection.null is None:
        raise ValueError(
            f"Method {selection.method.name!r} permutes nothing, so it has no p-values. Use a "
            "method with threshold 'local', 'gse' or 'gmax'."
        )
    # A permuted response under ABC takes as many kept forests as the measure itself.
    alike = selection.draws.abc is not None
    observed = selection.values if alike else selection.per_replicate[0]
    return {
        "single": thresholds.permutation_pvalues(observed, selection.null),
        "maxt": thresholds.permutation_pvalues(observed, selection.null, adjust="maxt"),
        "bh": thresholds.permutation_pvalues(observed, selection.null, adjust="bh"),
    }
