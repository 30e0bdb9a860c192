"""A scikit-learn classifier that predicts with a Bayesian forest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from bayesvc._validation import check_level
from bayesvc.estimators.base import ForestEstimator, Prediction


class BARTClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """Bayesian additive regression trees for two classes, with a probit link.

    The probability of ``classes_[1]`` is the normal distribution function of a sum of trees.

    Parameters
    ----------
    prior : BART or DART, optional
        Tree prior. By default ``BART(k="learned", moves=Moves(change=0.2, perturb=0.2))``: the
        scale of the leaf values is learned. ``DART`` with these settings predicts better if few of
        many columns matter.
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
    classes_ : ndarray (2,)
        The two labels, sorted.
    draws_ : Draws
        The posterior draws, with trees.
    feature_importances_ : ndarray (n_features,)
        Mean proportion of the splits that use each column (VIP), over draws and chains. They sum
        to 1 if every draw has a split. The columns of a group share its proportion equally.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X was a data frame whose column names are all strings.

    See Also
    --------
    BARTRegressor : For a numeric response.
    sample : The sampler itself.
    select : Variable selection.

    Notes
    -----
    X may be an array, a data frame (pandas, polars) or a sparse matrix, which is made dense if
    memory allows. Text columns are categorical, and values may be missing. In prediction, values
    may be missing only in columns that had missing values in `fit`, and categories must have
    occurred there.
    Row and class weights are not supported: a probit model has no noise variance to scale.
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
            Numbers, booleans or categories; missing values are allowed.
        y : array or series (n_rows,)
            Two classes: numbers, booleans or text.

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
                f"Only binary classification is supported. The type of the target is {kind}. Wrap "
                "the classifier in sklearn.multiclass.OneVsRestClassifier."
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
