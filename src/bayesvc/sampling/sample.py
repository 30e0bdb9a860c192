"""`sample` and `extend`: from data and a prior to `Draws`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from bayesvc._typing import PathLike
from bayesvc._validation import check_integer
from bayesvc.data.dataset import EncodedData
from bayesvc.data.schema import Groups
from bayesvc.draws.draws import Draws
from bayesvc.priors import DART, TreePrior, check_prior
from bayesvc.responses.base import Response
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.chain import sample_replicates
from bayesvc.sampling.config import check_sampling_config
from bayesvc.sampling.memory import check_run_memory
from bayesvc.sampling.plan import sample_priors
from bayesvc.sampling.progress import ProgressCallback
from bayesvc.sampling.replicates import ReplicateCounts, join

_DEFAULT_REPLICATES = 10


def sample(
    X: Any,
    y: Any,
    prior: TreePrior | None = None,
    n_replicates: int | None = None,
    n_trees: int = 20,
    burn_in: int | Literal["auto"] | None = None,
    n_draws: int | Literal["auto"] | None = None,
    random_state: Any = None,
    n_jobs: int | None = -1,
    progress: bool | ProgressCallback | None = None,
    *,
    response: str | Response = "auto",
    keep_counts: bool = False,
    keep_s: bool = False,
    keep_trees: bool = False,
    checkpoint: PathLike | None = None,
    groups: Groups | None = None,
    sample_weight: Any = None,
) -> Draws:
    """Fit a Bayesian forest in independent replicates, and tally which variables it uses.

    Parameters
    ----------
    X : array, data frame, lazy frame of polars or sparse matrix (n_rows, n_features)
        Columns of numbers, booleans or categories (text and categorical types of pandas, polars
        and pyarrow). Missing values are allowed. A categorical column is one variable.
    y : array, series, list or Surv (n_rows,)
        Response: numbers, two classes (probit model), or survival times (`Surv`, or a structured
        array like those of scikit-survival). A pandas series is matched to a pandas X by its index.
    prior : DART, BART or SpikeForest, optional
        Tree prior; ``DART()`` by default. `SpikeForest` has settings of its own for the number of
        forests, and keeps one draw of each: with it `n_replicates`, `n_draws` and the ``keep_``
        flags are errors.
    n_replicates : int, optional
        Number of independent replicates; 10 by default.
    n_trees : int, default 20
        Number of trees in a forest.
    burn_in, n_draws : int or "auto", optional
        Number of iterations discarded and of draws kept, per replicate; 5000 each by default. For
        `SpikeForest` the default is the `burn_in` of the prior. "auto" tries 1000, 2000 and 5000,
        and stops at the first length at which the importance is stable (see `bayesvc.select`).
    random_state : int, Generator, RandomState, SeedSequence or None
        Random seed. The same data, settings and seed give the same result on any number of
        threads. None takes a fresh seed, found afterwards in ``draws.random_state``.
    n_jobs : int, optional
        Threads; None and -1 take every CPU this process may use.
    progress : bool or callable, optional
        True draws a bar on a terminal; a callable receives ``(done, total)`` iterations.
    response : {"auto", "continuous", "binary", "survival"} or Response
        Kind of response. "auto" takes booleans, two classes of text, and numbers that are all 0
        or 1 for binary, and a `Surv` for survival.
    keep_counts, keep_s, keep_trees : bool, default False
        Keep the splits per variable, the split probabilities, or the trees of every draw.
        The trees are what ``draws.predict`` needs.
    checkpoint : path, optional
        Folder for finished replicates: a run that was stopped goes on from there to the same
        result. It needs a `random_state`. Samples of `SpikeForest` are not kept.
    groups : mapping from str to columns, optional
        Column groups: the columns, by name or position, that make up one variable, by the name of
        the variable. Every other column is a variable of its own.
    sample_weight : array (n_rows,), optional
        Relative precision of the response in each row: the error variance there is
        ``sigma**2 / weight``, with weights scaled to mean 1. Rows of weight 0 are left out. Not for
        a binary response, and not with `SpikeForest`.

    Returns
    -------
    Draws

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 5))
    >>> y = 10 * X[:, 2] + X[:, 4]
    >>> draws = bv.sample(X, y, bv.BART(), n_replicates=2, burn_in=100, n_draws=100, random_state=0)
    >>> int(draws.vc.mean(axis=0).argmax())
    2

    Missing values, categories and groups:

    >>> import pandas as pd
    >>> frame = pd.DataFrame(X, columns=list("abcde"))
    >>> frame["colour"] = np.where(X[:, 0] > 0.5, "red", "blue")
    >>> frame.loc[:9, "c"] = np.nan
    >>> short = {"n_replicates": 1, "burn_in": 100, "n_draws": 100, "random_state": 0}
    >>> draws = bv.sample(frame, y, groups={"ends": ["a", "e"]}, **short)
    >>> draws.feature_names
    ('ends', 'b', 'c', 'd', 'colour')
    """
    prior = check_prior(DART() if prior is None else prior)
    prior.reject_arguments(
        n_replicates=n_replicates,
        n_draws=n_draws,
        keep_counts=keep_counts,
        keep_s=keep_s,
        keep_trees=keep_trees,
        sample_weight=sample_weight,
    )
    if n_replicates is None:
        n_replicates = _DEFAULT_REPLICATES
    need = ReplicateCounts(check_integer("n_replicates", n_replicates, 1), 0)
    config = check_sampling_config(
        n_trees,
        burn_in,
        n_draws,
        random_state,
        n_jobs,
        progress,
        checkpoint,
        keep_counts=keep_counts,
        keep_s=keep_s,
        keep_trees=keep_trees,
    )
    prior = prior.with_burn_in(burn_in)
    data = read_dataset(
        X,
        y,
        response,
        groups=groups,
        sample_weight=sample_weight,
        keep_values=config.chain.keep_trees,
        n_jobs=config.n_jobs,
    )
    return sample_priors(data, {prior: need}, config)[prior].draws


def extend_draws(
    draws: Draws,
    n_more: int,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = -1,
    progress: bool | ProgressCallback | None = None,
) -> Draws:
    """Return `draws` with `n_more` further replicates; see `Draws.extend`."""
    if draws.prior is None:
        raise ValueError(
            f"These draws were made from split counts (source={draws.source!r}), without the data "
            "and the prior that further replicates need. Pass the counts or models of all "
            "replicates at once, or call bayesvc.sample."
        )
    if draws.abc is not None:
        raise ValueError(
            f"These draws are the {draws.n_replicates} best of {draws.abc.n_samples} samples under "
            "SpikeForest, and more samples would change which are best. Call bayesvc.sample with "
            "SpikeForest(n_samples=...) and the total number of samples wanted."
        )
    if draws.random_state is None:
        raise ValueError(
            "These draws were taken from a longer series of replicates, so it is not known which "
            "come next. Extend the series that they were taken from."
        )
    assert draws.calibration is not None
    n_more = check_integer("n_more", n_more, 1)
    config = check_sampling_config(
        draws.n_trees,
        draws.burn_in,
        draws.n_draws,
        draws.random_state,
        n_jobs,
        progress,
        keep_counts=draws.counts is not None,
        keep_s=draws.s is not None,
        keep_trees=draws.forests is not None,
    )
    # both the new replicates and the joined arrays will be in memory for a moment
    n_chains, shape = draws.n_replicates + 2 * n_more, (draws.n_rows or 0, draws.n_features)
    check_run_memory(f"n_more={n_more}", n_chains, config, shape, draws.prior)
    data = _data_again(draws, X, y, sample_weight)
    numbers = range(draws.n_replicates, draws.n_replicates + n_more)
    more = sample_replicates(data, draws.prior, draws.calibration, numbers, config)
    return join(draws, more)


def _data_again(draws: Draws, X: Any, y: Any, sample_weight: Any) -> EncodedData:
    """Return the data of `draws`, from memory or from the caller, whose hash must match."""
    if X is None and y is None and sample_weight is None:
        if draws._encoded is None:
            raise ValueError(
                "`X` and `y` must be given, because these draws were loaded from a file, which "
                "holds no data. Pass the data of the first replicates, with their `sample_weight` "
                "if there was one."
            )
        return draws._encoded
    if X is None or y is None:
        missing, given = ("X", "y") if X is None else ("y", "X")
        given = "sample_weight" if X is y else given
        raise ValueError(f"`{missing}` must be given together with `{given}`. Got None instead.")
    assert draws.response is not None
    data = read_dataset(
        X,
        y,
        draws.response,
        groups=None if draws.schema is None else draws.schema.groups,
        sample_weight=sample_weight,
        keep_values=draws.forests is not None,
    ).encoded
    if data.data_hash != draws.data_hash:
        raise ValueError(
            f"`X` and `y` must be the data of the first replicates (hash {draws.data_hash}). Got "
            f"data with hash {data.data_hash} instead. Pass the same rows and columns in the same "
            "order, with the same row weights if there were any."
        )
    return replace(data, names=draws.feature_names)
