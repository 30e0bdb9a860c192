"""Effective sizes and R-hat of each setting on each table, or with --cost its CPU time.

python studies/mixing/chains.py ROWS [--settings "as it was;perturb"] [--tables "Friedman"]
python studies/mixing/chains.py ROWS --cost

Sixteen chains of 5,000 + 5,000 draws; run again to go on. Needs arviz-stats.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from arviz_stats.base import array_stats
from numpy.typing import NDArray
from settings import BASE, SETTINGS, sample
from tables import TABLES, Table

N_CHAINS, N_ROWS, THIN = 16, 20, 5
N_ROUNDS = 8


def watched(table: Table) -> NDArray[np.intp]:
    """Return the relevant columns, or those in half of the forests if they are not known."""
    if table.relevant is not None:
        return table.relevant
    draws = sample(BASE, table.X, table.y, n_replicates=4, random_state=99)
    return np.flatnonzero(draws.mpvip.mean(axis=0) >= 0.5)


def figures(name: str, traces: NDArray[np.float64]) -> dict[str, float]:
    """Return medians over quantities of traces (chains, draws, quantities), every fifth draw."""
    kept = [x for x in np.moveaxis(traces[:, ::THIN], 2, 0) if x.std() > 0]
    axes = {"chain_axis": 0, "draw_axis": 1}
    ess = [float(array_stats.ess(x, method="bulk", **axes)) for x in kept]
    rhat = [float(array_stats.rhat(x, method="rank", **axes)) for x in kept]
    return {name: float(np.median(ess)), f"{name}_rhat": float(np.median(rhat))} if kept else {}


def measure(table: Table, columns: NDArray[np.intp], setting: str) -> dict[str, Any]:
    """Return effective sizes and R-hat of sigma, of f at 20 rows and of the counts."""
    start = time.process_time()
    draws = sample(
        setting, table.X, table.y, n_replicates=N_CHAINS, random_state=0,
        keep_counts=True, keep_trees=True,
    )  # fmt: skip
    cpu = time.process_time() - start
    rows = np.sort(np.random.default_rng(0).choice(len(table.y), N_ROWS, replace=False))
    X = table.X.iloc[rows] if hasattr(table.X, "iloc") else table.X[rows]
    f = draws.posterior(X, n_jobs=1).reshape(N_CHAINS, -1, N_ROWS)
    counts = np.asarray(draws.counts)[:, :, columns].astype(float)
    accepted = {move: float(np.mean(rates)) for move, rates in draws.acceptance.items()}
    return {
        "cpu": cpu,
        **figures("sigma", draws.sigma[:, :, None]),
        **figures("f", f),
        **figures("counts", counts),
        "accepted": {move: rate for move, rate in accepted.items() if np.isfinite(rate)},
    }


def cost(table: Table, setting: str) -> dict[str, Any]:
    """Return CPU seconds of this setting and of the usual moves, in turns."""
    taken: dict[str, list[float]] = {setting: [], BASE: []}
    for round_ in range(N_ROUNDS):
        for each in (setting, BASE) if round_ % 2 else (BASE, setting):
            start = time.process_time()
            sample(each, table.X, table.y, n_replicates=1, n_draws=5000, random_state=round_)
            taken[each].append(time.process_time() - start)
    return {"cpu": taken[setting], "cpu_usual": taken[BASE]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--settings", default=";".join(SETTINGS))
    parser.add_argument("--tables", default=";".join(TABLES))
    parser.add_argument("--cost", action="store_true")
    given = parser.parse_args()
    lines = given.rows.read_text().splitlines() if given.rows.exists() else []
    done = {(own["table"], own["setting"]) for own in map(json.loads, lines)}
    for name in given.tables.split(";"):
        table = TABLES[name]()
        wanted = [s for s in given.settings.split(";") if (name, s) not in done]
        columns = watched(table) if wanted and not given.cost else None
        for setting in wanted:
            found = cost(table, setting) if columns is None else measure(table, columns, setting)
            with given.rows.open("a") as file:
                file.write(json.dumps({"table": name, "setting": setting, **found}) + "\n")


if __name__ == "__main__":
    main()
