"""How well trees that are fitted to some of the rows predict others.

The rows are put into a random order. Trees are fitted to the first half and predict the next block
of rows, then to these together and predict the block after that, and so on. If y does not depend on
X, the p-value of each block is valid whatever the rows before it are, so the p-values of the blocks
are independent. Those of cross-validation would not be, and a combination of them that is valid
whatever their dependence has little power.
"""

from __future__ import annotations

import itertools
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

N_BLOCKS = 3
N_PERMUTATIONS = 499
_FIRST_PART = 0.5  # of the rows, to which the first chain is fitted
_LEAST_ROWS = 20
_MOST_TESTED = 5000  # rows of a block: more would not change the verdict
_FRACTION = 0.15  # of the iterations of the selection
_ITERATIONS = (50, 5000)  # of a chain, at least and at most


@dataclass(frozen=True, eq=False)
class HeldOutTest:
    """How well short chains predict blocks of rows when they are fitted to the rows before these.

    Attributes
    ----------
    correlations : ndarray (n_blocks,)
        Rank correlation of the prediction with y, in each block.
    p_values : ndarray (n_blocks,)
        How often permutations of y within the block correlate as much.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.selection.held_out import HeldOutTest
    >>> HeldOutTest(np.array([0.4, 0.3]), np.array([0.05, 0.1])).p_value
    0.0314...
    """

    correlations: FloatArray
    p_values: FloatArray

    @property
    def p_value(self) -> float:
        """The p-values of the blocks, combined by Fisher's method: they are independent."""
        product = float(np.prod(self.p_values))
        term, total = 1.0, 1.0
        for k in range(1, len(self.p_values)):
            term *= -math.log(product) / k
            total += term
        return min(1.0, product * total)


def held_out_test(
    data: Dataset, prior: TreePrior, n_iterations: int, config: SamplingConfig
) -> HeldOutTest | None:
    """Fit one chain to the rows before each block, and predict the rows of the block.

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
    array([1., 1., 1.])
    """
    parts = _divide(data, prior, config.entropy)
    if not parts:
        return None
    length = int(np.clip(_FRACTION * n_iterations / N_BLOCKS, *_ITERATIONS))
    chain = ChainConfig(length // 2, length - length // 2, keep_trees=True)
    own = replace(config, chain=chain, checkpoint=None, shorter=())
    at_once = max(1, int(MOST_COPIED_CELLS / (data.n_rows * data.X.shape[1])))
    found: list[tuple[float, float]] = []
    for first in range(0, N_BLOCKS, at_once):
        numbers = range(first, min(first + at_once, N_BLOCKS))
        sampled = _fit([parts[k][0] for k in numbers], numbers, data, prior, own)
        found += [
            _compare(_predict(draws, data, parts[k][1]), data, parts[k][1], config.entropy, k)
            for k, draws in zip(numbers, sampled, strict=True)
        ]
    correlations, p_values = np.array(found).T
    return HeldOutTest(correlations, p_values)


def _fit(
    earlier: list[IntArray], numbers: range, data: Dataset, prior: TreePrior, config: SamplingConfig
) -> list[Draws]:
    """Run a chain on each of some parts of the rows."""
    parts = [data.part(rows, keep_values=True, n_jobs=config.n_jobs) for rows in earlier]
    configs = [
        replace(config, entropy=derived_entropy(config.entropy, Role.HELD_OUT_CHAIN, number))
        for number in numbers
    ]
    return sample_side_by_side(parts, prior, 1, configs)


def _divide(data: Dataset, prior: TreePrior, entropy: int) -> list[tuple[IntArray, IntArray]]:
    """Return the rows before each block and those of it, ascending; none if there cannot be any.

    Each block has the same proportion of each class.
    """
    n, p = data.X.shape
    least = max(_LEAST_ROWS, 4 * prior.min_samples_leaf)
    if data.shifts or n < least or n * p > MOST_COPIED_CELLS:
        return []
    order = random_order(entropy, Role.HELD_OUT_BLOCKS, 0, n)
    place = np.empty(n)  # of each row among those of its class, between 0 and 1
    for _, members in data.y.model.strata(data.y):
        own = order[np.isin(order, members)]
        place[own] = (np.arange(len(own)) + 0.5) / len(own)
    ends = np.linspace(_FIRST_PART, 1, N_BLOCKS + 1)
    parts = [
        (np.flatnonzero(place < low), np.flatnonzero((place >= low) & (place < high)))
        for low, high in itertools.pairwise(ends)
    ]
    y, model = data.y.values, data.y.model
    usable = all(len(block) and model.can_be_fitted(y[before]) for before, block in parts)
    return parts if usable else []


def _predict(draws: Draws, data: Dataset, rows: IntArray) -> FloatArray:
    """Return the mean sum of trees at some rows of the data."""
    assert draws.forests is not None
    values = data.X.take(rows, range(len(data.names))).values
    return np.asarray(draws.forests[0].predict(np.asfortranarray(values)).mean(axis=0))


def _compare(
    predicted: FloatArray, data: Dataset, rows: IntArray, entropy: int, number: int
) -> tuple[float, float]:
    """Return the rank correlation of prediction and response in a block, and its p-value."""
    some = np.sort(
        random_order(entropy, Role.HELD_OUT_BLOCKS, number + 1, len(rows))[:_MOST_TESTED]
    )
    blocks = None if data.blocks is None else data.blocks[rows[some]]
    x, y = _centred_ranks(predicted[some]), _centred_ranks(data.y.rank_scores[rows[some]])
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
