"""Thresholds as settings: what a method does with a measure. The work is in `thresholds`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from bayesvc import thresholds
from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_flag, check_number
from bayesvc.measures import Measure
from bayesvc.thresholds import ThresholdResult


@dataclass(frozen=True)
class Permutation:
    """Compare a measure with what it is in fits to permuted responses.

    Parameters
    ----------
    kind : {"local", "gse", "gmax"}
        "local": above the 1 - alpha quantile of the variable's own null values; "gse": above their
        mean plus so many of their sd that the same number serves all variables; "gmax": above the
        1 - alpha quantile of the largest null value of each permuted fit.
    alpha : float, default 0.05
    joint : bool, default True
        Only for "gse"; see `bayesvc.thresholds.gse`.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Permutation("gse", alpha=0.1).name
    'gse'
    """

    kind: Literal["local", "gse", "gmax"]
    alpha: float = 0.05
    joint: bool = True

    needs_null: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, ("local", "gse", "gmax"))
        check_number("alpha", self.alpha, above=0, below=1, remedy="pass a level such as 0.05")
        check_flag("joint", self.joint)

    @property
    def name(self) -> str:
        """Name of the threshold in recipes."""
        return self.kind

    def refuses(self, measure: Measure) -> str | None:
        """Say why this threshold cannot cut the measure, or None."""
        if measure.least_fits > 1:
            return "it takes several fits, and there is one to each permuted response"
        if measure.shape == "scores":
            return None
        what = (
            "ranks, of which low ones are good" if measure.shape == "ranks" else "several columns"
        )
        return f"the measure has {what}"

    def cut(self, measure: Measure, values: FloatArray, null: FloatArray | None) -> ThresholdResult:
        """Cut the values of a measure; `null` holds a row per permuted fit."""
        assert null is not None
        if self.kind == "local":
            return thresholds.local(values, null, self.alpha)
        if self.kind == "gmax":
            return thresholds.gmax(values, null, self.alpha)
        return thresholds.gse(values, null, self.alpha, self.joint)


@dataclass(frozen=True)
class MedianProbability:
    """Select what is in the forest, or relevant, with at least this probability.

    Parameters
    ----------
    at : float, default 0.5
    at_least_one : bool, default False
        Where no variable is that probable, select the most probable one.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.MedianProbability(0.6)
    MedianProbability(at=0.6, at_least_one=False)
    """

    at: float = 0.5
    at_least_one: bool = False

    needs_null: ClassVar[bool] = False

    def __post_init__(self) -> None:
        remedy = "pass a probability such as 0.5, the median probability model"
        if check_number("at", self.at, above=0, remedy=remedy) > 1:
            raise ValueError(f"at={self.at!r} is no probability; {remedy}")
        check_flag("at_least_one", self.at_least_one)

    @property
    def name(self) -> str:
        """Name of the threshold in recipes."""
        return "most-probable" if self.at_least_one else "median-probability"

    def refuses(self, measure: Measure) -> str | None:
        """Say why this threshold cannot cut the measure, or None."""
        return None if measure.is_probability else "the measure is no probability"

    def cut(self, measure: Measure, values: FloatArray, null: FloatArray | None) -> ThresholdResult:
        """Cut probabilities."""
        return thresholds.median_probability(values, self.at, self.at_least_one)


@dataclass(frozen=True)
class Clustering:
    """Cut the variables in two by average linkage.

    Parameters
    ----------
    weights : tuple of float, optional
        One per column of the measure; all 1 by default. A larger one makes a column count more.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Clustering(weights=(1, 1, 2, 2)).name
    'clustering'
    """

    weights: tuple[float, ...] | None = None

    name: ClassVar[str] = "clustering"
    needs_null: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.weights is not None:
            weights = thresholds.check_weights(self.weights)
            object.__setattr__(self, "weights", tuple(weights.tolist()))

    def refuses(self, measure: Measure) -> str | None:
        """Say why this threshold cannot cut the measure, or None."""
        if self.weights is not None and len(self.weights) != measure.n_columns:
            return f"it has {len(self.weights)} weights for {measure.n_columns} columns"
        return None

    def cut(self, measure: Measure, values: FloatArray, null: FloatArray | None) -> ThresholdResult:
        """Cluster the rows of the measure."""
        if measure.shape == "ranks":
            return thresholds.clusters(values, transform=False, weights=self.weights, keep="low")
        return thresholds.clusters(values, weights=self.weights)


Threshold = Permutation | MedianProbability | Clustering

THRESHOLDS: dict[str, Threshold] = {
    "local": Permutation("local"),
    "gse": Permutation("gse"),
    "gmax": Permutation("gmax"),
    "median-probability": MedianProbability(),
    "most-probable": MedianProbability(at_least_one=True),
    "clustering": Clustering(),
}


def check_threshold(threshold: Any) -> Threshold:
    """Return the threshold of this name, or the object itself."""
    if isinstance(threshold, Permutation | MedianProbability | Clustering):
        return threshold
    return THRESHOLDS[check_choice("threshold", threshold, THRESHOLDS)]


def threshold_to_dict(threshold: Threshold) -> dict[str, Any]:
    """Return the settings of a threshold as a dict that JSON can hold."""
    return {"kind_": type(threshold).__name__, **asdict(threshold)}


def threshold_from_dict(settings: Mapping[str, Any]) -> Threshold:
    """Return the threshold that `threshold_to_dict` described."""
    kinds = {kind.__name__: kind for kind in (Permutation, MedianProbability, Clustering)}
    arguments = dict(settings)
    return kinds[arguments.pop("kind_")](**arguments)
