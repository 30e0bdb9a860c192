"""Small data sets with censored times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesvc import Surv


class Censored(NamedTuple):
    """Columns, times and events."""

    X: NDArray[np.float64]
    time: NDArray[np.float64]
    event: NDArray[np.bool_]

    @property
    def y(self) -> Surv:
        return Surv(self.time, self.event)


def make_censored(rng: np.random.Generator, n: int = 80, p: int = 4) -> Censored:
    """Log times depend on columns 1 and 3; about a third of them is right-censored."""
    X = rng.uniform(size=(n, p))
    log_time = 3 * X[:, 1] + 2 * X[:, 3] ** 2 + 0.2 * rng.normal(size=n)
    limit = log_time[rng.permutation(n)] + 0.7
    return Censored(X, np.exp(np.minimum(log_time, limit)), log_time <= limit)
