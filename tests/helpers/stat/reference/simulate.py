"""Direct draws from the prior, top down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.model import DF_RANGE, DF_SCALE, DF_SHAPE, Model
from tests.helpers.stat.reference.prior import log_sum_exp
from tests.helpers.stat.reference.trees import (
    Data,
    Node,
    Rows,
    Shape,
    fitted_values,
    n_splits,
    parse,
    to_preorder,
)


@dataclass(frozen=True)
class PriorDraw:
    """Everything the model does not know, drawn once."""

    trees: list[list[Node]]
    log_s: NDArray[np.float64]
    alpha: float
    sigma: float
    leaf_sd: float
    df: float = float("inf")

    @property
    def shapes(self) -> list[Shape]:
        """The trees without their leaf means."""
        return [parse(nodes) for nodes in self.trees]

    def fitted(self, data: Data) -> NDArray[np.float64]:
        """Sum of trees at every row."""
        return np.sum([fitted_values(data, nodes) for nodes in self.trees], axis=0)


def draw_log_dirichlet(
    rng: np.random.Generator, concentration: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Log of a Dirichlet draw; G(a) = G(a + 1) U^(1/a) keeps tiny shapes from underflowing."""
    log_gamma = np.log(rng.gamma(concentration + 1.0))
    log_gamma += np.log(1.0 - rng.random(len(concentration))) / concentration
    result: NDArray[np.float64] = log_gamma - log_sum_exp(log_gamma)
    return result


def draw_category(rng: np.random.Generator, log_weights: NDArray[np.float64]) -> int:
    """Index drawn in proportion to exp(log_weights)."""
    cumulative = np.cumsum(np.exp(log_weights - log_weights.max()))
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def draw_shape(
    rng: np.random.Generator,
    model: Model,
    data: Data,
    log_s: NDArray[np.float64],
    rows: Rows | None = None,
    depth: int = 0,
) -> Shape:
    """One tree given ``s``."""
    here = data.all_rows if rows is None else rows
    eligible = data.eligible(here)
    if not eligible or rng.random() >= model.p_split(depth):
        return None
    variable = eligible[draw_category(rng, log_s[list(eligible)])]
    cut = data.draw_cut(rng, here, variable)
    left_rows, right_rows = data.split(here, variable, cut)
    left = draw_shape(rng, model, data, log_s, left_rows, depth + 1)
    right = draw_shape(rng, model, data, log_s, right_rows, depth + 1)
    return (variable, cut, left, right)


def draw_sigma(rng: np.random.Generator, model: Model) -> float:
    """sigma^2 ~ nu lambda / chi2_nu, unless fixed."""
    if model.binary:
        return 1.0
    if not np.isnan(model.sigma):
        return model.sigma
    return float(np.sqrt(model.nu * model.lambda_ / rng.chisquare(model.nu)))


def draw_leaf_sd(rng: np.random.Generator, model: Model) -> float:
    """The absolute value of a Cauchy variate with this scale, by rejection, unless fixed."""
    low, high = model.leaf_sd_range
    while model.learn_leaf_sd:
        ratio = abs(rng.standard_cauchy())
        if low <= ratio <= high:
            return float(model.leaf_sd * ratio)
    return model.leaf_sd


def draw_alpha(rng: np.random.Generator, model: Model, p: int) -> float:
    """alpha / (alpha + rho) ~ Beta(a, b), unless fixed; nan without a Dirichlet."""
    if model.splitting == "fixed" or not np.isnan(model.alpha):
        return model.alpha
    share = rng.beta(model.a, model.b)
    return float(model.rho_for(p) * share / (1.0 - share))


def draw_df(rng: np.random.Generator, model: Model) -> float:
    """Degrees of freedom by rejection; infinite for normal errors."""
    low, high = DF_RANGE
    while model.student:
        df = rng.gamma(DF_SHAPE, DF_SCALE)
        if low <= df <= high:
            return float(df)
    return float("inf")


def draw_prior(rng: np.random.Generator, model: Model, data: Data) -> PriorDraw:
    """alpha, s, the leaf sd, the trees with their leaf means, sigma and degrees of freedom.

    A variable that cannot split even the root takes no part: its share of s is left out.
    """
    alpha = draw_alpha(rng, model, data.p)
    base = model.base_measure(data.p)
    fixed = model.splitting == "fixed"
    log_s = np.log(base) if fixed else draw_log_dirichlet(rng, alpha * base)
    usable = data.eligible(tuple(range(data.n)))
    if not fixed and 0 < len(usable) < data.p:
        log_s[np.setdiff1d(np.arange(data.p), usable)] = -np.inf
        log_s -= log_sum_exp(log_s)
    leaf_sd, trees = draw_leaf_sd(rng, model), []
    for _ in range(model.n_trees):
        shape = draw_shape(rng, model, data, log_s)
        n_leaves = n_splits(shape) + 1
        trees.append(to_preorder(shape, list(leaf_sd * rng.standard_normal(n_leaves))))
    sigma = draw_sigma(rng, model)
    return PriorDraw(trees, log_s, alpha, sigma, leaf_sd, draw_df(rng, model))


def draw_response(
    rng: np.random.Generator,
    model: Model,
    data: Data,
    fitted: NDArray[np.float64],
    sigma: float,
    df: float = float("inf"),
    precisions: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """y given the sum of trees: normal or Student's t, the sign of a latent normal or its interval.

    With `precisions`, which hold row weights and mixing weights, Student's t is given the latter.
    """
    known = data.row_weights if precisions is None else precisions
    noise = sigma / np.sqrt(known) * rng.standard_normal(len(fitted))
    if model.student and precisions is None:
        noise /= np.sqrt(rng.chisquare(df, size=len(fitted)) / df)
    latent = model.offset + fitted + noise
    if model.binary:
        return (latent > 0.0).astype(float)
    if model.intervals:  # which must cover the line
        return np.searchsorted([high for _, high in model.intervals], latent).astype(float)
    return latent
