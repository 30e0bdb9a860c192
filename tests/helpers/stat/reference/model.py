"""The settings of the model, in one object for the reference and for the compiled sampler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaincinv

KINDS: Final = ("birth", "death", "change", "swap", "perturb")
DF_SHAPE, DF_SCALE, DF_RANGE = 2.0, 10.0, (1.0, 200.0)
PROBIT_LEAF_SD_RANGE = (0.25, 4.0)
# By scipy.special, because scipy.stats takes fifty times as long for a single number.
_DF_BOUNDS = gammainc(DF_SHAPE, np.array(DF_RANGE) / DF_SCALE)
ALL_MOVES: Final = (0.25, 0.25, 0.2, 0.15, 0.15)
MOVE_SETS: Final = {
    "birth-death": (0.5, 0.5, 0.0, 0.0, 0.0),
    "change": (0.25, 0.3, 0.45, 0.0, 0.0),
    "swap": (0.3, 0.25, 0.0, 0.45, 0.0),
    "perturb": (0.3, 0.25, 0.0, 0.0, 0.45),
    "all": ALL_MOVES,
}


@dataclass(frozen=True)
class Model:
    """Hyperparameters, all fixed: data-dependent defaults would break joint tests.

    ``sigma`` and ``alpha`` are sampled where they are nan. ``weights`` None means uniform. If
    ``leaf_sd`` is learned, it is half-Cauchy between ``leaf_sd_range`` times the scale given here;
    the range of a probit model is PROBIT_LEAF_SD_RANGE. With ``student`` the errors are Student's
    t, with degrees of freedom that are Gamma(2, 0.1) on [1, 200]. With ``intervals`` y holds their
    numbers: all that is known of a row is that its value lies in its interval, or is its one point.
    """

    n_trees: int = 1
    gamma: float = 0.95
    beta: float = 2.0
    min_samples_leaf: int = 1
    moves: tuple[float, float, float, float, float] = ALL_MOVES
    leaf_sd: float = 0.5
    learn_leaf_sd: bool = False
    leaf_sd_range: tuple[float, float] = (0.25, 2.0)
    nu: float = 5.0
    lambda_: float = 0.2
    sigma: float = float("nan")
    binary: bool = False
    student: bool = False
    intervals: tuple[tuple[float, float], ...] = ()
    censored: bool = False  # in simulated data sets, at random limits
    offset: float = 0.0
    splitting: str = "fixed"
    weights: tuple[float, ...] | None = None
    alpha: float = float("nan")
    a: float = 0.5
    b: float = 1.0
    rho: float = float("nan")
    likelihood: bool = True
    precision: str = "double"

    def base_measure(self, p: int) -> NDArray[np.float64]:
        """Prior weights of the variables, summing to one."""
        weights = np.ones(p) if self.weights is None else np.asarray(self.weights, dtype=float)
        return weights / weights.sum()

    def rho_for(self, p: int) -> float:
        """Scale of alpha's prior; p unless set."""
        return float(p) if np.isnan(self.rho) else self.rho

    def leaf_sd_share(self, leaf_sd: ArrayLike) -> NDArray[np.float64]:
        """Prior distribution function of a learned leaf sd."""
        low, high = np.arctan(self.leaf_sd_range)
        return np.asarray((np.arctan(np.asarray(leaf_sd) / self.leaf_sd) - low) / (high - low))

    def leaf_sd_at(self, share: ArrayLike) -> NDArray[np.float64]:
        """Its inverse."""
        low, high = np.arctan(self.leaf_sd_range)
        return np.asarray(self.leaf_sd * np.tan(low + np.asarray(share) * (high - low)))

    def df_share(self, df: ArrayLike) -> NDArray[np.float64]:
        """Prior distribution function of the degrees of freedom."""
        low, high = _DF_BOUNDS
        return np.asarray((gammainc(DF_SHAPE, np.asarray(df) / DF_SCALE) - low) / (high - low))

    def df_at(self, share: ArrayLike) -> NDArray[np.float64]:
        """Its inverse."""
        low, high = _DF_BOUNDS
        return np.asarray(DF_SCALE * gammaincinv(DF_SHAPE, low + np.asarray(share) * (high - low)))

    def p_split(self, depth: int) -> float:
        """Prior probability that a node with something to split on is split."""
        return float(self.gamma * (1.0 + depth) ** -self.beta)
