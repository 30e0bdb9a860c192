"""What the charts show, as plain numbers; the script of the page adds colours and layout.

Variables are named by their row in the table, so that names are written once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray
from bayesvc.report.table import compact
from bayesvc.selection.result import Selection

_MOST_SELECTED = 1500  # points of their own; a browser takes its time over each
_MOST_OTHERS = 250
_GRID = 60  # cells per axis for all others, which share a point with their neighbours
_MOST_ROWS = 30
_RUNNERS_UP = 8
_MOST_REPLICATES = 100
_LOG_FROM = 100  # variables, from which ranks are best read on a logarithmic axis


def scatter(selection: Selection, order: NDArray[np.intp]) -> dict[str, Any]:
    """Return importance against rank: points, and counts where many lie together.

    A point that stands for several variables is named by the first of them.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.report.charts import scatter
    >>> found = bv.select_from(bv.Draws.from_counts([[[9, 0, 8, 0]]]))
    >>> chart = scatter(found, np.array([0, 2, 1, 3]))
    >>> chart["row"], chart["x"], chart["rest"]["row"], chart["rest"]["count"]
    ([0, 1], [1, 2], [2], [2])
    """
    view = selection.rank_view
    x, y = view.rank, view.value
    never = selection.draws.vc.mean(axis=0) == 0
    chosen = selection.mask[order]
    selected, others = np.flatnonzero(chosen), np.flatnonzero(~chosen & ~never[order])
    rows = np.sort(np.concatenate([selected[:_MOST_SELECTED], others[:_MOST_OTHERS]]))
    rest = np.setdiff1d(np.arange(len(order)), rows)
    threshold = selection.threshold[order[rows]]
    return {
        "row": rows.tolist(),
        "x": compact(x[order[rows]]),
        "y": compact(y[order[rows]]),
        "threshold": [] if np.isnan(threshold).all() or view.threshold_on == "rank"
        else compact(threshold),
        "rest": _thinned(rest, x[order[rest]], y[order[rest]], never[order[rest]]),
        "xLabel": f"{view.rank_label} over the replicates",
        "yLabel": view.value_label,
        "log": len(x) >= _LOG_FROM,
        "probability": selection.method.measure.is_probability,
    }  # fmt: skip


def spread(selection: Selection, order: NDArray[np.intp]) -> dict[str, Any]:
    """Return the importance by each replicate, for the first rows of the table.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.report.charts import spread
    >>> found = bv.select_from(bv.Draws.from_counts([[[9, 0]], [[8, 1]]]), "dart-vc")
    >>> spread(found, np.array([0, 1]))["replicates"]
    [[9, 8], [0, 1]]
    """
    rows = first_rows(selection)
    chosen = order[rows]
    measure, per_replicate = selection.method.measure, selection.per_replicate
    threshold = selection.threshold[chosen]
    return {
        "row": rows.tolist(),
        "mean": compact(selection.importance[chosen]),
        "replicates": [compact(per_replicate[:_MOST_REPLICATES, j]) for j in chosen.tolist()],
        "threshold": [] if np.isnan(threshold).all() else compact(threshold),
        "xLabel": measure.axis_label,
        "probability": measure.is_probability,
    }  # fmt: skip


def stability(selection: Selection, order: NDArray[np.intp]) -> dict[str, Any] | None:
    """Return how often variables are selected without one replicate, or with resampled ones.

    None with a single replicate, and if the method cannot be recomputed. The rows are the selected
    variables and those that are selected sometimes.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.report.charts import stability
    >>> found = bv.select_from(bv.Draws.from_counts([[[9, 0]], [[8, 1]]]), "dart-vc")
    >>> stability(found, np.array([0, 1]))["leaveOneOut"]
    [1]
    """
    if selection.draws.n_replicates == 1 or not selection.method.recomputable:
        return None
    stable = selection.stability
    shares = np.maximum(stable.leave_one_out, stable.bootstrap)[order]
    wanted = selection.mask[order] | (shares > 0)
    rows = np.flatnonzero(wanted)
    first = np.lexsort((-shares[rows], ~selection.mask[order[rows]]))
    rows = np.sort(rows[first[:_MOST_ROWS]])
    chosen = order[rows]
    return {
        "row": rows.tolist(),
        "leaveOneOut": compact(stable.leave_one_out[chosen]),
        "bootstrap": compact(stable.bootstrap[chosen]),
        "of": int(wanted.sum()),
    }


def matrix(selections: Mapping[str, Selection], order: NDArray[np.intp]) -> dict[str, Any]:
    """Return which method selects which variable, for the variables with most votes.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.report.charts import matrix
    >>> draws = bv.Draws.from_counts([[[9, 0, 8]]])
    >>> both = {"one": bv.select_from(draws), "two": bv.select_from(draws, measure="mpvip")}
    >>> matrix(both, np.array([0, 2, 1]))["hit"]
    [[1, 1], [1, 1]]
    """
    masks = np.array([selection.mask for selection in selections.values()])[:, order]
    some = np.flatnonzero(masks.any(axis=0))
    rows = some[: _MOST_ROWS + 10]
    return {
        "row": rows.tolist(),
        "methods": list(selections),
        "hit": masks[:, rows].T.astype(int).tolist(),
        "of": len(some),
    }


def first_rows(selection: Selection) -> NDArray[np.intp]:
    """Return the rows of the selected variables and of the next few, at most thirty.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.charts import first_rows
    >>> first_rows(bv.select_from(bv.Draws.from_counts([[[9, 0, 8]]])))
    array([0, 1, 2])
    """
    return np.arange(min(_MOST_ROWS, len(selection.indices) + _RUNNERS_UP, len(selection.mask)))


def _thinned(
    rows: NDArray[np.intp], x: FloatArray, y: FloatArray, never: NDArray[np.bool_]
) -> dict[str, list[Any]]:
    """Return the first row in each occupied cell of a grid, and the number of rows in it."""
    if len(rows) == 0:
        return {"row": [], "x": [], "y": [], "count": [], "never": []}
    cells = np.column_stack([_cell_of(np.log(np.maximum(x, 1))), _cell_of(y), never])
    _, first, count = np.unique(cells, axis=0, return_index=True, return_counts=True)
    return {
        "row": rows[first].tolist(),
        "x": compact(x[first]),
        "y": compact(y[first]),
        "count": count.tolist(),
        "never": never[first].astype(int).tolist(),
    }


def _cell_of(values: FloatArray) -> NDArray[np.int64]:
    low, span = values.min(), np.ptp(values)
    scaled = np.zeros_like(values) if span == 0 else (values - low) / span * (_GRID - 1)
    return scaled.astype(np.int64)
