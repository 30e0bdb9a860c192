"""The contract of a threshold, and what the package makes of an object that a user passes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from bayesvc._parts import (
    SavedPart,
    as_part,
    function_name,
    function_summary,
    missing_members,
    settings_of,
    with_settings,
)
from bayesvc._typing import BoolArray, FloatArray
from bayesvc._validation import check_vector, must_be
from bayesvc.exceptions import Note
from bayesvc.measures import Measure

# Differences this small, relative to numbers of the order of 1, are rounding.
ROUNDING = 1e-12


def check_probabilities(name: str, values: ArrayLike) -> FloatArray:
    """Return `values` as one probability per variable."""
    vector = check_vector(name, values)
    outside = (vector < 0) | (vector > 1 + ROUNDING)
    if outside.any():
        j = int(outside.argmax())
        raise ValueError(must_be(name, "in the interval [0, 1]", f"{vector[j]:g} for variable {j}"))
    return vector


@dataclass(frozen=True, eq=False)
class ThresholdResult:
    """Which variables a threshold selects, and by how much.

    Attributes
    ----------
    mask : ndarray of bool of shape (n_features,)
    threshold : ndarray of shape (n_features,)
        What the importance of each variable is compared with; NaN where that is not one number.
    margin : ndarray of shape (n_features,)
        Distance to the threshold: positive for selected variables, negative for the others (0 for
        a tie); NaN where there is no such distance.

    Examples
    --------
    >>> from bayesvc.thresholds import median_probability
    >>> result = median_probability([0.75, 0.25])
    >>> result.mask, result.threshold, result.margin
    (array([ True, False]), array([0.5, 0.5]), array([ 0.25, -0.25]))
    """

    mask: BoolArray
    threshold: FloatArray
    margin: FloatArray

    @property
    def has_dendrogram(self) -> bool:
        """Whether there is a dendrogram to draw."""
        return False


class Threshold(Protocol):
    """A rule that says which variables are selected, given their importance.

    Subclass it: then `name` and `apply` suffice, and everything else has a default. An object
    that has all members without being a subclass is accepted too.

    Attributes
    ----------
    name : str
        Identifier in methods, tables and files.
    label : str
        Short name in text; `name` by default.
    description : str
        One sentence.
    needs_null : bool
        Whether it compares with null replicates, that is, with permuted responses.
    min_permutations : int
        Number of null replicates without which nothing can be selected.
    partitions : bool
        Whether it divides the variables among themselves instead of comparing each with a limit.
    default_measure : str or None
        Name of the measure to use if the method's own is not compatible; None keeps the latter.
    default_replicates : int
        Number of replicates to use if none is given.
    plot : str or None
        Kind of plot that shows the threshold best; None leaves it to the measure.
    recomputable : bool
        Whether `apply` works; False for a threshold known only from a file.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> class AtLeast(bv.thresholds.Threshold):
    ...     name = "at-least-2"
    ...
    ...     def apply(self, measure, values, null):
    ...         limit = np.full(len(values), 2.0)
    ...         return bv.thresholds.ThresholdResult(values >= limit, limit, values - limit)
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]]], feature_names=list("abcd"))
    >>> bv.select_from(draws, measure="vc", threshold=AtLeast()).names
    ['a', 'd']
    """

    name: str
    description: str = ""
    needs_null: bool = False
    min_permutations: int = 2
    partitions: bool = False
    default_measure: str | None = None
    default_replicates: int = 10
    plot: str | None = None
    recomputable: bool = True

    @property
    def label(self) -> str:
        """Short name in text."""
        return self.name

    def apply(
        self, measure: Measure, values: FloatArray, null: FloatArray | None
    ) -> ThresholdResult:
        """Select variables.

        Parameters
        ----------
        measure : Measure
        values : ndarray of shape (n_features,) or (n_features, n_columns)
            What the measure returned.
        null : ndarray of shape (n_permutations, n_features) or None
            The measure of each null replicate, if `needs_null`.
        """
        ...

    def incompatibility(self, measure: Measure) -> str | None:
        """Return why the threshold cannot be applied to the measure, or None."""
        return None

    def limits(self, result: ThresholdResult, values: FloatArray, null: FloatArray) -> Limits:
        """Return what to draw beside null replicates: a limit per variable, by label."""
        return {} if np.isnan(result.threshold).any() else {self.label: result.threshold}

    def explain(self, result: ThresholdResult, importance: FloatArray, j: int) -> str:
        """Return a clause that says how far variable j is from the threshold."""
        margin, limit = float(result.margin[j]), float(result.threshold[j])
        value = f"{importance[j]:.3g}"
        if math.isnan(margin) or math.isnan(limit):
            return f"its importance is {value}, and {self.label!r} reports no threshold for it"
        side = "above" if importance[j] >= limit else "below"
        return f"its importance of {value} is {abs(margin):.3g} {side} the threshold of {limit:.3g}"

    def unreached(self, result: ThresholdResult) -> float | None:
        """Return the value asked for if no variable has it and something is selected anyway."""
        return None

    def notes(self, result: ThresholdResult) -> tuple[Note, ...]:
        """Return what a reader should know about the outcome."""
        return ()

    def settings(self) -> dict[str, Any]:
        """Return the settings, as JSON holds them."""
        return settings_of(self)

    def with_settings(self, settings: Mapping[str, Any]) -> Threshold:
        """Return the threshold with other settings; the inverse of `settings`."""
        return with_settings(self, settings)


Limits = Mapping[str, FloatArray]

_MEMBERS = (
    "name", "label", "description", "needs_null", "min_permutations", "partitions",
    "default_measure", "default_replicates", "plot", "recomputable", "apply", "incompatibility",
    "limits", "explain", "unreached", "notes", "settings", "with_settings",
)  # fmt: skip

# Attributes that a file tells about a threshold.
_SAVED = (
    "description", "needs_null", "min_permutations", "partitions", "default_measure",
    "default_replicates", "plot",
)  # fmt: skip


@dataclass(frozen=True)
class FunctionThreshold(Threshold):
    """A plain function from importance to a boolean mask; its `__name__` is the label.

    Examples
    --------
    >>> from bayesvc.thresholds.base import FunctionThreshold
    >>> def above_average(values):
    ...     return values > values.mean()
    >>> FunctionThreshold(above_average).name
    'above_average'
    """

    function: Callable[[FloatArray], Any]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the function."""
        return function_name(self.function)

    @property
    def description(self) -> str:  # type: ignore[override]
        """First line of the docstring of the function."""
        return function_summary(self.function) or f"Selects by the function {self.name}."

    def apply(
        self, measure: Measure, values: FloatArray, null: FloatArray | None
    ) -> ThresholdResult:
        """Call the function."""
        unknown = np.full(len(values), math.nan)
        return ThresholdResult(self.function(values.copy()), unknown, unknown.copy())

    def settings(self) -> dict[str, Any]:
        """Return nothing: a function has no settings that a file could hold."""
        return {}


@dataclass(frozen=True)
class SavedThreshold(SavedPart, Threshold):
    """A threshold that a file describes and this session does not know."""

    stored = _SAVED

    def apply(
        self, measure: Measure, values: FloatArray, null: FloatArray | None
    ) -> ThresholdResult:
        """Refuse to select."""
        raise self.refusal("threshold", "applied")


def describe_threshold(threshold: Threshold) -> dict[str, Any]:
    """Return what a file says about a threshold; `SavedThreshold` shows it."""
    about = {name: getattr(threshold, name) for name in ("label", *_SAVED)}
    return {**about, "settings": threshold.settings()}


def as_threshold(value: Any) -> Threshold:
    """Return an object, or a plain function, as a threshold, or say what it lacks."""
    return as_part(value, "threshold", "apply", _MEMBERS, FunctionThreshold, "the importance")


def apply_threshold(
    threshold: Threshold, measure: Measure, values: FloatArray, null: FloatArray | None
) -> ThresholdResult:
    """Apply a threshold and check what it returns."""
    result = threshold.apply(measure, values, null)
    if missing := missing_members(result, ("mask", "threshold", "margin")):
        raise TypeError(
            f"Threshold {threshold.name!r} must return a ThresholdResult. Got a "
            f"{type(result).__name__} without {', '.join(missing)} instead."
        )
    mask, p = np.asarray(result.mask), len(values)
    if mask.dtype != np.bool_ or mask.shape != (p,):
        raise ValueError(
            f"Threshold {threshold.name!r} must return a boolean mask of shape ({p},), one entry "
            f"per variable. Got dtype {mask.dtype} and shape {mask.shape} instead."
        )
    for name in ("threshold", "margin"):
        if np.shape(getattr(result, name)) != (p,):
            raise ValueError(
                f"`{name}` of threshold {threshold.name!r} must have shape ({p},). Got shape "
                f"{np.shape(getattr(result, name))} instead."
            )
    if mask is result.mask and is_dataclass(result):
        return result
    return ThresholdResult(mask, np.asarray(result.threshold), np.asarray(result.margin))
