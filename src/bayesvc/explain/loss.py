"""How much worse new rows are predicted without a variable, by cross-fitting."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from bayesvc._text import counted
from bayesvc._typing import FloatArray, IntArray
from bayesvc._validation import must_be
from bayesvc.data.dataset import MOST_COPIED_CELLS, Dataset
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior
from bayesvc.responses.base import EncodedResponse
from bayesvc.sampling.chain import check_prior_fits_data, sample_side_by_side
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.seeds import Role, derived_entropy, random_order
from bayesvc.selection.prediction_check import without_new_missing

N_TREES = 50  # of a forest of the loss, at most, and its iterations
_ITERATIONS = 500
_MOST_AT_ONCE = 64
_LEAST_PROBABILITY = 1e-6


@dataclass(frozen=True, eq=False)
class PredictiveLoss:
    """Loss of new rows with all selected variables and without each of them.

    Attributes
    ----------
    name : str
        "R2" for a continuous response, "log loss" for two classes.
    of_all : ndarray (n_rows,)
        Loss of each row, predicted by a forest on all variables that has not seen it: the squared
        error, or the negative logarithm of the probability of the class.
    without : ndarray (n_rows, n_variables)
        The same without each variable.
    of_none : ndarray (n_rows,)
        The same for the mean of the response, for R2 to compare with.
    weights : ndarray (n_rows,)
        Weights of the rows, of mean 1.
    interval : float
        Probability of the intervals.

    Examples
    --------
    See `cross_fitted_loss`.
    """

    name: str
    of_all: FloatArray
    without: FloatArray
    of_none: FloatArray
    weights: FloatArray
    interval: float

    @property
    def score(self) -> tuple[float, float, float]:
        """R2, or the mean log loss, with all variables, and its confidence interval."""
        if self.name != "R2":
            return self._mean(self.of_all)
        error, low, high = self._relative(self.of_all)
        return 1 - error, 1 - high, 1 - low

    @property
    def losses(self) -> FloatArray:
        """Loss of R2, or rise of the log loss, without each variable, with interval: (3, d)."""
        own = [self.without[:, j] - self.of_all for j in range(self.without.shape[1])]
        of = self._relative if self.name == "R2" else self._mean
        return np.array([of(difference) for difference in own]).T.reshape(3, -1)

    def _relative(self, values: FloatArray) -> tuple[float, float, float]:
        """Return a mean as a proportion of the variance, whose own error counts too."""
        variance = float(np.average(self.of_none, weights=self.weights))
        ratio = float(np.average(values, weights=self.weights)) / variance
        return self._around(ratio, (values - ratio * self.of_none) / variance)

    def _mean(self, values: FloatArray) -> tuple[float, float, float]:
        mean = float(np.average(values, weights=self.weights))
        return self._around(mean, values - mean)

    def _around(self, estimate: float, influence: FloatArray) -> tuple[float, float, float]:
        n = len(influence)
        error = math.sqrt(float(np.sum((self.weights * influence) ** 2)) / (n * max(n - 1, 1)))
        margin = float(ndtri((1 + self.interval) / 2)) * error
        return estimate, estimate - margin, estimate + margin


def check_folds(data: Dataset, prior: TreePrior, n_folds: int, entropy: int) -> IntArray:
    """Return the fold of each row, or raise ValueError if the rows cannot be divided.

    Folds have the same part of each class.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.explain.loss import check_folds
    >>> from bayesvc.responses.read import read_dataset
    >>> data = read_dataset(np.eye(6), np.arange(6.0))
    >>> np.bincount(check_folds(data, bv.BART(), 3, 0)).tolist()
    [2, 2, 2]
    """
    n, y = data.n_rows, data.y
    remedy = "pass fewer folds, or loss=False"
    if n_folds > n:
        wanted = f"at most the number of rows, {n}"
        raise ValueError(must_be("n_folds", wanted, str(n_folds), remedy))
    order = random_order(entropy, Role.EFFECT_FOLDS, 0, n)
    folds = np.empty(n, dtype=np.intp)
    own = np.concatenate([order[np.isin(order, rows)] for _, rows in y.model.strata(y)])
    folds[own] = np.arange(n) % n_folds
    for fold in range(n_folds):
        rest = folds != fold
        if np.ptp(y.values[rest]) == 0:
            raise ValueError(
                f"`y` must vary among the rows outside each of the {n_folds} folds. Got a constant "
                f"response outside fold {fold} instead. Pass more rows, or loss=False."
            )
        if 2 * prior.min_samples_leaf > rest.sum():
            raise ValueError(
                f"`min_samples_leaf` must be at most {rest.sum() // 2}, half of the "
                f"{counted(int(rest.sum()), 'row')} outside a fold. Got {prior.min_samples_leaf} "
                "instead. Pass a smaller one, or loss=False."
            )
    return folds


def check_response(y: EncodedResponse) -> None:
    """Raise ValueError for responses that have neither R2 nor log loss.

    Examples
    --------
    >>> from bayesvc.explain.loss import check_response
    >>> from bayesvc.responses import encode_y
    >>> check_response(encode_y([1.5, 2.5]))
    """
    if y.classes is None and y.model.loss != "mean squared error":
        raise ValueError(
            "Effects must be of a continuous response or of two classes. Got a "
            f"{y.model.label} response instead, which has neither R2 nor log loss. Use "
            "bayesvc.plots.partial_dependence."
        )


def loss_iterations(n_variables: int, n_folds: int, config: SamplingConfig) -> int:
    """Return how many iterations `cross_fitted_loss` takes.

    Examples
    --------
    >>> from bayesvc.explain.loss import loss_iterations
    >>> from bayesvc.sampling.config import check_sampling_config
    >>> loss_iterations(2, 5, check_sampling_config(random_state=0))
    15000
    """
    n_forests = n_folds * (1 + (n_variables if n_variables > 1 else 0))
    return n_forests * _short(config).chain.n_iterations


def cross_fitted_loss(
    data: Dataset,
    prior: TreePrior,
    folds: IntArray,
    config: SamplingConfig,
    interval: float,
    further: Callable[[int, int], object] | None = None,
) -> PredictiveLoss:
    """Predict each fold by forests on the others, with all variables and without each of them.

    Parameters
    ----------
    data : Dataset
    prior : BART or DART
    folds : ndarray of int (n_rows,)
        The fold of each row; see `check_folds`.
    config : SamplingConfig
        Number of threads and seed; the forests have at most 50 trees and one chain of at most 500 +
        500 iterations.
    interval : float
        Probability of the confidence intervals.
    further : callable, optional
        Called with the iterations done so far, and again ``(done, total)`` of those after them.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.explain.loss import check_folds, cross_fitted_loss
    >>> from bayesvc.responses.read import read_dataset
    >>> from bayesvc.sampling.config import check_sampling_config
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> data = read_dataset(X, X[:, 0])
    >>> config = check_sampling_config(random_state=0)
    >>> found = cross_fitted_loss(data, bv.BART(), check_folds(data, bv.BART(), 5, 0), config, 0.9)
    >>> (found.losses[0] > 0.5).tolist()
    [True, False]
    """
    n, d = data.X.shape[0], len(data.names)
    kept = [np.arange(d), *(np.delete(np.arange(d), j) for j in range(d))]
    tables = [
        Dataset(data.X.take(np.arange(n), own), data.y, weights=data.weights, keep_values=True)
        for own in kept
        if len(own)
    ]
    n_folds = int(folds.max()) + 1
    tasks = [(k, fold) for fold in range(n_folds) for k in range(len(tables))]
    predicted = np.empty((len(kept), n))
    short, done = _short(config), 0
    at_once = int(np.clip(MOST_COPIED_CELLS / (n * data.X.shape[1]), 1, _MOST_AT_ONCE))
    for first in range(0, len(tasks), at_once):
        batch = tasks[first : first + at_once]
        progress = None if further is None else _after(further, done)
        _predict(tables, folds, batch, first, prior, replace(short, progress=progress), predicted)
        done += len(batch) * short.chain.n_iterations
    _predict_by_mean(data, folds, predicted[len(tables) :])
    return _losses(data, predicted, interval)


def _short(config: SamplingConfig) -> SamplingConfig:
    chain = ChainConfig(
        min(_ITERATIONS, config.chain.burn_in), min(_ITERATIONS, config.chain.n_draws),
        keep_trees=True,
    )  # fmt: skip
    n_trees = min(N_TREES, config.n_trees)
    return replace(config, n_trees=n_trees, chain=chain, shorter=(), checkpoint=None)


def _after(further: Callable[[int, int], object], done: int) -> Callable[[int, int], object]:
    return lambda more, total: further(done + more, total)


def _predict(
    tables: list[Dataset],
    folds: IntArray,
    batch: list[tuple[int, int]],
    first: int,
    prior: TreePrior,
    config: SamplingConfig,
    predicted: FloatArray,
) -> None:
    """Fit a forest for each of the tables and folds, and predict the rows of the fold."""
    parts = [
        tables[k].part(np.flatnonzero(folds != fold), keep_values=True, n_jobs=config.n_jobs)
        for k, fold in batch
    ]
    for part in parts:
        check_prior_fits_data(prior, part)
    configs = [
        replace(config, entropy=derived_entropy(config.entropy, Role.EFFECT_CHAIN, first + i))
        for i in range(len(batch))
    ]
    sampled = sample_side_by_side(parts, prior, 1, configs)
    for (k, fold), part, draws in zip(batch, parts, sampled, strict=True):
        held = np.flatnonzero(folds == fold)
        predicted[k, held] = _mean_at(draws, tables[k], part, held, config.n_jobs)


def _mean_at(
    draws: Draws, table: Dataset, part: Dataset, rows: IntArray, n_jobs: int
) -> FloatArray:
    own = table.X.take(rows, range(len(table.names)))
    return np.asarray(draws.predict(without_new_missing(own, part.X), n_jobs=n_jobs))


def _predict_by_mean(data: Dataset, folds: IntArray, predicted: FloatArray) -> None:
    """Predict each fold by the mean of the others, where no variable is left."""
    for fold in np.unique(folds):
        rest = folds != fold
        weights = None if data.weights is None else data.weights[rest]
        predicted[:, ~rest] = np.average(data.y.values[rest], weights=weights)


def _losses(data: Dataset, predicted: FloatArray, interval: float) -> PredictiveLoss:
    y = data.y.values
    weights = np.ones(len(y)) if data.weights is None else data.weights
    centre = float(np.average(y, weights=weights))
    name = "R2" if data.y.classes is None else "log loss"
    of = _squared if name == "R2" else _log_loss
    return PredictiveLoss(
        name,
        of(y, predicted[0]),
        np.array([of(y, own) for own in predicted[1:]]).T,
        of(y, np.full(len(y), centre)),
        weights,
        interval,
    )


def _squared(y: FloatArray, predicted: FloatArray) -> FloatArray:
    return np.asarray((y - predicted) ** 2)


def _log_loss(y: FloatArray, predicted: FloatArray) -> FloatArray:
    p = np.clip(predicted, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    return np.asarray(-np.where(y > 0, np.log(p), np.log1p(-p)))
