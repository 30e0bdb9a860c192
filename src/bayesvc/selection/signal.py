"""Does y depend on the columns at all? Held-out rows, and permuted responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bayesvc._text import percent
from bayesvc._typing import FloatArray
from bayesvc.data.dataset import Dataset
from bayesvc.priors import DART, TreePrior
from bayesvc.sampling.chain import ChainTask, calibrate, chain_tasks, null_tasks
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.executor import execute
from bayesvc.sampling.seeds import Role
from bayesvc.selection.held_out import HeldOutTest, held_out_test
from bayesvc.selection.largest_correlation import largest_correlations

LEVEL = 0.05
INCONCLUSIVE = 0.2  # p-values up to here are called so
_FRACTION = 0.3  # of the iterations of the selection, for the chains on permuted responses
_ITERATIONS = (300, 1000)  # of a chain: three per column within these limits
_PERMUTATIONS = (39, 99)
_LEAST_ITERATIONS = 50  # where the selection itself is short


@dataclass(frozen=True, eq=False, repr=False)
class SignalTest:
    """A test of the null hypothesis that y does not depend on X.

    It has two parts: chains that are fitted to some of the rows predict others, and the largest
    rank correlation of y with a column is compared with those of permuted responses. Where no rows
    can be held out, how much of the variance of y a short chain explains is compared with permuted
    responses instead, and rank correlations are only tested with at least as many columns as rows.

    Attributes
    ----------
    explained : float
        Proportion of the variance of y that a short chain explains: that of its posterior mean.
    null : ndarray (n_permutations,)
        The same for permuted responses. It is empty if rows are held out.
    correlation : float or None
        Largest absolute rank correlation of y with a column, if it is tested.
    null_correlation : ndarray or None
        The same for permuted responses.
    held_out : HeldOutTest or None
        How well held-out rows are predicted, if they are.
    residual_correlation : float or None
        Correlation of the residuals of successive rows, if the response has residuals.
    time_order : bool
        Whether responses are permuted by circular shifts.
    p_value : float
        The smaller p-value of the parts, times their number. If y does not depend on X, it is at
        most 0.05 in at most 5 % of cases.
    verdict : {"evidence", "inconclusive", "none"}
        "evidence" of signal for p-values up to 0.05, "inconclusive" up to 0.2, "none" beyond.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> rng = np.random.default_rng(0)
    >>> X, noise = rng.uniform(size=(100, 5)), rng.normal(size=100)
    >>> short = {"n_replicates": 2, "burn_in": 300, "n_draws": 300, "random_state": 0}
    >>> bv.select(X, 5 * X[:, 0] + noise, **short).signal.verdict
    'evidence'
    >>> bv.select(X, noise, **short).signal.verdict
    'none'
    """

    explained: float
    null: FloatArray
    correlation: float | None = None
    null_correlation: FloatArray | None = None
    residual_correlation: float | None = None
    held_out: HeldOutTest | None = None
    time_order: bool = False

    @property
    def p_value(self) -> float:
        """The smaller p-value of the parts, times their number."""
        parts = []
        if self.held_out is not None:
            parts.append(self.held_out.p_value)
        if self.correlation is not None and self.null_correlation is not None:
            parts.append(_p_value(self.correlation, self.null_correlation))
        if len(self.null):
            parts.append(_p_value(self.explained, self.null))
        return min(1.0, len(parts) * min(parts))

    @property
    def verdict(self) -> Literal["evidence", "inconclusive", "none"]:
        """What the p-value says."""
        if self.p_value <= LEVEL:
            return "evidence"
        return "inconclusive" if self.p_value <= INCONCLUSIVE else "none"

    @property
    def found(self) -> bool:
        """Whether there is evidence of signal, at level 0.05."""
        return self.verdict == "evidence"

    def conclusion(self, target: str = "y") -> str:
        """Return the verdict in words, without a full stop."""
        said = {
            "evidence": "There is evidence that",
            "inconclusive": "It remains open whether",
            "none": "There is no evidence that",
        }[self.verdict]
        return f"{said} {target} depends on the columns (signal test, p = {self.p_value:.2g})"

    @property
    def sentence(self) -> str:
        """The verdict in words, what it rests on, and what it does not show."""
        return self.describe()

    def describe(self, target: str = "y") -> str:
        """Return `sentence` with another name of the response."""
        return f"{self.conclusion(target)}. {' '.join(self._reasons(target))}"

    def _reasons(self, target: str) -> list[str]:
        """Return what the verdict rests on, and what it does not show."""
        said = []
        permutations = "circular shifts" if self.time_order else "permutations"
        if self.held_out is not None:
            said.append(
                "For rows that were held out, the rank correlation between predicted and observed "
                f"{target} is {self.held_out.correlations.mean():.2f} on average."
            )
        if self.correlation is not None and self.null_correlation is not None:
            said.append(
                f"The largest rank correlation of {target} with a column is "
                f"{self.correlation:.2f}; for {permutations} of {target} it is "
                f"{self.null_correlation.mean():.2f} on average."
            )
        if len(self.null):
            said.append(
                f"In a short run, trees explain {percent(self.explained)} of the variance of "
                f"{target} in the rows that they are fitted to; for {len(self.null)} "
                f"{permutations} of {target}, they explain {percent(self.null.mean())} on average."
            )
        if not self.found:
            said.append(
                f"This does not show that {target} is independent of the columns: a weak "
                "dependence, or one on many columns at once, may need more rows."
            )
        return said

    def __repr__(self) -> str:
        return f"<SignalTest: {self.sentence}>"


def _p_value(own: float, null: FloatArray) -> float:
    return float(1 + np.sum(null >= own)) / (1 + len(null))


def plan_signal_test(n_iterations: int, n_features: int) -> tuple[int, int]:
    """Return the permutations, and the iterations of each chain, for a selection of this cost.

    Examples
    --------
    >>> from bayesvc.selection.signal import plan_signal_test
    >>> plan_signal_test(100_000, 50), plan_signal_test(100_000, 2000), plan_signal_test(10_000, 50)
    ((99, 300), (39, 750), (39, 75))
    """
    budget = _FRACTION * n_iterations
    wanted = int(np.clip(3 * n_features, *_ITERATIONS))
    affordable = max(int(budget / (_PERMUTATIONS[0] + 1)), _LEAST_ITERATIONS)
    iterations = min(wanted, affordable)
    return int(np.clip(budget / iterations - 1, *_PERMUTATIONS)), iterations


def find_signal(data: Dataset, n_iterations: int, config: SamplingConfig) -> SignalTest:
    """Test for signal at a cost in proportion to that of the selection, `n_iterations`."""
    prior = signal_prior(data)
    n_permutations, per_chain = plan_signal_test(n_iterations, len(data.names))
    chain = ChainConfig(per_chain // 2, per_chain - per_chain // 2, keep_fitted=True)
    own = replace(config, chain=chain, checkpoint=None)
    calibration = calibrate(data, prior, data.weighted_response, config.n_trees)
    first = chain_tasks(
        data.weighted_response, prior, calibration, len(data.names), own,
        Role.SIGNAL_REPLICATE, [0], response=data.y.model,
    )  # fmt: skip
    (explained,), residuals = _explained(data, first, own)
    found = SignalTest(
        explained,
        np.zeros(0),
        residual_correlation=_correlation_of_neighbours(data, residuals),
        held_out=held_out_test(data, prior, n_iterations, own),
        time_order=data.shifts,
    )
    if found.held_out is not None or data.n_rows <= len(data.names):
        largest = largest_correlations(data, config.entropy)
        found = replace(found, correlation=float(largest[0]), null_correlation=largest[1:])
    if found.held_out is not None:
        data.forget_linear_model()
        return found
    roles = (Role.SIGNAL_PERMUTATION, Role.SIGNAL_REPLICATE)
    permuted = null_tasks(data, prior, own, roles, range(1, n_permutations + 1))
    data.forget_linear_model()
    return replace(found, null=np.array(_explained(data, permuted, own)[0]))


def signal_prior(data: Dataset) -> TreePrior:
    """Return the prior of the test, which takes numbers with noise by their ranks."""
    model = data.y.model
    by_scores = model.is_numeric and model.has_noise_variance
    return DART(k="learned", transform="normal-scores" if by_scores else None)


def _explained(
    data: Dataset, tasks: Sequence[ChainTask], config: SamplingConfig
) -> tuple[list[float], FloatArray | None]:
    """Return how much of the variance each chain explains, and the residuals of the first."""
    explained = np.empty(len(tasks))
    residuals: list[FloatArray | None] = [None]

    def store(i: int, result: dict[str, Any]) -> None:
        y = tasks[i].arranged()[0]
        explained[i] = data.y.model.explained_variance(result["fitted"], y)
        if i == 0:
            residuals[0] = data.y.model.residuals(result["fitted"], y)

    execute(data.encoded, tasks, store, config)
    return explained.tolist(), residuals[0]


def _correlation_of_neighbours(data: Dataset, residuals: FloatArray | None) -> float | None:
    """Return the correlation of successive residuals; None where it would say nothing.

    That is so if the response has no residuals, and if the rows are sorted by it.
    """
    rising = float(np.mean(np.diff(data.y.values) >= 0))
    if residuals is None or not 0.1 < rising < 0.9:
        return None
    first, second = residuals[:-1], residuals[1:]
    if min(np.ptp(first), np.ptp(second)) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])
