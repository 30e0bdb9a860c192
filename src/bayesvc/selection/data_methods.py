"""What can be asked of a selection when its data, or others like them, are passed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesvc._typing import IntArray
from bayesvc._wiring import provided
from bayesvc.data.align import align_to
from bayesvc.data.encode import check_names, encode_X
from bayesvc.draws.draws import Draws
from bayesvc.selection.prediction_check import PredictionCheck, check_prediction

if TYPE_CHECKING:
    from bayesvc.explain.result import Effects
    from bayesvc.priors.base import TreePrior
    from bayesvc.sampling.progress import ProgressCallback


class DataMethods:
    """The methods of a `Selection` that take X and y, which it does not hold."""

    draws: Draws

    @property
    def indices(self) -> IntArray:
        """Positions of the selected variables, ascending."""
        raise NotImplementedError

    def check_prediction(self, X: Any, y: Any, **settings: Any) -> PredictionCheck:
        """Compare the predictions of forests on the selected columns with those on all columns.

        Parameters
        ----------
        X, y
            The data of the selection.
        **settings
            n_folds, n_trees, burn_in, n_draws, n_jobs: see
            `bayesvc.selection.prediction_check.check_prediction`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 4))
        >>> y = X[:, 0] + 0.1 * np.random.default_rng(1).normal(size=100)
        >>> found = bv.select(X, y, n_replicates=2, burn_in=200, n_draws=200, random_state=0)
        >>> check = found.check_prediction(X, y, burn_in=100, n_draws=100)
        >>> check.as_good
        True
        """
        columns = self.draws.columns
        (y,) = align_to(X, y=y)
        data = encode_X(X, groups=columns.groups)
        check_names(data.names, data.names_given, columns.names)
        return check_prediction(
            data, y, self.indices, prior=self.draws.prior, random_state=self.draws.random_state,
            response=self.draws.response_model or "auto", **settings,
        )  # fmt: skip

    def effects(
        self,
        X: Any,
        y: Any,
        *,
        interval: float = 0.9,
        loss: bool = True,
        n_folds: int = 5,
        prior: TreePrior | None = None,
        n_trees: int = 50,
        n_replicates: int = 4,
        burn_in: int = 1000,
        n_draws: int = 1000,
        sample_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = -1,
        progress: bool | ProgressCallback | None = None,
    ) -> Effects:
        """Estimate how large the effects of the selected variables are, and which way they go.

        A forest on the selected variables alone is fitted to the data.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n_rows, n_features)
            Rows with all columns of the selection. Effects of the rows that selected the variables
            are optimistic; other rows of the same columns have effects without this bias.
        y : array or series (n_rows,)
            Response of these rows.
        interval : float, default 0.9
            Probability of the credible intervals of shares, changes and curves, and of the
            confidence intervals of the loss.
        loss : bool, default True
            Whether to predict rows by forests that have not seen them, with all selected variables
            and without each of them. This takes most of the time.
        n_folds : int, default 5
            Number of folds for it.
        prior : BART or DART, optional
            Tree prior; by default that of `BARTRegressor`.
        n_trees : int, default 50
            Number of trees. More of them overestimate the shares of weak variables.
        n_replicates : int, default 4
            Number of independent chains.
        burn_in, n_draws : int, default 1000
            Number of draws discarded and of draws kept, per chain. Of the kept ones about 400,
            evenly spaced, are used. The loss takes one chain of at most 500 of each, and at most 50
            trees, for every forest.
        sample_weight : array (n_rows,), optional
            Relative precision of the response in each row, as in `bayesvc.sample`. It weights the
            rows in the fits and in the loss, not in the shares and curves. Rows of weight 0 are
            left out.
        random_state : int, Generator, RandomState, SeedSequence or None
            Random seed; None takes that of the selection. The same data, settings and seed give the
            same result on any number of threads.
        n_jobs : int or None, default -1
            Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.
        progress : bool or callable, optional
            True draws a bar on a terminal; a callable receives ``(done, total)`` iterations.

        Returns
        -------
        Effects
            With `table`, `details`, `curve`, `individual_curves` and `plot`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(400, 5))
        >>> y = 10 * X[:, 0] + 5 * X[:, 2] + rng.normal(size=400)
        >>> found = bv.select(
        ...     X[:200], y[:200], n_replicates=2, burn_in=300, n_draws=300, random_state=0
        ... )
        >>> effects = found.effects(X[200:], y[200:], burn_in=200, n_draws=200)
        >>> effects.table["first_order"].round(1).tolist()
        [0.8, 0.2]
        >>> effects.same_rows
        False
        """
        found: Effects = provided("Selection.effects")(
            self, X, y, interval=interval, loss=loss, n_folds=n_folds, prior=prior,
            n_trees=n_trees, n_replicates=n_replicates, burn_in=burn_in, n_draws=n_draws,
            sample_weight=sample_weight, random_state=random_state, n_jobs=n_jobs,
            progress=progress,
        )  # fmt: skip
        return found
