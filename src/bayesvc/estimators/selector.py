"""`select` as a scikit-learn transformer, for pipelines and searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from bayesvc._typing import PathLike
from bayesvc.data.schema import Groups
from bayesvc.estimators import file
from bayesvc.estimators.base import CheckedEstimator, by_position
from bayesvc.measures import Measure
from bayesvc.priors.base import TreePrior
from bayesvc.responses.base import Response
from bayesvc.sampling.progress import ProgressCallback
from bayesvc.selection.methods import Goal
from bayesvc.selection.result import Selection
from bayesvc.selection.select import select
from bayesvc.thresholds import Threshold


class VariableSelector(SelectorMixin, CheckedEstimator):  # type: ignore[misc]
    """Keep the columns that Bayesian tree ensembles select as predictive of y.

    Parameters
    ----------
    method : str, optional
        Name of a method; `bayesvc.recipes` lists them. By default "dart-relevance".
    goal : {"balanced", "paper", "quick", "screening", "confirmatory"}, optional
        Chooses the method; ``selection_`` says which and why.
    prior, measure, threshold : optional
        Replace those of the method. `prior` is an object such as ``BART(k=3)``; `measure`
        a name such as "vip"; `threshold` a name such as "gse", or an object such as
        ``Permutation("gse", alpha=0.1)``. All choices are listed at `bayesvc.select`.
    n_replicates : int or "auto", optional
    n_permutations : int, optional
        Number of replicates, and of null replicates (on permuted responses); by default those of
        the paper. "auto" stops when the selection is stable, or after `max_seconds`.
    time_order : bool, default False
        Whether the rows are in time order, so that circular shifts take the place of permutations.
    signal_test, allow_empty, row_stability : bool, optional
        Whether to test for any signal, whether to select nothing without evidence of it, and
        whether to repeat the selection on half-samples of the rows; see `bayesvc.select`.
    n_trees : int, default 20
        Number of trees in a forest.
    burn_in, n_draws : int or "auto", optional
        Number of iterations discarded and of draws kept, per replicate; 5000 each by default.
        "auto" stops at the first of 1000, 2000 and 5000 at which the importance is stable.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed. The same data, parameters and seed give the same result on any number of threads.
    n_jobs : int, optional
        Number of threads; None means 1 unless ``joblib.parallel_config`` says otherwise; -1 uses
        all CPUs.
    progress : bool or callable, optional
        True shows a progress bar on a terminal; a callable receives ``(done, total)`` iterations.
    response : {"auto", "continuous", "binary", "survival"} or Response
        "auto" treats booleans, two classes of text, and numbers that are all 0 or 1 as binary
        (probit model), and a `Surv` or a structured array like those of scikit-survival as survival
        times. For any other two numbers, such as -1 and 1, pass "binary".
    checkpoint : path, optional
        Folder for finished replicates: a run that was stopped continues from there to the same
        result. It needs a `random_state`.
    groups : mapping from str to columns, optional
        Column groups, each of which is kept or dropped as a whole: columns, by name or position,
        by the name of the variable.

    Attributes
    ----------
    selection_ : Selection
        What `bayesvc.select` returns: the table of measures, stability, warnings, explanations.
    support_ : ndarray of bool (n_features,)
        Which columns are kept; `get_support` returns the same.
    scores_ : ndarray (n_features,)
        Importance of each column, by the first number of the measure if it has several. Higher is
        more important, unless the measure is a rank ("vip-rank", "vc-rank"). The columns of a
        group have the importance of the group.
    ranking_ : ndarray of int (n_features,)
        Rank of each column by importance; 1 is the most important, and ties share a rank.
    n_features_ : int
        Number of columns kept.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X was a data frame whose column names are all strings.

    See Also
    --------
    select : The same as a function.
    BARTRegressor, BARTClassifier : Forests that predict, for example from what is kept.

    Notes
    -----
    X may be an array, a data frame (pandas, polars) or a sparse matrix, which is made dense if
    memory allows. Text columns are categorical, and values may be missing. If nothing
    is selected, `transform` warns and returns no columns. A pickle holds the draws but not the
    data; so does the file of `save`, which later versions can read too.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 6))
    >>> y = 10 * X[:, 1] + 5 * X[:, 4] ** 2
    >>> selector = bv.VariableSelector(n_replicates=3, burn_in=300, n_draws=300, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out()
    array(['x1', 'x4'], dtype=object)
    >>> selector.transform(X).shape
    (100, 2)

    In a pipeline, only the training rows decide what is selected:

    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(selector, LinearRegression()).fit(X[:80], y[:80])
    >>> bool(model.score(X[80:], y[80:]) > 0.9)
    True
    """

    selection_: Selection
    support_: NDArray[np.bool_]
    scores_: NDArray[np.float64]
    ranking_: NDArray[np.int64]
    n_features_: int

    def __init__(
        self,
        method: str | None = None,
        *,
        goal: Goal | None = None,
        prior: TreePrior | None = None,
        measure: str | Measure | Callable[[Any], Any] | None = None,
        threshold: str | Threshold | Callable[[Any], Any] | None = None,
        n_replicates: int | Literal["auto"] | None = None,
        n_permutations: int | None = None,
        n_trees: int = 20,
        burn_in: int | Literal["auto"] | None = None,
        n_draws: int | Literal["auto"] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool | ProgressCallback | None = None,
        response: str | Response = "auto",
        checkpoint: PathLike | None = None,
        groups: Groups | None = None,
        time_order: bool = False,
        signal_test: bool = True,
        allow_empty: bool | None = None,
        row_stability: bool | None = None,
        max_seconds: float | None = None,
    ) -> None:
        self.method = method
        self.goal = goal
        self.prior = prior
        self.measure = measure
        self.threshold = threshold
        self.n_replicates = n_replicates
        self.n_permutations = n_permutations
        self.n_trees = n_trees
        self.burn_in = burn_in
        self.n_draws = n_draws
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.response = response
        self.checkpoint = checkpoint
        self.groups = groups
        self.time_order = time_order
        self.signal_test = signal_test
        self.allow_empty = allow_empty
        self.row_stability = row_stability
        self.max_seconds = max_seconds

    def fit(self, X: Any, y: Any, sample_weight: Any = None, permute_within: Any = None) -> Self:
        """Select the columns of X that are predictive of y.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
            Numbers, booleans or categories; missing values are allowed.
        y : array, series or Surv (n_rows,)
            Numbers, two classes, or survival times; see `response`.
        sample_weight, permute_within : array (n_rows,), optional
            Weight of each row, and blocks of rows within which responses are permuted; see
            `bayesvc.select`. Values belong to the rows by position, whatever their index.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 4))
        >>> y = np.where(X[:, 2] > 0.5, "yes", "no")
        >>> selector = bv.VariableSelector("dart-mpm", burn_in=300, n_draws=300, random_state=0)
        >>> selector.fit(X, y).get_support(indices=True)
        array([2])
        """
        X, y = self._checked_for_fit(X, y)
        found = select(
            X, y, **self.get_params(deep=False),
            sample_weight=by_position("sample_weight", sample_weight),
            permute_within=by_position("permute_within", permute_within),
        )  # fmt: skip
        return self._with(found)

    def _with(self, selection: Selection) -> Self:
        self.selection_ = selection
        own = self.selection_.draws.columns.variable_of
        self.support_ = self.selection_.mask[own]
        self.scores_ = self.selection_.importance[own]
        self.ranking_ = self.selection_.ranks[own]
        self.n_features_ = int(self.support_.sum())
        return self

    def save(self, path: PathLike) -> None:
        """Write the fitted selector, but not the data, to a file that `load` reads.

        Unlike a pickle, the file can be read by all later versions, and nothing in it is executed.
        A function given as `progress` is not saved, nor is the choice of `set_output`; a random
        generator given as `random_state` becomes the integer that was drawn from it.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> selector = bv.VariableSelector(n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     selector.fit(X, X[:, 1]).save(pathlib.Path(folder) / "selector.npz")
        ...     again = bv.VariableSelector.load(pathlib.Path(folder) / "selector.npz")
        >>> again.get_feature_names_out()
        array(['x1'], dtype=object)
        """
        file.write(self, path)

    @classmethod
    def load(cls, path: PathLike) -> VariableSelector:
        """Read a selector that `save` wrote.

        Examples
        --------
        See `save`.
        """
        return file.read(cls, path)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_
