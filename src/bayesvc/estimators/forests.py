"""scikit-learn estimators that predict with a Bayesian forest."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_level
from bayesvc.draws.prediction import predict_observation
from bayesvc.estimators.base import ForestEstimator

Prediction = FloatArray | tuple[FloatArray, FloatArray, FloatArray]


class BARTRegressor(RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """Bayesian additive regression trees: a sum of small trees plus normal errors.

    Parameters
    ----------
    prior : BART or DART, optional
        Tree prior; ``BART()`` by default. ``DART()`` is the better one where few of many columns
        matter.
    n_trees : int, default 200
        Trees in a forest.
    n_replicates : int, default 2
        Independent chains, whose draws are pooled. A chain of big forests explores slowly, so
        that several chains predict better, and with more honest intervals, than one that is
        as long as all of them; they also run on threads. Four are better still.
    burn_in, n_draws : int, default 1000
        Draws thrown away and draws kept, per chain.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed. The same data, parameters and seed give the same result on any number of threads.
    n_jobs : int, optional
        Number of threads; None means 1 unless ``joblib.parallel_config`` says otherwise; -1 uses
        all CPUs. `fit` uses at most one per chain.
    progress : bool or callable, optional
        True draws a bar on a terminal; a callable receives ``(done, total)`` sweeps.
    groups : mapping from str to columns, optional
        Columns, by name or position, that are one variable of the prior, by the name of the
        variable.

    Attributes
    ----------
    draws_ : Draws
        The posterior draws, with trees: traces of sigma, counts of splits per variable and more.
    feature_importances_ : ndarray (n_features,)
        Mean share of the splits that use each column (VIP), over draws and chains; they sum to 1
        as long as every draw holds a split. The columns of a group have equal parts of its share.
    sigma_ : float
        Posterior mean of the error sd, in the units of y.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where X was a data frame whose column names are all text.

    See Also
    --------
    BARTClassifier : For two classes.
    sample : The sampler beneath, and the place to start for variable selection.

    Notes
    -----
    X may be an array, a data frame (pandas, polars) or a sparse matrix, which is made dense if
    memory allows. Text and categorical columns are categories, and values may be missing; in
    prediction only where some were missing in the fit, and categories must be known from there.
    With weights of rows, `sigma_` and the interval of a new observation are those of a row of
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
            Numbers, truth values or categories; missing values are allowed.
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
            What lies in the interval with that probability: the mean of y at the row, f(x), or a
            new observation there, whose error adds to the uncertainty about f. Both are quantiles
            of the posterior; that of an observation is the mixture of the draws' normal
            distributions, computed without further random numbers.

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
                f"interval_of={interval_of!r} but return_interval=None; pass return_interval too, "
                "such as 0.9"
            )
        X = self._checked(X)
        if return_interval is not None and interval_of == "observation":
            return predict_observation(draws, X, return_interval, self.n_jobs)
        return draws.predict(X, return_interval, self.n_jobs)


class BARTClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """Bayesian additive regression trees for two classes, with a probit link.

    The probability of ``classes_[1]`` is the normal distribution function of a sum of trees.

    Parameters
    ----------
    prior : BART or DART, optional
        Tree prior; ``BART()`` by default. ``DART()`` is the better one where few of many columns
        matter.
    n_trees : int, default 200
        Trees in a forest.
    n_replicates : int, default 2
        Independent chains, whose draws are pooled. A chain of big forests explores slowly, so
        that several chains predict better, and with more honest intervals, than one that is
        as long as all of them; they also run on threads. Four are better still.
    burn_in, n_draws : int, default 1000
        Draws thrown away and draws kept, per chain.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed. The same data, parameters and seed give the same result on any number of threads.
    n_jobs : int, optional
        Number of threads; None means 1 unless ``joblib.parallel_config`` says otherwise; -1 uses
        all CPUs. `fit` uses at most one per chain.
    progress : bool or callable, optional
        True draws a bar on a terminal; a callable receives ``(done, total)`` sweeps.
    groups : mapping from str to columns, optional
        Columns, by name or position, that are one variable of the prior, by the name of the
        variable.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The two labels, sorted.
    draws_ : Draws
        The posterior draws, with trees.
    feature_importances_ : ndarray (n_features,)
        Mean share of the splits that use each column (VIP), over draws and chains; they sum to 1
        as long as every draw holds a split. The columns of a group have equal parts of its share.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where X was a data frame whose column names are all text.

    See Also
    --------
    BARTRegressor : For a numeric response.
    sample : The sampler beneath, and the place to start for variable selection.

    Notes
    -----
    X may be an array, a data frame (pandas, polars) or a sparse matrix, which is made dense if
    memory allows. Text and categorical columns are categories, and values may be missing; in
    prediction only where some were missing in the fit, and categories must be known from there.
    Weights of rows and of classes are not supported: a probit model has no noise for them to scale.
    For more than two classes wrap the classifier in `sklearn.multiclass.OneVsRestClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(200, 5))
    >>> y = np.where(X[:, 2] > 0.5, "yes", "no")
    >>> model = bv.BARTClassifier(burn_in=200, n_draws=200, random_state=0).fit(X, y)
    >>> model.predict([[0.5, 0.5, 0.9, 0.5, 0.5], [0.5, 0.5, 0.1, 0.5, 0.5]]).tolist()
    ['yes', 'no']
    """

    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any) -> Self:
        """Sample the posterior.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
            Numbers, truth values or categories; missing values are allowed.
        y : array or series (n_rows,)
            Two classes: numbers, truth values or text.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> bv.BARTClassifier(burn_in=50, n_draws=50).fit(X, X[:, 0] > 0.5).classes_.tolist()
        [False, True]
        """
        X, y = self._checked_for_fit(X, y)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}; "
                "wrap the classifier in sklearn.multiclass.OneVsRestClassifier"
            )
        self._sample(X, y, "binary")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any, return_interval: float | None = None) -> Prediction:
        """Return the posterior mean of the probability of each class, and an interval if asked for.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
        return_interval : float, optional
            Also return the bounds of the central credible interval of the probabilities with
            this probability, such as 0.9.

        Returns
        -------
        probability : ndarray (n_rows, 2)
            Columns as in ``classes_``. With `return_interval` a tuple
            ``(probability, low, high)``.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> model = bv.BARTClassifier(burn_in=100, n_draws=100, random_state=0)
        >>> probability, low, high = model.fit(X, X[:, 0] > 0.5).predict_proba(X, 0.9)
        >>> probability.shape, low.shape
        ((100, 2), (100, 2))
        """
        draws = self._fitted_draws()
        if return_interval is not None:
            return_interval = check_level("return_interval", return_interval)
        found = draws.predict(self._checked(X), return_interval, self.n_jobs)
        if not isinstance(found, tuple):
            return np.column_stack([1 - found, found])
        mean, low, high = found
        return (
            np.column_stack([1 - mean, mean]),
            np.column_stack([1 - high, low]),
            np.column_stack([1 - low, high]),
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the more probable class of each row.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> model = bv.BARTClassifier(burn_in=100, n_draws=100, random_state=0)
        >>> model.fit(X, X[:, 0] > 0.5).predict([[0.9, 0.5, 0.5]])
        array([ True])
        """
        probability = self._fitted_draws().predict(self._checked(X), None, self.n_jobs)
        return np.take(self.classes_, np.asarray(probability) > 0.5)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
