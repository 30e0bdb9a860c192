"""How cost grows: with columns, with rows, with draws (memory), and with cores.

python benchmarks/growth.py            # all parts, about ten minutes
python benchmarks/growth.py --quick --only columns memory
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from machine import ONE_THREAD, RESULTS, describe, markdown_table, pin_to_one_core

os.environ.update(ONE_THREAD)

import numpy as np
from problem import Array, continuous, genotypes

import bayesvc as bv

MB = 2**20
Timing = dict[str, float]


def fit(X: Array, y: Array, burn_in: int, n_draws: int, seed: int) -> Timing:
    """Fit DART once; encoding is not part of the time per draw.

    sigma_hat is given because the default would change with p: a linear model where p < n, the
    sd of y beyond.
    """
    prior = bv.DART(sigma_hat=float(y.std()))
    draws = bv.sample(
        X, y, prior, n_replicates=1, burn_in=burn_in, n_draws=n_draws, random_state=seed, n_jobs=1
    )
    return {
        "us_per_draw": 1e6 * float(draws.seconds[0]) / (burn_in + n_draws),
        "splits": float(draws.n_splits.mean()),
        "depth": float(draws.tree_depth[0]),
    }


def middle(runs: list[Timing], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def ratios(runs: list[Timing], base: list[Timing]) -> tuple[float, float, float]:
    """Ratio of medians, and the smallest and largest ratio within a round."""
    within = [a["us_per_draw"] / b["us_per_draw"] for a, b in zip(runs, base, strict=True)]
    return middle(runs, "us_per_draw") / middle(base, "us_per_draw"), min(within), max(within)


def columns(quick: bool) -> tuple[dict[str, Any], str]:
    """Cost per draw against p at n = 500; the relevant columns and y are the same for every p."""
    widths = (100, 1_000, 10_000) if quick else (100, 1_000, 10_000, 100_000)
    rounds, length = (2, 1000) if quick else (5, 5000)
    found: dict[str, Any] = {}
    rows = []
    makers: dict[str, Callable[[int, int], tuple[Array, Array]]]
    makers = {"continuous": continuous, "genotypes": genotypes}
    for kind, most in (("continuous", 1.5), ("genotypes", 5.0)):
        X, y = makers[kind](500, widths[-1])
        runs: dict[int, list[Timing]] = {p: [] for p in widths}
        for turn in range(rounds):
            for p in widths:
                runs[p].append(fit(X[:, :p], y, length, length, seed=turn))
        for p in widths:
            ratio, low, high = ratios(runs[p], runs[widths[0]])
            rows.append(
                [
                    kind,
                    f"{p:,}",
                    f"{middle(runs[p], 'us_per_draw'):.1f}",
                    f"{ratio:.2f}x ({low:.2f} to {high:.2f})",
                    f"{most}x" if p == 100_000 else "",
                    f"{middle(runs[p], 'splits'):.1f}",
                    f"{middle(runs[p], 'depth'):.2f}",
                ]
            )
        found[kind] = runs
    header = ["columns", "p", "us per draw", "to p = 100 (rounds)", "at most", "splits", "depth"]
    return found, "DART, n = 500, 20 trees\n\n" + markdown_table(header, rows)


def ties(quick: bool) -> tuple[dict[str, Any], str]:
    """Cost per draw of columns rounded to so many decimals, against the same ones as drawn."""
    rounds, length = (2, 1000) if quick else (5, 5000)
    X, y = continuous(1000, 306)
    kinds = {"as drawn": X, **{f"{d} decimals": X.round(d) for d in (3, 2, 1)}}
    runs: dict[str, list[Timing]] = {kind: [] for kind in kinds}
    for turn in range(rounds):
        for kind, values in kinds.items():
            runs[kind].append(fit(values, y, length, length, seed=turn))
    lines = []
    for kind, values in kinds.items():
        ratio, low, high = ratios(runs[kind], runs["as drawn"])
        distinct = np.median([len(np.unique(column)) for column in values.T])
        cost = f"{middle(runs[kind], 'us_per_draw'):.1f}"
        lines.append([kind, f"{distinct:.0f}", cost, f"{ratio:.2f}x ({low:.2f} to {high:.2f})"])
    header = ["columns", "distinct values", "us per draw", "to untied (rounds)"]
    return {"runs": runs}, "DART, (1000, 306), 20 trees\n\n" + markdown_table(header, lines)


def rows_grow(quick: bool) -> tuple[dict[str, Any], str]:
    """Cost per draw against n at p = 20; every chain has as many draws from the same start."""
    heights = (1_000, 10_000, 100_000) if quick else (1_000, 10_000, 100_000, 1_000_000)
    rounds, length = (1, 100) if quick else (3, 250)
    runs: dict[int, list[Timing]] = {n: [] for n in heights}
    for turn in range(rounds):
        for n in heights:
            X, y = continuous(n, 20)
            runs[n].append(fit(X, y, length, length, seed=turn))
    lines = []
    for n in heights:
        cost = middle(runs[n], "us_per_draw")
        faster = cost / middle(runs[heights[0]], "us_per_draw") / (n / heights[0])
        lines.append(
            [
                f"{n:,}",
                f"{cost:,.0f}",
                f"{1000 * cost / n:.1f}",
                f"{faster:.2f}x",
                f"{middle(runs[n], 'splits'):.1f}",
                f"{middle(runs[n], 'depth'):.2f}",
            ]
        )
    header = ["n", "us per draw", "ns per row and draw", "growth over that of n", "splits", "depth"]
    title = "DART, p = 20, 20 trees (growth at most 3x)\n\n"
    return {"runs": runs}, title + markdown_table(header, lines)


def measure_memory(n: int, p: int, n_draws: int, prior: str = "DART") -> dict[str, Any]:
    task = {"n": n, "p": p, "n_draws": n_draws, "prior": prior}
    worker = Path(__file__).with_name("memory_worker.py")
    done = subprocess.run(
        [sys.executable, str(worker), json.dumps(task)], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    peaks = found["peaks"]
    found["above_mb"] = peaks["sampling"] - peaks["numpy and scipy"]
    return found | task


def memory(quick: bool) -> tuple[dict[str, Any], str]:
    """Peak memory, and that nothing but the traces grows with the draws.

    A trace holds sigma (8 bytes a draw), alpha (8) and the number of splits (4); at the peak there
    are copies, while the results are handed over. p = 2,000 would show any term in draws times
    columns: one byte for each would be 2,000 bytes a draw.
    """
    size = 20_000 if quick else 100_000
    cases = [(2000, 459, 5000, "BART"), (2000, 459, 5000, "DART")]
    cases += [(100, 2000, size, "DART"), (100, 2000, 10 * size, "DART")]
    runs = [measure_memory(*case) for case in cases]
    table = [
        [
            f"({run['n']}, {run['p']})",
            run["prior"],
            f"{run['n_draws']:,}",
            f"{run['peaks']['bayesvc'] - run['peaks']['numpy and scipy']:.1f}",
            f"{run['above_mb']:.1f}",
            "60" if run["n"] == 2000 else "",
            "yes" if run["sklearn_loaded"] else "no",
        ]
        for run in runs
    ]
    few, many = runs[2], runs[3]
    slope = MB * (many["above_mb"] - few["above_mb"]) / (many["n_draws"] - few["n_draws"])
    header = ["(n, p)", "prior", "draws", "import MB", "peak MB", "at most", "scikit-learn loaded"]
    text = "Peak memory above numpy and scipy imported, data included\n\n"
    text += markdown_table(header, table)
    text += f"\n\nGrowth: {slope:.1f} bytes a draw at p = 2,000, 20 of them in the traces kept."
    return {"runs": runs, "bytes_per_draw": slope}, text


def cores(quick: bool) -> tuple[dict[str, Any], str]:
    """Two replicates on two cores against the same two on one."""
    length, rounds = (1000, 1) if quick else (5000, 5)
    X, y = continuous(2000, 459)
    X = np.ascontiguousarray(X)
    wall: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for n_jobs in (1, 2):
            start = time.perf_counter()
            bv.sample(
                X, y, n_replicates=2, burn_in=length, n_draws=length, random_state=0, n_jobs=n_jobs
            )
            wall[n_jobs].append(time.perf_counter() - start)
    within = [b / a for a, b in zip(wall[1], wall[2], strict=True)]
    ratio = statistics.median(wall[2]) / statistics.median(wall[1])
    line = [
        f"{statistics.median(wall[1]):.2f}",
        f"{statistics.median(wall[2]):.2f}",
        f"{ratio:.2f}x ({min(within):.2f} to {max(within):.2f})",
        "0.6x",
    ]
    header = ["one core, s", "two cores, s", "ratio (rounds)", "at most"]
    title = "Two replicates of DART at (2000, 459)\n\n"
    return {"seconds": wall}, title + markdown_table(header, [line])


PARTS: dict[str, Callable[[bool], tuple[dict[str, Any], str]]] = {
    "cores": cores,  # first: the others pin the process to one core
    "columns": columns,
    "ties": ties,
    "rows": rows_grow,
    "memory": memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="How the cost of a fit grows.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer rounds")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    record: dict[str, Any] = {"machine": describe("bayesvc", "numpy", "scipy")}
    for name, measure in PARTS.items():
        if name in options.only:
            if name != "cores":
                pin_to_one_core()
            record[name], text = measure(options.quick)
            print(f"## {name}\n\n{text}\n", flush=True)
    RESULTS.mkdir(exist_ok=True)
    full = not options.quick and set(options.only) == set(PARTS)
    path = RESULTS / ("growth.json" if full else "growth-partial.json")
    path.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
