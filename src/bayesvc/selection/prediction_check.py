"""Check whether the selected columns predict as well as all columns, out of sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import check_integer, must_be, resolve_random_state, shown
from bayesvc.data.align import align_to
from bayesvc.data.encode import EncodedX, encode_X
from bayesvc.priors import BART, TreePrior, check_prior
from bayesvc.responses.base import Response
from bayesvc.responses.encode import encode_y
from bayesvc.sampling.sample import sample
from bayesvc.sampling.seeds import Role, random_order


@dataclass(frozen=True)
class PredictionCheck:
    """Out-of-sample error with the selected columns and with all.

    Attributes
    ----------
    loss : str
        "mean squared error", or "Brier score" for a binary response.
    of_selected, of_all, of_none : float
        Mean loss over the rows, each predicted by a forest that has not seen it; `of_none` is that
        of the mean of the other folds.
    difference, standard_error : float
        Mean loss with the selected columns less that with all, over the same rows.
    as_good : bool
        The difference is not above two standard errors.

    Examples
    --------
    See `Selection.check_prediction`.
    """

    loss: str
    of_selected: float
    of_all: float
    of_none: float
    difference: float
    standard_error: float

    @property
    def as_good(self) -> bool:
        """Whether the selected columns predict as well as all, within the error of the check."""
        return self.difference <= 2 * self.standard_error

    def __str__(self) -> str:
        verdict = "as well as" if self.as_good else "worse than"
        return (
            f"the selected columns predict {verdict} all: {self.loss} {self.of_selected:.4g} "
            f"against {self.of_all:.4g} (difference {self.difference:.2g}, standard error "
            f"{self.standard_error:.2g}; without any column {self.of_none:.4g})"
        )


def check_prediction(
    X: Any,
    y: Any,
    selected: NDArray[np.intp],
    *,
    prior: TreePrior | None = None,
    response: str | Response = "auto",
    n_folds: int = 5,
    n_trees: int = 50,
    burn_in: int = 500,
    n_draws: int = 500,
    random_state: Any = None,
    n_jobs: int | None = -1,
) -> PredictionCheck:
    """Cross-validate forests on the selected columns and on all.

    Parameters
    ----------
    X, y
        Data, as for `bayesvc.sample`. A value that is missing in a column without missing values
        in the other folds is filled with the mean of these.
    selected : array of int
        Positions of the variables to compare with all.
    prior : BART, DART or SpikeForest, optional
        BART by default. Its `split_weights` are not used; of `SpikeForest`, which keeps no trees,
        the settings that it shares with BART.
    response : {"auto", "continuous", "binary"} or Response
        Kind of response, as in `bayesvc.sample`.
    n_folds : int, default 5
    n_trees, burn_in, n_draws, random_state, n_jobs
        As in `bayesvc.sample`; one chain per fold.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.selection.prediction_check import check_prediction
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(100, 3))
    >>> y = X[:, 0] + 0.1 * rng.normal(size=100)
    >>> found = check_prediction(X, y, np.array([1]), burn_in=100, n_draws=100, random_state=0)
    >>> found.as_good
    False
    """
    (y,) = align_to(X, y=y)
    data = encode_X(X)
    n_rows, everything = data.shape[0], np.arange(len(data.schema.variables))
    selected = _check_selected(selected, len(everything))
    kind = (BART() if prior is None else check_prior(prior)).for_prediction()
    encoded = encode_y(y, response, n_rows=n_rows)
    loss = encoded.model.loss
    if loss is None:
        raise ValueError(
            f"`y` must be observed in every row to check predictions. Got a {encoded.model.label} "
            "response instead, with censored times. Compare the concordance of BARTSurvival on the "
            "selected columns and on all, by sklearn.model_selection.cross_val_score."
        )
    n_folds = check_integer("n_folds", n_folds, 2)
    if n_folds > n_rows:
        wanted = f"at most the number of rows, {n_rows}"
        raise ValueError(must_be("n_folds", wanted, f"{n_folds}"))
    entropy = resolve_random_state(random_state)
    fold_of = _folds(n_rows, n_folds, entropy)
    losses = np.empty((3, n_rows))
    for fold in range(n_folds):
        held, rest = fold_of == fold, fold_of != fold
        for k, chosen in enumerate((selected, everything, selected[:0])):
            known = encoded.take(rest)
            predicted = np.full(held.sum(), known.values.mean())
            if len(chosen) and np.ptp(known.values) > 0:
                others = data.take(rest, chosen)
                draws = sample(
                    others, known, kind, n_replicates=1, n_trees=n_trees,
                    burn_in=burn_in, n_draws=n_draws, random_state=entropy + fold,
                    n_jobs=n_jobs, keep_trees=True,
                )  # fmt: skip
                rows = without_new_missing(data.take(held, chosen), others)
                predicted = np.asarray(draws.predict(rows, n_jobs=n_jobs))
            losses[k, held] = (encoded.values[held] - predicted) ** 2
    difference = losses[0] - losses[1]
    return PredictionCheck(
        loss=loss,
        of_selected=float(losses[0].mean()),
        of_all=float(losses[1].mean()),
        of_none=float(losses[2].mean()),
        difference=float(difference.mean()),
        standard_error=float(difference.std(ddof=1) / math.sqrt(len(difference))),
    )


def without_new_missing(rows: EncodedX, others: EncodedX) -> EncodedX:
    """Fill missing values in columns that have none among the other rows.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.data.encode import encode_X
    >>> from bayesvc.selection.prediction_check import without_new_missing
    >>> own = encode_X([[np.nan], [1.0]], min_rows=1)
    >>> without_new_missing(own, encode_X([[2.0], [4.0]])).values.tolist()
    [[3.0], [1.0]]
    """
    for j in rows.schema.missing - others.schema.missing:
        column = rows.values[:, j]
        column[np.isnan(column)] = others.values[:, j].mean()
    return rows


def _check_selected(selected: Any, n_features: int) -> NDArray[np.intp]:
    columns = np.asarray(selected)
    wanted = f"a list of column positions from 0 to {n_features - 1}"
    if columns.ndim != 1 or (columns.size and columns.dtype.kind not in "iu"):
        raise TypeError(must_be("selected", wanted, shown(selected)))
    if columns.size and not (columns.min() >= 0 and columns.max() < n_features):
        raise ValueError(must_be("selected", wanted, shown(selected)))
    return columns.astype(np.intp)


def _folds(n_rows: int, n_folds: int, entropy: int) -> NDArray[np.intp]:
    """Return the fold of each row: random, of sizes that differ by one at most."""
    folds = np.empty(n_rows, dtype=np.intp)
    folds[random_order(entropy, Role.FOLDS, 0, n_rows)] = np.arange(n_rows) % n_folds
    return folds
