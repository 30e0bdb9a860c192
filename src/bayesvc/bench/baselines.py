"""Baselines for a benchmark: common alternatives to Bayesian trees.

Use them as ``bayesvc bench run --methods bayesvc.bench.baselines:lasso ...``. A function of your
own with the same arguments works in the same way.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LassoCV
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from bayesvc._typing import BoolArray, FloatArray


def lasso(X: FloatArray, y: FloatArray, seed: int) -> BoolArray:
    """Select the columns with nonzero coefficients in a lasso with cross-validated penalty.

    Examples
    --------
    >>> from bayesvc.bench import baselines, problems
    >>> X, y, relevant, *rest = problems.friedman(200, p=10)
    >>> baselines.lasso(X, y, seed=0)[[3, 4]]
    array([ True,  True])
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LassoCV(cv=5, random_state=seed).fit(StandardScaler().fit_transform(X), y)
    return np.asarray(model.coef_ != 0)


def random_forest(X: FloatArray, y: FloatArray, seed: int) -> BoolArray:
    """Select columns by the permutation importance of a random forest.

    The forest is fitted to one half of the rows. In the other half each column is permuted five
    times; it is selected if the mean loss of R2 exceeds two standard deviations.

    Examples
    --------
    >>> from bayesvc.bench import baselines, problems
    >>> X, y, relevant, *rest = problems.friedman(200, p=10)
    >>> bool(baselines.random_forest(X, y, seed=0)[3])
    True
    """
    X_fit, X_rest, y_fit, y_rest = train_test_split(X, y, test_size=0.5, random_state=seed)
    forest = RandomForestRegressor(n_estimators=100, max_features=1 / 3, random_state=seed)
    forest.fit(X_fit, y_fit)
    found = permutation_importance(forest, X_rest, y_rest, n_repeats=5, random_state=seed)
    return np.asarray(found.importances_mean > 2 * found.importances_std)
