"""A plain birth/death BART in numpy: slow, short, and able to imitate a peer's mistake.

It predicts by how much stochtree, whose acceptance ratio is wrong in two places, must differ
from an exact sampler. The prediction is made here, without running stochtree, and is written
down in ``test_agreement.py``; the test then compares it with what stochtree does.

Run as a script it prints the constants for that file::

    python -m tests.helpers.peers.reference_sampler --rules stochtree --seeds 10
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tests.helpers.peers.problem import Hyperparameters, Problem, make_problem, summarise

Rules = Literal["exact", "stochtree"]
Array = NDArray[np.float64]


@dataclass
class PlainTree:
    """A tree in heap order: node i has the children 2i and 2i + 1, the root is 1."""

    leaf_of_row: NDArray[np.int64]
    leaves: list[int] = field(default_factory=lambda: [1])
    variable: dict[int, int] = field(default_factory=dict)

    def prunable(self) -> list[int]:
        """Return the internal nodes both of whose children are leaves."""
        inner = self.variable
        return [i for i in inner if 2 * i not in inner and 2 * i + 1 not in inner]


def split_probability(node: int, h: Hyperparameters) -> float:
    """Prior probability that a node, given by its heap index, is split."""
    return h.gamma * float(node.bit_length()) ** -h.beta


@dataclass
class PlainBart:
    """Birth/death BART with uniform variable choice and one row or more in each leaf.

    ``rules="exact"``: a cut uniform over the observed values in the node but the largest, and
    the right acceptance ratio. ``rules="stochtree"``: a cut uniform between the node's smallest
    and largest value, and stochtree's ratio, which (1) takes the number of prunable nodes after
    a birth to be one more than before even where the parent stops being prunable, (2) gives
    the birth from a stump the probability 1/2, not 1, in the ratio of the death that leads there,
    and (3) doubles the ratio of births and deaths alike where one of the children has one row.
    """

    problem: Problem
    rules: Rules
    rng: np.random.Generator
    likelihood: bool = True

    def __post_init__(self) -> None:
        n, _ = self.problem.X.shape
        self.h = self.problem.hyper
        self.trees = [PlainTree(np.ones(n, dtype=np.int64)) for _ in range(self.h.n_trees)]
        self.fits = np.zeros((self.h.n_trees, n))
        self.total = np.zeros(n)
        self.sigma2 = self.h.nu * self.h.lambda_ / self.rng.chisquare(self.h.nu)
        self._columns = np.ascontiguousarray(self.problem.X.T)

    def sweep(self) -> None:
        """Update every tree once, then sigma."""
        y = self.problem.y
        for tree, fit in zip(self.trees, self.fits, strict=True):
            residual = y - self.total + fit
            self._move(tree, residual)
            self.total -= fit
            fit[:] = self._draw_leaves(tree, residual)
            self.total += fit
        left_over = y - self.total
        weight = 1.0 if self.likelihood else 0.0
        scale = self.h.nu * self.h.lambda_ + weight * float(left_over @ left_over)
        self.sigma2 = scale / self.rng.chisquare(self.h.nu + weight * y.size)

    def counts(self) -> NDArray[np.int64]:
        """Splits per variable over the forest."""
        used = [j for tree in self.trees for j in tree.variable.values()]
        return np.bincount(used, minlength=self._columns.shape[0])

    def _log_marginal(self, size: int, total: float) -> float:
        """Log marginal likelihood of a leaf, up to what every partition has in common."""
        if not self.likelihood:
            return 0.0
        s2 = self.h.leaf_sd**2
        spread = self.sigma2 + size * s2
        return 0.5 * (math.log(self.sigma2 / spread) + s2 * total**2 / (self.sigma2 * spread))

    def _move(self, tree: PlainTree, residual: Array) -> None:
        if not tree.variable or self.rng.random() < 0.5:
            self._birth(tree, residual)
        else:
            self._death(tree, residual)

    def _rule(self, x: Array) -> NDArray[np.bool_]:
        """Draw a cut for the values in a node; tell which of its rows go left."""
        largest = x.max()
        if self.rules == "stochtree":
            return x <= self.rng.uniform(x.min(), largest)
        cut = largest
        while cut == largest:
            cut = x[self.rng.integers(x.size)]  # uniform over values only because none is tied
        return x <= cut

    def _birth(self, tree: PlainTree, residual: Array) -> None:
        node = tree.leaves[self.rng.integers(len(tree.leaves))]
        rows = np.flatnonzero(tree.leaf_of_row == node)
        if rows.size < 2:
            return
        variable = int(self.rng.integers(self._columns.shape[0]))
        left = self._rule(self._columns[variable, rows])
        n_left = int(left.sum())
        total = residual[rows]
        log_ratio = self._log_growth(node, n_left, rows.size, float(total @ left), total.sum())
        before = tree.prunable()
        if self.rules == "stochtree":
            n_prunable = len(before) + 1
        else:
            n_prunable = len(before) + (node // 2 not in before)
        death = 0.5 * self._doubling(n_left, rows.size)
        log_ratio += math.log(death / n_prunable * len(tree.leaves) / (0.5 if before else 1.0))
        if math.log(1.0 - self.rng.random()) < log_ratio:
            tree.leaf_of_row[rows] = np.where(left, 2 * node, 2 * node + 1)
            tree.leaves.remove(node)
            tree.leaves += [2 * node, 2 * node + 1]
            tree.variable[node] = variable

    def _death(self, tree: PlainTree, residual: Array) -> None:
        prunable = tree.prunable()
        node = prunable[self.rng.integers(len(prunable))]
        left = tree.leaf_of_row == 2 * node
        rows = left | (tree.leaf_of_row == 2 * node + 1)
        n_left, n = int(left.sum()), int(rows.sum())
        log_ratio = -self._log_growth(
            node, n_left, n, float(residual @ left), float(residual @ rows)
        )
        leads_to_stump = node == 1
        birth = 1.0 if leads_to_stump and self.rules == "exact" else 0.5
        birth *= self._doubling(n_left, n)
        log_ratio += math.log(birth / (len(tree.leaves) - 1) * len(prunable) / 0.5)
        if math.log(1.0 - self.rng.random()) < log_ratio:
            tree.leaf_of_row[rows] = node
            tree.leaves.remove(2 * node)
            tree.leaves.remove(2 * node + 1)
            tree.leaves.append(node)
            del tree.variable[node]

    def _doubling(self, n_left: int, n: int) -> float:
        return 2.0 if self.rules == "stochtree" and min(n_left, n - n_left) == 1 else 1.0

    def _log_growth(self, node: int, n_left: int, n: int, left: float, total: float) -> float:
        """Log of (posterior with the node split) / (posterior with it a leaf), rule prior aside."""
        p_node, p_child = split_probability(node, self.h), split_probability(2 * node, self.h)
        log_ratio = math.log(p_node / (1.0 - p_node))
        for size in (n_left, n - n_left):
            can_split = size > 1 or self.rules == "stochtree"
            log_ratio += math.log1p(-p_child) if can_split else 0.0
        return (
            log_ratio
            + self._log_marginal(n_left, left)
            + self._log_marginal(n - n_left, total - left)
            - self._log_marginal(n, total)
        )

    def _draw_leaves(self, tree: PlainTree, residual: Array) -> Array:
        size = np.bincount(tree.leaf_of_row)
        precision = 1.0 / self.h.leaf_sd**2 + np.zeros(size.size)
        mean = np.zeros(size.size)
        if self.likelihood:
            precision += size / self.sigma2
            mean = np.bincount(tree.leaf_of_row, weights=residual) / self.sigma2 / precision
        value = mean + self.rng.standard_normal(size.size) / np.sqrt(precision)
        drawn: Array = value[tree.leaf_of_row]
        return drawn


def run_chain(
    problem: Problem,
    rules: Rules,
    seed: int,
    burn_in: int,
    n_draws: int,
    *,
    likelihood: bool = True,
) -> dict[str, float]:
    """Run one chain and return the summaries the agreement test compares."""
    chain = PlainBart(problem, rules, np.random.default_rng(seed), likelihood)
    for _ in range(burn_in):
        chain.sweep()
    counts = np.empty((n_draws, problem.X.shape[1]), dtype=np.int64)
    sigma = np.empty(n_draws)
    for k in range(n_draws):
        chain.sweep()
        counts[k], sigma[k] = chain.counts(), math.sqrt(chain.sigma2)
    return summarise(counts, sigma * problem.y_range)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rules", choices=("exact", "stochtree"), default="exact")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(10)))
    parser.add_argument("--burn-in", type=int, default=5000)
    parser.add_argument("--draws", type=int, default=20000)
    parser.add_argument("--prior-only", action="store_true")
    options = parser.parse_args()
    problem = make_problem()
    for seed in options.seeds:
        found = run_chain(
            problem,
            options.rules,
            seed,
            options.burn_in,
            options.draws,
            likelihood=not options.prior_only,
        )
        print(json.dumps({"rules": options.rules, "seed": seed, **found}), flush=True)


if __name__ == "__main__":
    main()
