"""What permutation thresholds and p-values share, and the p-values. Public in `thresholds`."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_floats, check_vector

# Two patterns that are equal but for their scale differ by less after standardisation.
_STANDARDISED_ROUNDING = 1e-9


def permutation_pvalues(
    observed: ArrayLike, null: ArrayLike, adjust: Literal["maxt", "bh"] | None = None
) -> FloatArray:
    """Return a p-value per variable for being used no more than with a permuted response.

    Parameters
    ----------
    observed : array-like of shape (n_features,)
        The measure.
    null : array-like of shape (n_permutations, n_features)
        The measure in null replicates. Compare like with like: if `observed` is a mean of ten
        replicates, each row of `null` must be one too; or both come from single replicates.
    adjust : {None, "maxt", "bh"}, default=None
        None: (1 + number of null values >= observed) / (n_permutations + 1) for each variable,
        without regard to their number.
        "maxt": adjusted for the family-wise error rate by the step-down maxT procedure of Westfall
        and Young on standardised values.
        "bh": adjusted for the false discovery rate by the procedure of Benjamini and Hochberg. Its
        p-values pool the standardised null values of all variables.

    Notes
    -----
    No p-value of None and "maxt" is below 1 / (n_permutations + 1): 0.0196 with 50 permutations,
    too large for Benjamini and Hochberg among many variables. Pooling goes down to
    1 / (n_permutations n_features + 1), at the price of the assumption that the null distributions
    of the variables differ in location and scale only.

    Each variable is standardised by the mean and sd of its null values *and* the observed one. So
    all rows are treated alike, and under a global null the chance of any adjusted p-value of
    "maxt" <= a is at most a; were the observed value left out, it would look too extreme. Step-down
    needs no more assumptions than single-step and its p-values are never larger; both assume that
    the null values of irrelevant variables do not depend on the other variables being relevant.

    Examples
    --------
    >>> from bayesvc.thresholds import permutation_pvalues
    >>> null = [[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]]
    >>> permutation_pvalues([0.9, 0.1], null)
    array([0.25, 1.  ])
    >>> permutation_pvalues([0.9, 0.1], null, adjust="maxt")
    array([0.5, 1. ])
    """
    observed, null = check_pair(observed, null)
    if adjust is None:
        return np.asarray((1 + (null >= observed).sum(axis=0)) / (len(null) + 1))
    check_choice("adjust", adjust, ("maxt", "bh"))
    scores, null_scores = _standardise_together(observed, null)
    if adjust == "maxt":
        return _step_down_maxt(scores, null_scores)
    pool = np.sort(null_scores[:, np.isfinite(scores)], axis=None)
    as_large = len(pool) - np.searchsorted(pool, scores - _STANDARDISED_ROUNDING)
    return np.asarray(false_discovery_control((1 + as_large) / (1 + len(pool)), method="bh"))


def check_pair(observed: ArrayLike, null: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return a measure and its null values, one row per permutation, as arrays that match."""
    measure, rows = check_vector("observed", observed), check_floats("null", null)
    if rows.ndim != 2 or rows.shape[1] != len(measure):
        raise ValueError(
            f"`null` must have shape (n_permutations, {len(measure)}), one row per permutation "
            f"and one column per variable. Got shape {rows.shape} instead."
        )
    if len(rows) < 2:
        raise ValueError(
            f"`null` must have at least 2 rows, one per permutation. Got {len(rows)} instead. The "
            "paper uses 50."
        )
    return measure, rows


def moments(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and sd (ddof 1) of the columns, without rounding if one is constant."""
    constant = (rows == rows[0]).all(axis=0)
    mean = np.where(constant, rows[0], rows.mean(axis=0))
    return mean, np.where(constant, 0, rows.std(axis=0, ddof=1))


def _standardise_together(observed: FloatArray, null: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standardise observed and null values by their common moments; -inf if they are all equal."""
    rows = np.vstack([observed, null])
    mean, sd = moments(rows)
    varies = sd > 0
    scores = np.full(rows.shape, -np.inf)
    scores[:, varies] = (rows[:, varies] - mean[varies]) / sd[varies]
    return scores[0], scores[1:]


def _step_down_maxt(scores: FloatArray, null_scores: FloatArray) -> FloatArray:
    """Compare each variable with the null maxima over itself and those with smaller scores."""
    ascending = np.argsort(scores, kind="stable")
    null_maxima = np.maximum.accumulate(null_scores[:, ascending], axis=1)
    as_large = (null_maxima >= scores[ascending] - _STANDARDISED_ROUNDING).sum(axis=0)
    pvalues = np.empty(len(scores))
    descending = ((1 + as_large) / (len(null_scores) + 1))[::-1]
    pvalues[ascending[::-1]] = np.maximum.accumulate(descending)
    return pvalues
