"""What `select` and `compare` do once their arguments are checked: fits, test, selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import PathLike
from bayesvc._validation import check_integer, resolve_n_jobs, resolve_random_state
from bayesvc.data.dataset import Dataset
from bayesvc.draws.draws import Draws
from bayesvc.priors.base import TreePrior
from bayesvc.priors.spike_forest import SpikeForest
from bayesvc.sampling.checkpoint import Checkpoint, open_checkpoint
from bayesvc.sampling.executor import DEFAULT_DRAWS, ChainConfig
from bayesvc.sampling.plan import Fits, ReplicateCounts, sample_fits
from bayesvc.sampling.progress import ProgressCallback, check_progress
from bayesvc.sampling.sample import join, sample_replicates
from bayesvc.selection.methods import Method
from bayesvc.selection.result import Selection, apply_method, find_twins
from bayesvc.selection.signal import SignalTest, find_signal
from bayesvc.selection.stopping import StoppingResult, sample_until_stable


@dataclass(frozen=True)
class Run:
    """How to sample, checked."""

    n_trees: int
    burn_in: int | None
    n_draws: int | None
    entropy: int
    n_jobs: int
    progress: bool | ProgressCallback | None
    checkpoint: Checkpoint | None

    @property
    def length(self) -> ChainConfig:
        """How long each fit runs."""
        burn_in = DEFAULT_DRAWS if self.burn_in is None else self.burn_in
        return ChainConfig(burn_in, DEFAULT_DRAWS if self.n_draws is None else self.n_draws)


def check_run(
    n_trees: Any,
    burn_in: Any,
    n_draws: Any,
    random_state: Any,
    n_jobs: Any,
    progress: Any,
    checkpoint: PathLike | None,
) -> Run:
    """Check how to sample."""
    check_progress(progress)
    return Run(
        n_trees=check_integer("n_trees", n_trees, 1),
        burn_in=None if burn_in is None else check_integer("burn_in", burn_in, 0),
        n_draws=None if n_draws is None else check_integer("n_draws", n_draws, 1),
        entropy=resolve_random_state(random_state),
        n_jobs=resolve_n_jobs(n_jobs),
        progress=progress,
        checkpoint=open_checkpoint(checkpoint, random_state),
    )


def sample_plans(data: Dataset, plans: Sequence[Method], run: Run) -> dict[TreePrior, Fits]:
    """Run the fits that the methods need; each prior is sampled once."""
    needs: dict[TreePrior, ReplicateCounts] = {}
    for plan in plans:
        assert plan.prior is not None
        need = ReplicateCounts(plan.n_replicates, plan.n_permutations)
        needs[plan.prior] = need.both(needs.get(plan.prior))
    return sample_fits(
        data, needs, n_trees=run.n_trees, length=run.length, entropy=run.entropy,
        n_jobs=run.n_jobs, progress=run.progress, checkpoint=run.checkpoint,
    )  # fmt: skip


def sample_until_enough(
    data: Dataset, plan: Method, run: Run, max_seconds: float | None
) -> tuple[dict[TreePrior, Fits], StoppingResult]:
    """Sample until the selection is stable."""
    prior = plan.prior
    assert prior is not None
    own: list[Fits] = []

    def more(draws: Draws | None, number: int) -> Draws:
        if draws is None:
            own.append(sample_plans(data, [replace(plan, n_replicates=number)], run)[prior])
            return own[0].draws
        assert draws.calibration is not None
        first = draws.n_replicates
        extra = sample_replicates(
            data.problem, prior, draws.calibration, run.n_trees, run.length,
            range(first, first + number), run.entropy, n_jobs=run.n_jobs, progress=run.progress,
            checkpoint=run.checkpoint,
        )  # fmt: skip
        return join(draws, extra)

    def mask_of(draws: Draws) -> NDArray[np.bool_]:
        null = own[0].null(plan.measure, plan.n_permutations)
        return apply_method(replace(plan, n_replicates=draws.n_replicates), draws, null)[0]

    draws, enough = sample_until_stable(more, mask_of, at_once=run.n_jobs, max_seconds=max_seconds)
    return {prior: replace(own[0], draws=draws)}, enough


def run_signal_test(data: Dataset, plans: Sequence[Method], run: Run) -> SignalTest:
    """Test for signal, at a cost in proportion to that of the dearest method."""
    sweeps = []
    for plan in plans:
        if isinstance(plan.prior, SpikeForest):
            sweeps.append(plan.prior.n_samples * (plan.prior.burn_in + 1))
        else:
            sweeps.append((plan.n_replicates + plan.n_permutations) * run.length.n_sweeps)
    return find_signal(
        data, max(sweeps), n_trees=run.n_trees, entropy=run.entropy, n_jobs=run.n_jobs,
        progress=run.progress,
    )  # fmt: skip


def make_selection(
    plan: Method,
    fits: dict[TreePrior, Fits],
    data: Dataset,
    frame: str | None,
    signal: SignalTest | None,
    *,
    allow_empty: bool,
) -> Selection:
    """Cut the fits by one method; `allow_empty`: select nothing where there is no signal."""
    assert plan.prior is not None
    own = fits[plan.prior]
    draws = own.first(plan.n_replicates)
    null = own.null(plan.measure, plan.n_permutations)
    mask, cut, values = apply_method(plan, draws, null)
    found = Selection(
        method=plan,
        mask=mask,
        cut=cut,
        values=values,
        null=null,
        draws=draws,
        permuted=None if null is None else own.permuted,
        frame=frame,
        signal=signal,
        allow_empty=allow_empty,
    )
    if found.emptied:
        return replace(found, mask=np.zeros_like(mask))
    twins = find_twins(_correlations(data, found.selected), found.selected, found.labels)
    return replace(found, twins=twins)


def _correlations(data: Dataset, selected: NDArray[np.intp]) -> NDArray[np.float64]:
    return data.problem.columns.correlations(selected.tolist())
