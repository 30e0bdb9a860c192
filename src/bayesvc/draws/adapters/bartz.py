"""`Draws` from models of bartz, which is never imported here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesvc._validation import must_be
from bayesvc.draws.adapters.chains import (
    Chains,
    check_counts,
    draws_of_chains,
    each_item,
    is_instance_of,
    unknown_sigma,
)
from bayesvc.draws.draws import Draws


def from_bartz(models: Any, *, feature_names: Sequence[str] | None = None) -> Draws:
    """Make `Draws` of fitted bartz models.

    Parameters
    ----------
    models : bartz.Bart, bartz.BART.gbart, bartz.BART.mc_gbart, or list of them
        Each chain is a replicate.
    feature_names : sequence of str, optional
        Names of the variables; x0, x1, ... by default.

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
    chains = [_chains(name, model) for name, model in each_item("models", models)]
    return draws_of_chains(chains, feature_names, "bartz")


def _chains(name: str, model: Any) -> Chains:
    if is_instance_of(model, "bartz", "Bart"):
        n_chains = model.num_chains or 1
        sigma = np.asarray(model.get_error_sdev(), dtype=np.float64)
        if sigma.ndim == 1 and np.isnan(sigma).all():  # a binary response
            sigma = np.ones_like(sigma)
    elif is_instance_of(model, "bartz", "mc_gbart"):
        n_chains = 1 if model.accept.ndim == 1 else model.accept.shape[1]
        binary = model.sigma_ is None
        sigma = np.ones(model.ndpost) if binary else np.asarray(model.sigma_, dtype=np.float64)
    else:
        wanted = "a bartz.Bart, bartz.BART.gbart or bartz.BART.mc_gbart"
        raise TypeError(must_be(name, wanted, f"a {type(model).__name__}"))
    counts = check_counts(name, model.varcount)
    counts = counts.reshape(n_chains, -1, counts.shape[1])
    if sigma.ndim > 1:
        return Chains(counts, unknown_sigma(counts))
    return Chains(counts, sigma.reshape(n_chains, -1))
