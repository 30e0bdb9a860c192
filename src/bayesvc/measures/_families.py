"""Three kinds of measures of a tally: its summary, its ranks, and both with their quartiles."""

from __future__ import annotations

from typing import Any

from bayesvc._typing import FloatArray
from bayesvc.measures._tally import TALLIES, mean_of, ranks_of, tally_of
from bayesvc.measures.base import ColumnInfo, Measure, RankView, first_column


class TallyMeasure(Measure):
    """A summary of one tally, of which high values are good."""

    tally: str
    replicates_average = True
    default_threshold = "local"

    @property
    def axis_label(self) -> str:
        """Label of the tally."""
        return TALLIES[self.tally].axis_label

    def per_replicate(self, draws: Any) -> FloatArray:
        """Return the tally."""
        return tally_of(draws, self.tally)

    def columns(self, n_columns: int) -> tuple[ColumnInfo, ...]:
        """Return the column of the tally."""
        return (TALLIES[self.tally].main_column(),)


class RankMeasure(Measure):
    """Mean rank by a tally, of which low values are good."""

    tally: str
    scale = "log"
    lower_is_better = True
    replicates_average = True
    plot = "scatter"

    @property
    def axis_label(self) -> str:
        """Label of an axis of ranks."""
        return f"{self.label}, 1 is the highest rank"

    def per_replicate(self, draws: Any) -> FloatArray:
        """Return the ranks within each replicate."""
        return ranks_of(tally_of(draws, self.tally))

    def columns(self, n_columns: int) -> tuple[ColumnInfo, ...]:
        """Return the column of the mean rank."""
        return (TALLIES[self.tally].rank_column(),)

    def rank_view(self, draws: Any, values: FloatArray, per_replicate: FloatArray) -> RankView:
        """Show the tally against the mean rank, which is the measure itself."""
        tally = mean_of(tally_of(draws, self.tally))
        label = TALLIES[self.tally].axis_label
        return RankView(first_column(values), tally, self.label, label, threshold_on="rank")


class QuartileMeasure(Measure):
    """Mean and lower quartile of a tally, mean and upper quartile of its ranks."""

    tally: str
    n_columns = 4
    replicates_average = True
    plot = "scatter"

    @property
    def axis_label(self) -> str:
        """Label of the tally, which is the first column."""
        return TALLIES[self.tally].axis_label

    def per_replicate(self, draws: Any) -> FloatArray:
        """Return the tally."""
        return tally_of(draws, self.tally)

    def columns(self, n_columns: int) -> tuple[ColumnInfo, ...]:
        """Return the four columns; the first one alone if that is all there is."""
        return TALLIES[self.tally].quartile_columns()[:n_columns]

    def rank_view(self, draws: Any, values: FloatArray, per_replicate: FloatArray) -> RankView:
        """Show the tally against its mean rank."""
        view = super().rank_view(draws, values, per_replicate)
        label = f"{self.tally.upper()} Rank"
        return RankView(view.rank, view.value, label, view.value_label)
