"""Check the generator, and that the chains are those of the package; takes seconds.

python studies/world/check.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from chains import PRIORS, Plan, run
from functions import FUNCTIONS
from kinds import KINDS, PARTS, POOLS, kinds_of
from records import Record
from rules import best_threshold
from score import largest_set
from tables import Table, make, total_effects

import bayesvc as bv

SHORT = Plan(prior="own", n_replicates=2, burn_in=60, n_draws=40, null=1, padded=1, pairs=1)


def equal(one: Table, other: Table) -> bool:
    """Tell whether two tables are the same."""
    return pd.DataFrame(one.X).equals(pd.DataFrame(other.X)) and np.array_equal(one.y, other.y)


def check_tables() -> None:
    """Every kind gives tables, twice the same, whose answer is within them."""
    for part in PARTS:
        for kind in kinds_of(part):
            table = make(kind, 3, part)
            p = table.X.shape[1]
            assert len(table.y) == len(table.X) == table.spec.n, kind
            assert len(table.types) == len(table.likeness) == p, kind
            assert len(np.unique(table.relevant)) == len(table.relevant) == len(table.share), kind
            assert (table.likeness[table.relevant] == 1).all(), kind
            assert set(np.unique(table.y)) <= {0, 1} or table.response == "continuous", kind
    for kind in ("categorical columns", "missing values", "mixture"):
        assert equal(make(kind, 5, "judge"), make(kind, 5, "judge"))
        assert not equal(make(kind, 5, "judge"), make(kind, 6, "judge"))
        assert not equal(make(kind, 5, "judge"), make(kind, 5, "learn"))


def check_halves() -> None:
    """The halves share what the README says, and nothing else."""
    learn, judge = (POOLS[part] for part in PARTS)
    assert not set(learn.functions) & set(judge.functions)
    assert not set(learn.dependences) & set(judge.dependences)
    assert set(learn.responses) & set(judge.responses) == {"normal", "noiseless"}
    assert set(learn.margins) & set(judge.margins) == {"normal", "two-valued", "two-valued, rare"}
    assert set(learn.functions) | set(judge.functions) == set(FUNCTIONS)
    for kind in KINDS.values():
        if kind.only is not None and kind.functions is not None:
            assert set(kind.functions) <= set(POOLS[kind.only].functions)


def check_effects() -> None:
    """Total effects are those of a function whose effects are known."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((4000, 4))
    found = total_effects(lambda Z: 2 * Z[:, 0] + Z[:, 1] + Z[:, 1] * Z[:, 2], Z, rng)
    assert np.allclose(found, [4 / 6, 2 / 6, 1 / 6, 0], atol=0.04), found


def check_chains() -> None:
    """Replicates, null replicates and the signal test are those of the package."""
    for kind in ("mixed columns", "binary", "power of y"):
        table = make(kind, 0, "judge")
        arrays = run(table, SHORT, 7)
        length = {"burn_in": SHORT.burn_in, "n_draws": SHORT.n_draws, "random_state": 7}
        same: dict[str, Any] = {
            "response": table.response,
            "n_jobs": 1,
            "n_replicates": 2,
            **length,
        }
        draws = bv.sample(table.X, table.y, PRIORS["own"], **same)
        assert np.array_equal(arrays["fit.vc"], np.rint(draws.vc * draws.n_draws)), kind
        assert np.allclose(arrays["fit.traces"][:, 0, 0], draws.sigma.mean(axis=1)), kind
        found = bv.select(table.X, table.y, row_stability=False, **same).signal
        assert found is not None
        assert np.isclose(found.explained, arrays["signal.explained"][0]), kind
        assert np.allclose(found.null, arrays["signal.explained"][1:]), kind
        assert arrays["padded.vc"].shape[1] == 2 * table.X.shape[1], kind
        assert len(arrays["half.vc"]) == 2, kind


def check_scores() -> None:
    """The largest set and the best threshold do what they say."""
    p = np.array([0.99, 0.2, 0.95, 0.7])
    assert largest_set(p, 0.05).tolist() == [True, False, True, False]
    assert largest_set(p, 0.2).tolist() == [True, False, True, True]
    assert not largest_set(p[1:2], 0.2).any()
    empty = np.zeros(0)
    record = Record(
        "", 0, "judge", {}, np.array([0, 3]), empty, empty, np.zeros(0, dtype=np.intp), (), empty,
        fit=_Counts(p), signal=None,  # type: ignore[arg-type]
    )  # fmt: skip
    assert best_threshold(record).tolist() == [True, False, True, True]


class _Counts:
    def __init__(self, p: np.ndarray) -> None:
        self.vc = p[None]


def main() -> None:
    for check in (check_tables, check_halves, check_effects, check_chains, check_scores):
        check()
        print(f"{check.__name__}: passed")


if __name__ == "__main__":
    main()
