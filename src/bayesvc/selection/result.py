"""The result of a method: the variables it selects, their importance, and how stable it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bayesvc._archive import write_text
from bayesvc._typing import BoolArray, ColumnName, FloatArray, PathLike
from bayesvc._validation import check_choice
from bayesvc._wiring import provided
from bayesvc.data.frames import make_frame
from bayesvc.draws import diagnostics
from bayesvc.draws.draws import Draws
from bayesvc.exceptions import Note
from bayesvc.measures import vc_measure
from bayesvc.measures.base import ColumnInfo, RankView, first_column, replicate_values
from bayesvc.selection import notes as _notes
from bayesvc.selection import text as _text
from bayesvc.selection.apply import apply_method
from bayesvc.selection.data_methods import DataMethods
from bayesvc.selection.methods import Method, not_recomputable
from bayesvc.selection.stability import Stability, compute_stability, leave_one_out
from bayesvc.selection.substitutes import Twin
from bayesvc.selection.table import measure_columns, p_values, table_columns
from bayesvc.thresholds import clustering
from bayesvc.thresholds.base import ThresholdResult

if TYPE_CHECKING:
    from bayesvc.plots import Plot
    from bayesvc.selection.signal import SignalTest
    from bayesvc.selection.stopping import StoppingResult


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Selection(DataMethods):
    """The variables that a method selects, and why. Made by `select` and `compare`.

    Attributes
    ----------
    method : Method
        Name, prior, measure, threshold and number of replicates.
    mask : ndarray of bool of shape (n_features,)
        Which variables are selected.
    threshold_result : ThresholdResult
        What the threshold returned: limits and margins; for clustering also the dendrogram.
    values : ndarray of shape (n_features,) or (n_features, n_columns)
        What the measure returned.
    null : ndarray of shape (n_permutations, n_features) or None
        The measure of each null replicate.
    draws, permuted : Draws
        The replicates, with the seed, and the null replicates, one per permuted response, or None.
    twins : tuple of Twin
        Unselected columns that are nearly the same as selected ones.
    frame : {"pandas", "polars"} or None
        Type of the tables: that of the caller's data.
    signal : SignalTest or None
        The test of whether y depends on X at all.
    allow_empty : bool
        Whether to select nothing if that test finds no signal; `withheld` says that it did.
    stopping : StoppingResult or None
        For ``n_replicates="auto"``: why sampling stopped.
    row_frequency : ndarray of shape (n_features,) or None
        Selection frequency over subsamples of the rows; see `bayesvc.row_stability`.
    row_fraction : float
        Fraction of the rows in each of these subsamples.
    stored_per_replicate : ndarray of shape (n_replicates, n_features) or None
        `per_replicate` of a measure that is known from a file only.
    data_notes : tuple of Note
        What should be checked in the data; part of `notes`.
    target : str
        Name of the response in texts.
    time_order, in_blocks : bool
        Whether responses were permuted by circular shifts, and only within blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 4))
    >>> y = 10 * X[:, 0] + 5 * X[:, 2]
    >>> found = bv.select(X, y, n_replicates=3, burn_in=200, n_draws=200, random_state=0)
    >>> found.names
    ['x0', 'x2']
    """

    method: Method
    mask: BoolArray
    threshold_result: ThresholdResult
    values: FloatArray
    null: FloatArray | None
    draws: Draws
    permuted: Draws | None = None
    twins: tuple[Twin, ...] = ()
    frame: str | None = None
    signal: SignalTest | None = None
    allow_empty: bool = False
    stopping: StoppingResult | None = None
    row_frequency: FloatArray | None = None
    row_fraction: float = 0.5
    stored_per_replicate: FloatArray | None = None
    data_notes: tuple[Note, ...] = ()
    target: str = "y"
    time_order: bool = False
    in_blocks: bool = False

    @property
    def feature_names(self) -> tuple[ColumnName, ...]:
        """Names of all variables."""
        return self.draws.feature_names

    @property
    def indices(self) -> NDArray[np.intp]:
        """Positions of the selected variables, ascending."""
        return np.flatnonzero(self.mask)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of all variables as text, for tables and plots."""
        return tuple(map(str, self.feature_names))

    @property
    def selected(self) -> NDArray[np.intp]:
        """Another name of `indices`."""
        return self.indices

    @property
    def names(self) -> list[ColumnName]:
        """Names of the selected variables."""
        return [self.feature_names[j] for j in self.indices]

    @property
    def importance(self) -> FloatArray:
        """One number per variable: the measure, or its first column."""
        return first_column(self.values)

    @property
    def withheld(self) -> bool:
        """Whether nothing is selected because no signal was found, whatever the threshold says.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.uniform(size=(100, 5)), rng.normal(size=100)
        >>> noise = bv.select(
        ...     X, y, n_replicates=2, burn_in=300, n_draws=300, random_state=0, allow_empty=True
        ... )
        >>> noise.withheld, noise.names
        (True, [])
        """
        return self.allow_empty and self.signal is not None and not self.signal.found

    @property
    def threshold(self) -> FloatArray:
        """What the importance of each variable is compared with; NaN if that did not decide."""
        return np.full(len(self.mask), np.nan) if self.withheld else self.threshold_result.threshold

    @property
    def margin(self) -> FloatArray:
        """Distance of each variable to the threshold; NaN if that did not decide."""
        return np.full(len(self.mask), np.nan) if self.withheld else self.threshold_result.margin

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Rank of each variable by importance; 1 is the most important, ties share a rank."""
        key = self.importance if self.method.measure.lower_is_better else -self.importance
        return np.asarray(rankdata(key, method="min"), dtype=np.int64)

    @cached_property
    def table(self) -> Any:
        """One row per variable, in the frame type of the data.

        Columns: variable, selected, rank, the columns of the measure, the other tallies (vc, vip,
        mpvip, mi), threshold, margin, p-values if there are null replicates, and row_stability if
        rows were subsampled.
        """
        return make_frame(table_columns(self), self.frame)

    @cached_property
    def measure_columns(self) -> dict[str, ColumnInfo]:
        """The columns of `table` that hold the measure, by their names there."""
        return measure_columns(self)

    @cached_property
    def per_replicate(self) -> FloatArray:
        """What each replicate alone says about the importance: (n_replicates, n_features)."""
        if self.stored_per_replicate is not None:
            return self.stored_per_replicate
        return replicate_values(self.method.measure, self.draws)

    @cached_property
    def rank_view(self) -> RankView:
        """What plots of importance against rank show."""
        return self.method.measure.rank_view(self.draws, self.values, self.per_replicate)

    @cached_property
    def p_values(self) -> dict[str, FloatArray]:
        """Permutation p-values of a method that permutes: "single", "maxt" and "bh".

        They compare like with like: the importance by the first replicate with that by single null
        replicates. With few permutations they cannot be small; see
        `bayesvc.thresholds.permutation_pvalues`.
        """
        return p_values(self)

    @cached_property
    def stability(self) -> Stability:
        """How often each variable is selected with replicates left out, or resampled."""
        if not self.method.recomputable:
            raise ValueError(not_recomputable(self.method))
        entropy = self.draws.random_state or 0
        return compute_stability(self._mask_of, self.mask, self._without_one, entropy)

    @cached_property
    def _without_one(self) -> BoolArray:
        if self.draws.n_replicates == 1:
            return self.mask[np.newaxis]
        return leave_one_out(self._mask_of, self.draws.n_replicates)

    @property
    def left_out_frequency(self) -> FloatArray:
        """How often each variable is selected with one replicate left out.

        NaN with a single replicate, and if the measure or the threshold is not known.
        """
        if self.draws.n_replicates == 1 or not self.method.recomputable:
            return np.full(len(self.mask), np.nan)
        return np.asarray(self._without_one.mean(axis=0))

    def _mask_of(self, replicates: Sequence[int]) -> BoolArray:
        if self.withheld:  # by a test that has chains of its own
            return self.mask
        if self.method.measure.min_replicates > 1:  # one taken twice would agree with itself
            replicates = sorted(set(replicates))
        return apply_method(self.method, self.draws.take(replicates), self.null, self.signal)[0]

    @cached_property
    def paper_mask(self) -> BoolArray | None:
        """What the VC-measure with clustering selects, for methods of the package's own."""
        if not self.method.measure.checked or self.draws.n_features < 2:
            return None
        return clustering(vc_measure(self.draws))

    @cached_property
    def mixing(self) -> diagnostics.Mixing:
        """Split-R-hat and effective sample size of sigma and of the counts."""
        return diagnostics.mixing(self.draws)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of the result should know.

        Those of severity "warning" are also issued through `warnings` by `select` and `fit`.

        Examples
        --------
        >>> import bayesvc as bv
        >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]])
        >>> bv.select_from(draws, "dart-vc").notes
        ()
        """
        return _notes.notes_of(self)

    @property
    def unreached(self) -> float | None:
        """The value asked for, if no variable reaches it and something is selected anyway.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.uniform(size=(100, 30)), rng.normal(size=100)
        >>> noise = bv.select(
        ...     X, y, n_replicates=2, burn_in=300, n_draws=300, random_state=0, signal_test=False
        ... )
        >>> noise.unreached, len(noise.indices)
        (0.5, 1)
        """
        if not self.mask.any():
            return None
        return self.method.threshold.unreached(self.threshold_result)

    def explain(self, name: ColumnName) -> str:
        """Explain in a few sentences why a variable is selected or not.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> found.explain("x0")
        'x0 is selected by dart-relevance. It has ...'
        """
        label = str(name) if name in self.feature_names else name
        place = self.labels.index(check_choice("name", label, self.labels))
        return _text.explain(self, place)

    def plot(self, kind: str | None = None, **options: Any) -> Plot:
        """Draw the selection. Needs matplotlib.

        Parameters
        ----------
        kind : str, optional
            "scatter" (importance against rank), "importance" (with the spread over the replicates),
            "nulls" (beside null replicates), "dendrogram" (of a clustering), "stability" (with
            fewer replicates), "traces" (of the chains) or "partial_dependence" (with options `X`
            and `y`). By default the one that suits the method best.
        **options
            Arguments of the function of that name in `bayesvc.plots`, such as `ax`.

        Returns
        -------
        Plot
            With `axes` and `data`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> found.plot("importance").data["variable"][0]
        'x0'
        """
        plot: Plot = provided("Selection.plot")(self, kind, **options)
        return plot

    def to_json(self, path: PathLike | None = None) -> str:
        """Return the result as JSON, and write it to `path` if given.

        Examples
        --------
        >>> import json
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> json.loads(found.to_json())["selected"]
        ['x0']
        """
        text = _text.as_json(self)
        if path is not None:
            write_text(path, text + "\n")
        return text

    def save(self, path: PathLike) -> None:
        """Write the result with its draws, but not the data, to one file; `load` reads it.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import bayesvc as bv
        >>> found = bv.select_from(bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(pathlib.Path(folder) / "found.npz")
        ...     again = bv.Selection.load(pathlib.Path(folder) / "found.npz")
        >>> again.names
        ['x0', 'x3']
        """
        provided("Selection.save")(self, path)

    @classmethod
    def load(cls, path: PathLike, *, measure: Any = None, threshold: Any = None) -> Selection:
        """Read a result that `save` wrote. Nothing in the file is executed or imported.

        Parameters
        ----------
        path : str or path
        measure, threshold : optional
            Parts of your own that the file names. Without them, and if they are not registered
            (`bayesvc.measures.register`, `bayesvc.thresholds.register`), everything stored is
            shown, but nothing can be recomputed, such as `stability`.

        Examples
        --------
        See `save`.
        """
        loaded: Selection = provided("Selection.load")(path, measure=measure, threshold=threshold)
        return loaded

    def to_html_report(self, path: PathLike, **settings: Any) -> Path:
        """Write the result as one HTML file that works offline, and return its path.

        Parameters
        ----------
        path : str or path
        **settings
            title, data_summary: see `bayesvc.write_report`.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import bayesvc as bv
        >>> found = bv.select_from(bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.to_html_report(pathlib.Path(folder) / "report.html").name
        'report.html'
        """
        written: Path = provided("Selection.to_html_report")(self, path, **settings)
        return written

    def __repr__(self) -> str:
        return _text.as_text(self)

    def _repr_html_(self) -> str:
        return _text.as_html(self)
