"""`Draws` from traces of pymc-bart, which is never imported here."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray
from bayesvc._validation import check_number, must_be, shown
from bayesvc.draws.adapters.chains import (
    Chains,
    check_counts,
    draws_of_chains,
    each_item,
    is_instance_of,
)
from bayesvc.draws.draws import Draws


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
        Fraction of the trees renewed in a step after tuning: the second number of the ``batch`` of
        ``PGBART``, if you passed one.
    feature_names : sequence of str, optional
        Names of the variables; x0, x1, ... by default.

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
    index, n_variables, n_trees = _variable(model, var_name)
    steps = _steps_per_sweep(n_trees, batch)
    chains = []
    for name, one in each_item("idata", idata):
        batches = _batches(name, one, index, n_variables)
        if batches.shape[1] < 2 * steps:
            raise ValueError(
                f"`{name}` must have at least {2 * steps} draws per chain, because the forest is "
                f"known only after two sweeps of {steps} steps each. Got {batches.shape[1]} "
                "instead."
            )
        # Before the first sweep ends, batches can still follow the grid of the tuning phase.
        ends = np.cumsum(batches, axis=1)[:, steps - 1 :]
        counts = check_counts(name, ends[:, steps:] - ends[:, :-steps])
        sigma = _sigma(name, one, sigma_name, batches.shape[:2])
        chains.append(Chains(counts, sigma[:, 2 * steps - 1 :]))
    return draws_of_chains(chains, feature_names, "pymc-bart")


def _variable(model: Any, var_name: str | None) -> tuple[int, int, int]:
    """Return the place of the BART variable among all, how many there are, and its trees."""
    if not hasattr(model, "free_RVs"):
        raise TypeError(must_be("model", "the pymc.Model that was sampled", shown(model)))
    owners = {rv.name: rv.owner for rv in model.free_RVs}
    trees = {
        name: int(owner.op.m)
        for name, owner in owners.items()
        if owner is not None and is_instance_of(owner.op, "pymc_bart", "BARTRV")
    }
    if var_name is None and len(trees) == 1:
        (var_name,) = trees
    if var_name not in trees:
        found = ", ".join(map(repr, trees)) or "none"
        raise ValueError(
            f"`var_name` must name a BART variable of the model, which has: {found}. Got "
            f"{var_name!r} instead. Pass one of these, and the model that was sampled."
        )
    return list(trees).index(var_name), len(trees), trees[var_name]


def _steps_per_sweep(n_trees: int, batch: float) -> int:
    """Return the number of steps in which each tree is renewed once."""
    remedy = "pass the second number of the batch of PGBART, by default 0.1"
    wanted = check_number("batch", batch, above=0, remedy=remedy) * n_trees
    # pymc-bart rounds down up to version 0.11 and to the nearest number afterwards.
    size, rounded = max(1, int(wanted)), max(1, math.floor(wanted + 0.5))
    if size != rounded or n_trees % size:
        raise ValueError(
            f"`batch` must divide the {n_trees} trees into batches of equal size, so that some "
            f"number of steps renews each tree once. Got {batch!r} instead. Fit with a number of "
            "trees m and a batch such that m * batch is a whole number that divides m."
        )
    return n_trees // size


def _batches(name: str, idata: Any, index: int, n_variables: int) -> NDArray[np.int64]:
    """Return the splits that each step recorded (chain, step, variable)."""
    try:
        recorded = idata["sample_stats"]["variable_inclusion"]
        codes = np.asarray(recorded.transpose("chain", "draw", ...).values)
        steps = np.asarray(recorded["draw"].values)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        raise ValueError(
            f"`{name}` must have variable_inclusion, by chain and draw, in its sample_stats. Pass "
            "what pymc.sample returned for a model with a BART variable."
        ) from None
    codes = codes.reshape(*codes.shape[:2], -1)
    if codes.shape[2] != n_variables:
        raise ValueError(
            f"`{name}` must record the {n_variables} BART variables of the model. Got "
            f"{codes.shape[2]} instead. Pass the model that was sampled."
        )
    if (np.diff(steps) != 1).any():
        raise ValueError(
            f"`{name}` must have all draws from {steps[0]} to {steps[-1]}, because each records a "
            "part of the forest. Got some of them. Pass the trace as pymc.sample returned it, not "
            "thinned."
        )
    try:
        return np.array([[_decoded(code) for code in chain] for chain in codes[:, :, index]])
    except (TypeError, ValueError):
        raise ValueError(
            f"The variable_inclusion of `{name}` must be in the form of a current pymc-bart. Got "
            f"{codes[0, 0, index]!r} instead. Sample with a current pymc-bart."
        ) from None


def _decoded(code: str) -> NDArray[np.int64]:
    """Decode base64 of numbers of 7 bits a byte, lowest first; a high bit says more will come."""
    data = np.frombuffer(base64.b64decode(code, validate=True), np.uint8).astype(np.int64)
    starts = np.flatnonzero(np.append(True, data[:-1] < 128))
    lengths = np.diff(np.append(starts, len(data)))
    position = np.arange(len(data)) - np.repeat(starts, lengths)
    return np.add.reduceat((data & 127) << (7 * position), starts)


def _sigma(name: str, idata: Any, sigma_name: str | None, shape: tuple[int, ...]) -> FloatArray:
    if sigma_name is None:
        return np.full(shape, np.nan)
    posterior = idata["posterior"]
    if sigma_name not in posterior or posterior[sigma_name].shape != shape:
        known = [str(key) for key in posterior if posterior[key].shape == shape]
        raise ValueError(
            f"`sigma_name` must name a single number per draw in the posterior of {name}. Got "
            f"{sigma_name!r} instead. Pass one of {known}, or None."
        )
    return np.asarray(posterior[sigma_name].values, dtype=np.float64)
