"""`Draws` from the split counts of other programs: plain arrays, stochtree, bartz, pymc-bart.

The functions are also methods of `Draws`, such as ``Draws.from_counts``. The other packages are
never imported: what is read are the objects their users hold.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesvc._typing import FloatArray
from bayesvc._validation import check_number
from bayesvc.draws.adapters.counts import Chains, Counts, check_counts, draws_of_chains

if TYPE_CHECKING:
    from bayesvc.draws.draws import Draws


def from_counts(counts: ArrayLike, *, feature_names: Sequence[str] | None = None) -> Draws:
    """Make `Draws` of the number of splits on each variable in each draw.

    Measures of counts, shares and inclusion follow from them. Metropolis importance, sigma, and
    all that needs the data or the trees do not.

    Parameters
    ----------
    counts : array (n_replicates, n_draws, n_features) or (n_draws, n_features)
        Whole numbers of at least 0. Two dimensions are the draws of one replicate, not the means
        of several: for means make an object with an array ``vc`` and pass it to a measure.
    feature_names : sequence of str, optional
        x0, x1, ... by default.

    Returns
    -------
    Draws

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[2, 0], [1, 1]], [[3, 0], [1, 0]]])
    >>> draws.vc
    array([[1.5, 0.5],
           [2. , 0. ]])
    >>> bv.measures.mpvip(draws)
    array([1.  , 0.25])
    """
    checked = check_counts("counts", counts)
    if checked.ndim == 2:
        checked = checked[np.newaxis]
    return draws_of_chains([Chains(checked, _unknown_sigma(checked))], feature_names, "counts")


def from_stochtree(models: Any, *, feature_names: Sequence[str] | None = None) -> Draws:
    """Make `Draws` of fitted stochtree models.

    Parameters
    ----------
    models : stochtree.BARTModel or list of them
        Each sampled; also the scikit-learn estimators of stochtree. Each chain is a replicate. The
        splits of the mean forest count; those on the columns that stand for one category of a
        variable count for that variable. Without MCMC draws, the grow-from-root forests are taken.
    feature_names : sequence of str, optional
        Names of the columns of X; x0, x1, ... by default.

    Returns
    -------
    Draws
        With sigma, in the units of y, unless a variance forest or a cloglog link leaves none.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from stochtree import BARTModel  # doctest: +SKIP
    >>> models = [BARTModel() for _ in range(5)]  # doctest: +SKIP
    >>> for seed, model in enumerate(models):  # doctest: +SKIP
    ...     model.sample(X_train=X, y_train=y, general_params={"random_seed": seed})
    >>> draws = bv.Draws.from_stochtree(models)  # doctest: +SKIP
    >>> bv.thresholds.clustering(bv.measures.vc_measure(draws))  # doctest: +SKIP
    """
    fits = [_stochtree_chains(name, model) for name, model in _each("models", models)]
    return draws_of_chains(fits, feature_names, "stochtree")


def from_bartz(models: Any, *, feature_names: Sequence[str] | None = None) -> Draws:
    """Make `Draws` of fitted bartz models.

    Parameters
    ----------
    models : bartz.Bart, bartz.BART.gbart, bartz.BART.mc_gbart, or list of them
        Each chain is a replicate.
    feature_names : sequence of str, optional
        Names of the predictors; x0, x1, ... by default.

    Returns
    -------
    Draws
        With sigma: in the units of y, 1 for a binary response, NaN for several responses at once.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bartz import Bart  # doctest: +SKIP
    >>> model = Bart(x_train=X.T, y_train=y, num_chains=4)  # doctest: +SKIP
    >>> draws = bv.Draws.from_bartz(model)  # doctest: +SKIP
    >>> draws.n_replicates  # doctest: +SKIP
    4
    """
    fits = [_bartz_chains(name, model) for name, model in _each("models", models)]
    return draws_of_chains(fits, feature_names, "bartz")


def from_pymc_bart(
    idata: Any,
    model: Any,
    *,
    var_name: str | None = None,
    sigma_name: str | None = None,
    batch: float = 0.1,
    feature_names: Sequence[str] | None = None,
) -> Draws:
    """Make `Draws` of the trace of a PyMC model with a BART variable.

    A step of pymc-bart renews a batch of trees and records the splits of that batch alone. The
    splits of the whole forest are the sum over the last steps that renewed each tree once, so the
    draws of the first two sweeps are left out.

    Chains that PyMC runs one after another (``cores=1``) can share one sampler and go on with each
    other's forest. For independent replicates run them in parallel, or call ``pymc.sample`` once
    for each and pass the list of traces.

    Parameters
    ----------
    idata : InferenceData or DataTree, or list of them
        What ``pymc.sample`` returned, all draws of it. Each chain is a replicate.
    model : pymc.Model
        The model that was sampled; it tells the number of trees.
    var_name : str, optional
        The BART variable, needed if the model has several.
    sigma_name : str, optional
        The variable that is the error sd in the units of y, if there is one.
    batch : float, default 0.1
        Share of the trees renewed in a step after tuning: the second number of the ``batch`` of
        ``PGBART``, if you passed one.
    feature_names : sequence of str, optional
        Names of the predictors; x0, x1, ... by default.

    Returns
    -------
    Draws

    Examples
    --------
    >>> import bayesvc as bv
    >>> import pymc as pm, pymc_bart as pmb  # doctest: +SKIP
    >>> with pm.Model() as model:  # doctest: +SKIP
    ...     mu = pmb.BART("mu", X, y, m=50)
    ...     sigma = pm.HalfNormal("sigma", y.std())
    ...     pm.Normal("y", mu, sigma, observed=y)
    ...     idata = pm.sample(chains=4, cores=4)
    >>> draws = bv.Draws.from_pymc_bart(idata, model, sigma_name="sigma")  # doctest: +SKIP
    """
    index, n_variables, n_trees = _pymc_variable(model, var_name)
    steps = _steps_per_sweep(n_trees, batch)
    fits = []
    for name, one in _each("idata", idata):
        batches = _pymc_batches(name, one, index, n_variables)
        if batches.shape[1] < 2 * steps:
            raise ValueError(
                f"{name} has {batches.shape[1]} draws per chain, but the forest is known only "
                f"after two sweeps of {steps} steps each; draw {2 * steps} or more"
            )
        # Before the first sweep ends, batches can still follow the grid of the tuning phase.
        ends = np.cumsum(batches, axis=1)[:, steps - 1 :]
        counts = check_counts(name, ends[:, steps:] - ends[:, :-steps])
        sigma = _pymc_sigma(name, one, sigma_name, batches.shape[:2])
        fits.append(Chains(counts, sigma[:, 2 * steps - 1 :]))
    return draws_of_chains(fits, feature_names, "pymc-bart")


def _each(name: str, items: Any) -> list[tuple[str, Any]]:
    """Return the items of a list, or a single one, with what to call them in an error."""
    if not isinstance(items, list | tuple):
        return [(name, items)]
    if not items:
        raise ValueError(f"{name} is an empty {type(items).__name__}; pass at least one fit")
    return [(f"{name}[{i}]", item) for i, item in enumerate(items)]


def _is_a(item: object, package: str, *names: str) -> bool:
    """Tell whether `item` is of one of these classes, without importing the package."""
    return any(
        kind.__name__ in names and kind.__module__.partition(".")[0] == package
        for kind in type(item).__mro__
    )


def _unknown_sigma(counts: Counts) -> FloatArray:
    return np.full(counts.shape[:2], np.nan)


def _stochtree_chains(name: str, model: Any) -> Chains:
    model = getattr(model, "model_", model)  # what the scikit-learn estimators wrap
    if not _is_a(model, "stochtree", "BARTModel") or not model.is_sampled():
        raise TypeError(
            f"{name} is a {type(model).__name__}, not a sampled stochtree.BARTModel; "
            "call its method sample first"
        )
    if not model.include_mean_forest:
        raise ValueError(
            f"{name} has no mean forest, whose splits count; fit one with a mean forest"
        )
    forests = model.forest_container_mean
    n_chains, n_draws = model.num_chains, model.num_mcmc
    if n_draws == 0:
        n_chains, n_draws = 1, model.num_gfr
    if forests.num_samples() != n_chains * n_draws:
        raise ValueError(
            f"{name} holds {forests.num_samples()} forests instead of {n_draws} draws of "
            f"{n_chains} chains; sample with keep_burnin=False and keep_gfr=False, and pass "
            "several models as a list instead of joining them"
        )
    encoding = model._covariate_preprocessor  # stochtree offers no public way to the columns
    column_of = np.asarray(encoding.fetch_original_feature_indices())
    counts = np.empty((n_chains * n_draws, encoding._num_original_features), np.uint16)
    for k, row in enumerate(counts):
        splits = forests.get_forest_split_counts(k, len(column_of))
        row[:] = np.bincount(column_of, weights=splits, minlength=len(row))
    sigma = _stochtree_sigma(model, len(counts))
    by_chain = counts.reshape(n_chains, n_draws, -1)
    return Chains(by_chain, sigma.reshape(n_chains, n_draws))


def _stochtree_sigma(model: Any, n_forests: int) -> FloatArray:
    if model.include_variance_forest or model.outcome_model.link == "cloglog":
        return np.full(n_forests, np.nan)
    if model.sample_sigma2_global:
        return np.sqrt(np.asarray(model.extract_parameter("sigma2"), dtype=np.float64))
    return np.full(n_forests, float(model.y_std) * math.sqrt(model.sigma2_init))


def _bartz_chains(name: str, model: Any) -> Chains:
    if _is_a(model, "bartz", "Bart"):
        n_chains = model.num_chains or 1
        sigma = np.asarray(model.get_error_sdev(), dtype=np.float64)
        if sigma.ndim == 1 and np.isnan(sigma).all():  # a binary response
            sigma = np.ones_like(sigma)
    elif _is_a(model, "bartz", "mc_gbart"):
        n_chains = 1 if model.accept.ndim == 1 else model.accept.shape[1]
        binary = model.sigma_ is None
        sigma = np.ones(model.ndpost) if binary else np.asarray(model.sigma_, dtype=np.float64)
    else:
        raise TypeError(
            f"{name} is a {type(model).__name__}; pass a bartz.Bart, bartz.BART.gbart or "
            "bartz.BART.mc_gbart"
        )
    counts = check_counts(name, model.varcount)
    counts = counts.reshape(n_chains, -1, counts.shape[1])
    if sigma.ndim > 1:
        return Chains(counts, _unknown_sigma(counts))
    return Chains(counts, sigma.reshape(n_chains, -1))


def _pymc_variable(model: Any, var_name: str | None) -> tuple[int, int, int]:
    """Return the place of the BART variable among all, how many there are, and its trees."""
    if not hasattr(model, "free_RVs"):
        raise TypeError(f"model={model!r} is no PyMC model; pass the pymc.Model that was sampled")
    owners = {rv.name: rv.owner for rv in model.free_RVs}
    trees = {
        name: int(owner.op.m)
        for name, owner in owners.items()
        if owner is not None and _is_a(owner.op, "pymc_bart", "BARTRV")
    }
    if var_name is None and len(trees) == 1:
        (var_name,) = trees
    if var_name not in trees:
        found = ", ".join(map(repr, trees)) or "none"
        raise ValueError(
            f"var_name={var_name!r} does not name a BART variable of the model, which has: "
            f"{found}; pass one of these, and the model that was sampled"
        )
    return list(trees).index(var_name), len(trees), trees[var_name]


def _steps_per_sweep(n_trees: int, batch: float) -> int:
    """Return the number of steps in which each tree is renewed once."""
    remedy = "pass the second number of the batch of PGBART, by default 0.1"
    share = check_number("batch", batch, above=0, remedy=remedy) * n_trees
    # pymc-bart rounds down up to version 0.11 and to the nearest number afterwards.
    size, rounded = max(1, int(share)), max(1, math.floor(share + 0.5))
    if size != rounded or n_trees % size:
        raise ValueError(
            f"batch={batch!r} of {n_trees} trees is no whole part of the forest, so no number of "
            "steps renews each tree once; fit with a number of trees m, and a batch, such that "
            "m * batch is a whole number that divides m"
        )
    return n_trees // size


def _pymc_batches(name: str, idata: Any, index: int, n_variables: int) -> NDArray[np.int64]:
    """Return the splits that each step recorded (chain, step, predictor)."""
    try:
        recorded = idata["sample_stats"]["variable_inclusion"]
        codes = np.asarray(recorded.transpose("chain", "draw", ...).values)
        steps = np.asarray(recorded["draw"].values)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        raise ValueError(
            f"{name} has no variable_inclusion by chain and draw among its sample_stats; pass what "
            "pymc.sample returned for a model with a BART variable"
        ) from None
    codes = codes.reshape(*codes.shape[:2], -1)
    if codes.shape[2] != n_variables:
        raise ValueError(
            f"{name} records {codes.shape[2]} BART variables but the model has {n_variables}; pass "
            "the model that was sampled"
        )
    if (np.diff(steps) != 1).any():
        raise ValueError(
            f"{name} lacks some of the draws from {steps[0]} to {steps[-1]}, but each tells of a "
            "part of the forest; pass the trace as pymc.sample returned it, not thinned"
        )
    try:
        return np.array([[_decoded(code) for code in chain] for chain in codes[:, :, index]])
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds variable_inclusion in a form that is not known here, such as "
            f"{codes[0, 0, index]!r}; sample with a current pymc-bart"
        ) from None


def _decoded(code: str) -> NDArray[np.int64]:
    """Decode base64 of numbers of 7 bits a byte, lowest first; a high bit says more will come."""
    data = np.frombuffer(base64.b64decode(code, validate=True), np.uint8).astype(np.int64)
    starts = np.flatnonzero(np.append(True, data[:-1] < 128))
    lengths = np.diff(np.append(starts, len(data)))
    position = np.arange(len(data)) - np.repeat(starts, lengths)
    return np.add.reduceat((data & 127) << (7 * position), starts)


def _pymc_sigma(
    name: str, idata: Any, sigma_name: str | None, shape: tuple[int, ...]
) -> FloatArray:
    if sigma_name is None:
        return np.full(shape, np.nan)
    posterior = idata["posterior"]
    if sigma_name not in posterior or posterior[sigma_name].shape != shape:
        known = [str(key) for key in posterior if posterior[key].shape == shape]
        raise ValueError(
            f"sigma_name={sigma_name!r} is no single number per draw in the posterior of {name}; "
            f"pass one of {known}, or None"
        )
    return np.asarray(posterior[sigma_name].values, dtype=np.float64)
