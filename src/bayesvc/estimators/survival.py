"""A Bayesian forest for censored survival times, with the conventions of scikit-survival."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_flag, check_level, must_be
from bayesvc.draws.prediction import predict_observation
from bayesvc.draws.survival import check_times, survival_function
from bayesvc.estimators.base import ForestEstimator, Prediction
from bayesvc.estimators.concordance import concordance_index
from bayesvc.responses.surv import as_intervals


@dataclass(frozen=True, eq=False)
class SurvivalFunction:
    """The probability of each time to be survived, as a step function.

    Attributes
    ----------
    x : ndarray (n_times,)
        Times, in rising order.
    y : ndarray (n_times,)
        Probability that the event has not happened by each of them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.estimators.survival import SurvivalFunction
    >>> alive = SurvivalFunction(np.array([1.0, 2.0]), np.array([0.9, 0.4]))
    >>> alive([0.5, 1.0, 1.9, 2.0])
    array([1. , 0.9, 0.9, 0.4])
    """

    x: FloatArray
    y: FloatArray

    @property
    def domain(self) -> tuple[float, float]:
        """First and last time at which it is known."""
        return 0.0, float(self.x[-1])

    def __call__(self, times: Any) -> Any:
        """Return the probability at times up to the last one; it is 1 before the first."""
        given = np.asarray(times, dtype=np.float64)
        if given.size and not (given.min() >= 0 and given.max() <= self.x[-1]):
            wanted = f"times from 0 to {self.x[-1]:g}"
            got = f"times from {given.min():g} to {given.max():g}"
            remedy = "pass the times of interest to `predict_survival_function`"
            raise ValueError(must_be("times", wanted, got, remedy))
        place = np.searchsorted(self.x, given, side="right")
        return np.concatenate([[1.0], self.y])[place]


class BARTSurvival(ForestEstimator):
    """Bayesian additive regression trees for survival times, some of which are censored.

    The logarithm of a time is a sum of small trees plus normal or Student-t errors: a log-normal
    accelerated failure time model. Censored times are drawn anew in every iteration.

    Parameters
    ----------
    prior : BART or DART, optional
        Tree prior. By default ``BART(k="learned", moves=Moves(change=0.2, perturb=0.2))``: the
        scale of the leaf values is learned. ``DART`` with these settings predicts better if few of
        many columns matter, and ``errors="student"`` if some times are far from all others.
    n_trees : int, default 200
        Number of trees in the forest.
    n_replicates : int, default 2
        Number of independent chains, whose draws are pooled. A chain of large forests explores
        slowly, so several chains predict better and have better calibrated intervals than one chain
        of their total length; they also run in parallel. Four are better still.
    burn_in, n_draws : int, default 1000
        Number of draws discarded and of draws kept, per chain.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed. The same data, parameters and seed give the same result on any number of threads.
    n_jobs : int, optional
        Number of threads; None means 1 unless ``joblib.parallel_config`` says otherwise; -1 uses
        all CPUs. `fit` uses at most one per chain.
    progress : bool or callable, optional
        True shows a progress bar on a terminal; a callable receives ``(done, total)`` iterations.
    groups : mapping from str to columns, optional
        Column groups, each of which is one variable of the prior: columns, by name or position, by
        the name of the variable.

    Attributes
    ----------
    draws_ : Draws
        The posterior draws, with trees. Its `sigma` is that of log times.
    unique_times_ : ndarray
        Times at which an event was observed, in rising order; if there are none, all bounds.
    feature_importances_ : ndarray (n_features,)
        Mean proportion of the splits that use each column (VIP), over draws and chains. They sum
        to 1 if every draw has a split. The columns of a group share its proportion equally.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X was a data frame whose column names are all strings.

    See Also
    --------
    Surv : Censored times.
    select : Variable selection, also for censored times.

    Notes
    -----
    X may be an array, a data frame (pandas, polars) or a sparse matrix, which is made dense if
    memory allows. Text columns are categorical, and values may be missing. In prediction, values
    may be missing only in columns that had missing values in `fit`, and categories must have
    occurred there. Censoring must not depend on the time of the event, given the columns.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 5))
    >>> time, limit = np.exp(3 * X[:, 2] + 0.3 * rng.normal(size=200)), rng.uniform(2, 30, size=200)
    >>> y = bv.Surv(np.minimum(time, limit), time <= limit)
    >>> model = bv.BARTSurvival(burn_in=200, n_draws=200, random_state=0).fit(X, y)
    >>> int(model.feature_importances_.argmax())
    2
    >>> model.score(X, y) > 0.9
    True
    >>> model.predict_survival_function(X[:2], times=[1, 5, 10]).shape
    (2,)
    """

    unique_times_: FloatArray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Sample the posterior.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
            Numbers, booleans or categories; missing values are allowed.
        y : Surv, or a structured array like those of scikit-survival (n_rows,)
            Times, matched to the rows of X by position.
        sample_weight : array (n_rows,), optional
            How many times as precise log times are in each row: the error variance there is
            ``sigma**2 / weight``, weights being scaled to mean 1. Rows of weight 0 are left out.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> y = np.array([(True, 1 + t) for t in X[:, 0]], dtype=[("event", "?"), ("time", "f8")])
        >>> bv.BARTSurvival(burn_in=50, n_draws=50).fit(X, y).n_features_in_
        3
        """
        X, y = self._checked_for_fit(X, y)
        times = as_intervals(y)
        if times is None:
            remedy = "pass bayesvc.Surv(time, event)"
            raise TypeError(must_be("y", "censored times", f"a {type(y).__name__}", remedy))
        self._sample(X, times, "survival", sample_weight)
        observed = times["low"][times["low"] == times["high"]]
        bounds = np.concatenate([times["low"], times["high"]])
        known = bounds[np.isfinite(bounds) & (bounds > 0)]
        self.unique_times_ = np.unique(observed if observed.size else known)
        return self

    def predict(
        self,
        X: Any,
        return_interval: float | None = None,
        interval_of: Literal["median", "observation"] = "median",
    ) -> Prediction:
        """Return the median survival time at each row, and an interval if asked for.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
        return_interval : float, optional
            Also return the bounds of the central interval with this probability, such as 0.9.
        interval_of : {"median", "observation"}
            What the interval is for: the median time of such rows, exp(f(x)), or the time of a new
            row.

        Returns
        -------
        median : ndarray (n_rows,)
            The exponential of the posterior mean of f(x). With `return_interval` a tuple
            ``(median, low, high)``.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(100, 3))
        >>> y = bv.Surv(np.exp(X[:, 0] + 0.1 * rng.normal(size=100)), X[:, 1] > 0.3)
        >>> model = bv.BARTSurvival(burn_in=100, n_draws=100, random_state=0).fit(X, y)
        >>> median, low, high = model.predict(X, return_interval=0.9)
        >>> bool(((low < median) & (median < high)).all())
        True
        """
        draws = self._fitted_draws()
        check_choice("interval_of", interval_of, ("median", "observation"))
        if return_interval is not None:
            return_interval = check_level("return_interval", return_interval)
        elif interval_of != "median":
            raise ValueError(
                f"`return_interval` must be a probability if interval_of={interval_of!r}. Got None "
                "instead. Pass one such as 0.9."
            )
        X = self._checked(X)
        if return_interval is not None and interval_of == "observation":
            return predict_observation(draws, X, return_interval, self.n_jobs)
        return draws.predict(X, return_interval, self.n_jobs)

    def predict_survival_function(
        self, X: Any, times: Any = None, return_array: bool = False
    ) -> NDArray[Any]:
        """Return the probability of each row to survive, as a function of time.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
        times : array (n_times,), optional
            Times to evaluate it at, in rising order; by default ``unique_times_``.
        return_array : bool, default False
            Whether to return an array of probabilities in the place of functions.

        Returns
        -------
        survival : ndarray of SurvivalFunction (n_rows,), or ndarray (n_rows, n_times)
            Posterior mean of the probability that the event has not happened by each time.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> y = bv.Surv(np.exp(X[:, 0]), X[:, 1] > 0.3)
        >>> model = bv.BARTSurvival(burn_in=50, n_draws=50, random_state=0).fit(X, y)
        >>> model.predict_survival_function(X, [1.0, 2.0], return_array=True).shape
        (50, 2)
        >>> float(model.predict_survival_function(X[:1], [1.0, 2.0])[0](0))
        1.0
        """
        draws = self._fitted_draws()
        check_flag("return_array", return_array)
        own = self.unique_times_ if times is None else check_times(times)
        values = survival_function(draws, self._checked(X), own, self.n_jobs)
        if return_array:
            return values
        functions = np.empty(len(values), dtype=object)
        functions[:] = [SurvivalFunction(own, row) for row in values]
        return functions

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's concordance index of the predicted median times.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
        y : Surv, or a structured array like those of scikit-survival (n_rows,)

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> y = bv.Surv(np.exp(X[:, 0]), X[:, 1] > 0.3)
        >>> bv.BARTSurvival(burn_in=50, n_draws=50, random_state=0).fit(X, y).score(X, y) > 0.8
        True
        """
        return concordance_index(y, np.asarray(self.predict(X)))
