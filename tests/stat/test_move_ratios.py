"""Rung 1: every recorded proposal of a chain against its definition.

Catches anything wrong in a single ratio (a sign, a missing prior term of a descendant, counts of
leaves or prunable nodes, the forced birth at a stump), in the way proposals are drawn (row- instead
of value-weighted cuts, the wrong node), in acceptance, and in the draws of leaf means and sigma.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import chdtr, gammainc, ndtr

from tests.helpers.stat.chains import assert_uniform, make_chain, randomised_position, seed_from
from tests.helpers.stat.datasets import KINDS_OF_COLUMNS, make_data
from tests.helpers.stat.reference.likelihood import leaf_posterior
from tests.helpers.stat.reference.model import (
    ALL_MOVES,
    KINDS,
    MOVE_SETS,
    PROBIT_LEAF_SD_RANGE,
    Model,
)
from tests.helpers.stat.reference.moves import (
    apply,
    kind_probabilities,
    places,
)
from tests.helpers.stat.reference.perturb import near_cuts
from tests.helpers.stat.reference.trees import (
    Data,
    fitted_values,
    leaf_rows,
    leaf_values,
    parse,
    rows_by_node,
)
from tests.helpers.stat.replay import Step, follow

BIG = {"gamma": 0.95, "beta": 0.4}  # larger trees: more to change and swap above other splits
WEIGHTS = (0.5, 0.2, 0.2, 0.1)
INF = float("inf")
INTERVALS = ((-0.7, -0.7), (0.4, 0.4), (0.2, INF), (-INF, -0.3), (-0.2, 0.6))


@dataclass(frozen=True)
class Case:
    columns: str
    n: int
    model: Model
    p: int = 4
    n_proposals: int = 500


def _model(splitting: str = "fixed", n_trees: int = 1, **settings: object) -> Model:
    alpha = float("nan") if splitting == "fixed" else 2.0
    defaults: dict[str, object] = {"alpha": alpha, **BIG}
    return Model(splitting=splitting, n_trees=n_trees, **{**defaults, **settings})  # type: ignore[arg-type]


CASES = {
    "bart-continuous": Case("continuous", 16, _model()),
    "bart-continuous-prior": Case("continuous", 6, _model(likelihood=False)),
    "bart-tied-weighted": Case("tied", 24, _model(weights=WEIGHTS)),
    "bart-tied-prior": Case("tied", 20, _model(likelihood=False, weights=WEIGHTS, n_trees=2)),
    "bart-binary": Case("binary", 24, _model(n_trees=2)),
    "bart-binary-prior": Case("binary", 12, _model(likelihood=False)),
    "bart-mixed-two-rows": Case("mixed", 30, _model(min_samples_leaf=2, n_trees=3)),
    "bart-tied-two-rows-prior": Case("tied", 30, _model(min_samples_leaf=2, likelihood=False)),
    "bart-swap": Case("mixed", 16, _model(moves=MOVE_SETS["swap"], likelihood=False)),
    "bart-perturb": Case("mixed", 24, _model(moves=MOVE_SETS["perturb"]), n_proposals=3000),
    "bart-perturb-prior": Case(
        "continuous", 60, _model(moves=MOVE_SETS["perturb"], likelihood=False), 2, 3000
    ),
    "collapsed-perturb": Case("messy", 24, _model("collapsed", 2, moves=MOVE_SETS["perturb"])),
    "explicit-continuous": Case("continuous", 12, _model("explicit", 3)),
    "explicit-binary": Case("binary", 20, _model("explicit", 2)),
    "explicit-tied-prior": Case("tied", 20, _model("explicit", likelihood=False)),
    "explicit-mixed-two-rows": Case("mixed", 24, _model("explicit", 2, min_samples_leaf=2)),
    "explicit-hyper": Case("mixed", 16, _model("explicit", alpha=float("nan"))),
    "collapsed-continuous": Case("continuous", 12, _model("collapsed", 3, weights=WEIGHTS)),
    "collapsed-hyper-prior": Case(
        "continuous", 16, _model("collapsed", alpha=float("nan"), likelihood=False)
    ),
    "collapsed-two-rows": Case("continuous", 24, _model("collapsed", 2, min_samples_leaf=2)),
    "collapsed-binary": Case("binary", 20, _model("collapsed", 2)),
    "collapsed-mixed-prior": Case("mixed", 16, _model("collapsed", likelihood=False)),
    "bart-missing": Case("missing", 20, _model(n_trees=2)),
    "bart-missing-two-rows-prior": Case(
        "missing", 24, _model(min_samples_leaf=2, likelihood=False)
    ),
    "explicit-missing": Case("missing", 16, _model("explicit", 2)),
    "collapsed-missing": Case("missing", 16, _model("collapsed", 2)),
    "bart-categories": Case("categories", 20, _model(weights=WEIGHTS)),
    "bart-categories-three-rows": Case("categories", 30, _model(min_samples_leaf=3, n_trees=2)),
    "explicit-categories-prior": Case("categories", 20, _model("explicit", likelihood=False)),
    "collapsed-categories": Case("categories", 20, _model("collapsed", 2)),
    "bart-groups-two-rows": Case("groups", 24, _model(min_samples_leaf=2, n_trees=2)),
    "explicit-groups": Case("groups", 16, _model("explicit", 2)),
    "collapsed-groups-prior": Case("groups", 16, _model("collapsed", likelihood=False)),
    "bart-messy": Case("messy", 24, _model(n_trees=2, weights=WEIGHTS)),
    "explicit-messy-two-rows": Case("messy", 24, _model("explicit", 2, min_samples_leaf=2)),
    "collapsed-messy": Case("messy", 20, _model("collapsed", 3)),
    "bart-learned": Case("mixed", 24, _model(n_trees=3, learn_leaf_sd=True)),
    "explicit-learned-prior": Case(
        "tied", 20, _model("explicit", 2, learn_leaf_sd=True, likelihood=False)
    ),
    "collapsed-learned": Case("messy-row-weights", 20, _model("collapsed", 2, learn_leaf_sd=True)),
    "bart-learned-wide": Case(
        "tied", 24, _model(n_trees=2, learn_leaf_sd=True, leaf_sd_range=PROBIT_LEAF_SD_RANGE)
    ),
    "bart-student": Case("mixed", 24, _model(n_trees=2, student=True)),
    "explicit-student-prior": Case("tied", 20, _model("explicit", student=True, likelihood=False)),
    "collapsed-student": Case(
        "messy-row-weights", 30, _model("collapsed", 2, student=True), n_proposals=1500
    ),
    "bart-censored": Case("mixed", 24, _model(n_trees=2, intervals=INTERVALS)),
    "explicit-censored-prior": Case(
        "tied", 20, _model("explicit", intervals=INTERVALS, likelihood=False)
    ),
    "collapsed-censored-student": Case(
        "messy-row-weights",
        30,
        _model("collapsed", 2, intervals=INTERVALS, student=True),
        n_proposals=1500,
    ),
    "bart-row-weights": Case("row-weights", 24, _model(n_trees=2)),
    "collapsed-messy-row-weights": Case("messy-row-weights", 20, _model("collapsed", 2)),
}
every_case = pytest.mark.parametrize("name", CASES)


@dataclass
class Run:
    """What a case left behind, shared by the tests below."""

    steps: list[Step]
    data: Data
    y: NDArray[np.float64]
    sigmas: list[float]  # at the end of each sweep
    dfs: list[float]
    precisions: list[NDArray[np.float64]]
    latents: list[NDArray[np.float64]]
    rng: np.random.Generator
    positions: dict[str, list[float]] = field(default_factory=dict)


@cache
def run_case(name: str) -> Run:
    case = CASES[name]
    rng = np.random.default_rng(seed_from(name))
    data = make_data(case.columns, rng, case.n, case.p, case.model.min_samples_leaf)
    y = 0.7 * rng.standard_normal(case.n)
    if case.model.student:  # heavy tails, without which mixing weights hardly depend on the errors
        y = np.clip(0.3 * rng.standard_t(0.7, case.n), -20.0, 20.0)
    if case.model.intervals:
        y = rng.integers(len(case.model.intervals), size=case.n).astype(float)
    chain = make_chain(case.model, data, y, seed_from(name + " chain"))
    chain.sweep(20)
    steps: list[Step] = []
    sigmas, dfs, precisions, latents = [], [], [], []
    for step in follow(chain, case.model, data, y, case.n_proposals // case.model.n_trees):
        steps.append(step)
        if step.record["tree"] == case.model.n_trees - 1:
            sigmas.append(chain.sigma)
            dfs.append(chain.df)
            precisions.append(chain.precisions())
            latents.append(chain.latents())
    return Run(steps, data, y, sigmas, dfs, precisions, latents, rng)


@every_case
def test_log_ratios_match_the_definition(name: str) -> None:
    """Deterministic to 1e-8: no false alarms. Includes proposals that are impossible."""
    checked: Counter[str] = Counter()
    for step in run_case(name).steps:
        expected, recorded = step.expected_log_ratio(), step.record["log_ratio"]
        context = f"{step.move} from {step.shape}"
        if np.isinf(expected):
            assert recorded == -np.inf, f"{context}: {recorded}, but the proposal is impossible"
        else:
            assert recorded == pytest.approx(expected, abs=1e-8), context
        checked[step.move.kind] += 1
    moves = CASES[name].model.moves
    for kind, probability in zip(KINDS, moves, strict=True):
        assert checked[kind] >= (15 if probability > 0.0 else 0), f"{kind} was hardly tried"


@every_case
def test_accepted_proposals_and_nothing_else_change_a_tree(name: str) -> None:
    """Deterministic: no false alarms. Also the stored birth ratio of Metropolis importance."""
    for step in run_case(name).steps:
        accepted = step.record["accepted"]
        expected = apply(step.shape, step.move) if accepted else step.shape
        assert parse(step.after) == expected
        if accepted:
            assert step.record["log_ratio"] > -np.inf
            if step.move.kind == "birth":
                stored = min(1.0, np.exp(step.record["log_ratio"]))
                assert step.record["mi"] == pytest.approx(stored, rel=1e-12)


@every_case
def test_proposals_are_drawn_as_defined(name: str) -> None:
    """Kind, place, variable, cut and acceptance are uniform after transformation.

    Kolmogorov-Smirnov tests with Bonferroni over the six; false alarms: FALSE_ALARM a case.
    """
    run = run_case(name)
    names = ("kind", "place", "variable", "cut", "near cut", "ok")
    found: dict[str, list[float]] = {name: [] for name in names}
    for step in run.steps:
        _position_of_place(run, step, found)
        if step.move.kind in ("birth", "change") and step.can_be_proposed:
            _position_of_rule(run, step, found)
        if step.move.kind == "perturb":
            near = near_cuts(run.data, step.shape, step.move.node)
            taken = list(near).index(step.move.cut)
            position = randomised_position(run.rng, np.array(list(near.values())), taken)
            found["near cut"].append(position)
        if step.record["log_ratio"] > -np.inf:
            accept = min(1.0, float(np.exp(step.record["log_ratio"])))
            chances = np.array([accept, 1.0 - accept])
            taken = 0 if step.record["accepted"] else 1
            found["ok"].append(randomised_position(run.rng, chances, taken))
    for what, values in found.items():
        if values:
            assert_uniform(values, f"{name}: {what}", len(found))


def _position_of_place(run: Run, step: Step, found: dict[str, list[float]]) -> None:
    kinds = kind_probabilities(step.conditional.model, step.shape)
    if step.shape is not None:
        chances = np.array([kinds[kind] for kind in KINDS])
        taken = KINDS.index(step.move.kind)
        assert chances[taken] > 0.0
        found["kind"].append(randomised_position(run.rng, chances, taken))
    else:
        assert step.move.kind == "birth"
    choices = places(step.shape, step.move.kind)
    place = (step.move.node, step.move.child) if step.move.kind == "swap" else step.move.node
    position = choices.index(place)  # type: ignore[arg-type]
    found["place"].append((position + run.rng.random()) / len(choices))


def _position_of_rule(run: Run, step: Step, found: dict[str, list[float]]) -> None:
    rows = rows_by_node(run.data, step.shape)[step.move.node]
    eligible = run.data.eligible(rows)
    cuts = run.data.cuts(rows, step.move.variable)
    shares = np.exp([run.data.log_cut(rows, step.move.variable, cut) for cut in cuts])
    found["cut"].append(randomised_position(run.rng, shares, cuts.index(step.move.cut)))
    chances = []
    for j in eligible:
        cut = run.data.cuts(rows, j)[0]
        log_rule = step.conditional.log_rule(step.shape, step.move.node, j, cut)
        chances.append(np.exp(log_rule - run.data.log_cut(rows, j, cut)))
    taken = eligible.index(step.move.variable)
    found["variable"].append(randomised_position(run.rng, np.array(chances), taken))


@every_case
def test_leaf_means_and_sigma_follow_their_conditionals(name: str) -> None:
    """Probability transforms are uniform; false alarms: FALSE_ALARM a case over both."""
    run, model = run_case(name), CASES[name].model
    leaf_positions = []
    for step in run.steps:
        means = leaf_values(step.after)
        for rows, mean in zip(leaf_rows(run.data, parse(step.after)), means, strict=True):
            centre, sd = 0.0, step.conditional.model.leaf_sd
            if model.likelihood:
                weights = step.conditional.data.row_weights[list(rows)]
                seen = step.residuals[list(rows)]
                centre, sd = leaf_posterior(seen, weights, step.sigma, sd)
            leaf_positions.append(ndtr((mean - centre) / sd))
    assert_uniform(leaf_positions, "leaf means", 2)
    last = [step for step in run.steps if step.record["tree"] == model.n_trees - 1]
    sigma_positions = []
    for step, sigma in zip(last, run.sigmas, strict=True):
        scale, degrees = model.nu * model.lambda_, model.nu
        if model.likelihood:
            errors = step.residuals - fitted_values(run.data, step.after)
            squares = float(step.conditional.data.row_weights @ errors**2)
            scale, degrees = scale + squares, degrees + run.data.n
        sigma_positions.append(chdtr(degrees, scale / sigma**2))
    assert_uniform(sigma_positions, "sigma", 2)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.model.student])
def test_mixing_weights_follow_their_conditional(name: str) -> None:
    """Given df, sigma and the errors they are gamma; light and heavy rows apart.

    False alarms: FALSE_ALARM a case.
    """
    run, model = run_case(name), CASES[name].model
    last = [step for step in run.steps if step.record["tree"] == model.n_trees - 1]
    positions: list[NDArray[np.float64]] = []
    n_kept = 0
    after = zip(last, run.sigmas, run.dfs, run.precisions, run.latents, strict=True)
    for step, sigma, df, now, latents in after:
        if (now == step.conditional.data.row_weights).all():
            n_kept += 1
            continue
        errors = latents - (step.latents - step.residuals + fitted_values(run.data, step.after))
        squares = run.data.row_weights * (errors / sigma) ** 2
        shape, rate = (df + 1) / 2, (df + squares) / 2
        if not model.likelihood:
            shape, rate = df / 2, np.full(run.data.n, df / 2)
        positions.append(gammainc(shape, rate * now / run.data.row_weights))
    is_heavy = run.data.row_weights > 1
    for rows in (np.flatnonzero(is_heavy), np.flatnonzero(~is_heavy)):
        if rows.size:
            assert_uniform(np.array(positions)[:, rows].ravel().tolist(), "mixing weights", 2)
    assert n_kept == pytest.approx(0.75 * len(last), abs=1)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.model.intervals])
def test_latents_follow_their_conditional(name: str) -> None:
    """Truncated normal given the trees, sigma and precisions, after every second sweep.

    False alarms: FALSE_ALARM a case.
    """
    run, model = run_case(name), CASES[name].model
    low, high = np.array(model.intervals)[run.y.astype(int)].T
    is_open = low < high
    last = [step for step in run.steps if step.record["tree"] == model.n_trees - 1]
    positions: list[NDArray[np.float64]] = []
    for step, sigma, latents in zip(last, run.sigmas, run.latents, strict=True):
        assert (latents[~is_open] == low[~is_open]).all()
        if (latents == step.latents).all():
            continue
        fitted = step.latents - step.residuals + fitted_values(run.data, step.after)
        sd = sigma / np.sqrt(step.conditional.data.row_weights)
        below, above = ndtr((low - fitted) / sd), ndtr((high - fitted) / sd)
        if not model.likelihood:
            below, above = np.zeros(run.data.n), np.ones(run.data.n)
        shares = (ndtr((latents - fitted) / sd) - below)[is_open] / (above - below)[is_open]
        positions.append(shares[(above - below)[is_open] > 1e-9])
    assert len(positions) == pytest.approx(len(last) / 2, abs=1)
    assert_uniform(np.concatenate(positions).tolist(), "latents")


@pytest.mark.parametrize("columns", KINDS_OF_COLUMNS)
def test_state_of_the_chain_is_consistent(
    columns: str, rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Deterministic: fitted values, leaves, counts and codes against the trees."""
    model = Model(n_trees=3, moves=ALL_MOVES, **BIG)  # type: ignore[arg-type]
    data = make_data(columns, rng, 25, 4)
    chain = make_chain(model, data, rng.standard_normal(25), chain_seed)
    for _ in range(60):
        chain.sweep()
        trees = chain.trees()
        total = np.sum([fitted_values(data, nodes) for nodes in trees], axis=0)
        np.testing.assert_allclose(chain.fitted(), total, atol=1e-12)
        variables = [int(v) for nodes in trees for v, _ in nodes if v >= 0]
        np.testing.assert_array_equal(chain.counts(), np.bincount(variables, minlength=4))
        assert chain.n_splits == len(variables)
        for t, nodes in enumerate(trees):
            found = np.empty(data.n, dtype=int)
            for index, rows in enumerate(rows_by_node(data, parse(nodes))):
                found[list(rows)] = index  # preorder: a leaf overwrites its ancestors
            np.testing.assert_array_equal(chain.leaf_ids(t), found)


def test_forest_put_in_is_the_forest_taken_out(
    rng: np.random.Generator, chain_seed: NDArray[np.uint64]
) -> None:
    """Deterministic: set_trees, and the residuals that the next moves work on."""
    data = make_data("messy", rng, 20, 4)
    y = rng.standard_normal(20)
    source = make_chain(Model(n_trees=2, **BIG), data, y, chain_seed)  # type: ignore[arg-type]
    source.sweep(50)
    chain = make_chain(Model(n_trees=2, **BIG), data, y, chain_seed)  # type: ignore[arg-type]
    chain.set_trees(source.trees())
    assert chain.trees() == source.trees()
    np.testing.assert_allclose(chain.fitted(), source.fitted(), atol=1e-12)
    np.testing.assert_array_equal(chain.counts(), source.counts())
    for step in follow(chain, Model(n_trees=2, **BIG), data, y, 5):  # type: ignore[arg-type]
        expected = step.expected_log_ratio()
        assert step.record["log_ratio"] == pytest.approx(expected, abs=1e-8)
