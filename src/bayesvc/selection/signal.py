"""Is there any signal at all? Short fits to the response against as short ones to permuted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc.data.dataset import Dataset, check_permuted_memory
from bayesvc.priors.base import DART
from bayesvc.sampling.executor import (
    ROLE_SIGNAL_FIT,
    ROLE_SIGNAL_ORDER,
    ChainConfig,
    FitTask,
    fit_seed,
    run_fits,
)
from bayesvc.sampling.progress import ProgressCallback
from bayesvc.sampling.sample import fits_to

LEVEL = 0.05
_SHARE = 0.3  # of the sweeps of the selection
_SWEEPS = (50, 300)  # of a fit, at least and at most
_PERMUTATIONS = (19, 99)


@dataclass(frozen=True, eq=False, repr=False)
class SignalTest:
    """A permutation test of the hypothesis that y has nothing to do with X.

    Attributes
    ----------
    explained : float
        Share of the variance of y that a short fit explains: the variance of its posterior mean.
    null : ndarray (n_permutations,)
        The same for permuted responses.
    p_value : float
        How often chance alone explains as much. Exact, because the fits are all alike: at level
        0.05 a response without signal is found to have some in at most 5 % of the cases.

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
        """Share of the fits, that to y counted, that explain as much as that to y."""
        return float(1 + np.sum(self.null >= self.explained)) / (1 + len(self.null))

    @property
    def found(self) -> bool:
        """Whether there is signal, at level 0.05."""
        return self.p_value <= LEVEL

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        facts = (
            f"a short fit explains {100 * self.explained:.0f} % of the variance, fits to "
            f"{len(self.null)} permuted responses {100 * self.null.mean():.0f} % on average "
            f"(p = {self.p_value:.2g})"
        )
        if self.found:
            return f"there is signal: {facts}"
        return f"no signal was found: {facts}"

    def __repr__(self) -> str:
        return f"<SignalTest: {self.sentence}>"


def plan_signal_test(n_sweeps: int) -> tuple[int, int]:
    """Return the permutations, and the sweeps of each fit, that a selection of this cost pays for.

    Examples
    --------
    >>> from bayesvc.selection.signal import plan_signal_test
    >>> plan_signal_test(100_000), plan_signal_test(20_000), plan_signal_test(10_000)
    ((99, 300), (19, 300), (19, 150))
    """
    budget = _SHARE * n_sweeps
    sweeps = int(np.clip(budget / (_PERMUTATIONS[0] + 1), *_SWEEPS))
    return int(np.clip(budget / sweeps - 1, *_PERMUTATIONS)), sweeps


def check_signal_memory(data: Dataset) -> None:
    """Raise MemoryError if the responses of the longest test are too large."""
    remedy = "pass signal_test=False, or fewer rows"
    check_permuted_memory("the test for signal", 1 + _PERMUTATIONS[1], data, remedy)


def find_signal(
    data: Dataset,
    n_sweeps: int,
    *,
    n_trees: int,
    entropy: int,
    n_jobs: int,
    progress: bool | ProgressCallback | None = None,
) -> SignalTest:
    """Test for signal at a cost in proportion to that of the selection, `n_sweeps`."""
    n_permutations, sweeps = plan_signal_test(n_sweeps)
    length = ChainConfig(sweeps // 2, sweeps - sweeps // 2, keep_fitted=True)
    fits = [_fit(data, number, n_trees, entropy) for number in range(n_permutations + 1)]
    data.forget_linear_model()
    explained = np.empty(len(fits))

    def store(i: int, result: dict[str, Any]) -> None:
        spread = float(np.var(result["fitted"]))
        # of a latent response the variance is that of the fit and of its noise, which is 1
        explained[i] = spread / (1 + spread if data.binary else np.var(fits[i].y))

    run_fits(
        data.problem.columns, fits, length, store, n_jobs=n_jobs, progress=progress,
        X=data.values, layout=data.layout,
    )  # fmt: skip
    return SignalTest(float(explained[0]), explained[1:])


def _fit(data: Dataset, number: int, n_trees: int, entropy: int) -> FitTask:
    """Return the fit to y for number 0, to a permutation of it for the others."""
    to = data.permuted(entropy, number, ROLE_SIGNAL_ORDER) if number else data.arranged
    prior = DART()
    calibration = data.calibration(prior, to, n_trees)
    seeds = [fit_seed(entropy, ROLE_SIGNAL_FIT, number)]
    return fits_to(to, prior, calibration, n_trees, len(data.names), seeds)[0]
