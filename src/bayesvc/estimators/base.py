"""The base classes of the scikit-learn estimators: checks of the data, and the posterior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from bayesvc._typing import FloatArray
from bayesvc.data.interop import as_array, is_frame, one_per_row
from bayesvc.data.read import plain_array
from bayesvc.data.schema import Groups
from bayesvc.data.sparse import is_sparse
from bayesvc.draws.draws import Draws
from bayesvc.estimators.partial_dependence import PartialDependence, partial_dependence
from bayesvc.priors import BART, Moves, TreePrior, check_prior
from bayesvc.responses.surv import Surv
from bayesvc.sampling.progress import ProgressCallback
from bayesvc.sampling.sample import sample

# Settings that predict well; those of selection are the paper's.
DEFAULT_PRIOR = BART(k="learned", moves=Moves(change=0.2, perturb=0.2), transform="auto")
Prediction = FloatArray | tuple[FloatArray, FloatArray, FloatArray]


def by_position(name: str, values: Any) -> NDArray[Any] | None:
    """Return values per row as an array: scikit-learn matches rows by position, not by index."""
    return None if values is None else one_per_row(name, values)


class CheckedEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """An estimator that checks data by the rules of scikit-learn and needs y in `fit`."""

    n_features_in_: int

    def _checked_for_fit(self, X: Any, y: Any) -> tuple[Any, Any]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None. "
                "Pass one value per row of X."
            )
        if isinstance(y, Surv):  # matched by position, like everything here
            return self._checked(X, fitting=True), y.reset_index()
        own_y = as_array(y, "y") if isinstance(y, list | tuple) else y
        if getattr(getattr(own_y, "dtype", None), "names", None) is not None:
            return self._checked(X, fitting=True), own_y
        return self._checked(X, fitting=True), column_or_1d(own_y, warn=True)

    def _checked(self, X: Any, *, fitting: bool = False) -> Any:
        """Compare the columns with the fitted ones; turn other arrays of floats into float64.

        Frames, sparse matrices, objects and integers are left to `encode_X`, which knows more kinds
        of columns than scikit-learn, how much memory there is, and what must not be rounded.
        """
        if is_frame(X) or is_sparse(X):
            validate_data(self, X, reset=fitting, skip_check_array=True)
            return X
        if isinstance(X, list | tuple | np.ma.MaskedArray):
            X = plain_array(X)
        left = getattr(getattr(X, "dtype", None), "kind", "f") in "OUTiu"
        return validate_data(
            self, X, reset=fitting, dtype=None if left else np.float64,
            ensure_all_finite=False if left else "allow-nan",
            ensure_min_samples=2 if fitting else 1,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags


class ForestEstimator(CheckedEstimator):
    """A Bayesian forest without `fit` and `predict`, which subclasses add."""

    draws_: Draws
    feature_importances_: FloatArray

    def __init__(
        self,
        prior: TreePrior | None = None,
        n_trees: int = 200,
        n_replicates: int = 2,
        burn_in: int = 1000,
        n_draws: int = 1000,
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool | ProgressCallback | None = None,
        groups: Groups | None = None,
    ) -> None:
        self.prior = prior
        self.n_trees = n_trees
        self.n_replicates = n_replicates
        self.burn_in = burn_in
        self.n_draws = n_draws
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.groups = groups

    def posterior_samples(self, X: Any) -> FloatArray:
        """Return the prediction of every posterior draw.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)

        Returns
        -------
        samples : ndarray (n_replicates * n_draws, n_rows)
            The mean of y, the probability of ``classes_[1]`` or the median time, draw by draw; the
            chains follow each other. The error sd of the same draws is ``draws_.sigma.ravel()``, on
            the scale that `Draws.sigma` has.

        Raises
        ------
        MemoryError
            If the samples do not fit into memory.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> model = bv.BARTRegressor(burn_in=50, n_draws=100, random_state=0).fit(X, X[:, 0])
        >>> model.posterior_samples(X[:5]).shape
        (200, 5)
        """
        return self._fitted_draws().posterior(self._checked(X), self.n_jobs)

    def partial_dependence(
        self,
        X: Any,
        features: int | str | Sequence[int | str],
        *,
        grid: Any = None,
        grid_resolution: int = 20,
        interval: float = 0.9,
    ) -> PartialDependence:
        """Average the prediction over the rows of X with one or two columns held fixed.

        Parameters
        ----------
        X : array, data frame or sparse matrix
            Rows to average over, for example the fitted ones. The cost grows with rows times
            grid points; a few hundred rows are usually enough.
        features : int, str, or one or two of them
            Columns to hold, by position or name. A group of columns cannot be held, but one of
            its columns can.
        grid : array, or two arrays for two columns, optional
            Values to hold them at, or labels of categories. By default all categories; of numbers
            the distinct values of a column in X, or where these are more than `grid_resolution`
            its quantiles from 5 % to 95 %.
        grid_resolution : int, default 20
            Most grid values per column.
        interval : float, default 0.9
            Probability of the credible interval.

        Returns
        -------
        PartialDependence
            With `grid`, `mean`, `low`, `high` and `samples`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> model = bv.BARTRegressor(burn_in=100, n_draws=100, random_state=0).fit(X, X[:, 1])
        >>> effect = model.partial_dependence(X, 1, grid_resolution=10)
        >>> effect.mean.shape
        (10,)
        >>> bool(effect.low[-1] > effect.high[0])
        True
        """
        return partial_dependence(
            self._fitted_draws(), self._checked(X), features, grid=grid,
            grid_resolution=grid_resolution, interval=interval, n_jobs=self.n_jobs,
        )  # fmt: skip

    def _sample(self, X: Any, y: Any, response: str, sample_weight: Any = None) -> None:
        prior = check_prior(DEFAULT_PRIOR if self.prior is None else self.prior)
        if "keep_trees" in prior.unsupported:
            raise ValueError(
                f"`prior` must keep trees to predict with. Got {prior!r} instead. "
                "Pass bayesvc.BART() or bayesvc.DART(), or select variables with bayesvc.select."
            )
        self.draws_ = sample(
            X,
            y,
            prior,
            n_replicates=self.n_replicates,
            n_trees=self.n_trees,
            burn_in=self.burn_in,
            n_draws=self.n_draws,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            progress=self.progress,
            response=response,
            keep_trees=True,
            groups=self.groups,
            sample_weight=by_position("sample_weight", sample_weight),
        )
        own = self.draws_.columns.variable_of  # the columns of a group share its proportion
        self.feature_importances_ = (self.draws_.vip.mean(axis=0) / np.bincount(own))[own]

    def _fitted_draws(self) -> Draws:
        check_is_fitted(self)
        return self.draws_
