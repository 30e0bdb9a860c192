"""What a prior takes from the response: scales, and the settings of the compiled sampler."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayesvc._core import LinearModel, Settings
from bayesvc._typing import FloatArray
from bayesvc.priors.moves import Moves
from bayesvc.priors.normal_scores import ScoreMap, normal_scores

if TYPE_CHECKING:
    from bayesvc.priors.base import TreePrior


@dataclass(frozen=True)
class Calibration:
    """What a chain takes from its response: the scale of y and the priors that depend on it.

    `model` is the compiled response model, such as "gaussian". `sigma_hat` is in the units of y,
    or of log y for a censored one (None where nothing needs it); `leaf_sd`, `lambda_` and `offset`
    belong to the scaled y. With a `score_map` the trees are fitted to normal scores, whose units
    take the place of y's. A learned sd of the leaf values is at most `leaf_sd_limit` times
    `leaf_sd`. `about_y` says in words how much of y is censored, if it can be.
    """

    model: str
    leaf_sd: float
    y_low: float = 0.0
    y_range: float = 1.0
    centre: float = 0.0
    lambda_: float = 1.0
    offset: float = 0.0
    sigma_hat: float | None = None
    precision: str = "single"
    score_map: ScoreMap | None = None
    leaf_sd_limit: float = Settings().leaf_sd_limit
    about_y: str | None = None

    @property
    def learns_df(self) -> bool:
        """Whether the errors have degrees of freedom."""
        return has_df(self.model)

    def scale(self, y: FloatArray) -> FloatArray:
        """Return a whole response on the scale of the trees."""
        if self.score_map is not None:
            y = normal_scores(y)
        return (y - self.y_low) / self.y_range - self.centre

    def unscale(self, sums: FloatArray) -> FloatArray:
        """Turn sums of trees, in their place, into the units of y, or into normal scores."""
        sums += self.centre
        sums *= self.y_range
        sums += self.y_low
        return sums


def has_df(model: str) -> bool:
    """Tell whether the errors of a compiled response model have degrees of freedom.

    Examples
    --------
    >>> from bayesvc.priors.calibration import has_df
    >>> has_df("interval"), has_df("interval-student")
    (False, True)
    """
    return model in ("student", "interval-student")


def leaf_sd(prior: TreePrior, n_trees: int, response_range: float) -> float:
    """Return the prior sd of a leaf's value where the sum of trees spans `response_range`.

    Where k is learned, this is the scale of the prior of the sd.
    """
    return response_range / (prior.prior_k * math.sqrt(n_trees))


def check_sigma_prior(prior: TreePrior, quantile: float) -> float:
    """Return the quantile of chi-square with `nu` degrees of freedom if sigma can be drawn."""
    if not 1e-20 < quantile / prior.nu < 1e20:
        raise ValueError(
            "`nu` and `q` must give a prior of sigma within the range of floating point. Got "
            f"nu={prior.nu!r} and q={prior.q!r} instead. The usual values are 3 and 0.9."
        )
    return quantile


def scaled_sigma(name: str, value: float, y_range: float) -> float:
    """Return an error sd on the scaled y, where it must be a number to compute with."""
    scaled = value / y_range if value / 1e12 < y_range else math.inf  # which may overflow
    if not 1e-12 < scaled < 1e12:
        raise ValueError(
            f"`{name}` must be comparable to the range of y, {y_range:g}. Got {value!r} instead. "
            "Pass a value in the units of y."
        )
    return scaled


def residual_sd(
    linear_model: LinearModel | None,
    y: FloatArray,
    weights: FloatArray | None = None,
    *,
    corrected: bool = True,
) -> float:
    """Return the residual sd of the full linear model; the sd of y if it is None or saturated.

    Weights of rows, of mean 1, must be those that the rows of the model were multiplied by the
    root of.
    """
    n = len(y)
    if weights is None:
        sd = float(y.std(ddof=1))
    else:
        centred = y - np.average(y, weights=weights)
        sd = math.sqrt(float((weights * centred**2).sum()) / (n - 1))
        y = np.sqrt(weights) * y
    if linear_model is None or linear_model.saturated:
        return sd
    freedom = n - linear_model.rank - 1
    residual = math.sqrt(linear_model.residual_ss(y) / (freedom if corrected else n - 1))
    return max(residual, 1e-3 * sd)


def core_settings(
    prior: TreePrior,
    calibration: Calibration,
    n_trees: int,
    n_features: int,
    row_weights: FloatArray | None = None,
    bounds: Mapping[str, FloatArray] | None = None,
) -> Settings:
    """Return what the compiled sampler needs to know; `bounds` are of a censored response."""
    settings = Settings()
    settings.n_trees = n_trees
    settings.gamma = prior.gamma
    settings.beta = prior.beta
    settings.min_samples_leaf = prior.min_samples_leaf
    settings.moves = Moves.of(prior.moves).as_tuple()
    settings.leaf_sd = calibration.leaf_sd
    if prior.learns_k:
        settings.learn_leaf_sd = True
        settings.leaf_sd_limit = calibration.leaf_sd_limit
    settings.nu = prior.nu
    settings.lambda_ = calibration.lambda_
    settings.sigma = math.nan if prior.sigma is None else prior.sigma / calibration.y_range
    settings.response = calibration.model
    settings.offset = calibration.offset
    settings.precision = calibration.precision
    settings.likelihood = True
    settings.kernel = "auto"
    if row_weights is not None:
        settings.row_weights = row_weights
    for name, value in [*prior.splitting(n_features).items(), *(bounds or {}).items()]:
        setattr(settings, name, value)
    return settings


def round12(value: float) -> float:
    """Drop the last digits, which differ between platforms' mathematical libraries."""
    return float(f"{value:.11e}")
