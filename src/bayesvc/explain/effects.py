"""From a selection and data to `Effects`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesvc._typing import IntArray
from bayesvc._validation import check_flag, check_integer, check_level
from bayesvc.data.dataset import Dataset
from bayesvc.data.encode import EncodedX, check_names
from bayesvc.data.frames import frame_kind
from bayesvc.data.schema import ColumnSchema
from bayesvc.draws.draws import Draws
from bayesvc.draws.thinned import thinned
from bayesvc.estimators.base import DEFAULT_PRIOR
from bayesvc.exceptions import issue_warnings
from bayesvc.explain.curves import EffectCurve, bin_edges, effect_curve
from bayesvc.explain.direction import NO_DIRECTION, Direction, direction_of
from bayesvc.explain.loss import (
    PredictiveLoss,
    check_folds,
    check_response,
    cross_fitted_loss,
    loss_iterations,
)
from bayesvc.explain.notes import notes_of
from bayesvc.explain.overlap import overlap_with
from bayesvc.explain.result import Effects
from bayesvc.explain.shares import VarianceShares, variance_shares
from bayesvc.priors.base import TreePrior, check_prior
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import SamplingConfig, check_sampling_config
from bayesvc.sampling.plan import check_plan, sample_priors
from bayesvc.sampling.progress import Progress, ProgressCallback
from bayesvc.sampling.replicates import ReplicateCounts
from bayesvc.selection.half_samples import with_settled_errors
from bayesvc.selection.result import Selection

_KEPT_DRAWS = 400  # of all chains; their effects are computed


@dataclass(frozen=True)
class _Plan:
    """Arguments, checked."""

    prior: TreePrior
    config: SamplingConfig
    need: ReplicateCounts
    interval: float
    folds: IntArray | None


def selection_effects(
    selection: Selection,
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
    """Return the effects of the selected variables; see `Selection.effects`.

    Examples
    --------
    See `Selection.effects`.
    """
    if not selection.mask.any():
        raise ValueError(
            f"`effects` needs at least one selected variable. Method {selection.method.name!r} "
            "selected none. Use another method, or allow_empty=False."
        )
    level, n_folds = check_level("interval", interval), check_integer("n_folds", n_folds, 2)
    need = ReplicateCounts(check_integer("n_replicates", n_replicates, 1), 0)
    check_flag("loss", loss)
    config = check_sampling_config(
        n_trees, check_integer("burn_in", burn_in, 0), check_integer("n_draws", n_draws, 1),
        selection.draws.random_state if random_state is None else random_state,
        n_jobs, progress, keep_trees=True,
    )  # fmt: skip
    own_prior = _check_prior(prior)
    data, overlap = _read(selection, X, y, sample_weight, config.n_jobs)
    check_response(data.y)
    check_plan(data, own_prior, need, config)
    folds = check_folds(data, own_prior, n_folds, config.entropy) if loss else None
    draws, losses = _fit(data, _Plan(own_prior, config, need, level, folds))
    found = _effects(draws, data, losses, config, level)
    found = replace(found, overlap=overlap, frame=frame_kind(X) or selection.frame)
    found = replace(found, notes=notes_of(found))
    issue_warnings(found.notes)
    return found


def _check_prior(prior: TreePrior | None) -> TreePrior:
    own = DEFAULT_PRIOR if prior is None else check_prior(prior)
    if "keep_trees" in own.unsupported:
        raise ValueError(
            f"`prior` must keep trees to predict with. Got {own!r} instead. Pass bayesvc.BART() or "
            "bayesvc.DART(), or leave it out."
        )
    return own


def _read(
    selection: Selection, X: Any, y: Any, sample_weight: Any, n_jobs: int
) -> tuple[Dataset, float]:
    """Return the selected variables of the data, and the part of the rows that selected them."""
    draws = selection.draws
    schema = draws.columns
    whole = read_dataset(
        X, y, draws.response_model or "auto", groups=schema.groups, sample_weight=sample_weight,
        n_jobs=n_jobs,
    )  # fmt: skip
    check_names(whole.X.names, whole.X.names_given, schema.names)
    named = replace(whole.X, schema=replace(whole.X.schema, names=schema.names))
    own = named.take(np.arange(whole.n_rows), selection.indices)
    data = Dataset(own, whole.y, weights=whole.weights, keep_values=True, n_jobs=n_jobs)
    return data, overlap_with(draws, whole)


def _fit(data: Dataset, plan: _Plan) -> tuple[Draws, PredictiveLoss | None]:
    """Fit the forest and those of the loss, under one progress bar."""
    config, n_variables = plan.config, len(data.names)
    first = plan.need.n_replicates * config.chain.n_iterations
    total = first
    if plan.folds is not None:
        total += loss_iterations(n_variables, int(plan.folds.max()) + 1, config)
    report = Progress(config.progress, total=total)
    losses = None
    try:
        own = replace(config, progress=_after(report, 0))
        draws = sample_priors(data, {plan.prior: plan.need}, own)[plan.prior].draws
        if plan.folds is not None:
            settled = with_settled_errors(plan.prior, draws)
            own = replace(config, progress=None)
            further = _after(report, first)
            losses = cross_fitted_loss(data, settled, plan.folds, own, plan.interval, further)
    except BaseException:
        report.abandon()
        raise
    report.finish()
    return draws, losses


def _after(report: Progress, done: int) -> Callable[[int, int], None]:
    return lambda more, _: report.update(done + more)


def _effects(
    draws: Draws,
    data: Dataset,
    losses: PredictiveLoss | None,
    config: SamplingConfig,
    interval: float,
) -> Effects:
    """Compute shares, curves and directions of every variable, the largest first."""
    kept = thinned(draws, _KEPT_DRAWS)
    X = data.X
    shares = variance_shares(kept, X.values, config.entropy, n_threads=config.n_jobs)
    order = np.argsort(-shares.total.mean(axis=0), kind="stable")
    pairs = [_curve(kept, X, k, interval, config.n_jobs) for k in order.tolist()]
    curves = {curve.variable: curve for curve, _ in pairs if curve is not None}
    return Effects(
        names=tuple(data.names[k] for k in order),
        shares=VarianceShares(
            shares.variance,
            shares.first_order[:, order],
            shares.total[:, order],
            shares.noise[order],
        ),
        curves=curves,
        directions=tuple(direction for _, direction in pairs),
        loss=None if losses is None else replace(losses, without=losses.without[:, order]),
        draws=kept,
        X=X,
        interval=interval,
        overlap=math.nan,
    )


def _curve(
    draws: Draws, X: EncodedX, variable: int, interval: float, n_threads: int
) -> tuple[EffectCurve | None, Direction]:
    columns = variable_columns(X.schema, variable)
    if len(columns) > 1:
        return None, NO_DIRECTION
    values = X.values[:, columns[0]]
    curve = effect_curve(draws, X, columns[0], "ale", interval, n_threads)
    return curve, direction_of(curve, values, bin_edges(values))


def variable_columns(schema: ColumnSchema, variable: int) -> tuple[int, ...]:
    """Return the columns of a variable.

    Examples
    --------
    >>> from bayesvc.data.schema import ColumnSchema
    >>> from bayesvc.explain.effects import variable_columns
    >>> variable_columns(ColumnSchema(("a", "b", "c"), groups=(("pair", (0, 2)),)), 0)
    (0, 2)
    """
    return schema.variables[variable][1]
