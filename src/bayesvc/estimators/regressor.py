"""A scikit-learn regressor that predicts with a Bayesian forest."""

from __future__ import annotations

from typing import Any, Literal, Self

from sklearn.base import RegressorMixin

from bayesvc._validation import check_choice, check_level
from bayesvc.draws.prediction import predict_observation
from bayesvc.estimators.base import ForestEstimator, Prediction


class BARTRegressor(RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """Bayesian additive regression trees: a sum of small trees plus normal or Student-t errors.

    Parameters
    ----------
    prior : BART or DART, optional
        Tree prior. By default
        ``BART(k="learned", moves=Moves(change=0.2, perturb=0.2), transform="auto")``: the scale of
        the leaf values is learned, and a skewed y is fitted as normal scores. ``DART`` with these
        settings predicts better if few of many columns matter.
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
        The posterior draws, with trees: traces of sigma, counts of splits per variable and more.
    feature_importances_ : ndarray (n_features,)
        Mean proportion of the splits that use each column (VIP), over draws and chains. They sum
        to 1 if every draw has a split. The columns of a group share its proportion equally.
    sigma_ : float
        Posterior mean of the error sd, in the units of y. Under a prior with Student-t errors it is
        that of their scale, and under one with a `transform` that of the errors of normal scores.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X was a data frame whose column names are all strings.

    See Also
    --------
    BARTClassifier : For two classes.
    sample : The sampler itself.
    select : Variable selection.

    Notes
    -----
    X may be an array, a data frame (pandas, polars) or a sparse matrix, which is made dense if
    memory allows. Text columns are categorical, and values may be missing. In prediction, values
    may be missing only in columns that had missing values in `fit`, and categories must have
    occurred there.
    With `sample_weight`, `sigma_` and the interval of a new observation are those of a row of
    average weight.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 5))
    >>> y = 10 * X[:, 2] + rng.normal(size=200)
    >>> model = bv.BARTRegressor(burn_in=200, n_draws=200, random_state=0).fit(X, y)
    >>> int(model.feature_importances_.argmax())
    2
    >>> mean, low, high = model.predict(X[:3], return_interval=0.9)
    >>> bool(((low < mean) & (mean < high)).all())
    True
    """

    sigma_: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Sample the posterior.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
            Numbers, booleans or categories; missing values are allowed.
        y : array or series (n_rows,)
            Numbers that are not all equal.
        sample_weight : array (n_rows,), optional
            How many times as precise y is in each row: the error variance there is
            ``sigma**2 / weight``, weights being scaled to mean 1. Rows of weight 0 are left out.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> bv.BARTRegressor(burn_in=50, n_draws=50).fit(X, X[:, 0]).n_features_in_
        3
        """
        X, y = self._checked_for_fit(X, y)
        self._sample(X, y, "continuous", sample_weight)
        self.sigma_ = float(self.draws_.sigma.mean())
        return self

    def predict(
        self,
        X: Any,
        return_interval: float | None = None,
        interval_of: Literal["mean", "observation"] = "mean",
    ) -> Prediction:
        """Return the posterior mean of y at each row, and an interval if asked for.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
        return_interval : float, optional
            Also return the bounds of the central interval with this probability, such as 0.9.
        interval_of : {"mean", "observation"}
            What the interval is for: the mean of y at the row, f(x), or a new observation there,
            whose error adds to the uncertainty about f. Both are quantiles of the posterior; an
            observation has a mixture of the normal or Student-t distributions of the draws, whose
            quantiles are computed exactly.

        Returns
        -------
        mean : ndarray (n_rows,)
            With `return_interval` a tuple ``(mean, low, high)``.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(100, 3))
        >>> y = 5 * X[:, 0] + rng.normal(size=100)
        >>> model = bv.BARTRegressor(burn_in=100, n_draws=100, random_state=0).fit(X, y)
        >>> mean, low, high = model.predict(X, return_interval=0.9)
        >>> _, lower, higher = model.predict(X, return_interval=0.9, interval_of="observation")
        >>> bool((lower < low).all() and (higher > high).all())
        True
        """
        draws = self._fitted_draws()
        check_choice("interval_of", interval_of, ("mean", "observation"))
        if return_interval is not None:
            return_interval = check_level("return_interval", return_interval)
        elif interval_of != "mean":
            raise ValueError(
                f"`return_interval` must be a probability if interval_of={interval_of!r}. Got None "
                "instead. Pass one such as 0.9."
            )
        X = self._checked(X)
        if return_interval is not None and interval_of == "observation":
            return predict_observation(draws, X, return_interval, self.n_jobs)
        return draws.predict(X, return_interval, self.n_jobs)
