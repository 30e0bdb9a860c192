"""Replicate fits on threads: from data and a prior to `Draws`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc._core import SavedForests
from bayesvc._typing import PathLike
from bayesvc._validation import (
    check_flag,
    check_integer,
    check_memory,
    resolve_n_jobs,
    resolve_random_state,
)
from bayesvc.data.dataset import (
    Dataset,
    EncodedData,
    WeightedResponse,
    check_forest_memory,
    check_prior_fits_data,
)
from bayesvc.data.schema import Groups
from bayesvc.draws.draws import Draws, tally_layout
from bayesvc.priors.base import DART, Calibration, TreePrior, check_prior, core_settings
from bayesvc.priors.spike_forest import SpikeForest, reject_arguments
from bayesvc.sampling.checkpoint import Checkpoint, open_checkpoint
from bayesvc.sampling.executor import (
    DEFAULT_DRAWS,
    ROLE_FIT,
    ChainConfig,
    FitTask,
    fit_seed,
    run_fits,
)
from bayesvc.sampling.progress import ProgressCallback, check_progress

_KEPT_TREE_BYTES = 72  # of a tree with four nodes


def sample(
    X: Any,
    y: Any,
    prior: TreePrior | None = None,
    n_replicates: int | None = None,
    n_trees: int = 20,
    burn_in: int | None = None,
    n_draws: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = -1,
    progress: bool | ProgressCallback | None = None,
    *,
    response: Literal["auto", "continuous", "binary"] = "auto",
    keep_counts: bool = False,
    keep_s: bool = False,
    keep_trees: bool = False,
    checkpoint: PathLike | None = None,
    groups: Groups | None = None,
    sample_weight: Any = None,
) -> Draws:
    """Fit a Bayesian forest several times, independently, and tally which variables it uses.

    Parameters
    ----------
    X : array, data frame or sparse matrix (n_rows, n_features)
        Predictors: numbers, truth values or categories (text and categorical types of pandas,
        polars and pyarrow); missing values are allowed. A column of categories is one variable.
    y : array, series or list (n_rows,)
        Response: numbers, or two classes (probit model). A pandas series is matched to a pandas X
        by its index.
    prior : DART, BART or SpikeForest, optional
        Tree prior; ``DART()`` by default. `SpikeForest` says itself how many forests it takes and
        keeps one draw of each: with it `n_replicates`, `n_draws` and the ``keep_`` flags are
        errors.
    n_replicates : int, optional
        Number of independent fits; 10 by default.
    n_trees : int, default 20
        Trees in a forest.
    burn_in, n_draws : int, optional
        Draws thrown away and draws kept, per fit; 5000 each by default, and for `SpikeForest` the
        `burn_in` of the prior.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed of everything. The same data, settings and seed give the same result on any number
        of threads. None takes a fresh one, found afterwards in ``draws.random_state``.
    n_jobs : int or None, default -1
        Number of threads; -1 uses all CPUs that this process may use. None follows scikit-learn:
        one thread unless ``joblib.parallel_config`` says otherwise.
    progress : bool or callable, optional
        True draws a bar on a terminal; a callable receives ``(done, total)`` sweeps.
    response : {"auto", "continuous", "binary"}
        "auto" takes truth values, two classes of text, and numbers that are all 0 or 1 for
        binary.
    keep_counts, keep_s, keep_trees : bool, default False
        Keep the splits per variable, the split probabilities, or the trees of every draw.
        The trees are what ``draws.predict`` needs.
    checkpoint : path, optional
        Folder for finished fits: a run that was stopped goes on from there to the same result.
        It needs a `random_state`. Samples of `SpikeForest` are not kept.
    groups : mapping from str to columns, optional
        Columns, by name or position, that are one variable, by the name of the variable; the
        other columns are a variable each.
    sample_weight : array (n_rows,), optional
        How many times as precise the response is in each row: the error variance there is
        ``sigma**2 / weight``, weights being scaled to mean 1. Rows of weight 0 are left out. Only
        for a continuous response, and not with `SpikeForest`.

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
    if isinstance(prior, SpikeForest):
        from bayesvc.sampling.abc import sample_abc  # it builds on this module

        reject_arguments(
            n_replicates=n_replicates, n_draws=n_draws, keep_counts=keep_counts, keep_s=keep_s,
            keep_trees=keep_trees, sample_weight=sample_weight,
        )  # fmt: skip
        return sample_abc(
            X, y, prior, n_trees, burn_in, random_state, n_jobs, progress, response=response,
            groups=groups,
        )  # fmt: skip
    n_replicates = check_integer("n_replicates", 10 if n_replicates is None else n_replicates, 1)
    n_trees = check_integer("n_trees", n_trees, 1)
    length = ChainConfig(
        burn_in=check_integer("burn_in", DEFAULT_DRAWS if burn_in is None else burn_in, 0),
        n_draws=check_integer("n_draws", DEFAULT_DRAWS if n_draws is None else n_draws, 1),
        keep_counts=check_flag("keep_counts", keep_counts),
        keep_s=check_flag("keep_s", keep_s),
        keep_trees=check_flag("keep_trees", keep_trees),
    )
    threads = resolve_n_jobs(n_jobs)
    check_progress(progress)
    kept = open_checkpoint(checkpoint, random_state)
    entropy = resolve_random_state(random_state)
    data = Dataset(
        X, y, response, groups=groups, sample_weight=sample_weight,
        keep_values=length.keep_trees, n_jobs=threads,
    )  # fmt: skip
    check_prior_fits_data(prior, data)
    what = f"n_replicates={n_replicates}"
    check_run_memory(what, n_replicates, length, n_trees, data.shape)
    calibration = data.calibration(prior, data.arranged, n_trees)
    data.forget_linear_model()
    return sample_replicates(
        data.problem, prior, calibration, n_trees, length, range(n_replicates), entropy,
        n_jobs=threads, progress=progress, checkpoint=kept,
    )  # fmt: skip


def sample_replicates(
    problem: EncodedData,
    prior: TreePrior,
    calibration: Calibration,
    n_trees: int,
    length: ChainConfig,
    replicates: Sequence[int],
    entropy: int,
    *,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
    checkpoint: Checkpoint | None = None,
) -> Draws:
    """Run the replicates with the numbers given; each depends on its own number only."""
    p = problem.columns.p
    seeds = [fit_seed(entropy, ROLE_FIT, r) for r in replicates]
    to = WeightedResponse(problem.y.values, problem.weights)
    fits = fits_to(to, prior, calibration, n_trees, p, seeds)
    tallies = Tallies(len(fits), p, length, sigma_unit=calibration.y_range)
    run_fits(
        problem.columns, fits, length, tallies.store, n_jobs=n_jobs, progress=progress,
        checkpoint=checkpoint,
    )  # fmt: skip
    return draws_of(tallies, problem, prior, calibration, n_trees, length, entropy)


def fits_to(
    to: WeightedResponse,
    prior: TreePrior,
    calibration: Calibration,
    n_trees: int,
    n_features: int,
    seeds: Sequence[NDArray[np.uint64]],
) -> list[FitTask]:
    """Return a fit to the response for each seed."""
    settings = core_settings(prior, calibration, n_trees, n_features, to.weights)
    scaled = calibration.scale(to.y)
    return [FitTask(scaled, settings, seed) for seed in seeds]


def draws_of(
    tallies: Tallies,
    problem: EncodedData,
    prior: TreePrior,
    calibration: Calibration,
    n_trees: int,
    length: ChainConfig,
    entropy: int,
) -> Draws:
    """Return what the fits to one problem left behind."""
    return Draws(
        **tallies.contents(),
        prior=prior,
        n_trees=n_trees,
        burn_in=length.burn_in,
        n_draws=length.n_draws,
        response=problem.y.response,
        classes=problem.y.classes,
        random_state=entropy,
        feature_names=problem.names,
        n_rows=problem.columns.n,
        data_hash=problem.data_hash,
        calibration=calibration,
        schema=problem.schema,
        _problem=problem,
    )


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
            f"these draws were made of split counts (source={draws.source!r}), without the data "
            "and the prior that further fits need; pass the counts or models of all fits at once, "
            "or call bayesvc.sample"
        )
    if draws.abc is not None:
        raise ValueError(
            f"these draws are the {draws.n_replicates} best of {draws.abc.n_samples} samples under "
            "SpikeForest, and more samples would change which are best; call bayesvc.sample with "
            "SpikeForest(n_samples=...) of the number wanted in all"
        )
    assert draws.calibration is not None
    assert draws.n_trees is not None
    assert draws.burn_in is not None
    if draws.random_state is None:
        raise ValueError(
            "these draws are chosen from a longer series of replicates, so it is not known which "
            "come next; extend the series that they were taken from"
        )
    n_more = check_integer("n_more", n_more, 1)
    threads = resolve_n_jobs(n_jobs)
    check_progress(progress)
    length = ChainConfig(
        draws.burn_in,
        draws.n_draws,
        keep_counts=draws.counts is not None,
        keep_s=draws.s is not None,
        keep_trees=draws.forests is not None,
    )
    # both the new fits and the joined arrays will be in memory for a moment
    n_fits, shape = draws.n_replicates + 2 * n_more, (draws.n_rows or 0, draws.n_features)
    check_run_memory(f"n_more={n_more}", n_fits, length, draws.n_trees, shape)
    problem = _problem_again(draws, X, y, sample_weight)
    first = draws.n_replicates
    more = sample_replicates(
        problem, draws.prior, draws.calibration, draws.n_trees, length,
        range(first, first + n_more), draws.random_state, n_jobs=threads, progress=progress,
    )  # fmt: skip
    return join(draws, more)


def join(first: Draws, second: Draws) -> Draws:
    """Return the replicates of both; they must come from the same run."""
    fields = dict(second.__dict__)
    fields["feature_names"] = first.feature_names
    for name in tally_layout(0, 0):
        if fields[name] is not None:
            fields[name] = np.concatenate([getattr(first, name), fields[name]])
    if first.forests is not None and second.forests is not None:
        fields["forests"] = first.forests + second.forests
    return Draws(**fields)


class Tallies:
    """Arrays for the results of several fits, filled as they finish, in any order."""

    def __init__(
        self, n_fits: int, n_features: int, length: ChainConfig, sigma_unit: float
    ) -> None:
        absent = {"counts": not length.keep_counts, "s": not length.keep_s}
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.empty((n_fits, *shape), dtype)
            for name, (shape, dtype) in tally_layout(n_features, length.n_draws).items()
            if not absent.get(name)
        }
        self._forests: list[SavedForests | None] = [None] * n_fits
        self._keep_trees = length.keep_trees
        self._batches = (0, 0)
        self._sigma_unit = sigma_unit

    def store(self, i: int, result: dict[str, Any]) -> None:
        """Take over the result of fit `i`."""
        for name, array in self._arrays.items():
            array[i] = result[name]
        self._arrays["sigma"][i] *= self._sigma_unit
        self._forests[i] = result["forests"]
        self._batches = (int(result["n_batches"]), int(result["batch_size"]))

    def contents(self) -> dict[str, Any]:
        """Return everything by the names it has in `Draws`."""
        forests = tuple(self._forests) if self._keep_trees else None
        n_batches, batch_size = self._batches
        return {
            **self._arrays,
            "forests": forests,
            "n_batches": n_batches,
            "batch_size": batch_size,
        }


def check_run_memory(
    what: str, n_fits: int, length: ChainConfig, n_trees: int, shape: tuple[int, ...]
) -> None:
    """Raise MemoryError if a forest, or what so many fits leave behind, is too large."""
    n_rows, n_features = shape
    check_forest_memory(n_trees, n_rows)
    _check_kept_memory(length, n_fits, n_features)
    layout = tally_layout(n_features, length.n_draws)
    per_fit = sum(
        math.prod(shape) * np.dtype(dtype).itemsize
        for name, (shape, dtype) in layout.items()
        if name not in ("counts", "s")
    )
    what = f"{what} with n_draws={length.n_draws}"
    check_memory(what, (n_fits,), per_fit, "use fewer", items="fits")
    if length.keep_trees:
        remedy = "use fewer n_replicates, n_draws or n_trees"
        size = (n_fits, length.n_draws, n_trees)
        check_memory("keep_trees=True", size, _KEPT_TREE_BYTES, remedy, items="trees")


def _check_kept_memory(length: ChainConfig, n_replicates: int, n_features: int) -> None:
    shape = (n_replicates, length.n_draws, n_features)
    remedy = "use fewer n_replicates or n_draws, or leave it False: the tallies need no draws"
    if length.keep_counts and length.keep_s:
        check_memory("keep_counts=True and keep_s=True", shape, 6, remedy)
    elif length.keep_counts:
        check_memory("keep_counts=True", shape, 2, remedy)
    elif length.keep_s:
        check_memory("keep_s=True", shape, 4, remedy)


def _problem_again(draws: Draws, X: Any, y: Any, sample_weight: Any) -> EncodedData:
    """Return the data of `draws`, from memory or from the caller, whose hash must match."""
    if X is None and y is None and sample_weight is None:
        if draws._problem is None:
            raise ValueError(
                "X=None and y=None, but these draws were loaded from a file, which holds no data; "
                "pass the X and y of the first fits (and the sample_weight, if there was one)"
            )
        return draws._problem
    if X is None or y is None:
        missing, given = ("X", "y") if X is None else ("y", "X")
        given = "sample_weight" if X is y else given
        raise ValueError(f"{missing}=None although {given} was given; pass both or neither")
    assert draws.response is not None
    groups = None if draws.schema is None else draws.schema.groups
    problem = Dataset(
        X, y, draws.response, groups=groups, sample_weight=sample_weight,
        keep_values=draws.forests is not None,
    ).problem  # fmt: skip
    if problem.data_hash != draws.data_hash:
        raise ValueError(
            f"X and y (hash {problem.data_hash}) are not the data of the first fits (hash "
            f"{draws.data_hash}); pass the same rows and columns in the same order, with the "
            "same weights of rows if there were any"
        )
    return replace(problem, names=draws.feature_names)
