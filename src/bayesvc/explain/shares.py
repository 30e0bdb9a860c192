"""The share of the variance of the function that each variable explains (Sobol indices)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayesvc._core import SavedForests
from bayesvc._core import variance_shares as compute
from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.schema import ColumnSchema
from bayesvc.draws.draws import Draws
from bayesvc.sampling.seeds import Role, random_order, random_words

_MOST_ROWS = 5000
_MOST_DISTINCT_ROWS = 1000  # of column groups: the cost grows with them
_WEIGHTS_AT_ONCE = 4_000_000
_LEAST_VARIANCE_LEFT = 0.25  # without noise


@dataclass(frozen=True, eq=False)
class VarianceShares:
    """Sobol indices of the sum of trees, draw by draw.

    Attributes
    ----------
    variance : ndarray (n_draws,)
        Variance of the sum of trees where the variables are independent.
    first_order, total : ndarray (n_draws, n_variables)
        Share of the variance that each variable explains alone, and together with the others, from
        0 to 1. 0 where the variance is 0.
    noise : ndarray (n_variables,)
        Mean variance of the deviation of a draw's main effect of each variable from its posterior
        mean, as a share of the variance.

    Examples
    --------
    See `variance_shares`.
    """

    variance: FloatArray
    first_order: FloatArray
    total: FloatArray
    noise: FloatArray


def variance_shares(
    draws: Draws,
    rows: FloatArray,
    entropy: int,
    *,
    resample: bool = True,
    correct: bool = True,
    n_threads: int = 1,
) -> VarianceShares:
    """Compute the Sobol indices of every draw for independent variables.

    The variances of the sum of trees are exact. Each variable has its own empirical distribution
    over the rows; the columns of a group keep their joint one, and missing values are values of
    their own.

    Parameters
    ----------
    draws : Draws
        Draws with trees.
    rows : ndarray (n_rows, n_columns)
        Encoded rows. Of more than 5,000 a random part is taken, of more than 1,000 if there are
        column groups.
    entropy : int
        Seed.
    resample : bool, default True
        Whether each draw has a bootstrap sample of the rows, so that the indices vary as much as
        those of other rows would.
    correct : bool, default True
        Whether to subtract twice the noise of the main effects: a draw deviates from the posterior
        mean, and this from the truth, by about as much.
    n_threads : int, default 1

    Returns
    -------
    VarianceShares

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.explain.shares import variance_shares
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> draws = bv.sample(
    ...     X,
    ...     2 * X[:, 0] + X[:, 1],
    ...     n_replicates=1,
    ...     burn_in=200,
    ...     n_draws=50,
    ...     random_state=0,
    ...     keep_trees=True,
    ... )
    >>> variance_shares(draws, X, 0).first_order.mean(axis=0).round(1)
    array([0.8, 0.2])
    """
    schema = draws.columns
    rows = _some_rows(rows, schema, entropy)
    arguments = rows, schema.variable_of.tolist(), numeric_variables(schema)
    own, pairs = [], []
    for forest, first, weights, other, first_other in _batches(draws, len(rows), entropy, resample):
        own.append(compute(forest, *arguments, weights, first, n_threads))
        if correct:
            pairs.append(
                compute(forest, *arguments, weights, first, n_threads, other, first_other)[1]
            )
    variance, first_order, total = (np.concatenate([part[k] for part in own]) for k in range(3))
    noise = np.zeros(first_order.shape[1])
    if correct:
        noise = np.maximum(0, first_order.mean(axis=0) - np.concatenate(pairs).mean(axis=0))
    return _shares(variance, first_order, total, noise)


def _shares(
    variance: FloatArray, first_order: FloatArray, total: FloatArray, noise: FloatArray
) -> VarianceShares:
    """Return shares without the noise of the main effects. Interactions are left as they are."""
    without = np.maximum(variance - 2 * noise.sum(), _LEAST_VARIANCE_LEFT * variance)
    unit = np.where(without > 0, without, 1.0)[:, np.newaxis]
    alone = np.clip((first_order - 2 * noise) / unit, 0, 1)
    together = np.clip((total - 2 * noise) / unit, alone, 1)
    mean = float(variance.mean())
    return VarianceShares(variance, alone, together, noise / mean if mean > 0 else noise)


def numeric_variables(schema: ColumnSchema) -> list[int]:
    """Return for each variable whether it is one column of numbers, as 0 or 1.

    Examples
    --------
    >>> from bayesvc.data.schema import ColumnSchema
    >>> from bayesvc.explain.shares import numeric_variables
    >>> numeric_variables(ColumnSchema(("a", "b"), categories={1: ("no", "yes")}))
    [1, 0]
    """
    own = (columns for _, columns in schema.variables)
    return [int(len(columns) == 1 and columns[0] not in schema.categories) for columns in own]


def _some_rows(rows: FloatArray, schema: ColumnSchema, entropy: int) -> FloatArray:
    """Return all rows or a random part, column after column."""
    grouped = any(len(columns) > 1 for _, columns in schema.variables)
    most = _MOST_DISTINCT_ROWS if grouped else _MOST_ROWS
    if len(rows) > most:
        rows = rows[np.sort(random_order(entropy, Role.EFFECT_ROWS, 0, len(rows))[:most])]
    return np.asfortranarray(rows, dtype=np.float64)


def _batches(
    draws: Draws, n_rows: int, entropy: int, resample: bool
) -> Iterator[tuple[SavedForests, int, FloatArray, SavedForests, int]]:
    """Yield forests, the number of a draw in them, weights of the rows from there on, and others.

    The others are those of the next chain or, of a single one, draws that are far away.
    """
    assert draws.forests is not None
    at_once = max(1, _WEIGHTS_AT_ONCE // n_rows)
    number, alone = 0, len(draws.forests) == 1
    for chain, forest in enumerate(draws.forests):
        n = forest.n_draws
        other = draws.forests[(chain + 1) % len(draws.forests)]
        for first in range(0, n, at_once):
            n_draws = min(at_once, n - first)
            weights = np.full((n_draws, n_rows), 1 / n_rows)
            if resample:
                for k in range(n_draws):
                    weights[k] = _bootstrap(n_rows, entropy, number + first + k) / n_rows
            yield forest, first, weights, other, (first + n // 2) % n if alone else first
        number += n


def _bootstrap(n_rows: int, entropy: int, number: int) -> IntArray:
    """Return how often each row occurs in a bootstrap sample."""
    words = random_words(entropy, Role.EFFECT_BOOTSTRAP, number, n_rows)
    return np.bincount((words % np.uint64(n_rows)).astype(np.intp), minlength=n_rows)
