"""Normal scores of a response, and the way back to its units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesvc._typing import FloatArray, IntArray

_MOST_KNOTS = 1000
_N_GRID = 2049  # scores at which the mean of y is computed
_LOG_RATIO = 1 / 8  # logarithm of the ratio of the scales of normal errors for which it is


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
        grid = np.linspace(self.scores[0] - 1, self.scores[-1] + 1, _N_GRID)
        if df is None:
            scales, first, weights = _scales_around(sigma)
            tables = np.array([self._means(grid, scale) for scale in scales])
        for i, own in enumerate(scores):
            if df is None:
                means = weights[i] @ tables[first[i] : first[i] + 4]
            else:
                means = self._means(grid, sigma[i], df[i])
            scores[i] = np.interp(own, grid, means)
        return scores

    def _means(self, grid: FloatArray, sigma: float, df: float | None = None) -> FloatArray:
        """Return the mean of y for mean scores on a grid of even steps.

        From one score of the grid to the next y rises by a step, and an error reaches the middle of
        it with the probability that the distribution function gives. The mean is the sum of steps
        times probabilities: a convolution, by Fourier transform.
        """
        from scipy.special import ndtr, stdtr

        y = self.to_y(grid)
        n = len(grid) - 1
        away = (grid[1] - grid[0]) / sigma * (np.arange(n) + 0.5)
        above = ndtr(away) if df is None else stdtr(df, away)
        reached = np.concatenate([1 - above[::-1], above])
        size = 2 * n  # what wraps around falls into the part that is left out
        product = np.fft.rfft(reached) * np.fft.rfft(np.diff(y), size)
        means = y[0] + np.fft.irfft(product, size)[n - 1 :]
        return np.asarray(np.clip(means, y[0], y[-1]))


def _scales_around(sigma: FloatArray) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return scales out of a fixed geometric sequence, to interpolate between by cubics.

    Each sigma has four of them around it: the position of the first, and the weights of the four,
    which do not depend on the other sigmas.
    """
    position = np.log(sigma) / _LOG_RATIO
    below = np.floor(position).astype(np.intp)
    start = below.min() - 1
    scales = np.exp(_LOG_RATIO * np.arange(start, below.max() + 3))
    t = position - below
    weights = np.stack(
        [
            -t * (t - 1) * (t - 2) / 6,
            (t + 1) * (t - 1) * (t - 2) / 2,
            -(t + 1) * t * (t - 2) / 2,
            (t + 1) * t * (t - 1) / 6,
        ],
        axis=1,
    )
    return scales, below - 1 - start, weights
