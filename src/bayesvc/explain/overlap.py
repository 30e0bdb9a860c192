"""Whether rows are those that selected the variables."""

from __future__ import annotations

import math

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.data.dataset import MOST_COPIED_CELLS, Dataset
from bayesvc.data.encode import EncodedX
from bayesvc.draws.draws import Draws

_MOST_COLUMNS = 100  # compared
_LEAST_DISTINCT = 0.9  # proportion of rows that differ from each other, for a comparison to count


def overlap_with(draws: Draws, data: Dataset) -> float:
    """Return the proportion of the rows of some data that the draws were fitted to.

    NaN if it is not known: of other data than the fitted ones where the draws were read from a
    file or made of counts, where the tables are large, or where equal rows are common.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.explain.overlap import overlap_with
    >>> from bayesvc.responses.read import read_dataset
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> draws = bv.sample(X[:60], X[:60, 0], n_replicates=1, burn_in=20, n_draws=30)
    >>> overlap_with(draws, read_dataset(X[50:], X[50:, 0]))
    0.2
    """
    if draws.data_hash is None or data.X.shape[0] * data.X.shape[1] > MOST_COPIED_CELLS:
        return math.nan
    if data.n_rows == draws.n_rows and data.encoded.data_hash == draws.data_hash:
        return 1.0
    fitted = draws._encoded
    if fitted is None or fitted.X.shape[0] * fitted.X.shape[1] > MOST_COPIED_CELLS:
        return math.nan
    columns = _comparable(fitted.X, data.X)
    known = set(_keys(fitted.X, fitted.y.values, columns))
    if len(known) < _LEAST_DISTINCT * fitted.X.shape[0]:
        return math.nan
    return float(np.mean([row in known for row in _keys(data.X, data.y.values, columns)]))


def _comparable(one: EncodedX, other: EncodedX) -> list[int]:
    """Return columns whose numbers mean the same in both tables."""
    a, b = one.schema, other.schema
    same = [
        j
        for j in range(len(a.names))
        if a.categories.get(j) == b.categories.get(j) and a.levels.get(j) == b.levels.get(j)
    ]
    return same[:_MOST_COLUMNS]


def _keys(X: EncodedX, y: FloatArray, columns: list[int]) -> list[bytes]:
    """Return the numbers of each row, and its response, as bytes."""
    rows = np.column_stack([X.values[:, columns], y]) + 0.0  # -0.0 counts as 0.0
    return [row.tobytes() for row in np.ascontiguousarray(rows)]
