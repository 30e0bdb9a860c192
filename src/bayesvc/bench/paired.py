"""Compare two methods on the same data sets, with standard errors.

The units of the errors are classes of equations that are the same function up to scaling, because
results on the data sets of one class are correlated. Any other problem is a unit of its own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.stats import t as student

from bayesvc._text import counted
from bayesvc._typing import FloatArray
from bayesvc.bench import feynman
from bayesvc.bench.result_rows import CELL, SCORES, TASK, describe_methods, usual_replicates


class MeanDifference(NamedTuple):
    """Mean difference in F1, its standard error, and the numbers of data sets and classes."""

    mean: float
    se: float
    data_sets: int
    classes: int


def paired(
    rows: pl.DataFrame, method: str, against: str, n_replicates: int | None = None
) -> pl.DataFrame:
    """Join the scores of two methods, one row per data set that both were run on.

    Parameters
    ----------
    rows : polars.DataFrame
        Results of `Store.rows` or `rescore`.
    method, against : str
        Names, optionally with a number of replicates: "dart-vc@2".
    n_replicates : int, optional
        Number of replicates of a name without one; by default that of the recipe, or the most
        there are.

    Returns
    -------
    polars.DataFrame
        The data set and its class of equations, `unit`; `n_replicates`, `f1`, `tpr`, `fpr` and
        `error` of the method; the same of the other with `_against`; and the `difference` in F1.
        A run that failed selected nothing, so its F1 is 0.

    Examples
    --------
    >>> from bayesvc.bench import paired, paper
    >>> pairs = paired.paired(paper.as_rows(), "dart-vc", "bart-vc")
    >>> pairs.filter(n=500, snr=1.0)["difference"].round(4).unique().to_list()
    [0.0633]
    """
    sides = [_side(rows, name, n_replicates) for name in (method, against)]
    found = sides[0].join(sides[1], on=TASK, suffix="_against", maintain_order="left")
    if found.is_empty():
        raise ValueError(
            f"No data set has results of both {method!r} and {against!r}. Run both on the same "
            "grid."
        )
    classes = {name: law.equiv_class for name, law in feynman.equations().items()}
    return found.with_columns(
        unit=pl.col("problem").replace(classes),
        difference=pl.col("f1") - pl.col("f1_against"),
    )


def _side(rows: pl.DataFrame, spec: str, n_replicates: int | None) -> pl.DataFrame:
    """Return the results of one method, one per data set."""
    name, _, number = spec.partition("@")
    if number:
        if not number.isdigit():
            raise ValueError(
                f"The number of replicates after @ must be an integer, as in {name}@5. "
                f"Got {spec!r} instead."
            )
        n_replicates = int(number)
    own = rows.filter(method=name)
    asked = pl.col("n_replicates").is_in([n_replicates, 0])  # 0: ABC, or a user's function
    found = usual_replicates(own) if n_replicates is None else own.filter(asked)
    if found.is_empty():
        wanted = "" if n_replicates is None else f" with {counted(n_replicates, 'replicate')}"
        raise ValueError(
            f"There are no results of {name!r}{wanted}. Available: {describe_methods(rows)}."
        )
    return found.select(*TASK, *SCORES, "n_replicates", "error")


def mean_difference(pairs: pl.DataFrame) -> MeanDifference:
    """Compute the mean difference in F1 over the data sets of `paired`.

    With a single class the standard error is unknown (nan).

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.bench import paired
    >>> pairs = pl.DataFrame({"unit": ["a", "a", "b"], "difference": [0.0, 0.1, 0.2]})
    >>> mean, se, data_sets, classes = paired.mean_difference(pairs)
    >>> round(mean, 3), round(se, 3), data_sets, classes
    (0.1, 0.067, 3, 2)
    """
    mean = float(pairs["difference"].mean())  # type: ignore[arg-type]
    sums = pairs.group_by("unit").agg((pl.col("difference") - mean).sum())["difference"]
    k = len(sums)
    se = math.sqrt(float((sums**2).sum()) * k / (k - 1)) / pairs.height if k > 1 else math.nan
    return MeanDifference(mean, se, pairs.height, k)


def by_cell(pairs: pl.DataFrame) -> pl.DataFrame:
    """Compute mean scores and their difference, cell by cell.

    `p_worse` is the one-sided p-value for "the method is worse", `holm` the same after Holm's
    correction for the number of cells; `both_perfect` marks cells in which every F1 is 1.

    Examples
    --------
    >>> from bayesvc.bench import paired, paper
    >>> pairs = paired.paired(paper.as_rows(), "dart-vc", "bart-vc")
    >>> paired.by_cell(pairs).select("n", "snr", "data_sets").rows()[0]
    (500, 0.25, 8)
    """
    rows = []
    for key, part in pairs.group_by(CELL):
        mean, se, data_sets, classes = mean_difference(part)
        scores = [f"{score}{side}" for score in SCORES for side in ("", "_against")]
        rows.append(
            {
                **dict(zip(CELL, key, strict=True)), "data_sets": data_sets,
                **{name: part[name].mean() for name in scores}, "difference": mean, "se": se,
                "p_worse": _p_worse(mean, se, classes),
                "both_perfect": bool(((part["f1"] == 1) & (part["f1_against"] == 1)).all()),
            }
        )  # fmt: skip
    table = pl.DataFrame(rows).sort(CELL)
    return table.with_columns(holm=pl.Series(holm(table["p_worse"].to_numpy())))


def _p_worse(mean: float, se: float, classes: int) -> float:
    if se > 0:
        return float(student.cdf(mean / se, classes - 1))
    return 0.0 if se == 0 and mean < 0 else 1.0


def holm(p: FloatArray) -> FloatArray:
    """Adjust p-values by Holm's method.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.bench.paired import holm
    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    found = np.empty(len(p))
    found[order] = np.minimum(stepped, 1)
    return found


def summarize_pairs(pairs: pl.DataFrame) -> dict[str, Any]:
    """Summarize the comparison over all cells.

    Examples
    --------
    >>> from bayesvc.bench import paired, paper
    >>> pairs = paired.paired(paper.as_rows(), "dart-vc", "bart-vc")
    >>> found = paired.summarize_pairs(pairs)
    >>> found["cells_better"], found["cells"]
    (36, 36)
    """
    cells = by_cell(pairs)
    difference = cells["difference"].round(9)
    better, worse = int((difference > 0).sum()), int((difference < 0).sum())
    whole = mean_difference(pairs)
    return {
        **whole._asdict(),
        "mean_of_cells": float(difference.mean()),  # type: ignore[arg-type]
        "cells": cells.height,
        "cells_better": better,
        "cells_worse": worse,
        "cells_equal": cells.height - better - worse,
        "cells_both_perfect": int(cells["both_perfect"].sum()),
        "cells_worse_after_holm": int((cells["holm"] < 0.05).sum()),
    }
