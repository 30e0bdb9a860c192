"""The contract of a measure, and what the package makes of an object that a user passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

import numpy as np
from scipy.stats import rankdata

from bayesvc._parts import (
    SavedPart,
    as_part,
    function_name,
    function_summary,
    settings_of,
    with_settings,
)
from bayesvc._typing import FloatArray
from bayesvc.exceptions import Note


@dataclass(frozen=True)
class ColumnInfo:
    """What a table says about one of its columns.

    Attributes
    ----------
    key : str
        Name of the column in `Selection.table` and in JSON.
    label, description : str
        Heading and explanation in the report.
    kind : {"flag", "count", "number", "percentage", "probability"}
        How the entries are written.
    lower_is_better : bool
    extra : bool
        Whether the report shows the column on request only.
    """

    key: str
    label: str
    description: str
    kind: Literal["flag", "count", "number", "percentage", "probability"] = "number"
    lower_is_better: bool = False
    extra: bool = False


@dataclass(frozen=True, eq=False)
class RankView:
    """Coordinates and axis labels of a plot of importance against rank.

    `threshold_on` says which of the two axes a threshold of the measure belongs to.
    """

    rank: FloatArray
    value: FloatArray
    rank_label: str
    value_label: str
    threshold_on: Literal["rank", "value"] = "value"


class Measure(Protocol):
    """A function of draws that gives every variable an importance.

    Subclass it: then `name` and `compute` suffice, and everything else has a default. An object
    that has all members without being a subclass is accepted too.

    Attributes
    ----------
    name : str
        Identifier in methods, tables and files.
    label : str
        Short name in text; `name` by default.
    axis_label : str
        Label of an axis that shows the measure; `label` by default.
    description : str
        One sentence.
    column_names : tuple of str
        Names of the table columns of a measure that returns several.
    n_columns : int or None
        Number of columns that `compute` returns, or None if only the result tells.
    scale : {"linear", "log"}
        Scale of the axis; "log" means log(1 + value).
    lower_is_better : bool
        Whether small values mark important variables, as with ranks.
    is_probability : bool
    min_replicates : int
        Number of replicates without which the measure cannot be computed.
    replicates_average : bool
        Whether the importance summarises what `per_replicate` returns, rather than what the
        replicates agree on.
    checked : bool
        Whether a selection by it is checked by default: nothing is selected without evidence of
        signal, and the selection is repeated on half-samples of the rows.
    default_threshold : str
        Name of the threshold to use if none is given.
    plot : str
        Kind of plot that shows the measure best.
    recomputable : bool
        Whether `compute` works; False for a measure known only from a file.

    Examples
    --------
    >>> import bayesvc as bv
    >>> class LargestCount(bv.measures.Measure):
    ...     name = "largest-count"
    ...
    ...     def compute(self, draws):
    ...         return draws.vc.max(axis=0)
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> bv.select_from(draws, measure=LargestCount()).names
    ['a', 'd']
    """

    name: str
    description: str = ""
    column_names: tuple[str, ...] = ()
    n_columns: int | None = 1
    scale: Literal["linear", "log"] = "linear"
    lower_is_better: bool = False
    is_probability: bool = False
    min_replicates: int = 1
    replicates_average: bool = False
    checked: bool = False
    default_threshold: str = "clustering"
    plot: str = "importance"
    recomputable: bool = True

    @property
    def label(self) -> str:
        """Short name in text."""
        return self.name

    @property
    def axis_label(self) -> str:
        """Label of an axis that shows the measure."""
        return self.label

    def compute(self, draws: Any) -> FloatArray:
        """Return the importance of the variables: (n_features,) or (n_features, n_columns)."""
        ...

    def per_replicate(self, draws: Any) -> FloatArray:
        """Return what each replicate says alone: (n_replicates, n_features)."""
        rows = [first_column(self.compute(draws.take([r]))) for r in range(draws.n_replicates)]
        return np.array(rows, dtype=np.float64)

    def given_signal(self, values: FloatArray, p_value: float) -> FloatArray:
        """Return the importance in the light of the p-value of the signal test."""
        return values

    def columns(self, n_columns: int) -> tuple[ColumnInfo, ...]:
        """Return what the table says about the columns of the measure."""
        key, low = self.name.replace("-", "_"), self.lower_is_better
        about = self.description or f"Importance by {self.label}."
        if n_columns == 1 and not self.column_names:
            return (ColumnInfo(key, self.label, about, lower_is_better=low),)
        names = self.column_names or tuple(f"{key}_{k + 1}" for k in range(n_columns))
        if len(names) != n_columns:
            raise ValueError(
                f"`column_names` of measure {self.name!r} must name {n_columns} columns. Got "
                f"{len(names)} names instead."
            )
        return tuple(
            ColumnInfo(name, name, about, lower_is_better=low and k == 0, extra=k > 0)
            for k, name in enumerate(names)
        )

    def rank_view(self, draws: Any, values: FloatArray, per_replicate: FloatArray) -> RankView:
        """Return what a plot of importance against rank shows."""
        ordered = per_replicate if self.lower_is_better else -per_replicate
        mean_rank = np.asarray(rankdata(ordered, axis=1).mean(axis=0))
        label = f"mean rank by {self.label}"
        return RankView(mean_rank, first_column(values), label, self.axis_label)

    def incompatibility(self, prior: Any) -> str | None:
        """Return why replicates under this prior cannot be judged by the measure, or None."""
        return None

    def notes(self, draws: Any) -> tuple[Note, ...]:
        """Return what a reader should know about the measure of these draws."""
        return ()

    def settings(self) -> dict[str, Any]:
        """Return the settings, as JSON holds them."""
        return settings_of(self)

    def with_settings(self, settings: Mapping[str, Any]) -> Measure:
        """Return the measure with other settings; the inverse of `settings`."""
        return with_settings(self, settings)


_MEMBERS = (
    "name", "label", "axis_label", "description", "n_columns", "scale", "lower_is_better",
    "is_probability", "min_replicates", "replicates_average", "checked", "default_threshold",
    "plot", "recomputable", "compute", "per_replicate", "given_signal", "columns", "rank_view",
    "incompatibility", "notes", "settings", "with_settings",
)  # fmt: skip


# Attributes that a file tells about a measure.
_SAVED = (
    "description", "n_columns", "scale", "lower_is_better", "is_probability", "min_replicates",
    "replicates_average", "default_threshold", "plot",
)  # fmt: skip


@dataclass(frozen=True)
class FunctionMeasure(Measure):
    """A plain function of draws as a measure; its `__name__` is the label.

    Examples
    --------
    >>> from bayesvc.measures.base import FunctionMeasure
    >>> def largest(draws):
    ...     return draws.vc.max(axis=0)
    >>> FunctionMeasure(largest).name
    'largest'
    """

    function: Callable[[Any], Any]

    n_columns = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the function."""
        return function_name(self.function)

    @property
    def description(self) -> str:  # type: ignore[override]
        """First line of the docstring of the function."""
        return function_summary(self.function) or f"Importance by the function {self.name}."

    def compute(self, draws: Any) -> FloatArray:
        """Call the function."""
        values: FloatArray = self.function(draws)
        return values

    def settings(self) -> dict[str, Any]:
        """Return nothing: a function has no settings that a file could hold."""
        return {}


@dataclass(frozen=True)
class SavedMeasure(SavedPart, Measure):
    """A measure that a file describes and this session does not know."""

    stored = _SAVED

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.label and self.axis_label and self.columns(1)):
            raise ValueError(f"measure {self.name!r} has no label or no columns")

    @property
    def axis_label(self) -> str:
        """Axis label in the file."""
        return str(self.about["axis_label"])

    def columns(self, n_columns: int) -> tuple[ColumnInfo, ...]:
        """Return the columns in the file."""
        return tuple(ColumnInfo(**column) for column in self.about["columns"])

    def compute(self, draws: Any) -> FloatArray:
        """Refuse to compute."""
        raise self.refusal("measure", "computed")

    def per_replicate(self, draws: Any) -> FloatArray:
        """Refuse to compute."""
        return self.compute(draws)


def describe_measure(measure: Measure, n_columns: int) -> dict[str, Any]:
    """Return what a file says about a measure; `SavedMeasure` shows it."""
    about: dict[str, Any] = {
        name: getattr(measure, name) for name in ("label", "axis_label", *_SAVED)
    }
    about["columns"] = [asdict(column) for column in measure.columns(n_columns)]
    return {**about, "settings": measure.settings()}


def as_measure(value: Any) -> Measure:
    """Return an object, or a plain function, as a measure, or say what it lacks."""
    return as_part(value, "measure", "compute", _MEMBERS, FunctionMeasure, "draws")


def first_column(values: Any) -> FloatArray:
    """Return one number per variable: the values, or their first column."""
    array = np.asarray(values, dtype=np.float64)
    return array if array.ndim == 1 else array[:, 0]


def measure_values(measure: Measure, draws: Any) -> FloatArray:
    """Compute a measure and check what it returns: (n_features,) or (n_features, n_columns)."""
    values = _as_floats(measure, measure.compute(draws))
    p = draws.n_features
    if values.ndim not in (1, 2) or len(values) != p or values.size == 0:
        raise ValueError(
            f"Measure {measure.name!r} must return an array of shape ({p},) or ({p}, n_columns), "
            f"one row per variable. Got shape {values.shape} instead."
        )
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0].copy()
    return values


def replicate_values(measure: Measure, draws: Any) -> FloatArray:
    """Compute what each replicate says alone and check it: (n_replicates, n_features)."""
    values = _as_floats(measure, measure.per_replicate(draws))
    expected = (draws.n_replicates, draws.n_features)
    if values.shape != expected:
        raise ValueError(
            f"`per_replicate` of measure {measure.name!r} must return an array of shape "
            f"{expected}. Got shape {values.shape} instead."
        )
    return values


def _as_floats(measure: Measure, values: Any) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise TypeError(
            f"Measure {measure.name!r} must return an array of numbers. Got "
            f"{type(values).__name__} instead."
        ) from None
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)]
        raise ValueError(
            f"Measure {measure.name!r} must return finite numbers. Got {bad.flat[0]} for "
            f"{len(bad)} of {array.size} entries instead."
        )
    return array
