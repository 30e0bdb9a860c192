"""Prior of a forest: structure, cuts, and the choice of variables given or without ``s``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.trees import Data, Rows, Shape

Choice = tuple[int, tuple[int, ...]]  # the variable taken, the variables there were


def log_sum_exp(values: NDArray[np.float64]) -> float:
    """log(sum(exp(values))) of a short vector; scipy's has a cost per call that adds up here."""
    largest = values.max()
    return float(largest + np.log(np.exp(values - largest).sum()))


class TreePrior(NamedTuple):
    """Log probability of structure and cuts, and the choices of variables still to be priced."""

    log_structure: float
    choices: tuple[Choice, ...]


IMPOSSIBLE = TreePrior(-np.inf, ())


def tree_prior(
    model: Model, data: Data, shape: Shape, rows: Rows | None = None, depth: int = 0
) -> TreePrior:
    """Walk down the tree; IMPOSSIBLE where some rule is not among the prior's."""
    here = data.all_rows if rows is None else rows
    eligible = data.eligible(here)
    p_split = model.p_split(depth) if eligible else 0.0
    if shape is None:
        return TreePrior(float(np.log1p(-p_split)), ())
    variable, cut, left, right = shape
    if variable not in eligible or cut not in data.cuts(here, variable):
        return IMPOSSIBLE
    left_rows, right_rows = data.split(here, variable, cut)
    below_left = tree_prior(model, data, left, left_rows, depth + 1)
    below_right = tree_prior(model, data, right, right_rows, depth + 1)
    log_here = float(np.log(p_split)) + data.log_cut(here, variable, cut)
    log_structure = log_here + below_left.log_structure + below_right.log_structure
    if log_structure == -np.inf:
        return IMPOSSIBLE
    choices = ((variable, eligible), *below_left.choices, *below_right.choices)
    return TreePrior(log_structure, choices)


class VariablePrior(Protocol):
    """Joint log probability of a set of choices of variables."""

    def log_probability(self, choices: Sequence[Choice]) -> float: ...


class GivenS:
    """Variables drawn from a known ``s``, renormalised over what is eligible."""

    def __init__(self, log_s: NDArray[np.float64]) -> None:
        self.log_s = np.asarray(log_s, dtype=float)

    def log_probability(self, choices: Sequence[Choice]) -> float:
        return float(
            sum(self.log_s[v] - log_sum_exp(self.log_s[list(among)]) for v, among in choices)
        )


class PolyaUrn:
    """``s`` integrated out of a Dirichlet, every variable eligible wherever one is chosen.

    With ``ghosts`` (draws by variable) exhausted variables are allowed: the urn then prices the
    sequence of all draws, the ineligible ones before each choice being known.
    """

    def __init__(
        self, concentration: NDArray[np.float64], ghosts: NDArray[np.float64] | None = None
    ) -> None:
        self.exhaustible = ghosts is not None
        self.weights = np.asarray(concentration, dtype=float) + (0.0 if ghosts is None else ghosts)

    def log_probability(self, choices: Sequence[Choice]) -> float:
        p = len(self.weights)
        free = self.exhaustible or all(len(among) == p for _, among in choices)
        assert free, "a variable is exhausted somewhere"
        counts = np.bincount(np.array([v for v, _ in choices], dtype=np.int64), minlength=p)
        return dirichlet_multinomial(counts, self.weights)


def dirichlet_multinomial(counts: NDArray[np.int64], concentration: NDArray[np.float64]) -> float:
    """Log probability of one sequence with these counts under the Dirichlet."""
    taken = sum(
        float(np.log(weight + np.arange(count)).sum())
        for weight, count in zip(concentration, counts, strict=True)
    )
    return taken - float(np.log(concentration.sum() + np.arange(counts.sum())).sum())


def log_prior(model: Model, data: Data, shape: Shape, log_s: NDArray[np.float64]) -> float:
    """Log prior probability of one tree given ``s``."""
    prior = tree_prior(model, data, shape)
    return prior.log_structure + GivenS(log_s).log_probability(prior.choices)
