"""One method against another on the same data sets, with standard errors.

The units of the errors are classes of equations that are the same function up to scaling: what is
so on one data set of a class tends to be so on the others. Other problems are units themselves.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.stats import t as student

from bayesvc._typing import FloatArray
from bayesvc.bench import feynman
from bayesvc.bench.summary import CELL, SCORES, TASK, held, usual_fits


class MeanDifference(NamedTuple):
    """A mean difference of F1, its standard error, and what it is of."""

    mean: float
    se: float
    data_sets: int
    classes: int


def paired(
    rows: pl.DataFrame, method: str, against: str, n_replicates: int | None = None
) -> pl.DataFrame:
    """Return the scores of two methods side by side, one row per data set that both were run on.

    Parameters
    ----------
    rows : polars.DataFrame
        Of `Store.rows` or `rescore`.
    method, against : str
        Names, also with a number of fits: "dart-vc@2".
    n_replicates : int, optional
        Fits of those without a number; by default as many as their recipes say, or the most there
        are.

    Returns
    -------
    polars.DataFrame
        The data set, its class of equations as `unit`; `n_replicates`, `f1`, `tpr`, `fpr` and
        `error` of the method, those of the other with `_against`; their `difference` in F1. A run
        that failed has found nothing: its F1 is 0.

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.bench import paired
    >>> rows = pl.DataFrame(
    ...     {
    ...         "data": "fresh",
    ...         "n": 500,
    ...         "snr": 1.0,
    ...         "seed": 0,
    ...         "n_replicates": 10,
    ...         "n_permutations": 0,
    ...         "tpr": 1.0,
    ...         "fpr": 0.0,
    ...         "error": None,
    ...         "problem": ["feynman_I_12_1", "feynman_I_6_2"] * 2,
    ...         "f1": [1.0, 0.8, 0.5, 0.8],
    ...         "method": ["dart-relevance", "dart-relevance", "dart-vc", "dart-vc"],
    ...     }
    ... )
    >>> pairs = paired.paired(rows, "dart-relevance", "dart-vc")
    >>> pairs["difference"].to_list()
    [0.5, 0.0]
    """
    sides = [_side(rows, name, n_replicates) for name in (method, against)]
    found = sides[0].join(sides[1], on=TASK, suffix="_against", maintain_order="left")
    if found.is_empty():
        raise ValueError(f"no data set has results of both {method!r} and {against!r}")
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
            raise ValueError(f"{spec!r}: {number!r} is no number of fits; give such as {name}@5")
        n_replicates = int(number)
    own = rows.filter(method=name)
    asked = pl.col("n_replicates").is_in([n_replicates, 0])  # 0: no fits, or a user's function
    found = usual_fits(own) if n_replicates is None else own.filter(asked)
    if found.is_empty():
        wanted = "" if n_replicates is None else f" with {n_replicates} fits"
        raise ValueError(f"there are no results of {name!r}{wanted}; there are {held(rows)}")
    return found.select(*TASK, *SCORES, "n_replicates", "error")


def mean_difference(pairs: pl.DataFrame) -> MeanDifference:
    """Return the mean difference of F1 over the data sets of `paired`.

    Its error is unknown (nan) if there is one class only.

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
    """Return means and the difference in every cell.

    `p_worse` is the one-sided p-value of "the method is worse", `holm` the same after Holm's
    correction for the number of cells; `both_perfect` marks cells at the ceiling.

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.bench import paired
    >>> rows = pl.DataFrame(
    ...     {
    ...         "data": "fresh",
    ...         "n": 500,
    ...         "snr": 1.0,
    ...         "seed": 0,
    ...         "n_replicates": 10,
    ...         "n_permutations": 0,
    ...         "tpr": 1.0,
    ...         "fpr": 0.0,
    ...         "error": None,
    ...         "problem": ["feynman_I_12_1", "feynman_I_6_2"] * 2,
    ...         "f1": [1.0, 0.8, 0.5, 0.8],
    ...         "method": ["dart-relevance", "dart-relevance", "dart-vc", "dart-vc"],
    ...     }
    ... )
    >>> pairs = paired.paired(rows, "dart-relevance", "dart-vc")
    >>> paired.by_cell(pairs).select("n", "data_sets", "difference").rows()
    [(500, 2, 0.25)]
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
    """Return p-values after Holm's correction.

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


def verdict(pairs: pl.DataFrame) -> dict[str, Any]:
    """Return in numbers what the comparison says as a whole.

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.bench import paired
    >>> rows = pl.DataFrame(
    ...     {
    ...         "data": "fresh",
    ...         "n": 500,
    ...         "snr": 1.0,
    ...         "seed": 0,
    ...         "n_replicates": 10,
    ...         "n_permutations": 0,
    ...         "tpr": 1.0,
    ...         "fpr": 0.0,
    ...         "error": None,
    ...         "problem": ["feynman_I_12_1", "feynman_I_6_2"] * 2,
    ...         "f1": [1.0, 0.8, 0.5, 0.8],
    ...         "method": ["dart-relevance", "dart-relevance", "dart-vc", "dart-vc"],
    ...     }
    ... )
    >>> pairs = paired.paired(rows, "dart-relevance", "dart-vc")
    >>> found = paired.verdict(pairs)
    >>> found["cells_better"], found["cells"]
    (1, 1)
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
