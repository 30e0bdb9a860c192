"""The arrays of draws that measures summarise, and what tables and axes call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy.stats import rankdata

from bayesvc._typing import FloatArray
from bayesvc._validation import check_flag
from bayesvc.measures.base import ColumnInfo

VIP_TALLY = {"draws": "vip", "sums": "vip_of_sums"}


@dataclass(frozen=True)
class Tally:
    """A (n_replicates, n_features) array of the draws.

    `phrase` names it within a sentence, `axis_label` on an axis, and `column` in a table.
    """

    name: str
    phrase: str
    axis_label: str
    column: ColumnInfo

    def quartile_columns(self) -> tuple[ColumnInfo, ...]:
        """Return the columns of a measure that holds the tally, its ranks and their quartiles."""
        key, phrase = self.name, self.phrase
        lower = f"{phrase[0].upper()}{phrase[1:]}, lower quartile"
        return (
            self.main_column(),
            ColumnInfo(f"{key}_q25", lower, f"Lower quartile of the {phrase}, over the replicates.",
                       extra=True),
            self.rank_column(),
            ColumnInfo(f"{key}_rank_q75", "Rank, upper quartile",
                       f"Upper quartile of the rank by {phrase}, over the replicates.",
                       lower_is_better=True, extra=True),
        )  # fmt: skip

    def main_column(self) -> ColumnInfo:
        """Return the column of the tally where it is what the method uses."""
        own = self.column
        return ColumnInfo(own.key, own.label, own.description, own.kind)

    def rank_column(self) -> ColumnInfo:
        """Return the column of the mean rank."""
        about = f"Mean rank by {self.phrase}, over the replicates."
        return ColumnInfo(f"{self.name}_rank", "Mean rank", about, lower_is_better=True)


TALLIES = {
    tally.name: tally
    for tally in (
        Tally("vc", "splits per draw", "VC (splits per draw)", ColumnInfo(
            "vc", "Splits per draw", "VC: mean number of splits on the variable in a draw.")),
        Tally("vip", "proportion of splits", "VIP (proportion of the splits)", ColumnInfo(
            "vip", "Proportion of splits",
            "VIP: mean proportion of the splits that are on the variable.", "percentage",
            extra=True)),
        Tally("mpvip", "proportion of draws", "MPVIP (proportion of the draws)", ColumnInfo(
            "mpvip", "In draws", "MPVIP: proportion of the draws that split on the variable.",
            "percentage")),
        Tally("mi", "Metropolis importance", "MI (Metropolis importance)", ColumnInfo(
            "mi", "Metropolis importance",
            "MI: mean acceptance probability of the splits on the variable, as a proportion of the "
            "sum over all variables.", extra=True)),
    )
}  # fmt: skip


def tally_of(draws: object, name: str) -> FloatArray:
    """Return the (n_replicates, n_features) array `name` of the draws, checked."""
    found: Any = getattr(draws, name, None)
    tally = np.asarray(np.nan if found is None else found, dtype=np.float64, order="C")
    if tally.size > 0 and np.isnan(tally).all():  # what draws made of counts do not know is NaN
        raise ValueError(
            f"`draws` must hold {name!r} for this measure. Got {type(draws).__name__} without it "
            "instead. Use the Draws of `bayesvc.sample`, or another measure."
        )
    if tally.ndim != 2 or tally.size == 0:
        raise ValueError(
            f"`draws.{name}` must have one row per replicate and one column per variable. Got "
            f"shape {tally.shape} instead. Pass one replicate as an array of shape "
            "(1, n_features)."
        )
    if not np.isfinite(tally).all():
        row, column = np.argwhere(~np.isfinite(tally))[0]
        raise ValueError(
            f"`draws.{name}` must be finite. Got {tally[row, column]} at [{row}, {column}] "
            "instead. Leave that replicate out, or sample again."
        )
    return tally


def mean_of(tally: FloatArray) -> FloatArray:
    """Return the mean over the replicates."""
    return cast(FloatArray, tally.mean(axis=0))


def ranks_of(tally: FloatArray) -> FloatArray:
    """Return the ranks within each replicate; 1 is the largest, ties share their mean rank."""
    return np.asarray(rankdata(-tally, axis=1), dtype=np.float64)


def with_quartiles(tally: FloatArray, one_column_if_single: bool) -> FloatArray:
    """Return mean, lower quartile, mean rank and upper quartile of the ranks: (n_features, 4)."""
    if check_flag("one_column_if_single", one_column_if_single) and len(tally) == 1:
        return tally.T.copy()
    ranks = ranks_of(tally)
    columns = [
        mean_of(tally),
        np.quantile(tally, 0.25, axis=0),
        mean_of(ranks),
        np.quantile(ranks, 0.75, axis=0),
    ]
    return np.column_stack(columns)
