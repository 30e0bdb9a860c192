"""The data set, the priors and the summaries on which the samplers are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

N_RELEVANT = 6


@dataclass(frozen=True)
class Hyperparameters:
    """One prior for every sampler; scales refer to y mapped to [-0.5, 0.5]."""

    n_trees: int
    gamma: float
    beta: float
    leaf_sd: float
    nu: float
    lambda_: float
    k: float
    sigma_hat: float


@dataclass(frozen=True)
class Problem:
    """Predictors, the scaled response, the response as measured, and the prior."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    y_raw: NDArray[np.float64]
    hyper: Hyperparameters

    @property
    def y_range(self) -> float:
        return float(np.ptp(self.y_raw))

    @property
    def midrange(self) -> float:
        return float(self.y_raw.min() + self.y_raw.max()) / 2


def make_problem(n: int = 500, p: int = 102, seed: int = 20) -> Problem:
    """Draw y = x1 (1 + x5 x6 cos(x4) / (x2 x3)) + noise at SNR 1, X ~ U(1, 3)."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(1.0, 3.0, size=(n, p))
    x1, x2, x3, x4, x5, x6 = X.T[:N_RELEVANT]
    signal = x1 * (1.0 + x5 * x6 * np.cos(x4) / (x2 * x3))
    y_raw = signal + rng.normal(scale=signal.std(), size=n)
    y_range = float(np.ptp(y_raw))
    scaled = (y_raw - y_raw.min()) / y_range - 0.5
    design = np.column_stack([np.ones(n), X])
    residual = y_raw - design @ np.linalg.lstsq(design, y_raw, rcond=None)[0]
    sigma_hat = float(np.sqrt(residual @ residual / (n - p - 1)))
    nu, q, k, n_trees = 3.0, 0.9, 2.0, 20
    hyper = Hyperparameters(
        n_trees=n_trees,
        gamma=0.95,
        beta=2.0,
        leaf_sd=0.5 / (k * np.sqrt(n_trees)),
        nu=nu,
        lambda_=float((sigma_hat / y_range) ** 2 * chi2.ppf(1.0 - q, nu) / nu),
        k=k,
        sigma_hat=sigma_hat,
    )
    return Problem(X, scaled, y_raw, hyper)


def summarise(
    counts: NDArray[np.integer],
    sigma: NDArray[np.floating],
    weights: NDArray[np.float64] | None = None,
) -> dict[str, float]:
    """Reduce a chain to what is compared; ``weights`` are importance weights of its draws."""
    w = np.full(len(sigma), 1.0 / len(sigma)) if weights is None else weights / weights.sum()
    vc, mpvip = w @ counts, w @ (counts > 0)
    return {
        "splits": float(vc.sum()),
        "sigma": float(w @ sigma),
        "vc_relevant": float(vc[:N_RELEVANT].mean()),
        "vc_irrelevant": float(vc[N_RELEVANT:].mean()),
        "mpvip_relevant": float(mpvip[:N_RELEVANT].mean()),
        "mpvip_irrelevant": float(mpvip[N_RELEVANT:].mean()),
    }
