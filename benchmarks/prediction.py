"""Prediction against stochtree: loss, coverage of intervals, and time, on twelve tables.

Friedman's function (1,000 rows to fit and 1,000 to predict, noise sd 1) and eleven real tables
(three quarters of the rows to fit), 200 trees, 1,000 + 1,000 draws; another data set or split in
every round. One thread on one core, turn by turn.

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
from tables import BINARY, NAMES

# As they come: stochtree runs one chain that starts from a greedy forest, bayesvc two chains that
# start from nothing. The other two are one chain each, without a warm start.
PEERS = ("stochtree", "stochtree-mcmc")
OURS = ("bayesvc", "bayesvc-one-chain")
ROUNDS, DRAWS = 5, 1000
COVERAGE = (0.85, 0.95)
LEAST_SPEED = 10  # times that of the peer


def run_rounds(workers: list[Worker], name: str, rounds: int, draws: int) -> Runs:
    """Fit one table with each package in turn, another split in every round."""
    runs: Runs = {worker.sampler: [] for worker in workers}
    for turn in range(rounds):
        shift = turn % len(workers)
        for worker in workers[shift:] + workers[:shift]:
            run = worker.ask(name=name, n_draws=draws, seed=100 + turn)
            runs[worker.sampler].append(run)
            print(f"{name}, round {turn + 1}: {worker.sampler} {run}", file=sys.stderr, flush=True)
    return runs


def compare(runs: Runs, ours: str) -> dict[str, Any]:
    """Return loss and speed relative to each peer, and the coverage, over the rounds."""
    found: dict[str, Any] = {}
    if "coverage" in runs[ours][0]:
        found["coverage"] = statistics.fmean(run["coverage"] for run in runs[ours])
    for peer in PEERS:
        pairs = list(zip(runs[ours], runs[peer], strict=True))
        change = [mine["loss"] / theirs["loss"] - 1 for mine, theirs in pairs]
        found[peer] = {
            "loss": statistics.fmean(change),
            "error": statistics.stdev(change) / len(change) ** 0.5 if len(change) > 1 else None,
            "speed": statistics.median(seconds(runs, peer))
            / statistics.median(seconds(runs, ours)),
        }
    return found


def shown(found: dict[str, Any]) -> list[str]:
    """Return the cells of a comparison."""
    cells = []
    for peer in PEERS:
        own = found[peer]
        error = "" if own["error"] is None else f" ({100 * own['error']:.1f})"
        cells += [f"{100 * own['loss']:+.1f} %{error}", f"{own['speed']:.1f}x"]
    coverage = found.get("coverage")
    return [*cells, "" if coverage is None else f"{coverage:.3f}"]


def verdict(found: dict[str, dict[str, Any]]) -> str:
    """Say which goals are reached on which tables; losses within two standard errors are equal."""
    low, high = COVERAGE
    worse = [
        name
        for name, own in found.items()
        if any(own[peer]["loss"] > 2 * (own[peer]["error"] or 0.0) for peer in PEERS)
    ]
    off = [name for name, own in found.items() if not low <= own.get("coverage", low) <= high]
    slow = [
        name for name, own in found.items() if min(own[p]["speed"] for p in PEERS) < LEAST_SPEED
    ]
    said = {
        "loss above a peer's by more than two standard errors": worse,
        f"coverage outside {low} to {high}": off,
        f"less than {LEAST_SPEED} times as fast": slow,
    }
    return "\n".join(f"- {what}: {', '.join(names) or 'none'}" for what, names in said.items())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Prediction against stochtree.")
    parser.add_argument("--quick", action="store_true", help="one round of 200 + 200 draws")
    parser.add_argument("--tables", default=",".join(NAMES), help="names, separated by commas")
    return parser.parse_args()


def main() -> int:
    options = parse()
    rounds, draws = (1, 200) if options.quick else (ROUNDS, DRAWS)
    names = options.tables.split(",")
    core = pin_to_one_core()
    workers = [Worker(package, "prediction_worker.py") for package in (*PEERS, *OURS)]
    try:
        for worker in workers:
            worker.ask(name="Friedman", n_draws=10, seed=0)
        runs = {name: run_rounds(workers, name, rounds, draws) for name in names}
    finally:
        for worker in workers:
            worker.close()
    every = [run for table in runs.values() for some in table.values() for run in some]
    busy = max(run["seconds"] / run["cpu_seconds"] for run in every)
    record = {
        "machine": describe("bayesvc", "stochtree", "numpy", "scikit-learn"),
        "pinned": core is not None,
        "burn_in": draws,
        "n_draws": draws,
        "rounds": rounds,
        "wall_over_cpu": busy,
        "runs": runs,
    }
    RESULTS.mkdir(exist_ok=True)
    whole = not options.quick and names == list(NAMES)
    path = RESULTS / ("prediction.json" if whole else "prediction-partial.json")
    path.write_text(json.dumps(record, indent=1) + "\n")
    header = ["table", "loss", *[cell for peer in PEERS for cell in (peer, "speed")], "coverage"]
    for ours in OURS:
        found = {name: compare(runs[name], ours) for name in names}
        rows = [
            [name, "log loss" if name in BINARY else "RMSE", *shown(own)]
            for name, own in found.items()
        ]
        print(f"\n{ours}: loss relative to that of stochtree (standard error), and speed\n")
        print(markdown_table(header, rows), verdict(found), sep="\n\n")
    if busy > BUSY:
        print(f"The core was shared: wall time up to {busy:.2f} times CPU time.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
