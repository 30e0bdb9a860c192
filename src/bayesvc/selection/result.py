"""The result of a method: which variables it selects, by what measure, and how surely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bayesvc import thresholds
from bayesvc._typing import BoolArray, ColumnName, FloatArray, PathLike
from bayesvc._validation import check_choice
from bayesvc.data.align import align_to
from bayesvc.data.encode import check_names, encode_X
from bayesvc.data.frames import make_frame
from bayesvc.draws import diagnostics
from bayesvc.draws.draws import Draws
from bayesvc.selection import notes as _selection_notes
from bayesvc.selection import text as _selection_text
from bayesvc.selection.methods import Method
from bayesvc.selection.prediction_check import PredictionCheck, check_prediction
from bayesvc.selection.stability import Stability, compute_stability, leave_one_out
from bayesvc.thresholds import MedianProbability, ThresholdResult

if TYPE_CHECKING:
    from bayesvc.plots import Plot
    from bayesvc.selection.signal import SignalTest
    from bayesvc.selection.stopping import StoppingResult


@dataclass(frozen=True)
class Twin:
    """An unselected column that is nearly the same as a selected one.

    `correlation` is that of their ranks.
    """

    unselected: str
    selected: str
    correlation: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Selection:
    """The variables that a method selects, and why. Made by `select` and `compare`.

    Attributes
    ----------
    method : Method
        Name, prior, measure, threshold and number of fits.
    mask : ndarray of bool (n_features,)
    cut : Cut
        The threshold of each variable and its margin; for clustering also the dendrogram.
    values : ndarray (n_features,) or (n_features, 4)
        The measure.
    null : ndarray (n_permutations, n_features) or None
        The measure in fits to permuted responses.
    draws, permuted : Draws
        The fits; their `random_state` is the seed of the selection. `permuted` are those to
        permuted responses, one replicate each, or None.
    twins : tuple of Twin
        Unselected columns that are nearly the same as selected ones.
    frame : {"pandas", "polars"} or None
        Type of the tables: that of the caller's data.
    signal : SignalTest or None
        Whether y has anything to do with X at all.
    allow_empty : bool
        Whether nothing was to be selected without signal; `emptied` says that it was so.
    enough : Enough or None
        For ``n_replicates="auto"``: why there were no more fits.
    row_share : ndarray (n_features,) or None
        Share of the resamples of rows that select each variable; see `bayesvc.row_stability`.

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
    cut: ThresholdResult
    values: FloatArray
    null: FloatArray | None
    draws: Draws
    permuted: Draws | None = None
    twins: tuple[Twin, ...] = ()
    frame: str | None = None
    signal: SignalTest | None = None
    allow_empty: bool = False
    enough: StoppingResult | None = None
    row_share: FloatArray | None = None

    @property
    def feature_names(self) -> tuple[ColumnName, ...]:
        """Names of all variables."""
        return self.draws.feature_names

    @property
    def selected(self) -> NDArray[np.intp]:
        """Indices of the selected variables, ascending."""
        return np.flatnonzero(self.mask)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of all variables as text, for tables and plots."""
        return tuple(map(str, self.feature_names))

    @property
    def names(self) -> list[ColumnName]:
        """Names of the selected variables."""
        return [self.feature_names[j] for j in self.selected]

    @property
    def importance(self) -> FloatArray:
        """One number per variable: the measure, or its first column."""
        return self.values if self.values.ndim == 1 else self.values[:, 0]

    @property
    def emptied(self) -> bool:
        """Whether nothing is selected because there is no signal, whatever the cut says.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.uniform(size=(100, 5)), rng.normal(size=100)
        >>> noise = bv.select(
        ...     X, y, n_replicates=2, burn_in=300, n_draws=300, random_state=0, allow_empty=True
        ... )
        >>> noise.emptied, noise.names
        (True, [])
        """
        return self.allow_empty and self.signal is not None and not self.signal.found

    @property
    def threshold(self) -> FloatArray:
        """What each variable's measure had to reach; NaN where that is not what decided."""
        return np.full(len(self.mask), np.nan) if self.emptied else self.cut.threshold

    @property
    def margin(self) -> FloatArray:
        """How far each variable is from the cut; NaN where that is not what decided."""
        return np.full(len(self.mask), np.nan) if self.emptied else self.cut.margin

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Place of each variable by the measure; 1 is the most important, equals share a place."""
        low_is_good = self.method.measure.shape == "ranks"
        key = self.importance if low_is_good else -self.importance
        return np.asarray(rankdata(key, method="min"), dtype=np.int64)

    @cached_property
    def table(self) -> Any:
        """One row per variable, in the frame type of the data.

        Columns: variable, selected, rank, the columns of the measure, the other tallies (vc, vip,
        mpvip, mi), threshold, margin to the cut, p-values where responses were permuted, and
        row_stability where rows were resampled.
        """
        return make_frame(self._columns(), self.frame)

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "variable": list(self.labels),
            "selected": self.mask,
            "rank": self.ranks,
        }
        name = self.method.measure.name.replace("-measure", "").replace("-", "_")
        if self.values.ndim == 1:
            columns[name] = self.values
        else:
            labels = (name, f"{name}_q25", f"{name}_rank", f"{name}_rank_q75")
            columns |= {label: self.values[:, k] for k, label in enumerate(labels)}
        for tally in ("vc", "vip", "mpvip", "mi"):
            columns.setdefault(tally, getattr(self.draws, tally).mean(axis=0))
        columns |= {"threshold": self.threshold, "margin": self.margin}
        if self.null is not None:
            columns |= {f"p_{kind}": p for kind, p in self.p_values.items()}
        if self.row_share is not None:
            columns["row_stability"] = self.row_share
        return columns

    @cached_property
    def p_values(self) -> dict[str, FloatArray]:
        """Permutation p-values of a method that permutes: "single", "maxt" and "bh".

        Like is compared with like: the measure of the first fit with that of single permuted fits.
        With few permutations they cannot be small; see
        `bayesvc.thresholds.permutation_pvalues`.
        """
        if self.null is None:
            raise ValueError(
                f"method {self.method.name!r} permutes nothing, so it has no p-values; use one "
                "with threshold 'local', 'gse' or 'gmax'"
            )
        measure = self.method.measure
        # The null of SpikeForest is made of as many kept forests as the measure itself.
        alike = self.draws.abc is not None
        observed = measure.compute(self.draws) if alike else measure.per_fit(self.draws)[0]
        return {
            "single": thresholds.permutation_pvalues(observed, self.null),
            "maxt": thresholds.permutation_pvalues(observed, self.null, adjust="maxt"),
            "bh": thresholds.permutation_pvalues(observed, self.null, adjust="bh"),
        }

    @cached_property
    def stability(self) -> Stability:
        """How often each variable is selected with replicates left out, or resampled."""
        entropy = self.draws.random_state or 0
        return compute_stability(self._mask_of, self.mask, self._without_one, entropy)

    @cached_property
    def _without_one(self) -> BoolArray:
        if self.draws.n_replicates == 1:
            return self.mask[np.newaxis]
        return leave_one_out(self._mask_of, self.draws.n_replicates)

    @property
    def left_out_share(self) -> FloatArray:
        """How often each variable is selected with one replicate left out; NaN with only one."""
        if self.draws.n_replicates == 1:
            return np.full(len(self.mask), np.nan)
        return np.asarray(self._without_one.mean(axis=0))

    def _mask_of(self, replicates: Sequence[int]) -> BoolArray:
        if self.emptied:  # by a test that has fits of its own
            return self.mask
        if self.method.measure.least_fits > 1:  # a fit taken twice would agree with itself
            replicates = sorted(set(replicates))
        return apply_method(self.method, self.draws.take(replicates), self.null)[0]

    @cached_property
    def mixing(self) -> diagnostics.Mixing:
        """Split-R-hat and effective sample size of sigma and of the counts."""
        return diagnostics.mixing(self.draws)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the result should know, in plain sentences."""
        notes = _selection_notes
        return (*notes.of_result(self), *notes.of_left_out(self), *notes.of_twins(self))

    @property
    def unreached(self) -> float | None:
        """The probability asked for, if no variable has it and the most probable one was taken.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.uniform(size=(100, 30)), rng.normal(size=100)
        >>> noise = bv.select(
        ...     X, y, "dart-relevance", n_replicates=2, burn_in=300, n_draws=300, random_state=0
        ... )
        >>> noise.unreached, len(noise.selected)
        (0.5, 1)
        """
        rule = self.method.threshold
        if not isinstance(rule, MedianProbability) or not self.mask.any():
            return None
        return rule.at if (self.cut.threshold < rule.at).all() else None

    def explain(self, name: ColumnName) -> str:
        """Say in a sentence or two why a variable is selected or not.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> found.explain("x0")
        'x0 is selected by dart-vc: ...'
        """
        label = str(name) if isinstance(name, int) and name in self.feature_names else name
        place = self.labels.index(check_choice("name", label, self.labels))
        return _selection_text.explain(self, place)

    def check_prediction(self, X: Any, y: Any, **settings: Any) -> PredictionCheck:
        """Compare, out of sample, forests on the selected columns with forests on all.

        Parameters
        ----------
        X, y
            The data of the selection.
        **settings
            n_folds, n_trees, burn_in, n_draws, n_jobs: see
            `bayesvc.selection.prediction_check.check_prediction`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 4))
        >>> y = X[:, 0] + 0.1 * np.random.default_rng(1).normal(size=100)
        >>> found = bv.select(X, y, n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> check = found.check_prediction(X, y, burn_in=100, n_draws=100)
        >>> check.as_good
        True
        """
        columns = self.draws.columns
        (y,) = align_to(X, y=y)
        data = encode_X(X, groups=columns.groups)
        check_names(data.names, data.names_given, columns.names)
        return check_prediction(
            data, y, self.selected, prior=self.draws.prior, random_state=self.draws.random_state,
            **settings,
        )  # fmt: skip

    def plot(self, kind: str | None = None, **options: Any) -> Plot:
        """Draw the selection. Needs matplotlib.

        Parameters
        ----------
        kind : str, optional
            "scatter" (the measure against its rank), "importance" (with the spread over the fits),
            "nulls" (beside permuted fits), "dendrogram" (of a clustering), "stability" (with fewer
            fits), "traces" (of the chains) or "partial_dependence" (with options `X` and `y`). By
            default the one that shows the cut of the method best.
        **options
            Of the function of that name in `bayesvc.plots`, such as `ax`.

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
        from bayesvc.plots import plot_selection  # only those who draw need matplotlib

        return plot_selection(self, kind, **options)

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
        text = json.dumps(_selection_text.as_dict(self), indent=1, allow_nan=False)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        return text

    def save(self, path: PathLike) -> None:
        """Write the result with its fits, but not the data, to one file; `load` reads it.

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
        from bayesvc.selection.file import write  # it builds on this module

        write(self, path)

    @classmethod
    def load(cls, path: PathLike) -> Selection:
        """Read a result that `save` wrote. Nothing in the file is executed.

        Examples
        --------
        See `save`.
        """
        from bayesvc.selection.file import read  # it builds on this module

        return read(path)

    def to_html_report(self, path: PathLike, **settings: Any) -> Path:
        """Write the result as one HTML file that needs no network, and return where it is.

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
        from bayesvc.report import write_report  # it builds on this module

        return write_report(self, path, **settings)

    def __repr__(self) -> str:
        return _selection_text.as_text(self)

    def _repr_html_(self) -> str:
        return _selection_text.as_html(self)


def apply_method(
    method: Method, draws: Any, null: FloatArray | None
) -> tuple[BoolArray, ThresholdResult, FloatArray]:
    """Apply the measure and the threshold of a method: the mask, the cut and the values."""
    values = method.measure.compute(draws)
    cut = method.threshold.cut(method.measure, values, null)
    mask = cut.selected
    if len(mask) == 1:  # a rank among one says nothing
        mask = mask & (draws.vc.mean(axis=0) > 0)
    return mask, cut, values


def find_twins(
    correlations: FloatArray, selected: NDArray[np.intp], names: Sequence[str], limit: float = 0.95
) -> tuple[Twin, ...]:
    """Return the unselected columns whose rank correlation with a selected one is extreme."""
    if len(selected) == 0:
        return ()
    strength = np.abs(correlations)
    strength[:, selected] = 0
    nearest = strength.argmax(axis=0)
    largest = strength[nearest, np.arange(strength.shape[1])]
    return tuple(
        Twin(names[j], names[int(selected[nearest[j]])], float(correlations[nearest[j], j]))
        for j in np.flatnonzero(largest > limit).tolist()
    )
