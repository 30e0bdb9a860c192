"""Prediction of Friedman #1 against stochtree: error, coverage of intervals, and time.

1,000 rows to fit and 1,000 to predict, 10 columns of which 5 matter, noise sd 1, 200 trees,
1,000 + 1,000 draws; another data set in every round. One thread on one core, turn by turn.

    python benchmarks/prediction.py            # what `make bench-prediction` runs
    python benchmarks/prediction.py --quick    # one round of shorter chains
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from typing import Any

from machine import RESULTS, describe, markdown_table, pin_to_one_core
from peers import BUSY, Runs, Worker, seconds

# As they come: stochtree runs one chain that starts from a greedy forest, bayesvc two chains that
# start from nothing. The other two are one chain each, without a warm start.
PEERS = ("stochtree", "stochtree-mcmc")
PACKAGES = (*PEERS, "bayesvc", "bayesvc-one-chain")
ROUNDS, DRAWS = 5, 1000
MOST_RMSE = 1.03  # times that of the peer
COVERAGE = (0.85, 0.97)
LEAST_SPEED = 10  # times that of the peer


def run_rounds(workers: list[Worker], rounds: int, draws: int) -> Runs:
    runs: Runs = {worker.sampler: [] for worker in workers}
    for worker in workers:
        worker.ask(n_draws=10, seed=0)
    for turn in range(rounds):
        shift = turn % len(workers)
        for worker in workers[shift:] + workers[:shift]:
            run = worker.ask(n_draws=draws, seed=turn + 1)
            runs[worker.sampler].append(run)
            print(f"round {turn + 1}: {worker.sampler} {run}", file=sys.stderr, flush=True)
    return runs


def mean(runs: Runs, package: str, key: str) -> float:
    return statistics.fmean(run[key] for run in runs[package])


def compare(runs: Runs, ours: str) -> dict[str, Any]:
    """Return the figures that have a target, against each peer, and whether they reach it."""
    found: dict[str, Any] = {"coverage": mean(runs, ours, "coverage")}
    reached = COVERAGE[0] <= found["coverage"] <= COVERAGE[1]
    for peer in PEERS:
        rmse = mean(runs, ours, "rmse") / mean(runs, peer, "rmse")
        theirs, mine = seconds(runs, peer), seconds(runs, ours)
        within = [a / b for a, b in zip(theirs, mine, strict=True)]
        speed = statistics.median(theirs) / statistics.median(mine)
        found[peer] = {
            "rmse_ratio": rmse,
            "speed_ratio": speed,
            "smallest_speed_ratio": min(within),
            "largest_speed_ratio": max(within),
        }
        reached = reached and rmse <= MOST_RMSE and speed >= LEAST_SPEED
    return found | {"reached": reached}


def table(runs: Runs) -> str:
    header = ["package", "RMSE of f", "coverage of 90 %", "width", "seconds", "of which the fit"]
    rows = []
    for package in runs:
        row = [package]
        row += [f"{mean(runs, package, key):.3f}" for key in ("rmse", "coverage", "width")]
        for key in ("seconds", "fit_seconds"):
            row.append(f"{statistics.median(seconds(runs, package, key)):.2f}")
        rows.append(row)
    return markdown_table(header, rows)


def summary(ours: str, found: dict[str, Any]) -> str:
    lines = [
        f"{ours} against {peer}: RMSE {found[peer]['rmse_ratio']:.3f} times its (at most "
        f"{MOST_RMSE}), {found[peer]['speed_ratio']:.1f} times faster (at least {LEAST_SPEED}; "
        f"{found[peer]['smallest_speed_ratio']:.1f} to {found[peer]['largest_speed_ratio']:.1f})."
        for peer in PEERS
    ]
    low, high = COVERAGE
    verdict = "All targets reached." if found["reached"] else "**A target was missed.**"
    lines.append(f"Coverage {found['coverage']:.3f} ({low} to {high}). {verdict}")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Prediction of Friedman #1 against stochtree.")
    parser.add_argument("--quick", action="store_true", help="one round of 200 + 200 draws")
    parser.add_argument("--check", action="store_true", help="fail where a target is missed")
    return parser.parse_args()


def main() -> int:
    options = parse()
    rounds, draws = (1, 200) if options.quick else (ROUNDS, DRAWS)
    core = pin_to_one_core()
    workers = [Worker(package, "prediction_worker.py") for package in PACKAGES]
    try:
        runs = run_rounds(workers, rounds, draws)
    finally:
        for worker in workers:
            worker.close()
    found = {ours: compare(runs, ours) for ours in PACKAGES if ours not in PEERS}
    busy = max(run["seconds"] / run["cpu_seconds"] for some in runs.values() for run in some)
    record = {
        "machine": describe("bayesvc", "stochtree", "numpy", "scikit-learn"),
        "pinned": core is not None,
        "burn_in": draws,
        "n_draws": draws,
        "rounds": rounds,
        "wall_over_cpu": busy,
        "runs": runs,
        "comparison": found,
    }
    RESULTS.mkdir(exist_ok=True)
    name = "prediction-partial.json" if options.quick else "prediction.json"
    (RESULTS / name).write_text(json.dumps(record, indent=1) + "\n")
    print(table(runs), *(summary(*item) for item in found.items()), sep="\n\n")
    if busy > BUSY:
        print(f"The core was shared: wall time up to {busy:.2f} times CPU time.")
    return 1 if options.check and not found["bayesvc"]["reached"] else 0


if __name__ == "__main__":
    sys.exit(main())
