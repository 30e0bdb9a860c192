"""Convergence diagnostics: R-hat and effective sample size of sigma and of the split counts.

Those of the counts follow from sums over half-chains and batches that every replicate leaves
behind, so no draw needs to be kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.draws.draws import Draws

# Beyond this R-hat the chains have not come to describe the same posterior.
RHAT_LIMIT = 1.1


@dataclass(frozen=True, eq=False, repr=False)
class Mixing:
    """Whether the chains of several replicates agree.

    Attributes
    ----------
    sigma_rhat, sigma_ess : float
        Split-R-hat and effective sample size of sigma over all replicates. NaN where sigma is
        fixed or unknown, or the chains are too short.
    df_rhat, df_ess : float
        The same for the logarithm of the degrees of freedom of Student-t errors; NaN for others.
    count_rhat, count_ess : ndarray (n_features,)
        The same for the number of splits on each variable; NaN if it never changed.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(60, 3))
    >>> draws = bv.sample(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
    >>> mixing = bv.diagnostics.mixing(draws)
    >>> mixing.count_rhat.shape
    (3,)
    """

    sigma_rhat: float
    sigma_ess: float
    count_rhat: FloatArray
    count_ess: FloatArray
    df_rhat: float = math.nan
    df_ess: float = math.nan

    def __repr__(self) -> str:
        worst = np.max(self.count_rhat, initial=-np.inf, where=~np.isnan(self.count_rhat))
        counts = f"{worst:.2f}" if worst > 0 else "nan"
        return (
            f"<Mixing: sigma R-hat {self.sigma_rhat:.2f}, effective size {self.sigma_ess:.0f}; "
            f"R-hat of the counts of {len(self.count_rhat)} variables at most {counts}>"
        )


def mixing(draws: Draws) -> Mixing:
    """Return split-R-hat and effective sample sizes of sigma, df and the counts.

    Examples
    --------
    See `Mixing`.
    """
    rhat, ess = of_trace(draws.sigma)
    of_df = (math.nan, math.nan) if draws.df is None else of_trace(np.log(draws.df))
    return Mixing(rhat, ess, _count_rhat(draws), _count_ess(draws), *of_df)


def split_rhat(means: FloatArray, variances: FloatArray, length: int) -> FloatArray:
    """Return R-hat from the means and variances (ddof 1) of half-chains of `length` draws.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.draws.diagnostics import split_rhat
    >>> split_rhat(np.array([[1.0], [1.0]]), np.array([[2.0], [2.0]]), 100).round(3)
    array([0.995])
    """
    within = variances.mean(axis=0)
    between = means.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rhat = np.sqrt((length - 1) / length + between / within)
    return np.where(within > 0, rhat, np.where(between > 0, np.inf, np.nan))


def of_trace(trace: FloatArray) -> tuple[float, float]:
    """Return split-R-hat and effective sample size of a trace (n_replicates, n_draws).

    NaN where it is unknown, too short or constant.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.draws.diagnostics import of_trace
    >>> rhat, _ = of_trace(np.random.default_rng(0).normal(size=(4, 500)))
    >>> round(rhat, 1)
    1.0
    """
    n_draws = trace.shape[1]
    half = n_draws // 2
    if half < 2 or np.isnan(trace).any() or np.ptp(trace) == 0:
        return math.nan, math.nan
    # neither depends on the unit, which might overflow in a square; powers of two change no digit
    trace = np.ldexp(trace, -int(np.frexp(np.abs(trace).max())[1]))
    halves = np.concatenate([trace[:, :half], trace[:, n_draws - half :]])
    means = halves.mean(axis=1)[:, np.newaxis]
    variances = halves.var(axis=1, ddof=1)[:, np.newaxis]
    size = math.isqrt(n_draws)
    batches = trace[:, : n_draws // size * size].reshape(len(trace), -1, size).mean(axis=2)
    long_run = size * batches.var(axis=1, ddof=1)[:, np.newaxis]
    ess = effective_size(means, variances, half, long_run, n_draws)
    return float(split_rhat(means, variances, half)[0]), float(ess[0])


def effective_size(
    means: FloatArray, variances: FloatArray, length: int, long_run: FloatArray, n_draws: int
) -> FloatArray:
    """Return the effective sample size of all chains together.

    It is the variance of the posterior over that of the mean of all draws. The latter has two
    estimates: from the batches within chains, and from the means of the half-chains. They agree if
    the chains have mixed; if not, the larger one is right.

    Parameters
    ----------
    means, variances : ndarray (2 * n_chains, ...)
        Of half-chains of `length` draws.
    length : int
    long_run : ndarray (n_chains, ...)
        Variance of the batch means times their length, which is the variance of the draws if these
        are independent.
    n_draws : int
        Draws of a chain.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.draws.diagnostics import effective_size
    >>> apart = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> same = np.ones((4, 1))
    >>> (
    ...     effective_size(same, same, 500, same[:2], 1000),
    ...     effective_size(apart, same, 500, same[:2], 1000),
    ... )
    (array([1996.]), array([15.976]))
    """
    between = means.var(axis=0, ddof=1)
    variance = (length - 1) / length * variances.mean(axis=0) + between
    n_chains = len(long_run)
    of_mean = np.maximum(long_run.mean(axis=0) / (n_chains * n_draws), between / (2 * n_chains))
    with np.errstate(divide="ignore", invalid="ignore"):
        ess = np.minimum(variance / of_mean, n_chains * n_draws)
    return np.where(variance > 0, ess, np.nan)


def half_means(draws: Draws) -> FloatArray:
    """Return the mean split counts in the two halves of each chain: (n_replicates, 2, n_features).

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.draws.diagnostics import half_means
    >>> half_means(bv.Draws.from_counts([[[4, 0], [2, 0], [0, 3], [0, 1]]]))
    array([[[3., 0.],
            [0., 2.]]])
    """
    return draws.count_half_sums / _half_lengths(draws)


def _half_lengths(draws: Draws) -> FloatArray:
    """Return the number of draws in each half of a chain, at least 1, as a column."""
    first = (draws.n_draws + 1) // 2
    return np.array([[first], [max(draws.n_draws - first, 1)]], dtype=float)


def _count_halves(draws: Draws) -> tuple[FloatArray, FloatArray, int]:
    """Return means and variances of the counts in half-chains, and the length of the first."""
    lengths = _half_lengths(draws)
    means = half_means(draws)
    variances = (draws.count_half_squares - lengths * means**2) / (lengths - 1)
    tiny = 1e-12 * (1 + means**2)  # what rounding leaves of a variance of zero
    shape = (-1, draws.n_features)
    variances = np.where(variances > tiny, variances, 0)
    return means.reshape(shape), variances.reshape(shape), int(lengths[0, 0])


def _count_rhat(draws: Draws) -> FloatArray:
    if draws.n_draws < 4:
        return np.full(draws.n_features, np.nan)
    return split_rhat(*_count_halves(draws))


def _count_ess(draws: Draws) -> FloatArray:
    n, size, n_batches = draws.n_draws, draws.batch_size, draws.n_batches
    if n_batches < 2 or n < 4:
        return np.full(draws.n_features, np.nan)
    sums = draws.count_half_sums.sum(axis=1)
    long_run = (draws.count_batch_squares / size - sums**2 / n) / (n_batches - 1)
    tiny = 1e-12 * (1 + (sums / n) ** 2)
    return effective_size(*_count_halves(draws), np.where(long_run > tiny, long_run, 0), n)
