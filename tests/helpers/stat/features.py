"""Numbers that summarise a forest, its splitting probabilities and its hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.simulate import PriorDraw, draw_prior
from tests.helpers.stat.reference.trees import (
    Data,
    Shape,
    canonical,
    depth,
    n_splits,
    parse,
    subtrees,
)

MAX_CUTS = 4


@dataclass(frozen=True)
class Features:
    """Statistics compared between a chain and its target; means over trees where trees matter."""

    model: Model
    data: Data

    @cached_property
    def names(self) -> list[str]:
        """Names of the statistics, in order."""
        p = self.data.p
        names = [f"share of trees with {k} splits" for k in range(4)]
        names += ["depth", "squared splits of the forest", "same variable at root and below"]
        names += [f"root on variable {j}" for j in range(min(p, 4))]
        names += [f"left child of the root on variable {j}" for j in range(min(p, 4))]
        names += [f"root at cut number {c} of variable 0" for c in range(MAX_CUTS)]
        names += ["splits on variable 0", "forest without variable 0", "variables in use"]
        if self.model.splitting != "fixed":
            names += ["s of variable 0", "square of s of variable 0", "largest s"]
        if self.samples_alpha:
            names += ["alpha / (alpha + rho)", "square of alpha / (alpha + rho)"]
        if self.samples_sigma:
            names += ["log sigma", "square of log sigma", "inverse variance"]
        if self.model.learn_leaf_sd:
            names += ["share of the leaf sd", "its square", "log leaf sd", "leaf sd below median"]
        if self.model.student:
            names += ["share of the degrees of freedom", "its square", "its product with log sigma"]
        return names

    @property
    def samples_alpha(self) -> bool:
        """Whether alpha is a random quantity."""
        return self.model.splitting != "fixed" and bool(np.isnan(self.model.alpha))

    @property
    def samples_sigma(self) -> bool:
        """Whether sigma is a random quantity."""
        return not self.model.binary and bool(np.isnan(self.model.sigma))

    def of(
        self,
        shapes: Sequence[Shape],
        s: NDArray[np.float64],
        alpha: float,
        sigma: float,
        leaf_sd: float,
        df: float,
    ) -> list[float]:
        """The statistics of one state."""
        total = sum(n_splits(shape) for shape in shapes)
        values = self._mean_over_trees(tuple(shapes))
        used = [x[0] for shape in shapes for x in subtrees(shape) if x is not None]
        values[5:5] = [float(total * total)]
        values += [used.count(0), float(0 not in used), len(set(used))]
        if self.model.splitting != "fixed":
            values += [s[0], s[0] ** 2, max(s)]
        if self.samples_alpha:
            share = alpha / (alpha + self.model.rho_for(self.data.p))
            values += [share, share**2]
        if self.samples_sigma:
            values += [np.log(sigma), np.log(sigma) ** 2, sigma**-2.0]
        if self.model.learn_leaf_sd:
            share = float(self.model.leaf_sd_share(leaf_sd))
            values += [share, share**2, np.log(leaf_sd), share < 0.5]
        if self.model.student:
            share = float(self.model.df_share(df))
            values += [share, share**2, share * np.log(sigma)]
        return [float(value) for value in values]

    def _mean_over_trees(self, shapes: tuple[Shape, ...]) -> list[float]:
        if shapes not in self._means:
            self._means[shapes] = np.mean([self._of_tree(shape) for shape in shapes], axis=0)
        return self._means[shapes].tolist()

    @cached_property
    def _means(self) -> dict[tuple[Shape, ...], NDArray[np.float64]]:
        return {}

    def _of_tree(self, shape: Shape) -> list[float]:
        size, p = n_splits(shape), min(self.data.p, 4)
        root = -1 if shape is None else shape[0]
        left = -1 if shape is None or shape[2] is None else shape[2][0]
        cut = shape[1] if root == 0 else None
        cuts = [*self.data.cuts(self.data.all_rows, 0), *[-1] * MAX_CUTS][:MAX_CUTS]
        return [
            *(float(size == k) for k in range(4)),
            float(depth(shape)),
            float(root == left and root >= 0),
            *(float(root == j) for j in range(p)),
            *(float(left == j) for j in range(p)),
            *(float(cut == c) for c in cuts),
        ]

    def of_chain(self, chain: Any) -> list[float]:
        """The statistics of a compiled chain's state."""
        shapes = [canonical(self.data, parse(nodes)) for nodes in chain.trees()]
        fixed = self.model.splitting == "fixed"
        s = np.zeros(0) if fixed else chain.split_probabilities()
        return self.of(shapes, s, chain.alpha, chain.sigma, chain.leaf_sd, chain.df)

    def of_draw(self, draw: PriorDraw) -> list[float]:
        """The statistics of one direct draw from the prior."""
        s = np.exp(draw.log_s)
        return self.of(draw.shapes, s, draw.alpha, draw.sigma, draw.leaf_sd, draw.df)

    def of_prior(self, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
        """The statistics of direct draws from the prior."""
        values = []
        for _ in range(n_draws):
            draw = draw_prior(rng, self.model, self.data)
            values.append(self.of_draw(draw))
        return np.array(values)


def mean_and_error(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of independent draws and their standard errors."""
    return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
