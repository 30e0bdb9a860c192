"""The arrays of draws that measures summarise."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from scipy.stats import rankdata

from bayesvc._typing import FloatArray
from bayesvc._validation import check_flag

_VIP_TALLY = {"draws": "vip", "sums": "vip_of_sums"}


def _tally(draws: object, name: str) -> FloatArray:
    """Return the (n_replicates, n_features) array `name` of the draws, checked."""
    found: Any = getattr(draws, name, None)
    tally = np.asarray(np.nan if found is None else found, dtype=np.float64, order="C")
    if tally.size > 0 and np.isnan(tally).all():  # what draws made of counts do not know is NaN
        raise ValueError(
            f"draws={type(draws).__name__} holds no {name!r}, so this measure cannot be computed; "
            "pass the Draws of bayesvc.sample, or another measure"
        )
    if tally.ndim != 2 or tally.size == 0:
        raise ValueError(
            f"draws.{name} has shape {tally.shape}, but a row per replicate and a column per "
            "variable are needed; pass one fit as an array of shape (1, n_features)"
        )
    if not np.isfinite(tally).all():
        row, column = np.argwhere(~np.isfinite(tally))[0]
        raise ValueError(
            f"draws.{name}[{row}, {column}]={tally[row, column]} is not a finite number; "
            "sample again, or leave that replicate out"
        )
    return tally


def _mean(per_fit: FloatArray) -> FloatArray:
    return cast(FloatArray, per_fit.mean(axis=0))


def _ranks(tally: FloatArray) -> FloatArray:
    return np.asarray(rankdata(-tally, axis=1), dtype=np.float64)


def _summary(tally: FloatArray, one_column_if_single: bool) -> FloatArray:
    if check_flag("one_column_if_single", one_column_if_single) and len(tally) == 1:
        return tally.T.copy()
    ranks = _ranks(tally)
    columns = [
        _mean(tally),
        np.quantile(tally, 0.25, axis=0),
        _mean(ranks),
        np.quantile(ranks, 0.75, axis=0),
    ]
    return np.column_stack(columns)
