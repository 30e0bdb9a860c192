"""Survival times, some of them censored: log times are a sum of trees plus errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayesvc._logarithms import log
from bayesvc._typing import FloatArray, IntArray
from bayesvc._validation import must_be
from bayesvc.priors.calibration import Calibration, round12
from bayesvc.responses.base import EncodedResponse
from bayesvc.responses.gaussian import Gaussian
from bayesvc.responses.intervals import NormalFit, fit_normal, rank_scores
from bayesvc.responses.surv import censoring

if TYPE_CHECKING:
    from bayesvc._core import LinearModel
    from bayesvc.priors.base import TreePrior

_LEAST_SPAN = 1e-8  # of log times
_LEAST_SHARE = 0.25  # of the range of all bounds, for the range that is mapped to [-0.5, 0.5]
_COMPILED = {"gaussian": "interval", "student": "interval-student"}


def _none() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False, repr=False)
class Survival(Gaussian):
    """Censored times to an event: a log-normal accelerated failure time model.

    The logarithm of a time is a sum of trees plus normal or Student-t errors, so trees multiply
    the time. An encoded value is the number of a pair of bounds, which the object holds once it
    has encoded a response.

    Parameters
    ----------
    log_low, log_high : ndarray, optional
        The different pairs of bounds, as logarithms, in rising order.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.responses import encode_y
    >>> encoded = encode_y(bv.Surv([5.0, 5.0, 2.0, 8.0], [True, False, True, False]))
    >>> encoded.response, encoded.values.tolist()
    ('survival', [1.0, 2.0, 0.0, 3.0])
    """

    log_low: FloatArray = field(default_factory=_none)
    log_high: FloatArray = field(default_factory=_none)

    name: ClassVar[str] = "survival"
    label: ClassVar[str] = "survival"
    description: ClassVar[str] = (
        "a log-normal accelerated failure time model, whose log times are a sum of trees plus "
        "errors"
    )
    is_numeric: ClassVar[bool] = False
    loss: ClassVar[str | None] = None
    compiled: ClassVar[str] = "interval"

    # An object is equal to itself alone, because its arrays say what encoded values mean.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "Survival()"

    def detects(self, values: NDArray[Any]) -> bool:
        """Take censored times."""
        return values.dtype.names is not None

    def encode(self, values: NDArray[Any]) -> EncodedResponse:
        """Return the number of each row's pair of bounds, with a model that holds the pairs."""
        if values.dtype.names is None:
            raise TypeError(
                "`y` must tell which times are censored for response='survival'. Got "
                f"{'text' if values.dtype.kind == 'U' else 'plain values'} instead. Pass "
                "bayesvc.Surv(time, event)."
            )
        pairs, codes = np.unique(values, return_inverse=True)
        model = Survival(log(pairs["low"]), log(pairs["high"]))
        _refuse_one_sided(values["low"], values["high"])
        if model._span(np.arange(len(pairs))) < _LEAST_SPAN:
            low, high = map(math.exp, model._range(np.arange(len(pairs))))
            raise ValueError(
                "The times of `y` must vary. Got times from "
                f"{low:g} to {high:g} instead. Subtract what all of them have in common."
            )
        return EncodedResponse(codes.reshape(-1).astype(np.float64), model)

    def check_prior(self, prior: TreePrior) -> None:
        """Raise ValueError for a sampler or a transform that is not compatible with censoring."""
        if prior.sampler == "abc":
            raise ValueError(
                f"A censored response is not compatible with prior={prior.label}, which compares "
                "simulated times with observed ones. Use a prior such as bayesvc.DART() or "
                "bayesvc.BART(), or a method that is based on one, such as 'dart-relevance'."
            )
        if prior.transform == "normal-scores":
            wanted = "None or 'auto' for a censored response, whose logarithm is fitted"
            raise ValueError(must_be("transform", wanted, repr(prior.transform), "leave it out"))

    def can_be_fitted(self, values: FloatArray) -> bool:
        """Tell whether the times vary and are not all censored on the same side."""
        codes = values.astype(np.intp)
        low, high = self.log_low[codes], self.log_high[codes]
        sides = bool(np.isfinite(low).any() and np.isfinite(high).any())
        return sides and self._span(codes) >= _LEAST_SPAN

    def content(self, values: FloatArray) -> FloatArray:
        """Return the bounds of each row."""
        codes = values.astype(np.intp)
        return np.column_stack([self.log_low[codes], self.log_high[codes]])

    def spread(self, values: FloatArray) -> float:
        """Return the sd of the log times, censored ones taken into account."""
        return self._fit(values).sd

    def calibrate(
        self,
        prior: TreePrior,
        y: FloatArray,
        n_trees: int,
        *,
        linear_model: LinearModel | None = None,
        weights: FloatArray | None = None,
    ) -> Calibration:
        """Calibrate the prior as to log times in which censored ones have their expected value.

        That is their expectation under the normal distribution that fits all log times best. The
        variance that they have left there adds to that of `sigma_hat`.
        """
        fit, codes = self._fit(y), y.astype(np.intp)
        # the last digits of expectations differ between platforms' mathematical libraries
        exact = self.log_low == self.log_high
        times = np.where(exact, fit.means, np.round(fit.means, 12))[codes]
        least = _LEAST_SHARE * self._span(codes)
        if np.ptp(times) < least:  # all of them may be expected at one point
            times = times + least * (codes - codes.min()) / np.ptp(codes)
        known = super().calibrate(
            replace(prior, transform=None), times, n_trees,
            linear_model=linear_model, weights=weights,
        )  # fmt: skip
        low, high = np.exp(self.log_low[codes]), np.exp(self.log_high[codes])
        known = replace(known, model=_COMPILED[known.model], about_y=censoring(low, high))
        missing = fit.variances[codes]
        if known.sigma_hat is None or isinstance(prior.sigma_hat, float) or not missing.any():
            return known
        own = missing if weights is None else weights * missing
        hat = min(math.hypot(known.sigma_hat, math.sqrt(float(own.mean()))), fit.sd)
        hat = max(hat, known.sigma_hat)
        lambda_ = round12(known.lambda_ * (hat / known.sigma_hat) ** 2)
        return replace(known, lambda_=lambda_, sigma_hat=hat)

    def sampled(
        self, values: FloatArray, calibration: Calibration
    ) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Return the encoded values, and the bounds on the scale of the trees."""
        lower, upper = calibration.scale(self.log_low), calibration.scale(self.log_high)
        return values, {"lower": lower, "upper": upper}

    def from_errors_scale(self, values: FloatArray) -> FloatArray:
        """Turn log times, in their place, into times."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(values, out=values))

    def average(self, values: FloatArray) -> FloatArray:
        """Return the geometric mean over the draws: the estimate is that of the log time."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(np.log(values).mean(axis=0)))

    def mean_label(self, classes: NDArray[Any] | None) -> str:
        """Return what `mean` is, for an axis."""
        return "median time"

    def describe(self, classes: NDArray[Any] | None) -> str:
        """Return the kind of response."""
        return "survival times, log-normal model"

    def explained_variance(self, fitted: FloatArray, y: FloatArray) -> float:
        """Return the squared correlation of the fitted log times with the rank scores."""
        scores = self.rank_scores(y)
        if np.ptp(fitted) == 0 or np.ptp(scores) == 0:
            return 0.0
        return float(np.corrcoef(fitted, scores)[0, 1]) ** 2

    def residuals(self, fitted: FloatArray, y: FloatArray) -> FloatArray | None:
        """Return what a line through the fitted log times leaves of the rank scores."""
        scores = self.rank_scores(y)
        centred = fitted - fitted.mean()
        square = float(centred @ centred)
        slope = float(centred @ scores) / square if square > 0 else 0.0
        return np.asarray(scores - scores.mean() - slope * centred)

    def rank_scores(self, values: FloatArray) -> FloatArray:
        """Return the expected proportion of shorter times, by the estimate of Kaplan and Meier."""
        codes = values.astype(np.intp)
        return _scores_of(self, _counts(self, codes).tobytes())[codes]

    def strata(self, encoded: EncodedResponse) -> list[tuple[str, IntArray]]:
        """Return the rows of observed events and of censored times, so that parts hold both."""
        right = np.isposinf(self.log_high[encoded.values.astype(np.intp)])
        parts = [("rows without censoring to the right", ~right), ("right-censored rows", right)]
        return [(name, np.flatnonzero(own)) for name, own in parts if own.any()]

    def _fit(self, values: FloatArray) -> NormalFit:
        return _fit_of(self, _counts(self, values.astype(np.intp)).tobytes())

    def _span(self, codes: IntArray) -> float:
        """Return the range of the finite bounds, as logarithms."""
        low, high = self._range(codes)
        return high - low

    def _range(self, codes: IntArray) -> tuple[float, float]:
        bounds = np.concatenate([self.log_low[codes], self.log_high[codes]])
        bounds = bounds[np.isfinite(bounds)]
        return float(bounds.min()), float(bounds.max())


def _counts(model: Survival, codes: IntArray) -> IntArray:
    return np.bincount(codes, minlength=len(model.log_low))


# Permuted responses share these: they do not depend on the order of the rows.
@lru_cache(maxsize=32)
def _fit_of(model: Survival, counts: bytes) -> NormalFit:
    return fit_normal(model.log_low, model.log_high, np.frombuffer(counts, dtype=np.intp))


@lru_cache(maxsize=32)
def _scores_of(model: Survival, counts: bytes) -> FloatArray:
    return rank_scores(model.log_low, model.log_high, np.frombuffer(counts, dtype=np.intp))


def _refuse_one_sided(low: FloatArray, high: FloatArray) -> None:
    """Raise ValueError if all times are censored on the same side."""
    for side, is_open in (("right", np.isinf(high)), ("left", low == 0)):
        if is_open.all():
            raise ValueError(
                f"`y` must hold times that are not all {side}-censored. Got {len(low)} rows "
                "without an observed event instead. Check that `event` is True, or 1, where the "
                "event was observed."
            )
