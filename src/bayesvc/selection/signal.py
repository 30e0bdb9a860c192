"""Does y depend on the columns at all? Short chains on y against those on permuted responses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bayesvc._text import percent
from bayesvc._typing import FloatArray
from bayesvc.data.dataset import Dataset
from bayesvc.priors import DART
from bayesvc.sampling.chain import ChainTask, calibrate, chain_tasks, null_tasks
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.executor import execute
from bayesvc.sampling.seeds import Role
from bayesvc.selection.largest_correlation import largest_correlations

LEVEL = 0.05
INCONCLUSIVE = 0.2  # p-values up to here are called so
_PRIOR = DART(k="learned", transform="auto")
_FRACTION = 0.4  # of the iterations of the selection
_ITERATIONS = (300, 1000)  # of a chain: three per column within these limits
_PERMUTATIONS = (39, 99)
_LEAST_ITERATIONS = 50  # where the selection itself is short


@dataclass(frozen=True, eq=False, repr=False)
class SignalTest:
    """A permutation test of the null hypothesis that y does not depend on X.

    Where there are as many columns as rows or more, chains may be too short to find the relevant
    ones. Rank correlations are then tested as well, and the smaller p-value is doubled.

    Attributes
    ----------
    explained : float
        Proportion of the variance of y that a short chain explains: that of its posterior mean.
    null : ndarray (n_permutations,)
        The same for permuted responses.
    correlation : float or None
        Largest absolute rank correlation of y with a column, if it is tested.
    null_correlation : ndarray or None
        The same for permuted responses.
    residual_correlation : float or None
        Correlation of the residuals of successive rows, if rows are taken to be independent and
        the response has residuals.
    p_value : float
        How often permuted responses give as much. The test is exact, because all responses are
        treated alike: if y does not depend on X, it is at most 0.05 in at most 5 % of cases.
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

    @property
    def p_value(self) -> float:
        """Proportion of all responses, y included, that give at least as much as y."""
        own = _p_value(self.explained, self.null)
        if self.correlation is None or self.null_correlation is None:
            return own
        return min(1.0, 2 * min(own, _p_value(self.correlation, self.null_correlation)))

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
        text = (
            f"{self.conclusion()}: in a short run, trees explain {percent(self.explained)} of the "
            f"variance of y in the rows that they are fitted to; for {len(self.null)} permutations "
            f"of y, they explain {percent(self.null.mean())} on average."
        )
        if self.p_value <= 1 / (1 + len(self.null)):
            text += " No smaller p-value is possible with so many permutations."
        if self.correlation is not None and self.null_correlation is not None:
            text += (
                f" The largest rank correlation of y with a column is {self.correlation:.2f}; for "
                f"permutations of y it is {self.null_correlation.mean():.2f} on average."
            )
        if not self.found:
            text += (
                " This does not show that y is independent of the columns: a weak dependence, or "
                "one on many columns at once, may need more rows."
            )
        return text

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
    ((99, 300), (39, 1000), (39, 100))
    """
    budget = _FRACTION * n_iterations
    wanted = int(np.clip(3 * n_features, *_ITERATIONS))
    affordable = max(int(budget / (_PERMUTATIONS[0] + 1)), _LEAST_ITERATIONS)
    iterations = min(wanted, affordable)
    return int(np.clip(budget / iterations - 1, *_PERMUTATIONS)), iterations


def find_signal(data: Dataset, n_iterations: int, config: SamplingConfig) -> SignalTest:
    """Test for signal at a cost in proportion to that of the selection, `n_iterations`."""
    n_permutations, per_chain = plan_signal_test(n_iterations, len(data.names))
    chain = ChainConfig(per_chain // 2, per_chain - per_chain // 2, keep_fitted=True)
    own = replace(config, chain=chain, checkpoint=None)
    tasks = _tasks(data, n_permutations, own)
    data.forget_linear_model()
    explained = np.empty(len(tasks))

    neighbours: list[float | None] = [None]

    def store(i: int, result: dict[str, Any]) -> None:
        y = tasks[i].arranged()[0]
        explained[i] = data.y.model.explained_variance(result["fitted"], y)
        if i == 0:
            neighbours[0] = _correlation_of_neighbours(data, y - result["fitted"])

    execute(data.encoded, tasks, store, own)
    found = SignalTest(float(explained[0]), explained[1:], residual_correlation=neighbours[0])
    if data.n_rows > len(data.names):
        return found
    correlations = largest_correlations(data, config.entropy)
    return replace(found, correlation=float(correlations[0]), null_correlation=correlations[1:])


def _correlation_of_neighbours(data: Dataset, residuals: FloatArray) -> float | None:
    """Return the correlation of successive residuals; None where it would say nothing.

    That is so if a dependence is accounted for, if the response has no residuals, and if the rows
    are sorted by it.
    """
    accounted = data.shifts or data.blocks is not None
    rising = float(np.mean(np.diff(data.y.values) >= 0))
    if accounted or not data.y.model.has_noise_variance or not 0.1 < rising < 0.9:
        return None
    first, second = residuals[:-1], residuals[1:]
    if min(np.ptp(first), np.ptp(second)) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _tasks(data: Dataset, n_permutations: int, config: SamplingConfig) -> list[ChainTask]:
    """Return the chain on y, and those on permutations of it."""
    to, roles = data.weighted_response, (Role.SIGNAL_PERMUTATION, Role.SIGNAL_REPLICATE)
    calibration = calibrate(data, _PRIOR, to, config.n_trees)
    p = len(data.names)
    first = chain_tasks(to, _PRIOR, calibration, p, config, roles[1], [0])
    return first + null_tasks(data, _PRIOR, config, roles, range(1, n_permutations + 1))
