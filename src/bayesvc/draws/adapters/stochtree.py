"""`Draws` from models of stochtree, which is never imported here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.draws.adapters.chains import Chains, draws_of_chains, each_item, is_instance_of
from bayesvc.draws.draws import Draws


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
    chains = [_chains(name, model) for name, model in each_item("models", models)]
    return draws_of_chains(chains, feature_names, "stochtree")


def _chains(name: str, model: Any) -> Chains:
    model = getattr(model, "model_", model)  # what the scikit-learn estimators wrap
    if not is_instance_of(model, "stochtree", "BARTModel") or not model.is_sampled():
        raise TypeError(
            f"`{name}` must be a sampled stochtree.BARTModel. Got a {type(model).__name__} "
            "instead. Call its method `sample` first."
        )
    if not model.include_mean_forest:
        raise ValueError(
            f"`{name}` must have a mean forest, whose splits are counted. Fit a model with "
            "include_mean_forest=True."
        )
    forests = model.forest_container_mean
    n_chains, n_draws = model.num_chains, model.num_mcmc
    if n_draws == 0:
        n_chains, n_draws = 1, model.num_gfr
    if forests.num_samples() != n_chains * n_draws:
        raise ValueError(
            f"`{name}` must hold one forest for each of the {n_draws} draws of {n_chains} chains. "
            f"Got {forests.num_samples()} forests instead. Sample with keep_burnin=False and "
            "keep_gfr=False, and pass several models as a list instead of joining them."
        )
    encoding = model._covariate_preprocessor  # stochtree offers no public way to the columns
    column_of = np.asarray(encoding.fetch_original_feature_indices())
    counts = np.empty((n_chains * n_draws, encoding._num_original_features), np.uint16)
    for k, row in enumerate(counts):
        splits = forests.get_forest_split_counts(k, len(column_of))
        row[:] = np.bincount(column_of, weights=splits, minlength=len(row))
    sigma = _sigma(model, len(counts))
    by_chain = counts.reshape(n_chains, n_draws, -1)
    return Chains(by_chain, sigma.reshape(n_chains, n_draws))


def _sigma(model: Any, n_forests: int) -> FloatArray:
    if model.include_variance_forest or model.outcome_model.link == "cloglog":
        return np.full(n_forests, np.nan)
    if model.sample_sigma2_global:
        return np.sqrt(np.asarray(model.extract_parameter("sigma2"), dtype=np.float64))
    return np.full(n_forests, float(model.y_std) * math.sqrt(model.sigma2_init))
