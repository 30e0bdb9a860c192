"""Expected probabilities of choices of variables when ``s`` (and alpha) are unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, roots_legendre
from scipy.stats import beta as beta_distribution
from scipy.stats import norm
from scipy.stats import t as student

from tests.helpers.stat.reference.likelihood import log_marginals
from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.prior import (
    Choice,
    GivenS,
    VariablePrior,
    dirichlet_multinomial,
    log_sum_exp,
)
from tests.helpers.stat.reference.trees import Data, Rows, Shape, leaf_rows

STEP = 0.5  # trapezoid rule in log ratios: the error is about exp(-2 pi^2 / STEP)
TAIL = 30.0  # ... cut off where the density has fallen by exp(-TAIL)


class DirichletAverage:
    """Choices of variables with ``s`` integrated out of Dirichlet(concentration).

    Exact where each choice was between all variables or had no alternative. For three
    variables the rest is a two-dimensional integral over the log ratios of ``s``, where the
    trapezoid rule is exact to about eleven digits.
    """

    def __init__(self, concentration: NDArray[np.float64]) -> None:
        self.concentration = np.asarray(concentration, dtype=float)
        self.p = len(self.concentration)
        self._known: dict[tuple[tuple[Choice, int], ...], float] = {}
        self._grid: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._log_masses: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def log_probability(self, choices: Sequence[Choice]) -> float:
        free = [choice for choice in choices if len(choice[1]) > 1]
        key = tuple(sorted(Counter(free).items()))
        if key not in self._known:
            self._known[key] = self._compute(free, key)
        return self._known[key]

    def _compute(self, free: list[Choice], key: tuple[tuple[Choice, int], ...]) -> float:
        if all(len(among) == self.p for _, among in free):
            used = np.array([v for v, _ in free], dtype=np.int64)
            return dirichlet_multinomial(np.bincount(used, minlength=self.p), self.concentration)
        assert self.p == 3, "the integral is written for three variables"
        log_s, log_density = self._log_s_grid()
        log_terms = log_density.copy()
        for (variable, among), times in key:
            if among not in self._log_masses:
                self._log_masses[among] = np.logaddexp.reduce(log_s[list(among)], axis=0)
            log_terms += times * (log_s[variable] - self._log_masses[among])
        return log_sum_exp(log_terms)

    def _log_s_grid(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._grid is None:
            reach = TAIL / self.concentration.min()
            axis = np.arange(-reach, reach + STEP, STEP)
            u, v = (grid.ravel() for grid in np.meshgrid(axis, axis))
            logits = np.stack([u, v, np.zeros_like(u)])
            log_s = logits - np.logaddexp.reduce(logits, axis=0)
            constant = gammaln(self.concentration.sum()) - gammaln(self.concentration).sum()
            self._grid = log_s, constant + self.concentration @ log_s + 2.0 * np.log(STEP)
        return self._grid


class AlphaAverage:
    """Choices with ``s`` and alpha integrated out, alpha / (alpha + rho) ~ Beta(a, b)."""

    def __init__(self, model: Model, p: int, n_points: int = 200) -> None:
        nodes, weights = roots_legendre(n_points)
        # Quantiles of the Beta as variable of integration: the singularity at 0 disappears.
        self.share = beta_distribution.ppf(0.5 * (nodes + 1.0), model.a, model.b)
        self.log_weights = np.log(0.5 * weights)
        alphas = model.rho_for(p) * self.share / (1.0 - self.share)
        self.parts = [DirichletAverage(alpha * model.base_measure(p)) for alpha in alphas]

    def log_terms(self, choices: Sequence[Choice]) -> NDArray[np.float64]:
        """Log of weight times probability, for each alpha."""
        return self.log_weights + [part.log_probability(choices) for part in self.parts]

    def log_probability(self, choices: Sequence[Choice]) -> float:
        return log_sum_exp(self.log_terms(choices))

    def mean_share(self, choices: Sequence[Choice]) -> float:
        """Posterior mean of alpha / (alpha + rho) given the choices."""
        log_terms = self.log_terms(choices)
        weights = np.exp(log_terms - log_terms.max())
        return float(weights @ self.share / weights.sum())


class LeafSdAverage:
    """The likelihood of trees with a learned sd of their leaf means integrated out."""

    def __init__(self, model: Model, n_points: int = 60) -> None:
        nodes, weights = roots_legendre(n_points)
        self.share, self.log_weights = 0.5 * (nodes + 1.0), np.log(0.5 * weights)
        self.leaf_sds = model.leaf_sd_at(self.share)
        if not model.learn_leaf_sd:
            self.share, self.log_weights = np.array([0.5]), np.zeros(1)
            self.leaf_sds = np.array([model.leaf_sd])

    def log_terms(
        self, data: Data, shapes: Sequence[Shape], y: NDArray[np.float64], sigma: float
    ) -> NDArray[np.float64]:
        """Log of weight times density of y, for each leaf sd."""
        return self.log_weights + log_marginals(data, shapes, y, sigma, self.leaf_sds)


class DfAverage:
    """The likelihood of one tree under Student-t errors, their degrees of freedom integrated out.

    Given these, leaves are independent, and the value of each is integrated by the trapezoid rule.
    """

    def __init__(self, model: Model, n_points: int = 30, n_values: int = 301) -> None:
        assert model.n_trees == 1
        assert not model.learn_leaf_sd
        nodes, weights = roots_legendre(n_points)
        self.share, self.log_weights = 0.5 * (nodes + 1.0), np.log(0.5 * weights)
        self.df = model.df_at(self.share)[:, None, None]
        z = np.linspace(-8.0, 8.0, n_values)
        self.values = model.leaf_sd * z
        self.log_values = norm.logpdf(z) + np.log(z[1] - z[0])
        self._known: dict[Rows, NDArray[np.float64]] = {}

    def log_terms(
        self, data: Data, shapes: Sequence[Shape], y: NDArray[np.float64], sigma: float
    ) -> NDArray[np.float64]:
        """Log of weight times density of y, for each number of degrees of freedom."""
        total = self.log_weights.copy()
        for rows in leaf_rows(data, shapes[0]):
            if rows not in self._known:
                self._known[rows] = self._log_density(data, rows, y, sigma)
            total += self._known[rows]
        return total

    def _log_density(
        self, data: Data, rows: Rows, y: NDArray[np.float64], sigma: float
    ) -> NDArray[np.float64]:
        own = list(rows)
        scale = sigma / np.sqrt(data.row_weights[own])
        errors = (y[own] - self.values[:, None]) / scale
        logs = (student.logpdf(errors, self.df) - np.log(scale)).sum(axis=2)
        return np.asarray(logsumexp(logs + self.log_values, axis=1))


class IntervalAverage(DfAverage):
    """The same for values that are only known to lie in intervals, also with normal errors."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.intervals = np.array(model.intervals)
        if not model.student:
            self.share, self.log_weights = np.array([0.5]), np.zeros(1)
            self.df = np.full((1, 1, 1), np.inf)

    def _log_density(
        self, data: Data, rows: Rows, y: NDArray[np.float64], sigma: float
    ) -> NDArray[np.float64]:
        own = list(rows)
        scale = sigma / np.sqrt(data.row_weights[own])
        low, high = (bound - self.values[:, None] for bound in self.intervals[y[own].astype(int)].T)
        points = student.logpdf(low / scale, self.df) - np.log(scale)
        below = student.cdf(low / scale, self.df)
        with np.errstate(divide="ignore"):
            inside = np.log(student.cdf(high / scale, self.df) - below)
        logs = np.where(low == high, points, inside).sum(axis=2)
        return np.asarray(logsumexp(logs + self.log_values, axis=1))


def variables_of(model: Model, p: int) -> VariablePrior:
    """The prior on choices of variables that belongs to a model."""
    if model.splitting == "fixed":
        return GivenS(np.log(model.base_measure(p)))
    if np.isnan(model.alpha):
        return AlphaAverage(model, p)
    return DirichletAverage(model.alpha * model.base_measure(p))
