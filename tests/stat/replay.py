"""Follow a chain proposal by proposal, and rebuild what each one was conditioned on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference.model import Model
from reference.moves import Conditional, Move
from reference.prior import Choice, GivenS, PolyaUrn, VariablePrior, tree_prior
from reference.trees import Data, Node, Shape, fitted_values, parse


@dataclass(frozen=True)
class Step:
    """One recorded proposal with everything around it at that moment."""

    record: dict[str, Any]
    shape: Shape
    move: Move
    after: list[Node]  # the tree after the move and the draw of its leaf means
    residuals: NDArray[np.float64]  # y less the other trees
    sigma: float
    conditional: Conditional
    ghosts: bool  # whether the collapsed chain carried ghosts when the sweep began

    @property
    def can_be_proposed(self) -> bool:
        """False for a birth in a leaf where nothing is eligible."""
        return self.move.kind in ("death", "swap") or self.move.variable >= 0

    def expected_log_ratio(self) -> float:
        """The log ratio by the reference."""
        if not self.can_be_proposed:
            return -np.inf
        return self.conditional.log_ratio(self.shape, self.move, self.residuals, self.sigma)


def move_of(record: dict[str, Any]) -> Move:
    """The reference's form of a recorded proposal."""
    kind = record["kind"]
    if kind in ("birth", "change"):
        return Move(kind, record["node"], int(record["variable"]), int(record["cut"]))
    if kind == "swap":
        return Move(kind, record["node"], child=record["child"])
    return Move(kind, record["node"])


def follow(
    chain: Any, model: Model, data: Data, y: NDArray[np.float64], n_sweeps: int
) -> Iterator[Step]:
    """Sweep one by one: trees before the one at work are new, trees after it still old."""
    chain.record_proposals(True)
    chain.proposals()
    for _ in range(n_sweeps):
        old, sigma, ghosts = chain.trees(), chain.sigma, _has_ghosts(chain, model)
        variables = _variables(chain, model, data.p)
        chain.sweep(1)
        new, records = chain.trees(), chain.proposals()
        assert [record["tree"] for record in records] == list(range(model.n_trees))
        for t, record in enumerate(records):
            assert record["sigma"] == sigma
            assert [tuple(node) for node in record["before"]] == [tuple(n) for n in old[t]]
            others = new[:t] + old[t + 1 :]
            residuals = y - sum((fitted_values(data, nodes) for nodes in others), np.zeros(data.n))
            rest = _choices(model, data, others)
            conditional = Conditional(model, data, variables, rest)
            shape, move = parse(old[t]), move_of(record)
            yield Step(record, shape, move, new[t], residuals, sigma, conditional, ghosts)


def _choices(model: Model, data: Data, forest: list[list[Node]]) -> tuple[Choice, ...]:
    return tuple(
        choice for nodes in forest for choice in tree_prior(model, data, parse(nodes)).choices
    )


def _variables(chain: Any, model: Model, p: int) -> VariablePrior:
    if model.splitting == "collapsed":
        return PolyaUrn(chain.alpha * model.base_measure(p), no_ghosts=True)
    with np.errstate(divide="ignore"):
        return GivenS(np.log(chain.split_probabilities()))


def _has_ghosts(chain: Any, model: Model) -> bool:
    return model.splitting == "collapsed" and bool(chain.ghosts())
