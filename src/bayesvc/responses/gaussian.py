"""Continuous responses: a sum of trees plus errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.exact import refuse_rounding
from bayesvc.priors.calibration import (
    Calibration,
    check_sigma_prior,
    leaf_sd,
    residual_sd,
    round12,
    scaled_sigma,
)
from bayesvc.priors.normal_scores import ScoreMap, normal_scores
from bayesvc.responses.base import EncodedResponse, PlainResponse
from bayesvc.responses.shape import error_model, robust_span, uses_scores

if TYPE_CHECKING:
    from bayesvc._core import LinearModel
    from bayesvc.priors.base import TreePrior

_LARGEST_Y = 1e290  # so that sums of y, and sigma in its units, neither over- nor underflow

# Below this spread of the scaled response, 32-bit residuals would lose digits that matter.
_LEAST_SPREAD_FOR_SINGLE = 0.005


@dataclass(frozen=True)
class Gaussian(PlainResponse):
    """A continuous response: a sum of trees plus normal errors of variance sigma squared.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses import Gaussian
    >>> Gaussian().encode(np.array([1, 2, 4])).values
    array([1., 2., 4.])
    """

    name: ClassVar[str] = "continuous"
    label: ClassVar[str] = "continuous"
    description: ClassVar[str] = "a sum of trees plus normal errors"
    weights_incompatibility: ClassVar[str | None] = None
    has_noise_variance: ClassVar[bool] = True
    loss: ClassVar[str | None] = "mean squared error"
    compiled: ClassVar[str] = "gaussian"

    def detects(self, values: NDArray[Any]) -> bool:
        """Take numbers that no other kind of response takes."""
        return values.dtype.names is None

    def encode(self, values: NDArray[Any]) -> EncodedResponse:
        """Return the values as float64 numbers that vary and can be computed with."""
        if values.dtype.kind == "U":
            raise TypeError(
                "`y` must hold numbers for response='continuous'. Got text instead. Convert y, or "
                "for two classes pass response='binary' or use BARTClassifier."
            )
        with np.errstate(over="ignore"):
            numbers = values.astype(np.float64)  # a copy: the caller's array may change later
            span = np.ptp(numbers)
        if values.dtype.kind in "iu":
            refuse_rounding("`y`", numbers, values)
        if span == 0:
            raise ValueError(
                f"`y` must vary. Got a constant response instead: every value is {numbers[0]:g}."
            )
        if not (np.isfinite(span) and np.abs(numbers).max() < _LARGEST_Y):
            raise ValueError(
                f"`y` must lie between -{_LARGEST_Y:g} and {_LARGEST_Y:g}. Got values from "
                f"{numbers.min():g} to {numbers.max():g} instead. Divide y by a constant."
            )
        if span < 1 / _LARGEST_Y:
            raise ValueError(
                f"`y` must span at least {1 / _LARGEST_Y:g}. Got a range of {span:g} instead. "
                "Multiply y by a constant."
            )
        return EncodedResponse(numbers, self)

    def check_prior(self, prior: TreePrior) -> None:
        """Accept every prior."""

    def needs_linear_model(self, prior: TreePrior) -> bool:
        """Tell whether sigma_hat is the residual sd of a linear model."""
        return prior.sigma is None and not isinstance(prior.sigma_hat, float)

    def calibrate(
        self,
        prior: TreePrior,
        y: FloatArray,
        n_trees: int,
        *,
        linear_model: LinearModel | None = None,
        weights: FloatArray | None = None,
    ) -> Calibration:
        """Map y to [-0.5, 0.5], and scale the priors of the leaves and of sigma to it.

        Under Student-t errors it is the bulk of y that is mapped there, and that `sigma_hat` is
        taken from. `linear_model` depends on X and the row weights alone, so one serves every y.
        Without it `sigma_hat` is the sd of y.
        """
        known = self._scaled_to(prior, y, n_trees)
        scaled, y_range = known.scale(y), known.y_range
        precision = "double" if _spread(scaled) < _LEAST_SPREAD_FOR_SINGLE else "single"
        known = replace(known, precision=precision)
        if prior.sigma is not None:
            scaled_sigma("sigma", prior.sigma, y_range)
            return known
        if isinstance(prior.sigma_hat, float):
            sigma_hat = scaled_sigma("sigma_hat", prior.sigma_hat, y_range)
        else:
            corrected = prior.sigma_hat != "lm-uncorrected"
            bulk = np.clip(scaled, -0.5, 0.5)  # all of y, but for Student-t errors
            sigma_hat = residual_sd(linear_model, bulk, weights, corrected=corrected)
        from scipy.special import chdtri  # the inverse of the upper tail, hence q and not 1 - q

        quantile = check_sigma_prior(prior, float(chdtri(prior.nu, prior.q)))
        lambda_ = round12(sigma_hat**2 * quantile / prior.nu)
        return replace(known, lambda_=lambda_, sigma_hat=sigma_hat * y_range)

    def _scaled_to(self, prior: TreePrior, y: FloatArray, n_trees: int) -> Calibration:
        """Return the calibration but for sigma."""
        score_map = ScoreMap.of(y) if uses_scores(prior, y) else None
        fitted = y if score_map is None else normal_scores(y)
        model = error_model(prior, fitted)
        low, width = float(fitted.min()), float(fitted.max()) - float(fitted.min())
        if model == "student":
            low, width = robust_span(fitted)
        own_leaf_sd = self.leaf_sd(prior, n_trees)
        return Calibration(model, own_leaf_sd, low, width, centre=0.5, score_map=score_map)

    def leaf_sd(self, prior: TreePrior, n_trees: int) -> float:
        """Return the prior sd of a leaf's value on the scaled y."""
        return leaf_sd(prior, n_trees, 0.5)

    def mean(self, sums: FloatArray, calibration: Calibration) -> FloatArray:
        """Turn sums of trees, in their place, into the mean of y."""
        return self.from_errors_scale(calibration.unscale(sums))

    def mean_label(self, classes: NDArray[Any] | None) -> str:
        """Return what `mean` is, for an axis."""
        return "mean of y"

    def describe(self, classes: NDArray[Any] | None) -> str:
        """Return the kind of response."""
        return self.label

    def explained_variance(self, fitted: FloatArray, y: FloatArray) -> float:
        """Return the variance of the fitted values as a proportion of that of y."""
        return float(np.var(fitted)) / float(np.var(y))

    def strata(self, encoded: EncodedResponse) -> list[tuple[str, IntArray]]:
        """Return all rows as one part."""
        return [("rows", np.arange(len(encoded.values)))]

    def offsets_by_count(self, n_rows: int) -> FloatArray:
        """Return nothing: the offset is always 0."""
        return np.zeros(0)


def _spread(y: FloatArray) -> float:
    low, high = np.quantile(y, (0.25, 0.75))
    return min(float(y.std(ddof=1)), float(high - low) / 1.35)
