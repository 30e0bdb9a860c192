"""The largest rank correlation of the response with a column, for y and permutations of it."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from bayesvc._typing import FloatArray
from bayesvc.data.dataset import Dataset, WeightedResponse
from bayesvc.sampling.chain import Permutation
from bayesvc.sampling.seeds import Role, random_order

N_PERMUTATIONS = 999
_MOST_ROWS = 10_000
_MOST_RANKS = 100_000_000  # of all columns together; larger tables are represented by some rows


def largest_correlations(data: Dataset, entropy: int) -> FloatArray:
    """Return the largest absolute rank correlation of y with a column, then of permuted responses.

    Missing values have the mean rank of their column, and every level of a categorical column
    counts as a column. In large tables the correlations are those in a random part of the rows.
    """
    n, p = data.X.shape
    rows = random_order(entropy, Role.SIGNAL_ROWS, 0, n)[
        : max(2, min(n, _MOST_ROWS, _MOST_RANKS // p))
    ]
    to = WeightedResponse(data.y.rank_scores)
    orders = (
        Permutation(entropy, Role.SIGNAL_CORRELATION, number, data.blocks, data.shifts)
        for number in range(N_PERMUTATIONS)
    )
    responses = [to.y[rows], *(order.apply(to).y[rows] for order in orders)]
    y, y_norm = _centred_ranks(np.column_stack(responses))
    largest = np.zeros(y.shape[1])
    for block in data.design_blocks():
        x, x_norm = _centred_ranks(block[rows])
        np.maximum(largest, (np.abs(x.T @ y) / x_norm[:, None]).max(axis=0), out=largest)
    return np.asarray(largest / y_norm)


def _centred_ranks(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return twice the ranks of each column, of mean 0, and their norm; 1 for a constant column.

    These are whole numbers, so sums of products are exact, however many threads add them up.
    """
    ranks = 2 * rankdata(values, axis=0) - (len(values) + 1)
    norm = np.sqrt((ranks**2).sum(axis=0))
    return ranks, np.where(norm > 0, norm, 1)
