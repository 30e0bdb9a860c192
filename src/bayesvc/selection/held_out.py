"""How well trees that are fitted to some of the rows predict the others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import rankdata

from bayesvc._typing import FloatArray, IntArray
from bayesvc.data.dataset import MOST_COPIED_CELLS, Dataset
from bayesvc.data.rows import order_within
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior
from bayesvc.sampling.chain import sample_side_by_side
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.seeds import Role, derived_entropy, random_order, random_words

N_FOLDS = 4
N_PERMUTATIONS = 499
_LEAST_ROWS = 20
_MOST_TESTED = 5000  # rows of a fold: more would not change the verdict
_FRACTION = 0.08  # of the iterations of the selection
_ITERATIONS = (50, 2000)  # of a chain, at least and at most


@dataclass(frozen=True, eq=False)
class HeldOutTest:
    """How well short chains predict the rows of a fold when they are fitted to the other folds.

    Attributes
    ----------
    correlations : ndarray (n_folds,)
        Rank correlation of the prediction with y, in each fold.
    p_values : ndarray (n_folds,)
        How often permutations of y within the fold correlate as much. If y does not depend on X,
        the prediction does not depend on y in the fold, so each of them is exact.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.selection.held_out import HeldOutTest
    >>> HeldOutTest(np.array([0.9, 0.8]), np.array([0.002, 0.008])).p_value
    0.0108...
    """

    correlations: FloatArray
    p_values: FloatArray

    @property
    def p_value(self) -> float:
        """The geometric mean times e, which is valid however the folds depend on each other."""
        return min(1.0, math.e * float(np.exp(np.log(self.p_values).mean())))


def held_out_test(
    data: Dataset, prior: TreePrior, n_iterations: int, config: SamplingConfig
) -> HeldOutTest | None:
    """Fit one chain to each three quarters of the rows, and predict the remaining quarter.

    Together the chains take a small part of `n_iterations`. None for rows in time order, which are
    not exchangeable with others, for tables that are too small or too large to be divided, and if y
    does not vary in all parts.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.responses.read import read_dataset
    >>> from bayesvc.sampling.config import check_sampling_config
    >>> from bayesvc.selection.held_out import held_out_test
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> config = check_sampling_config(random_state=0)
    >>> held_out_test(read_dataset(X, X[:, 1]), bv.DART(), 50_000, config).correlations.round(1)
    array([1., 1., 1., 1.])
    """
    folds = _folds(data, prior, config.entropy)
    if not folds:
        return None
    length = int(np.clip(_FRACTION * n_iterations / N_FOLDS, *_ITERATIONS))
    chain = ChainConfig(length // 2, length - length // 2, keep_trees=True)
    own = replace(config, chain=chain, checkpoint=None, shorter=())
    at_once = max(1, int(MOST_COPIED_CELLS / (data.n_rows * data.X.shape[1])))
    found: list[tuple[float, float]] = []
    for first in range(0, N_FOLDS, at_once):
        numbers = range(first, min(first + at_once, N_FOLDS))
        sampled = _fit_without([folds[k] for k in numbers], numbers, data, prior, own)
        found += [
            _compare(_predict(draws, data, folds[k]), data, folds[k], config.entropy, k)
            for k, draws in zip(numbers, sampled, strict=True)
        ]
    correlations, p_values = np.array(found).T
    return HeldOutTest(correlations, p_values)


def _fit_without(
    folds: list[IntArray], numbers: range, data: Dataset, prior: TreePrior, config: SamplingConfig
) -> list[Draws]:
    """Run a chain on the rest of the rows for each of the folds."""
    rest = [np.setdiff1d(np.arange(data.n_rows), fold) for fold in folds]
    parts = [data.part(rows, keep_values=True, n_jobs=config.n_jobs) for rows in rest]
    configs = [
        replace(config, entropy=derived_entropy(config.entropy, Role.HELD_OUT_CHAIN, number))
        for number in numbers
    ]
    return sample_side_by_side(parts, prior, 1, configs)


def _folds(data: Dataset, prior: TreePrior, entropy: int) -> list[IntArray]:
    """Return the rows of each fold, ascending, with the same part of each class; or none."""
    n, p = data.X.shape
    least = max(_LEAST_ROWS, 3 * prior.min_samples_leaf)
    if data.shifts or n < least or n * p > MOST_COPIED_CELLS:
        return []
    order = random_order(entropy, Role.HELD_OUT_FOLDS, 0, n)
    strata = [members for _, members in data.y.model.strata(data.y)]
    own = np.concatenate([order[np.isin(order, members)] for members in strata])
    folds = [np.sort(own[number::N_FOLDS]) for number in range(N_FOLDS)]
    y = data.y.values
    varies = all(np.ptp(y[np.setdiff1d(np.arange(n), fold)]) > 0 for fold in folds)
    return folds if varies else []


def _predict(draws: Draws, data: Dataset, rows: IntArray) -> FloatArray:
    """Return the mean sum of trees at some rows of the data."""
    assert draws.forests is not None
    values = data.X.take(rows, range(len(data.names))).values
    return np.asarray(draws.forests[0].predict(np.asfortranarray(values)).mean(axis=0))


def _compare(
    predicted: FloatArray, data: Dataset, rows: IntArray, entropy: int, number: int
) -> tuple[float, float]:
    """Return the rank correlation of prediction and response in a fold, and its p-value."""
    some = np.sort(random_order(entropy, Role.HELD_OUT_FOLDS, number + 1, len(rows))[:_MOST_TESTED])
    blocks = None if data.blocks is None else data.blocks[rows[some]]
    x, y = _centred_ranks(predicted[some]), _centred_ranks(data.y.values[rows[some]])
    own = float(x @ y)
    norm = math.sqrt(float(x @ x) * float(y @ y))
    permuted = np.empty((N_PERMUTATIONS, len(some)))
    for k in range(N_PERMUTATIONS):
        place = number * N_PERMUTATIONS + k
        words = random_words(entropy, Role.HELD_OUT_PERMUTATION, place, len(some))
        permuted[k] = y[order_within(words, blocks)]
    at_least = int((permuted @ x >= own).sum())
    return own / norm if norm > 0 else 0.0, (1 + at_least) / (1 + N_PERMUTATIONS)


def _centred_ranks(values: FloatArray) -> FloatArray:
    """Return twice the ranks, of mean 0: whole numbers, so that sums of products are exact."""
    return np.asarray(2 * rankdata(values) - (len(values) + 1))
