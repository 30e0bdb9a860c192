"""Every tree on a tiny X, and the exact posterior over all forests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tests.helpers.stat.reference.integrals import (
    AlphaAverage,
    DfAverage,
    IntervalAverage,
    LeafSdAverage,
    variables_of,
)
from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.prior import Choice, VariablePrior, tree_prior
from tests.helpers.stat.reference.trees import Data, Rows, Shape

Forest = tuple[Shape, ...]


def all_shapes(data: Data, rows: Rows | None = None) -> list[Shape]:
    """All trees the prior can make on these rows."""
    here = data.all_rows if rows is None else rows
    shapes: list[Shape] = [None]
    for variable in data.eligible(here):
        for cut in data.cuts(here, variable):
            left_rows, right_rows = data.split(here, variable, cut)
            below = product(all_shapes(data, left_rows), all_shapes(data, right_rows))
            shapes.extend((variable, cut, left, right) for left, right in below)
    return shapes


@dataclass(frozen=True)
class ExactPosterior:
    """Probability of every forest, and expectations under it."""

    forests: list[Forest]
    probability: NDArray[np.float64]
    choices: list[tuple[Choice, ...]]
    variables: VariablePrior
    usable: tuple[int, ...]  # variables that can be split on at all
    average: LeafSdAverage | DfAverage  # over the parameter that is learned
    average_weights: NDArray[np.float64]  # probability of each of its values

    @cached_property
    def index(self) -> dict[Forest, int]:
        """Position of each forest."""
        return {forest: i for i, forest in enumerate(self.forests)}

    def mean(self, statistic: Callable[[Forest], NDArray[np.float64]]) -> NDArray[np.float64]:
        """Expectation of a vector-valued function of the forest."""
        values = np.array([statistic(forest) for forest in self.forests], dtype=float)
        result: NDArray[np.float64] = self.probability @ values
        return result

    def mean_s(self, variable: int) -> float:
        """Expectation of s_j among usable variables: that one more choice would be of variable j.

        A column that is constant takes no part; its share of s is not identified and left out.
        """
        if variable not in self.usable:
            return 0.0
        free = (variable, self.usable)
        return self._average(
            lambda choices: float(
                np.exp(
                    self.variables.log_probability((*choices, free))
                    - self.variables.log_probability(choices)
                )
            )
        )

    def mean_alpha_share(self) -> float:
        """Expectation of alpha / (alpha + rho)."""
        assert isinstance(self.variables, AlphaAverage)
        return self._average(self.variables.mean_share)

    def mean_shares(self) -> list[float]:
        """Expectation of the learned parameter's prior distribution function, and of its square."""
        share = self.average.share
        return [float(self.average_weights @ value) for value in (share, share**2)]

    def _average(self, value: Callable[[tuple[Choice, ...]], float]) -> float:
        known: dict[tuple[Choice, ...], float] = {}
        total = 0.0
        for choices, probability in zip(self.choices, self.probability, strict=True):
            key = tuple(sorted(choices))
            if key not in known:
                known[key] = value(choices)
            total += probability * known[key]
        return total


def exact_posterior(model: Model, data: Data, y: NDArray[np.float64] | None) -> ExactPosterior:
    """List all forests; sigma must be fixed. Without y (or likelihood) this is the prior."""
    shapes = all_shapes(data)
    priors = [tree_prior(model, data, shape) for shape in shapes]
    variables = variables_of(model, data.p)
    average = DfAverage(model) if model.student else LeafSdAverage(model)
    if model.intervals:
        average = IntervalAverage(model)
    forests, choices, log_terms = [], [], []
    for members in product(range(len(shapes)), repeat=model.n_trees):
        forest = tuple(shapes[i] for i in members)
        chosen = tuple(choice for i in members for choice in priors[i].choices)
        log_p = sum(priors[i].log_structure for i in members)
        log_p += variables.log_probability(chosen)
        if y is not None and model.likelihood:
            log_terms.append(log_p + average.log_terms(data, forest, y, model.sigma))
        else:
            log_terms.append(log_p + average.log_weights)
        forests.append(forest)
        choices.append(chosen)
    total = logsumexp(log_terms)
    if y is None or not model.likelihood:
        assert abs(total) < 1e-8, f"prior probabilities sum to exp({total})"
    joint = np.exp(np.array(log_terms) - total)
    usable = data.eligible(data.all_rows)
    return ExactPosterior(
        forests, joint.sum(axis=1), choices, variables, usable, average, joint.sum(axis=0)
    )
