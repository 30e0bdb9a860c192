"""Metropolis importance and the other tallies of a fit, rebuilt from the recorded proposals.

A fit and a chain with the same seed draw the same numbers, so the chain can be followed by the
reference and every tally recomputed; nothing here is random beyond the data.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bayesvc import _core
from tests.helpers.stat.chains import chain_settings, encoded, make_chain
from tests.helpers.stat.datasets import make_data
from tests.helpers.stat.reference.model import Model
from tests.helpers.stat.reference.moves import Conditional, Move, apply
from tests.helpers.stat.reference.prior import GivenS
from tests.helpers.stat.reference.trees import Data, Shape, replace_subtree, subtrees
from tests.helpers.stat.replay import Step, follow

N_DRAWS = 80  # with no burn-in: there a fit holds s at its prior weights for a while
BASE = Model(n_trees=3, beta=0.5, leaf_sd=0.4)
MODELS = {
    "bart": BASE,
    "explicit": replace(BASE, splitting="explicit", alpha=1.0),
    "collapsed": replace(BASE, splitting="collapsed", alpha=1.0),
}


def birth_probability(step: Step, shape: Shape, node: int) -> float:
    """min(1, ratio) of the birth of the rule at a node, with what is below it taken away.

    A rule is proposed from its prior, so the ratio does not depend on s: any s will do.
    """
    model, data = step.conditional.model, step.conditional.data
    variable, cut = list(subtrees(shape))[node][:2]
    without = replace_subtree(shape, node, None)
    conditional = Conditional(model, data, GivenS(np.zeros(data.p)))
    move = Move("birth", node, variable, cut)
    log_ratio = conditional.log_ratio(without, move, step.residuals, step.sigma)
    return min(1.0, float(np.exp(log_ratio)))


def updated(stored: list[float], step: Step) -> list[float]:
    """Stored birth probability of each node in preorder (0 at leaves) after a step."""
    if not step.record["accepted"]:
        return stored
    shape, node = apply(step.shape, step.move), step.move.node
    if step.move.kind == "death":
        return [*stored[:node], 0.0, *stored[node + 3 :]]
    if step.move.kind == "birth":
        return [*stored[:node], birth_probability(step, shape, node), 0.0, 0.0, *stored[node + 1 :]]
    old, new = list(subtrees(step.shape)), list(subtrees(shape))
    changed = {node} | {i for i, s in enumerate(new) if s is not None and s[:2] != old[i][:2]}
    return [birth_probability(step, shape, i) if i in changed else v for i, v in enumerate(stored)]


def shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divided by their sum, or zeros."""
    total = values.sum()
    return values / total if total > 0.0 else np.zeros_like(values)


def tallies_by_replay(
    model: Model, data: Data, y: NDArray[np.float64], seed: NDArray[np.uint64]
) -> dict[str, NDArray[np.float64]]:
    """VC, VIP, MPVIP and MI from a chain followed step by step."""
    chain = make_chain(model, data, y, seed)
    stored: list[list[float]] = [[0.0] for _ in range(model.n_trees)]
    shapes: list[Shape] = [None] * model.n_trees
    draws: list[dict[str, NDArray[np.float64]]] = []
    for step in follow(chain, model, data, y, N_DRAWS):
        t = step.record["tree"]
        stored[t] = updated(stored[t], step)
        shapes[t] = apply(step.shape, step.move) if step.record["accepted"] else step.shape
        if t == model.n_trees - 1:
            draws.append(tallies_of(shapes, stored, data.p))
    return {name: np.mean([draw[name] for draw in draws], axis=0) for name in draws[0]}


def tallies_of(
    shapes: list[Shape], stored: list[list[float]], p: int
) -> dict[str, NDArray[np.float64]]:
    """One draw's contribution to each measure."""
    probabilities: list[list[float]] = [[] for _ in range(p)]
    for shape, values in zip(shapes, stored, strict=True):
        for subtree, value in zip(subtrees(shape), values, strict=True):
            if subtree is not None:
                probabilities[subtree[0]].append(value)
    counts = np.array([len(values) for values in probabilities], dtype=float)
    means = np.array([np.mean(values) if values else 0.0 for values in probabilities])
    return {"vc": counts, "vip": shares(counts), "mpvip": counts > 0, "mi": shares(means)}


@pytest.mark.parametrize("columns", ["continuous", "binary", "mixed", "messy-row-weights"])
@pytest.mark.parametrize("name", MODELS)
def test_tallies_of_a_fit(
    columns: str, name: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Deterministic to 1e-9: no false alarms."""
    model, data = MODELS[name], make_data(columns, rng, 20, 4)
    y = 0.5 * rng.standard_normal(20)
    expected = tallies_by_replay(model, data, y, chain_seed)
    fit: dict[str, Any] = _core.fit(
        encoded(data),
        y,
        chain_settings(model, data),
        chain_seed,
        0,
        N_DRAWS,
        False,
        False,
        False,
        _core.Control(),
    )
    for measure, values in expected.items():
        np.testing.assert_allclose(fit[measure], values, atol=1e-9, err_msg=measure)
