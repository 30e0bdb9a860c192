"""Result rows for tests: made by hand, or the paper's means with noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from bayesvc.bench import paper
from bayesvc.selection.methods import RECIPES


def row(method: str = "dart-vc", **changes: Any) -> dict[str, Any]:
    """One result row, of the recipe's own number of fits unless said otherwise."""
    recipe = RECIPES.get(method)
    base: dict[str, Any] = {
        "problem": "feynman_I_6_2",
        "data": "authors",
        "n": 500,
        "snr": 1.0,
        "seed": 860,
        "p": 102,
        "p0": 2,
        "method": method,
        "n_replicates": recipe.n_replicates if recipe else 0,
        "n_permutations": recipe.n_permutations if recipe else 0,
        "selected": [0, 1],
        "tp": 2,
        "fp": 0,
        "fn": 0,
        "n_selected": 2,
        "tpr": 1.0,
        "fpr": 0.0,
        "f1": 1.0,
        "seconds": 1.0,
        "error": None,
    }
    return base | changes


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema_overrides={"error": pl.String, "snr": pl.Float64})


def study(
    rng: np.random.Generator, noise: float = 0.1, seeds: tuple[int, ...] = (860,)
) -> pl.DataFrame:
    """Return rows of 100 equations around the paper's means, at a fiftieth of its seconds."""
    sizes = [p for p, count in paper.EQUATIONS_PER_P.items() for _ in range(count)]
    problems = pl.DataFrame({"problem": [f"feynman_{i}" for i in range(100)], "p": sizes})
    stand_ins = paper.as_rows().drop("problem", "seed", "n_selected", "fn")
    table = stand_ins.join(problems, on="p").join(pl.DataFrame({"seed": list(seeds)}), how="cross")
    wobble = pl.Series(rng.normal(0, noise, table.height))
    return table.with_columns(
        pl.col("f1") + wobble,
        pl.col("seconds") / 50,
        n_selected=pl.lit(2),
        fn=pl.lit(0),
    )
