"""Follow a chain proposal by proposal, and rebuild what each one was conditioned on."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.moves import Conditional, Move, apply
from tests.helpers.stat.reference.prior import Choice, GivenS, PolyaUrn, VariablePrior, tree_prior
from tests.helpers.stat.reference.trees import Data, Node, Shape, fitted_values, parse, rows_by_node

Ghosts = dict[int, dict[int, float]]  # preorder node -> variable -> ineligible draws


@dataclass(frozen=True)
class Step:
    """One recorded proposal with everything around it at that moment."""

    record: dict[str, Any]
    shape: Shape
    move: Move
    after: list[Node]  # the tree after the move and the draw of its leaf means
    residuals: NDArray[np.float64]  # y, or its latent values, less the other trees
    sigma: float
    conditional: Conditional
    latents: NDArray[np.float64]  # what the trees see: y, unless it is censored
    ghosts: Ghosts  # of this tree, but for the node at work: a collapsed chain's ineligible draws

    @property
    def can_be_proposed(self) -> bool:
        """False for a birth in a leaf where nothing is eligible."""
        data = self.conditional.data
        return bool(data.eligible(rows_by_node(data, self.shape)[self.move.node]))

    def expected_log_ratio(self) -> float:
        """The log ratio by the reference."""
        if not self.can_be_proposed or self.ghost_becomes_eligible():
            return -np.inf
        return self.conditional.log_ratio(self.shape, self.move, self.residuals, self.sigma)

    def ghost_becomes_eligible(self) -> bool:
        """Only birth and death leave the ghosts of other nodes ineligible by themselves."""
        if self.move.kind in ("birth", "death"):
            return False
        data = self.conditional.data
        rows = rows_by_node(data, apply(self.shape, self.move))
        return any(
            v in data.eligible(rows[node]) for node in self.ghosts for v in self.ghosts[node]
        )


def move_of(record: dict[str, Any]) -> Move:
    """The reference's form of a recorded proposal."""
    kind = record["kind"]
    if kind in ("birth", "change", "perturb"):
        return Move(kind, record["node"], int(record["variable"]), record["cut"])
    if kind == "swap":
        return Move(kind, record["node"], child=record["child"])
    return Move(kind, record["node"])


def follow(
    chain: Any, model: Model, data: Data, y: NDArray[np.float64], n_sweeps: int
) -> Iterator[Step]:
    """Sweep one by one: trees before the one at work are new, trees after it still old.

    A collapsed chain draws the ghosts of a tree anew just before it works on it, and they are
    found unchanged after the sweep but for the node at work.
    """
    chain.record_proposals(True)
    chain.proposals()
    for _ in range(n_sweeps):
        old, sigma, old_ghosts = chain.trees(), chain.sigma, _ghosts(chain, model)
        model = replace(model, leaf_sd=chain.leaf_sd)
        alpha, s = chain.alpha, chain.split_probabilities()
        if model.student:  # the precisions that the trees see stand in the place of the weights
            data = copy(data)
            data.row_weights = chain.precisions()
        if model.intervals:
            y = chain.latents()
        chain.sweep(1)
        new, records, new_ghosts = chain.trees(), chain.proposals(), _ghosts(chain, model)
        assert [record["tree"] for record in records] == list(range(model.n_trees))
        for t, record in enumerate(records):
            assert record["sigma"] == sigma
            assert [tuple(node) for node in record["before"]] == [tuple(n) for n in old[t]]
            others = new[:t] + old[t + 1 :]
            residuals = y - sum((fitted_values(data, nodes) for nodes in others), np.zeros(data.n))
            ghosts = dict(new_ghosts[t])
            if record["kind"] != "swap":
                ghosts.pop(record["node"], None)
            present = [*new_ghosts[:t], ghosts, *old_ghosts[t + 1 :]]
            variables = _variables(model, data.p, alpha, s, present)
            conditional = Conditional(model, data, variables, _choices(model, data, others))
            shape, move = parse(old[t]), move_of(record)
            yield Step(record, shape, move, new[t], residuals, sigma, conditional, y, ghosts)


def _choices(model: Model, data: Data, forest: list[list[Node]]) -> tuple[Choice, ...]:
    return tuple(
        choice for nodes in forest for choice in tree_prior(model, data, parse(nodes)).choices
    )


def _variables(
    model: Model, p: int, alpha: float, s: NDArray[np.float64], ghosts: list[Ghosts]
) -> VariablePrior:
    if model.splitting != "collapsed":
        with np.errstate(divide="ignore"):
            return GivenS(np.log(s))
    drawn = np.zeros(p)
    for node in (node for tree in ghosts for node in tree.values()):
        for variable, count in node.items():
            drawn[variable] += count
    return PolyaUrn(alpha * model.base_measure(p), drawn)


def _ghosts(chain: Any, model: Model) -> list[Ghosts]:
    by_tree: list[Ghosts] = [{} for _ in range(model.n_trees)]
    if model.splitting == "collapsed":
        for (t, node), drawn in chain.ghosts().items():
            by_tree[t][node] = drawn
    return by_tree
