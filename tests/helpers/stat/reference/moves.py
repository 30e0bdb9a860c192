"""The moves from their definition: how each is proposed, and its full log ratio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.likelihood import log_marginal
from tests.helpers.stat.reference.model import KINDS, Model
from tests.helpers.stat.reference.perturb import near_cuts
from tests.helpers.stat.reference.prior import Choice, TreePrior, VariablePrior, tree_prior
from tests.helpers.stat.reference.trees import (
    Cut,
    Data,
    Shape,
    n_nodes,
    replace_subtree,
    rows_by_node,
    subtrees,
)


@dataclass(frozen=True)
class Move:
    """A proposal: preorder index of the node, and what the kind of move needs besides."""

    kind: str
    node: int
    variable: int = -1
    cut: Cut = -1
    child: int = -1


def leaves(shape: Shape) -> list[int]:
    """Preorder indices of the leaves."""
    return [i for i, s in enumerate(subtrees(shape)) if s is None]


def internal_nodes(shape: Shape) -> list[int]:
    """Preorder indices of the internal nodes."""
    return [i for i, s in enumerate(subtrees(shape)) if s is not None]


def prunable_nodes(shape: Shape) -> list[int]:
    """Preorder indices of the internal nodes both of whose children are leaves."""
    return [i for i, s in enumerate(subtrees(shape)) if s is not None and s[2] is s[3] is None]


def swap_pairs(shape: Shape) -> list[tuple[int, int]]:
    """Preorder indices (parent, child) of internal nodes with an internal child."""
    pairs = []
    for i, s in enumerate(subtrees(shape)):
        if s is not None and s[2] is not None:
            pairs.append((i, i + 1))
        if s is not None and s[3] is not None:
            pairs.append((i, i + 1 + n_nodes(s[2])))
    return pairs


def kind_probabilities(model: Model, shape: Shape) -> dict[str, float]:
    """How often each kind is tried: a stump is always born, a swap may turn into a change."""
    if shape is None:
        return {"birth": 1.0} | dict.fromkeys(KINDS[1:], 0.0)
    chances = dict(zip(KINDS, model.moves, strict=True))
    if not swap_pairs(shape):
        chances["change"] += chances["swap"]
        chances["swap"] = 0.0
    return chances


def places(shape: Shape, kind: str) -> list[int] | list[tuple[int, int]]:
    """What the kind of move chooses from, all with the same probability."""
    if kind == "swap":
        return swap_pairs(shape)
    lists = {"birth": leaves, "death": prunable_nodes}
    return lists.get(kind, internal_nodes)(shape)


def apply(shape: Shape, move: Move) -> Shape:
    """The proposed tree."""
    old = list(subtrees(shape))[move.node]
    if move.kind == "birth":
        return replace_subtree(shape, move.node, (move.variable, move.cut, None, None))
    if move.kind == "death":
        return replace_subtree(shape, move.node, None)
    if move.kind in ("change", "perturb"):
        return replace_subtree(shape, move.node, (move.variable, move.cut, old[2], old[3]))
    return replace_subtree(shape, move.node, _swapped(old, move.child == move.node + 1))


def _swapped(parent: Shape, child_is_left: bool) -> Shape:
    left, right = parent[2], parent[3]
    rule = (left if child_is_left else right)[:2]
    new_left, new_right = left, right
    if left is not None and left[:2] == rule:
        new_left = (*parent[:2], *left[2:])
    if right is not None and right[:2] == rule:
        new_right = (*parent[:2], *right[2:])
    return (*rule, new_left, new_right)


def reverse(shape: Shape, move: Move) -> Move:
    """The move that leads back from ``apply(shape, move)``."""
    old = list(subtrees(shape))[move.node]
    if move.kind == "birth":
        return Move("death", move.node)
    if move.kind == "death":
        return Move("birth", move.node, old[0], old[1])
    if move.kind in ("change", "perturb"):
        return Move(move.kind, move.node, old[0], old[1])
    return move


class Conditional:
    """One tree's prior and proposals given the variables chosen in the rest of the forest."""

    def __init__(
        self, model: Model, data: Data, variables: VariablePrior, rest: tuple[Choice, ...] = ()
    ) -> None:
        self.model, self.data, self.variables, self.rest = model, data, variables, rest

    def log_prior(self, shape: Shape) -> float:
        """Log prior probability of the tree and the rest, up to a constant."""
        prior = tree_prior(self.model, self.data, shape)
        return prior.log_structure + self.variables.log_probability((*self.rest, *prior.choices))

    def log_rule(self, shape: Shape, node: int, variable: int, cut: Cut) -> float:
        """Log probability that the prior, given all other rules, puts this rule at a node."""
        rows = rows_by_node(self.data, shape)[node]
        eligible = self.data.eligible(rows)
        if variable not in eligible or cut not in self.data.cuts(rows, variable):
            return -np.inf
        others = (*self.rest, *self._choices_elsewhere(shape, node))
        joint = self.variables.log_probability((*others, (variable, eligible)))
        log_variable = joint - self.variables.log_probability(others)
        return log_variable + self.data.log_cut(rows, variable, cut)

    def _choices_elsewhere(self, shape: Shape, node: int) -> list[Choice]:
        nodes = zip(subtrees(shape), rows_by_node(self.data, shape), strict=True)
        return [
            (s[0], self.data.eligible(rows))
            for i, (s, rows) in enumerate(nodes)
            if s is not None and i != node
        ]

    def log_proposal(self, shape: Shape, move: Move) -> float:
        """Log probability of proposing this move from this tree."""
        kind_probability = kind_probabilities(self.model, shape)[move.kind]
        if kind_probability == 0.0:
            return -np.inf
        log_place = float(np.log(kind_probability) - np.log(len(places(shape, move.kind))))
        if move.kind in ("death", "swap"):
            return log_place
        if move.kind == "perturb":
            return log_place + float(np.log(near_cuts(self.data, shape, move.node)[move.cut]))
        return log_place + self.log_rule(shape, move.node, move.variable, move.cut)

    def log_prior_ratio(self, shape: Shape, move: Move) -> float:
        """log pi(T') q(T' -> T) - log pi(T) q(T -> T'), prior only; -inf where T' is impossible."""
        proposed = apply(shape, move)
        if move.kind == "perturb" and proposed == shape:
            return -np.inf  # there was no other cut nearby, or the same one was drawn
        log_new = self.log_prior(proposed) if self._possible(proposed) else -np.inf
        if log_new == -np.inf:
            return -np.inf
        forward = self.log_proposal(shape, move)
        backward = self.log_proposal(proposed, reverse(shape, move))
        return log_new + backward - self.log_prior(shape) - forward

    def _possible(self, shape: Shape) -> bool:
        prior: TreePrior = tree_prior(self.model, self.data, shape)
        return prior.log_structure > -np.inf

    def log_ratio(
        self, shape: Shape, move: Move, residuals: NDArray[np.float64], sigma: float
    ) -> float:
        """The full log ratio; the likelihood counts where the model has it switched on."""
        ratio = self.log_prior_ratio(shape, move)
        if ratio == -np.inf or not self.model.likelihood:
            return ratio
        leaf_sd = self.model.leaf_sd
        new = log_marginal(self.data, [apply(shape, move)], residuals, sigma, leaf_sd)
        return ratio + new - log_marginal(self.data, [shape], residuals, sigma, leaf_sd)

    def proposals(self, shape: Shape) -> Iterator[tuple[Move, float]]:
        """Every move that can be proposed from a tree, with its probability."""
        for kind, probability in kind_probabilities(self.model, shape).items():
            if probability > 0.0:
                for move in self._moves_of_kind(shape, kind):
                    yield move, float(np.exp(self.log_proposal(shape, move)))

    def _moves_of_kind(self, shape: Shape, kind: str) -> Iterator[Move]:
        if kind == "death":
            yield from (Move("death", node) for node in prunable_nodes(shape))
        elif kind == "swap":
            yield from (Move("swap", node, child=child) for node, child in swap_pairs(shape))
        elif kind == "perturb":
            nodes = list(subtrees(shape))
            for node in internal_nodes(shape):
                for cut in near_cuts(self.data, shape, node):
                    yield Move(kind, node, nodes[node][0], cut)
        else:
            rows = rows_by_node(self.data, shape)
            for node in leaves(shape) if kind == "birth" else internal_nodes(shape):
                for variable in self.data.eligible(rows[node]):
                    for cut in self.data.cuts(rows[node], variable):
                        yield Move(kind, node, variable, cut)
