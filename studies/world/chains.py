"""The chains that are run on a table, and what is kept of each.

Replicates have the same seeds as those of `bayesvc.sample`, null replicates those of
`bayesvc.select`, and the signal test is its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tables import Table

import bayesvc as bv
from bayesvc.data.dataset import Dataset
from bayesvc.priors.base import TreePrior
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.chain import ChainTask, calibrate, chain_tasks, null_tasks
from bayesvc.sampling.config import SamplingConfig, check_sampling_config
from bayesvc.sampling.errors import settle_errors
from bayesvc.sampling.executor import execute
from bayesvc.sampling.seeds import Role
from bayesvc.selection.signal import find_signal

Arrays = dict[str, NDArray[Any]]
TRACES = ("sigma", "n_splits", "alpha", "leaf_sd", "df")
TRACE_SUMMARIES = ("mean", "sd", "first half", "second half", "lag-1 correlation", "least", "most")
_PAD_SEED, _HALF_SEED = 1, 2

PRIORS = {
    "own": bv.DART(errors="auto", transform="auto"),
    "own-learned": bv.DART(errors="auto", transform="auto", k="learned"),
    "paper": bv.DART(),
    "bart": bv.BART(errors="auto", transform="auto"),
    "bart-learned": bv.BART(errors="auto", transform="auto", k="learned"),
}


@dataclass(frozen=True)
class Plan:
    """What is run on every table of a folder.

    `null` counts null replicates of full length; `padded` those of full length on the table with a
    row-permuted copy of its columns; `pairs` the pairs of complementary halves of the rows, each
    with a chain of `half_length` iterations, half of them kept.
    """

    prior: str = "own"
    n_replicates: int = 10
    burn_in: int = 5000
    n_draws: int = 5000
    n_trees: int = 20
    null: int = 4
    padded: int = 2
    most_padded_columns: int = 1000
    pairs: int = 0
    half_length: int = 1000


def run(table: Table, plan: Plan, seed: int) -> Arrays:
    """Run everything on a table; names begin with what the chains are for."""
    config = check_sampling_config(
        plan.n_trees, plan.burn_in, plan.n_draws, seed, n_jobs=1, keep_fitted=True
    )
    data = _read(table.X, table)
    prior = settle_errors(data, PRIORS[plan.prior], config)
    found = _named("fit", _replicates(data, prior, config, plan.n_replicates))
    if plan.null:
        found |= _named("null", _null(data, prior, plan.null, config))
    found |= _named("signal", _signal(data, plan, config))
    if plan.padded and data.shape[1] <= plan.most_padded_columns:
        padded = _read(_with_copy(table.X, seed), table)
        found |= _named("padded", _replicates(padded, prior, config, plan.padded))
    if plan.pairs:
        found |= _named("half", _halves(table, plan, config, seed))
    return found


def _read(X: Any, table: Table, rows: Any = slice(None)) -> Dataset:
    part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
    return read_dataset(part, table.y[rows], table.response, n_jobs=1)


def _named(start: str, arrays: Arrays) -> Arrays:
    return {f"{start}.{name}": values for name, values in arrays.items()}


# ---- which chains -------------------------------------------------------------------
def _replicates(data: Dataset, prior: TreePrior, config: SamplingConfig, number: int) -> Arrays:
    to, p = data.weighted_response, len(data.names)
    calibration = calibrate(data, prior, to, config.n_trees)
    tasks = chain_tasks(
        to, prior, calibration, p, config, Role.REPLICATE, range(number), response=data.y.model
    )
    found = _collect(data, tasks, config, calibration.y_range)
    found["sigma_hat"] = np.array(calibration.sigma_hat or np.nan)
    found["student"] = np.array(calibration.learns_df)
    found["scores"] = np.array(calibration.score_map is not None)
    return found


def _null(data: Dataset, prior: TreePrior, number: int, config: SamplingConfig) -> Arrays:
    roles = (Role.PERMUTATION, Role.NULL_REPLICATE)
    unit = calibrate(data, prior, data.weighted_response, config.n_trees).y_range
    tasks = null_tasks(data, prior, config, roles, range(number))
    return _collect(data, tasks, config, unit)


def _signal(data: Dataset, plan: Plan, config: SamplingConfig) -> Arrays:
    """Run the signal test of the package; y comes first, then permutations of it."""
    test = find_signal(data, plan.n_replicates * (plan.burn_in + plan.n_draws), config)
    found = {"explained": np.append(test.explained, test.null)}
    if test.correlation is not None and test.null_correlation is not None:
        found["correlation"] = np.append(test.correlation, test.null_correlation)
    if test.held_out is not None:
        found["held_out"] = np.array([test.held_out.correlations, test.held_out.p_values])
    return found


def _with_copy(X: Any, seed: int) -> Any:
    """Return the table with its columns twice, the second time with the rows in another order."""
    order = np.random.default_rng([seed, _PAD_SEED]).permutation(len(X))
    if not isinstance(X, pd.DataFrame):
        return np.hstack([X, X[order]])
    copy = X.iloc[order].reset_index(drop=True).add_prefix("copy of ")
    return pd.concat([X.reset_index(drop=True), copy], axis=1)


def _halves(table: Table, plan: Plan, config: SamplingConfig, seed: int) -> Arrays:
    """Run one short chain on each half of the rows, pair after pair."""
    chain = dataclasses.replace(
        config.chain, burn_in=plan.half_length // 2, n_draws=plan.half_length // 2
    )
    rng, n, found = np.random.default_rng([seed, _HALF_SEED]), len(table.y), []
    for _ in range(plan.pairs):
        order = rng.permutation(n)
        for rows in (order[: n // 2], order[n // 2 :]):
            own = dataclasses.replace(config, chain=chain, entropy=int(rng.integers(2**31)))
            data = _read(table.X, table, np.sort(rows))
            prior = settle_errors(data, PRIORS[plan.prior], own)
            found.append(_replicates(data, prior, own, 1))
    kept = ("vc", "mpvip", "explained", "correlation", "seconds")
    joined = {name: np.concatenate([part[name] for part in found]) for name in kept}
    return joined | {"n_draws": np.array(chain.n_draws)}


# ---- what is kept -------------------------------------------------------------------
def _collect(
    data: Dataset, tasks: Sequence[ChainTask], config: SamplingConfig, unit: float
) -> Arrays:
    """Run the tasks and return what is kept, stacked by task. Counts are exact sums."""
    rows: list[dict[str, Any]] = [{} for _ in tasks]
    data.forget_linear_model()

    def store(i: int, result: dict[str, Any]) -> None:
        y = tasks[i].arranged()[0]
        rows[i] = _kept(result, config.chain.n_draws, unit) | _fit_to(result["fitted"], y, data)

    execute(data.encoded, tasks, store, config)
    found = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return found | {"n_draws": np.array(config.chain.n_draws)}


def _kept(result: dict[str, Any], n_draws: int, unit: float) -> dict[str, Any]:
    traces = {name: result[name] for name in TRACES if result.get(name) is not None}
    traces["sigma"] = np.asarray(traces["sigma"]) * unit
    return {
        "vc": np.rint(np.asarray(result["vc"]) * n_draws).astype(np.uint32),
        "mpvip": np.rint(np.asarray(result["mpvip"]) * n_draws).astype(np.uint32),
        "vip": np.asarray(result["vip"], dtype=np.float32),
        "mi": np.asarray(result["mi"], dtype=np.float32),
        "first_half": np.rint(np.asarray(result["count_half_sums"])[0]).astype(np.uint32),
        "half_squares": np.asarray(result["count_half_squares"], dtype=np.float32),
        "batch_squares": np.asarray(result["count_batch_squares"], dtype=np.float32),
        "batches": np.array([result["n_batches"], result["batch_size"]]),
        "accepted": np.asarray(result["accepted"]),
        "proposed": np.asarray(result["proposed"]),
        "tree_depth": np.asarray(result["tree_depth"]),
        "seconds": np.asarray(result["seconds"]),
        "traces": np.array([_summary(traces.get(name)) for name in TRACES], dtype=np.float32),
    }


def _summary(trace: Any) -> list[float]:
    """Return `TRACE_SUMMARIES`; NaN for a trace that there is not."""
    if trace is None or np.isnan(values := np.asarray(trace, dtype=float)).any():
        return [np.nan] * len(TRACE_SUMMARIES)
    half, centred = (len(values) + 1) // 2, values - values.mean()
    square = float((centred**2).sum())
    lag = float((centred[1:] * centred[:-1]).sum()) / square if square > 0 else np.nan
    return [
        values.mean(), values.std(), values[:half].mean(), values[half:].mean(), lag,
        values.min(), values.max(),
    ]  # fmt: skip


def _fit_to(fitted: Any, y: NDArray[np.float64], data: Dataset) -> dict[str, Any]:
    """Return how well the mean sum of trees fits: by variance, correlation, absolute residuals."""
    f, model = np.asarray(fitted, dtype=float), data.y.model
    varies = f.std() > 0
    found = {
        "explained": model.explained_variance(f, y),
        "correlation": float(np.corrcoef(f, y)[0, 1]) if varies else 0.0,
        "absolute": np.nan,
    }
    if model.has_noise_variance:
        found["absolute"] = float(
            1 - np.median(np.abs(y - f)) / max(float(np.median(np.abs(y - np.median(y)))), 1e-300)
        )
    return found
