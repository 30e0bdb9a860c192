"""Plan selections from subsamples of rows: all is checked before the first of them starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import IntArray
from bayesvc._validation import check_flag
from bayesvc.data.align import align_to
from bayesvc.data.dataset import Dataset
from bayesvc.data.rows import check_blocks, check_sample_weight
from bayesvc.data.schema import same_names
from bayesvc.responses.base import Response
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import SamplingConfig, check_sampling_config
from bayesvc.sampling.plan import check_plan
from bayesvc.sampling.replicates import ReplicateCounts
from bayesvc.sampling.seeds import Role, random_words
from bayesvc.selection.methods import Method, resolve_method
from bayesvc.selection.result import Selection
from bayesvc.selection.subsamples import SubsampleScheme, draw_rows

_OF_THE_METHOD = (
    "goal", "prior", "measure", "threshold", "n_replicates", "n_permutations",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class SubsamplePlan:
    """The data, the rows of each subsample, and how to select from them."""

    data: Dataset
    rows: list[IntArray]
    entropy: int
    settings: Mapping[str, Any]

    @property
    def n_rows(self) -> NDArray[np.int64]:
        """Number of rows in each subsample."""
        return np.array([len(own) for own in self.rows], dtype=np.int64)

    def arguments(self, number: int) -> dict[str, Any]:
        """Return the arguments of `select` for a subsample: its part of all that rows have."""
        data, rows = self.data, self.rows[number]
        seed = random_words(self.entropy, Role.SUBSAMPLE_SEED, number, 2)
        return {
            **self.settings,
            "X": data.X.take(rows, range(len(data.names))),
            "y": data.y.take(rows),
            "sample_weight": None if data.weights is None else data.weights[rows],
            "permute_within": None if data.blocks is None else data.blocks[rows],
            "random_state": int.from_bytes(seed.astype("<u8").tobytes(), "little"),
        }


def plan_subsamples(
    X: Any,
    y: Any,
    scheme: SubsampleScheme,
    *,
    selection: Selection | None,
    method: str | None,
    settings: Mapping[str, Any],
    blocks: Any,
    random_state: Any,
    n_jobs: Any,
    response: str | Response,
    groups: Any,
    sample_weight: Any,
    permute_within: Any,
    allow_empty: Any,
    progress: Any = None,
    checkpoint: Any = None,
) -> SubsamplePlan:
    """Check the data and the settings, and draw the rows."""
    sample_weight, blocks = align_to(X, sample_weight=sample_weight, blocks=blocks)
    check_flag("allow_empty", allow_empty)
    time_order = check_flag("time_order", settings.get("time_order", False))
    if selection is not None:
        settings = settings_of(selection)
        response, groups = _of_data(selection, response, groups)
        if random_state is None:
            random_state = selection.draws.random_state
    plan = _plan(method, settings)
    config = check_sampling_config(
        settings.get("n_trees", 20),
        settings.get("burn_in"),
        settings.get("n_draws"),
        random_state,
        n_jobs,
        progress,
        checkpoint,
    )
    permutes = plan.n_permutations > 0 or allow_empty
    data = read_dataset(
        X, y, response, groups=groups, sample_weight=sample_weight, permute_within=permute_within
    )
    if selection is not None:
        _check_same(selection, data)
    own = None if blocks is None else _own_blocks(blocks, sample_weight, data.n_rows)
    if not permutes:
        data.blocks = None  # nothing would be done with them
    rows = draw_rows(data, scheme, config.entropy, own)
    how = {
        **settings, "n_jobs": n_jobs, "checkpoint": checkpoint, "allow_empty": allow_empty,
        "signal_test": allow_empty, "row_stability": False,
        "time_order": time_order and permutes,  # else nothing would be done with it
    }  # fmt: skip
    if selection is None:
        how["method"] = method
    work = SubsamplePlan(data, rows, config.entropy, how)
    _check_smallest(plan, work, config)
    return work


def settings_of(selection: Selection) -> dict[str, Any]:
    """Return the arguments of `select` that give a selection like this one."""
    method, draws = selection.method, selection.draws
    if method.prior is None:
        raise ValueError(
            "`selection` must be from replicates of bayesvc, which can be repeated on other rows. "
            f"Got one from replicates of {draws.source!r} instead. Leave it out, and name a method."
        )
    found = {
        "prior": method.prior, "measure": method.measure, "threshold": method.threshold,
        "n_permutations": method.n_permutations or None, "n_trees": draws.n_trees,
    }  # fmt: skip
    if method.prior.sets_replicates:
        return found
    return {
        **found, "n_replicates": method.n_replicates, "burn_in": draws.burn_in,
        "n_draws": draws.n_draws,
    }  # fmt: skip


def _of_data(
    selection: Selection, response: str | Response, groups: Any
) -> tuple[str | Response, Any]:
    """Return the response and the groups, by default those of the selection."""
    if isinstance(response, str) and response == "auto":
        response = selection.draws.response_model or response
    return response, selection.draws.columns.groups if groups is None else groups


def _plan(method: str | None, settings: Mapping[str, Any]) -> Method:
    parts = {name: settings.get(name) for name in _OF_THE_METHOD}
    if parts["n_replicates"] == "auto":
        parts["n_replicates"] = None
    plan = resolve_method(method, **parts)
    burn_in = settings.get("burn_in")
    assert plan.prior is not None
    return replace(plan, prior=plan.prior.with_burn_in(burn_in))


def _check_same(selection: Selection, data: Dataset) -> None:
    if not same_names(data.names, selection.feature_names):
        raise ValueError(
            f"`X` must have the {len(selection.feature_names)} variables of `selection`. Got "
            f"{len(data.names)} variables, or other names, instead. Pass the data of the selection."
        )
    expected = selection.draws.data_hash
    if expected is not None and data.encoded.data_hash != expected:
        raise ValueError(
            f"`X` and `y` must be the data of `selection` (hash {expected}). Got data with hash "
            f"{data.encoded.data_hash} instead. Pass the same rows, weights and columns."
        )


def _own_blocks(blocks: Any, sample_weight: Any, n_rows: int) -> IntArray:
    """Return the block of each row with positive weight, numbered consecutively."""
    if sample_weight is None:
        return check_blocks(blocks, n_rows, "blocks")
    keep = check_sample_weight(sample_weight) > 0
    kept = check_blocks(blocks, len(keep), "blocks")[keep]
    return np.unique(kept, return_inverse=True)[1].reshape(-1)


def _check_smallest(method: Method, plan: SubsamplePlan, config: SamplingConfig) -> None:
    """Raise ValueError if the prior is not compatible with the smallest subsample."""
    arguments = plan.arguments(int(plan.n_rows.argmin()))
    part = read_dataset(arguments["X"], arguments["y"])
    assert method.prior is not None
    try:
        check_plan(part, method.prior, ReplicateCounts(1, 0), config)
    except ValueError as error:
        raise ValueError(f"In the smallest subsample, of {part.n_rows} rows: {error}") from None
