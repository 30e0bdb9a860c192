"""Replicate fits on threads: from data and a prior to `Draws`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc._validation import (
    check_flag,
    check_integer,
    check_memory,
    resolve_n_jobs,
    resolve_random_state,
)
from bayesvc.draws import Draws, tally_layout
from bayesvc.encode import EncodedY, data_hash, encode_X, encode_y
from bayesvc.priors import (
    DART,
    Calibration,
    TreePrior,
    calibrate,
    check_prior,
    core_settings,
    needs_linear_model,
)
from bayesvc.progress import Progress, ProgressCallback, check_progress

_T = TypeVar("_T")

# First part of the spawn key: what a stream of random numbers is for.
ROLE_FIT, ROLE_PERMUTATION, ROLE_PERMUTED_FIT = 0, 1, 2

# Short enough that Ctrl-C is noticed at once even where waiting cannot be interrupted.
_SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True, eq=False)
class Problem:
    """Encoded data, kept so that more fits can follow."""

    columns: _core.Columns
    names: tuple[str, ...]
    y: EncodedY
    data_hash: str


@dataclass(frozen=True)
class Length:
    """How long each fit runs, and what it keeps besides the tallies."""

    burn_in: int
    n_draws: int
    keep_counts: bool = False
    keep_s: bool = False
    keep_trees: bool = False


@dataclass(frozen=True, eq=False)
class Fit:
    """One fit to run: the scaled response, the settings and the seed."""

    y: NDArray[np.float64]
    settings: _core.Settings
    seed: NDArray[np.uint64]


def sample(
    X: Any,
    y: Any,
    prior: TreePrior | None = None,
    n_replicates: int = 10,
    n_trees: int = 20,
    burn_in: int = 5000,
    n_draws: int = 5000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | ProgressCallback | None = None,
    *,
    response: Literal["auto", "continuous", "binary"] = "auto",
    keep_counts: bool = False,
    keep_s: bool = False,
    keep_trees: bool = False,
) -> Draws:
    """Fit a Bayesian forest several times, independently, and tally which variables it uses.

    Parameters
    ----------
    X : array or data frame (n_rows, n_features)
        Predictors: numbers or truth values, without missing values.
    y : array, series or list (n_rows,)
        Response: numbers, or two classes (probit model).
    prior : DART or BART, optional
        Tree prior; ``DART()`` by default.
    n_replicates : int, default 10
        Number of independent fits.
    n_trees : int, default 20
        Trees in a forest.
    burn_in, n_draws : int, default 5000
        Draws thrown away and draws kept, per fit.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed of everything. The same data, settings and seed give the same result on any number
        of threads. None takes a fresh one, found afterwards in ``draws.random_state``.
    n_jobs : int, optional
        Threads; None and -1 take every CPU this process may use.
    progress : bool or callable, optional
        True draws a bar on a terminal; a callable receives ``(done, total)`` sweeps.
    response : {"auto", "continuous", "binary"}
        "auto" takes truth values, two classes of text, and numbers that are all 0 or 1 for
        binary.
    keep_counts, keep_s, keep_trees : bool, default False
        Keep the splits per variable, the split probabilities, or the trees of every draw.
        The trees are what ``draws.predict`` needs.

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
    """
    prior = check_prior(DART() if prior is None else prior)
    n_replicates = check_integer("n_replicates", n_replicates, 1)
    n_trees = check_integer("n_trees", n_trees, 1)
    length = Length(
        burn_in=check_integer("burn_in", burn_in, 0),
        n_draws=check_integer("n_draws", n_draws, 1),
        keep_counts=check_flag("keep_counts", keep_counts),
        keep_s=check_flag("keep_s", keep_s),
        keep_trees=check_flag("keep_trees", keep_trees),
    )
    threads = resolve_n_jobs(n_jobs)
    check_progress(progress)
    entropy = resolve_random_state(random_state)
    problem, calibration = _prepare(X, y, prior, response, n_trees, n_replicates, length)
    return sample_replicates(
        problem, prior, calibration, n_trees, length, range(n_replicates), entropy,
        n_jobs=threads, progress=progress,
    )  # fmt: skip


def _prepare(
    X: Any,
    y: Any,
    prior: TreePrior,
    response: Literal["auto", "continuous", "binary"],
    n_trees: int,
    n_replicates: int,
    length: Length,
) -> tuple[Problem, Calibration]:
    """Check and encode the data and calibrate the prior to them."""
    encoded = encode_X(X)
    encoded_y = encode_y(y, response, n_rows=len(encoded.values))
    binary = encoded_y.response == "binary"
    check_prior_fits_data(prior, *encoded.values.shape, binary=binary)
    _check_kept_memory(length, n_replicates, len(encoded.names))
    linear_model = None
    if needs_linear_model(prior, binary=binary):
        linear_model = interruptible(lambda: _core.LinearModel(encoded.values))
    calibration = calibrate(
        prior, encoded_y.values, n_trees, binary=binary, linear_model=linear_model
    )
    columns = interruptible(lambda: _core.Columns(encoded.values, keep_values=length.keep_trees))
    hashed = data_hash(columns, encoded_y.values)
    return Problem(columns, encoded.names, encoded_y, hashed), calibration


def sample_replicates(
    problem: Problem,
    prior: TreePrior,
    calibration: Calibration,
    n_trees: int,
    length: Length,
    replicates: Sequence[int],
    entropy: int,
    *,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
) -> Draws:
    """Run the replicates with the numbers given; each depends on its own number only."""
    settings = core_settings(prior, calibration, n_trees, problem.columns.p)
    scaled = calibration.scale(problem.y.values)
    fits = [Fit(scaled, settings, fit_seed(entropy, ROLE_FIT, r)) for r in replicates]
    tallies = Tallies(len(fits), problem.columns.p, length, sigma_unit=calibration.y_range)
    run_fits(problem.columns, fits, length, tallies.store, n_jobs=n_jobs, progress=progress)
    return draws_of(tallies, problem, prior, calibration, n_trees, length, entropy)


def draws_of(
    tallies: Tallies,
    problem: Problem,
    prior: TreePrior,
    calibration: Calibration,
    n_trees: int,
    length: Length,
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
        _problem=problem,
    )


def extend_draws(
    draws: Draws,
    n_more: int,
    X: Any = None,
    y: Any = None,
    *,
    n_jobs: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Draws:
    """Return `draws` with `n_more` further replicates; see `Draws.extend`."""
    if draws.prior is None:
        raise ValueError(
            f"these draws were made of split counts (source={draws.source!r}), without the data "
            "and the prior that further fits need; pass the counts or models of all fits at once, "
            "or call bayesvc.sample"
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
    length = Length(
        draws.burn_in,
        draws.n_draws,
        keep_counts=draws.counts is not None,
        keep_s=draws.s is not None,
        keep_trees=draws.forests is not None,
    )
    # both the new fits and the joined arrays will be in memory for a moment
    _check_kept_memory(length, draws.n_replicates + 2 * n_more, draws.n_features)
    problem = _problem_again(draws, X, y)
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


def run_fits(
    columns: _core.Columns,
    fits: Sequence[Fit],
    length: Length,
    store: Callable[[int, dict[str, Any]], None],
    *,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
) -> None:
    """Run fits on threads and hand each result, with its index, to `store` on its thread.

    An interrupt or an error stops all fits before it is raised again.
    """
    controls = [_core.Control() for _ in fits]
    report = Progress(progress, total=len(fits) * (length.burn_in + length.n_draws))

    def run(i: int) -> None:
        fit = fits[i]
        result = _core.fit(
            columns, fit.y, fit.settings, fit.seed, length.burn_in, length.n_draws,
            length.keep_counts, length.keep_s, length.keep_trees, controls[i],
        )  # fmt: skip
        store(i, result)

    executor = ThreadPoolExecutor(max_workers=max(1, min(n_jobs, len(fits))))
    try:
        pending = {executor.submit(run, i) for i in range(len(fits))}
        while pending:
            done, pending = wait(pending, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            for future in done:
                future.result()
            report.update(sum(control.sweeps_done for control in controls))
    except BaseException:
        report.abandon()
        for control in controls:
            control.cancel()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
    report.finish()


def interruptible(compute: Callable[[], _T]) -> _T:
    """Compute on a thread of its own, so that Ctrl-C is heard during one long call of the core.

    After an interrupt the call goes on unseen until it ends; nothing waits for it.
    """
    outcome: list[_T] = []
    error: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(compute())
        except BaseException as caught:  # raised again below, on the caller's thread
            error.append(caught)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_SECONDS_BETWEEN_LOOKS)
    if error:
        raise error[0]
    return outcome[0]


class Tallies:
    """Arrays for the results of several fits, filled as they finish, in any order."""

    def __init__(self, n_fits: int, n_features: int, length: Length, sigma_unit: float) -> None:
        absent = {"counts": not length.keep_counts, "s": not length.keep_s}
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.empty((n_fits, *shape), dtype)
            for name, (shape, dtype) in tally_layout(n_features, length.n_draws).items()
            if not absent.get(name)
        }
        self._forests: list[_core.SavedForests | None] = [None] * n_fits
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


def fit_seed(entropy: int, role: int, replicate: int) -> NDArray[np.uint64]:
    """Return the seed of one fit, which no other role or replicate shares."""
    sequence = np.random.SeedSequence(entropy, spawn_key=(role, replicate))
    return sequence.generate_state(4, np.uint64).astype(np.uint64, copy=False)


def check_prior_fits_data(prior: TreePrior, n: int, p: int, *, binary: bool) -> None:
    """Raise ValueError if settings of the prior cannot go with data of this size and kind."""
    weights = prior.split_weights
    if weights is not None and len(weights) != p:
        raise ValueError(
            f"split_weights has {len(weights)} numbers but X has {p} columns; pass one per column"
        )
    if 2 * prior.min_samples_leaf > n:
        raise ValueError(
            f"min_samples_leaf={prior.min_samples_leaf} leaves no room for a split of {n} rows; "
            f"pass at most {n // 2}"
        )
    if binary:
        for name in ("sigma", "sigma_hat"):
            value = getattr(prior, name)
            if isinstance(value, float):
                raise ValueError(
                    f"{name}={value!r} has no meaning for a binary response, whose latent sigma "
                    f"is 1; leave {name}=None, or pass response='continuous'"
                )


def _check_kept_memory(length: Length, n_replicates: int, n_features: int) -> None:
    shape = (n_replicates, length.n_draws, n_features)
    remedy = "use fewer n_replicates or n_draws, or leave it False: the tallies need no draws"
    if length.keep_counts and length.keep_s:
        check_memory("keep_counts=True and keep_s=True", shape, 6, remedy)
    elif length.keep_counts:
        check_memory("keep_counts=True", shape, 2, remedy)
    elif length.keep_s:
        check_memory("keep_s=True", shape, 4, remedy)


def _problem_again(draws: Draws, X: Any, y: Any) -> Problem:
    """Return the data of `draws`, from memory or from the caller, whose hash must match."""
    if X is None and y is None:
        if draws._problem is None:
            raise ValueError(
                "X=None and y=None, but these draws were loaded from a file, which holds no data; "
                "pass the X and y of the first fits"
            )
        return draws._problem
    if X is None or y is None:
        missing, given = ("X", "y") if X is None else ("y", "X")
        raise ValueError(f"{missing}=None although {given} was given; pass both or neither")
    encoded = encode_X(X)
    assert draws.response is not None
    encoded_y = encode_y(y, draws.response, n_rows=len(encoded.values))
    columns = interruptible(
        lambda: _core.Columns(encoded.values, keep_values=draws.forests is not None)
    )
    hashed = data_hash(columns, encoded_y.values)
    if hashed != draws.data_hash:
        raise ValueError(
            f"X and y (hash {hashed}) are not the data of the first fits (hash "
            f"{draws.data_hash}); pass the same rows and columns in the same order"
        )
    return Problem(columns, draws.feature_names, encoded_y, hashed)
