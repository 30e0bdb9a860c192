"""The effects of the selected variables: a table, curves, plots and text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from bayesvc._archive import write_text
from bayesvc._typing import ColumnName, FloatArray, PathLike
from bayesvc._validation import check_choice, check_integer, check_level, resolve_n_jobs
from bayesvc._wiring import provided
from bayesvc.data.encode import EncodedX
from bayesvc.data.frames import make_frame
from bayesvc.draws.draws import Draws
from bayesvc.estimators.partial_dependence import column_number
from bayesvc.exceptions import Note
from bayesvc.explain import text as _text
from bayesvc.explain.curves import CurveKind, EffectCurve, effect_curve, individual_curves
from bayesvc.explain.direction import Direction
from bayesvc.explain.loss import PredictiveLoss
from bayesvc.explain.shares import VarianceShares

if TYPE_CHECKING:
    from bayesvc.plots import Plot


@dataclass(frozen=True, eq=False)
class IndividualCurves:
    """Individual conditional expectations: the prediction of single rows along a column.

    Attributes
    ----------
    variable : str
    x : ndarray (n_values,)
        Values of the column; of categories the labels.
    values : ndarray (n_rows, n_values)
        Posterior mean of the prediction of each row, if the column had each value.
    rows : ndarray of int (n_rows,)
        Which rows these are.
    """

    variable: str
    x: NDArray[Any]
    values: FloatArray
    rows: NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Effects:
    """How large the effects of the selected variables are, and which way they go.

    Made by `Selection.effects`. The variables are ordered by their total share of the variance,
    the largest first, in everything but `draws` and `X`.

    Attributes
    ----------
    names : tuple of str or int
        The variables.
    shares : VarianceShares
        Sobol indices of every draw.
    curves : mapping from name to EffectCurve
        Accumulated local effects of the numeric columns, partial dependence of the categorical
        ones. Column groups have none.
    directions : tuple of Direction
        Direction and change of each variable.
    loss : PredictiveLoss or None
        Cross-fitted loss of R2 or rise of the log loss; None with ``loss=False``.
    draws : Draws
        The forest on the selected variables, with trees.
    X : EncodedX
        The rows that it was fitted to.
    interval : float
        Probability of the intervals.
    overlap : float
        Proportion of the rows that also selected the variables; NaN if that is not known.
    frame : {"pandas", "polars"} or None
        Type of the tables.
    notes : tuple of Note
        What a reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 5))
    >>> y = 10 * X[:, 0] - 5 * X[:, 2] + rng.normal(size=200)
    >>> found = bv.select(X, y, n_replicates=2, burn_in=300, n_draws=300, random_state=0)
    >>> effects = found.effects(X, y, n_replicates=2, burn_in=200, n_draws=200)
    >>> effects.table[["variable", "direction"]].values.tolist()
    [['x0', 'increasing'], ['x2', 'decreasing']]
    """

    names: tuple[ColumnName, ...]
    shares: VarianceShares
    curves: Mapping[str, EffectCurve]
    directions: tuple[Direction, ...]
    loss: PredictiveLoss | None
    draws: Draws
    X: EncodedX
    interval: float
    overlap: float
    frame: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the variables as text."""
        return tuple(map(str, self.names))

    @property
    def same_rows(self) -> bool | None:
        """Whether any of the rows also selected the variables; None if that is not known."""
        return None if math.isnan(self.overlap) else self.overlap > 0

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The columns of `table`, by name."""
        first, first_low, first_high = self.summary(self.shares.first_order)
        losses = np.full((3, len(self.names)), math.nan) if self.loss is None else self.loss.losses
        return {
            "variable": list(self.labels),
            "first_order": first,
            "first_order_low": first_low,
            "first_order_high": first_high,
            "total": self.summary(self.shares.total)[0],
            "change": np.array([own.change for own in self.directions]),
            "direction": [own.text for own in self.directions],
            "loss": losses[0],
            "loss_low": losses[1],
            "loss_high": losses[2],
        }

    @cached_property
    def detail_columns(self) -> dict[str, Any]:
        """The columns of `details`, by name."""
        _, low, high = self.summary(self.shares.total)
        extra = self.shares.total - self.shares.first_order
        columns: dict[str, Any] = {
            "variable": list(self.labels),
            "total_low": low,
            "total_high": high,
            "interaction": extra.mean(axis=0),
        }
        for name in ("change_low", "change_high"):
            columns[name] = np.array([getattr(own, name) for own in self.directions])
        columns["change_from"] = [_text.value_text(own.start) for own in self.directions]
        columns["change_to"] = [_text.value_text(own.end) for own in self.directions]
        for name in ("probability", "increasing", "decreasing", "not_monotone"):
            key = "direction_probability" if name == "probability" else name
            columns[key] = np.array([getattr(own, name) for own in self.directions])
        return columns

    @cached_property
    def details(self) -> Any:
        """One row per variable, with what `table` has no room for.

        Columns: variable, total_low, total_high, interaction (total less first order), change_low,
        change_high, change_from, change_to (the values that the change is between, as text),
        direction_probability, increasing, decreasing and not_monotone (posterior probabilities).
        """
        return make_frame(self.detail_columns, self.frame)

    @cached_property
    def table(self) -> Any:
        """One row per variable, in the frame type of the data, the largest total share first.

        Columns: variable, first_order with first_order_low and first_order_high, total (shares of
        the variance), change (of the prediction, from the 10 % to the 90 % quantile of a column of
        numbers, or from the lowest to the highest category), direction, loss with loss_low and
        loss_high (of R2 without the variable; for two classes the rise of the log loss).
        """
        return make_frame(self.columns, self.frame)

    def summary(self, samples: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return posterior mean and interval of numbers by draw and variable.

        Examples
        --------
        See `table`, which holds them for the first-order shares.
        """
        ends = (1 - self.interval) / 2, (1 + self.interval) / 2
        low, high = np.quantile(samples, ends, axis=0)
        return samples.mean(axis=0), low, high

    def curve(
        self,
        variable: int | str,
        kind: str = "ale",
        *,
        interval: float | None = None,
        n_jobs: int | None = -1,
    ) -> EffectCurve:
        """Return the effect of one column on the prediction, at up to 21 values.

        Parameters
        ----------
        variable : str or int
            Name of a selected column, which may belong to a group.
        kind : {"ale", "pd"}
            Accumulated local effect, which compares rows with rows like them, or partial
            dependence, which combines each value with all rows. They agree if the columns are
            independent. For categories both are the partial dependence.
        interval : float, optional
            Probability of the band; by default that of the table.
        n_jobs : int or None, default -1
            Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(200, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> effects = found.effects(X, X[:, 0], burn_in=100, n_draws=100, loss=False)
        >>> effects.curve("x0", "pd")
        <EffectCurve: partial dependence of x0, 20 values, 400 draws, 90 % intervals>
        """
        kind = check_choice("kind", kind, ("ale", "pd"))
        level = self.interval if interval is None else check_level("interval", interval)
        column = column_number(self.X.schema, variable, "variable")
        name = str(self.X.schema.names[column])
        known = self.curves.get(name)
        if known is not None and level == self.interval and (kind == "ale" or known.kind == kind):
            return known
        threads = resolve_n_jobs(n_jobs)
        return effect_curve(self.draws, self.X, column, cast(CurveKind, kind), level, threads)

    def individual_curves(
        self, variable: int | str, *, n_rows: int = 50, n_jobs: int | None = -1
    ) -> IndividualCurves:
        """Return the predictions of single rows along the values of a column (ICE).

        Parameters
        ----------
        variable : str or int
            Name of a selected column, which may belong to a group.
        n_rows : int, default 50
            Number of rows, evenly spaced.
        n_jobs : int or None, default -1
            Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(200, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> effects = found.effects(X, X[:, 0], burn_in=100, n_draws=100, loss=False)
        >>> effects.individual_curves("x0", n_rows=10).values.shape
        (10, 21)
        """
        n_rows = check_integer("n_rows", n_rows, 1)
        column = column_number(self.X.schema, variable, "variable")
        found = individual_curves(self.draws, self.X, column, n_rows, resolve_n_jobs(n_jobs))
        return IndividualCurves(str(self.X.schema.names[column]), *found)

    def plot(self, kind: str = "curves", **options: Any) -> Plot:
        """Draw the effects. Needs matplotlib.

        Parameters
        ----------
        kind : {"curves", "shares", "loss"}
            Curves of the variables with bands, shares of the variance, or the loss without each
            variable.
        **options
            Arguments of `bayesvc.plots.effect_curves`, `variance_shares` and `predictive_loss`,
            such as `ax`.

        Returns
        -------
        Plot
            With `axes` and `data`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(200, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> effects = found.effects(X, X[:, 0], burn_in=100, n_draws=100, loss=False)
        >>> effects.plot("shares").data["variable"].tolist()
        ['x0']
        """
        plot: Plot = provided("Effects.plot")(self, kind, **options)
        return plot

    def to_json(self, path: PathLike | None = None) -> str:
        """Return table, details, scores and notes as JSON, and write it to `path` if given.

        Examples
        --------
        >>> import json
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(200, 3))
        >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> effects = found.effects(X, X[:, 0], burn_in=100, n_draws=100, loss=False)
        >>> json.loads(effects.to_json())["variables"][0]["variable"]
        'x0'
        """
        written = json.dumps(_text.as_dict(self), indent=1, allow_nan=False)
        if path is not None:
            write_text(path, written + "\n")
        return written

    def __repr__(self) -> str:
        return _text.as_text(self)

    def _repr_html_(self) -> str:
        return _text.as_html(self)
