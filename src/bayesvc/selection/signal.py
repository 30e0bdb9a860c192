"""Is there any signal at all? Short chains on the response against equally short null ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.data.dataset import Dataset
from bayesvc.priors import DART
from bayesvc.sampling.chain import ChainTask, calibrate, chain_tasks, null_tasks
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.executor import execute
from bayesvc.sampling.seeds import Role

LEVEL = 0.05
_FRACTION = 0.3  # of the iterations of the selection
_ITERATIONS = (50, 300)  # of a chain, at least and at most
_PERMUTATIONS = (19, 99)


@dataclass(frozen=True, eq=False, repr=False)
class SignalTest:
    """A permutation test of the null hypothesis that y does not depend on X.

    Attributes
    ----------
    explained : float
        Proportion of the variance of y that a short chain explains: that of its posterior mean.
    null : ndarray (n_permutations,)
        The same for permuted responses.
    p_value : float
        How often chance alone explains as much. The test is exact, because all chains are sampled
        alike: if there is no signal, it finds some at most 5 % of the time at level 0.05.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> rng = np.random.default_rng(0)
    >>> X, noise = rng.uniform(size=(100, 5)), rng.normal(size=100)
    >>> short = {"n_replicates": 2, "burn_in": 300, "n_draws": 300, "random_state": 0}
    >>> bv.select(X, 5 * X[:, 0] + noise, **short).signal.found
    True
    >>> bv.select(X, noise, **short).signal.found
    False
    """

    explained: float
    null: FloatArray

    @property
    def p_value(self) -> float:
        """Proportion of all chains, the one on y included, that explain at least as much as it."""
        return float(1 + np.sum(self.null >= self.explained)) / (1 + len(self.null))

    @property
    def found(self) -> bool:
        """Whether there is signal, at level 0.05."""
        return self.p_value <= LEVEL

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return (
            f"The signal test finds {'a signal' if self.found else 'no signal'} (p = "
            f"{self.p_value:.2g}): trees fitted in a short run explain "
            f"{100 * self.explained:.0f} % of the variance of the response in the same rows; "
            f"fitted to {len(self.null)} permuted responses, they explain "
            f"{100 * self.null.mean():.0f} % on average."
        )

    def __repr__(self) -> str:
        return f"<SignalTest: {self.sentence}>"


def plan_signal_test(n_iterations: int) -> tuple[int, int]:
    """Return the permutations, and the iterations of each chain, for a selection of this cost.

    Examples
    --------
    >>> from bayesvc.selection.signal import plan_signal_test
    >>> plan_signal_test(100_000), plan_signal_test(20_000), plan_signal_test(10_000)
    ((99, 300), (19, 300), (19, 150))
    """
    budget = _FRACTION * n_iterations
    iterations = int(np.clip(budget / (_PERMUTATIONS[0] + 1), *_ITERATIONS))
    return int(np.clip(budget / iterations - 1, *_PERMUTATIONS)), iterations


def find_signal(data: Dataset, n_iterations: int, config: SamplingConfig) -> SignalTest:
    """Test for signal at a cost in proportion to that of the selection, `n_iterations`."""
    n_permutations, per_chain = plan_signal_test(n_iterations)
    chain = ChainConfig(per_chain // 2, per_chain - per_chain // 2, keep_fitted=True)
    own = replace(config, chain=chain, checkpoint=None)
    tasks = _tasks(data, n_permutations, own)
    data.forget_linear_model()
    explained = np.empty(len(tasks))

    def store(i: int, result: dict[str, Any]) -> None:
        explained[i] = data.y.model.explained_variance(result["fitted"], tasks[i].arranged()[0])

    execute(data.encoded, tasks, store, own)
    return SignalTest(float(explained[0]), explained[1:])


def _tasks(data: Dataset, n_permutations: int, config: SamplingConfig) -> list[ChainTask]:
    """Return the chain on y, and those on permutations of it."""
    to, prior, roles = (
        data.weighted_response,
        DART(),
        (Role.SIGNAL_PERMUTATION, Role.SIGNAL_REPLICATE),
    )
    calibration = calibrate(data, prior, to, config.n_trees)
    first = chain_tasks(to, prior, calibration, len(data.names), config, roles[1], [0])
    return first + null_tasks(data, prior, config, roles, range(1, n_permutations + 1))
