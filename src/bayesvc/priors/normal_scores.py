"""Normal scores of a response, and the way back to its units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesvc._typing import FloatArray

_MOST_KNOTS = 1000
_N_GRID = 513  # scores at which the mean of y is computed for each draw
_N_NODES = 64  # of the integral over the errors


def normal_scores(y: FloatArray) -> FloatArray:
    """Return the normal quantiles of the mid-ranks of y; equal values share a score.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.priors.normal_scores import normal_scores
    >>> normal_scores(np.array([5.0, 1000.0, 7.0, 5.0])).round(2)
    array([-0.67,  1.15,  0.32, -0.67])
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    # the last digits differ between platforms' mathematical libraries
    scores: FloatArray = np.round(ndtri((rankdata(y) - 0.5) / len(y)), 12)
    return scores


@dataclass(frozen=True)
class ScoreMap:
    """The map from normal scores back to the values of y.

    It is linear between `scores`, where it takes `values`, and constant beyond them: no prediction
    lies outside the observed range. A response with more than 1,000 distinct values is represented
    by as many of them, spread evenly over the scores.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.priors.normal_scores import ScoreMap
    >>> own = ScoreMap.of(np.array([1.0, 2.0, 4.0, 100.0]))
    >>> own.to_y(np.array([-9.0, 0.0, 9.0]))
    array([  1.,   3., 100.])
    """

    scores: tuple[float, ...]
    values: tuple[float, ...]

    @classmethod
    def of(cls, y: FloatArray) -> ScoreMap:
        """Return the map of a response."""
        values, first = np.unique(y, return_index=True)
        scores = normal_scores(y)[first]
        if len(values) > _MOST_KNOTS:
            wanted = np.linspace(scores[0], scores[-1], _MOST_KNOTS)
            kept = np.unique(np.searchsorted(scores, wanted))
            values, scores = values[kept], scores[kept]
        return cls(tuple(scores.tolist()), tuple(values.tolist()))

    def to_y(self, scores: FloatArray) -> FloatArray:
        """Return the values of y that have these scores."""
        return np.interp(scores, self.scores, self.values)

    def mean_of_y(
        self, scores: FloatArray, sigma: FloatArray, df: FloatArray | None = None
    ) -> FloatArray:
        """Turn the mean scores of each draw, in their place, into the mean of y.

        Parameters
        ----------
        scores : ndarray (n_draws, ...)
            Sums of trees, as scores.
        sigma : ndarray (n_draws,)
            Scale of the errors of the scores.
        df : ndarray (n_draws,), optional
            Their degrees of freedom; they are normal without.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesvc.priors.normal_scores import ScoreMap
        >>> y = np.exp(np.random.default_rng(0).normal(size=2000))
        >>> own = ScoreMap.of(y).mean_of_y(np.zeros((1, 1)), np.ones(1))
        >>> bool(abs(own[0, 0] / y.mean() - 1) < 0.01)
        True
        """
        low, high = self.scores[0], self.scores[-1]
        grid = np.linspace(low - 1, high + 1, _N_GRID)
        probabilities, weights = _quadrature()
        quantiles = _error_quantiles(probabilities, df)
        for i, own in enumerate(scores):
            errors = sigma[i] * quantiles[i if df is not None else 0]
            means = weights @ self.to_y(grid + errors[:, np.newaxis])
            scores[i] = np.interp(own, grid, means)
        return scores


def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Return probabilities and weights of the integral over a distribution's quantiles.

    Gauss and Legendre's rule in v, where the probability is ``v**2 * (3 - 2 * v)``: towards the
    ends, where quantiles grow without bound, its weights vanish.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_N_NODES)
    v = 0.5 * (nodes + 1)
    return v**2 * (3 - 2 * v), 0.5 * weights * 6 * v * (1 - v)


def _error_quantiles(probabilities: FloatArray, df: FloatArray | None) -> FloatArray:
    """Return the quantiles of standard errors, a row for all draws or one for each."""
    from scipy.special import ndtri, stdtrit

    if df is None:
        return np.asarray(ndtri(probabilities))[np.newaxis]
    return np.asarray(stdtrit(df[:, np.newaxis], probabilities))
