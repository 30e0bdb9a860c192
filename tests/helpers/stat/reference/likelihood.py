"""Probability of the data given trees, with the leaf means integrated out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.trees import Data, Shape, leaf_rows


def same_leaf(data: Data, shape: Shape) -> NDArray[np.float64]:
    """Matrix with a one wherever two rows share a leaf."""
    together = np.zeros((data.n, data.n))
    for rows in leaf_rows(data, shape):
        together[np.ix_(rows, rows)] = 1.0
    return together


def log_marginal(
    data: Data, shapes: Sequence[Shape], y: NDArray[np.float64], sigma: float, leaf_sd: float
) -> float:
    """Log density of y: normal, with the covariance of a sum of trees plus noise."""
    covariance = sigma**2 * np.diag(1.0 / data.row_weights)
    for shape in shapes:
        covariance += leaf_sd**2 * same_leaf(data, shape)
    _, log_determinant = np.linalg.slogdet(2.0 * np.pi * covariance)
    return float(-0.5 * (log_determinant + y @ np.linalg.solve(covariance, y)))


def log_marginals(
    data: Data,
    shapes: Sequence[Shape],
    y: NDArray[np.float64],
    sigma: float,
    leaf_sds: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The same for several leaf sds: one eigendecomposition of the rows' whitened covariance."""
    root = np.sqrt(data.row_weights)
    together = sum((same_leaf(data, shape) for shape in shapes), np.zeros((data.n, data.n)))
    eigenvalues, vectors = np.linalg.eigh(root[:, None] * together * root)
    variances = sigma**2 + leaf_sds[:, None] ** 2 * eigenvalues
    logs = np.log(2.0 * np.pi * variances).sum(axis=1) - np.log(data.row_weights).sum()
    squares: NDArray[np.float64] = ((vectors.T @ (root * y)) ** 2 / variances).sum(axis=1)
    return -0.5 * (logs + squares)


def leaf_posterior(
    residuals: NDArray[np.float64], weights: NDArray[np.float64], sigma: float, leaf_sd: float
) -> tuple[float, float]:
    """Mean and sd of a leaf mean given the residuals and weights of the rows in the leaf."""
    precision = 1.0 / leaf_sd**2 + weights.sum() / sigma**2
    return float(weights @ residuals / sigma**2 / precision), float(precision**-0.5)
