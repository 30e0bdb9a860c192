"""Speed against stochtree and bartz: one thread, one core, medians of interleaved runs.

Each sampler lives in a process of its own, so that imports and compilation are done before the
clock starts: the first call of every shape is not counted. The processes take turns and never
overlap; the order rotates from round to round.

    python benchmarks/peers.py            # what `make bench-peers` runs
    python benchmarks/peers.py --quick    # one round of shorter chains
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from machine import ONE_THREAD, RESULTS, describe, markdown_table, pin_to_one_core

SIZES = ((500, 102), (1000, 306), (2000, 459))
SAMPLERS = ("stochtree-bart", "bartz-bart", "bartz-dart", "bayesvc-bart", "bayesvc-dart")
COMPARISONS = {  # title: (peer, ours)
    "BART vs bartz": ("bartz-bart", "bayesvc-bart"),
    "DART vs bartz": ("bartz-dart", "bayesvc-dart"),
    "BART vs stochtree": ("stochtree-bart", "bayesvc-bart"),
}
# (must, aim) at each size; a comparison without goals is information.
GOALS = {
    "BART vs bartz": dict(zip(SIZES, ((15, 15), (12, 14), (11, 14)), strict=True)),
    "DART vs bartz": dict.fromkeys(SIZES, (22, 22)),
}
BUSY = 1.05  # wall over CPU time above which something else used the core
Runs = dict[str, list[dict[str, float]]]


class Worker:
    """A sampler's process; ``ask`` and ``fit`` block until it answers."""

    def __init__(
        self, sampler: str, script: str = "peers_worker.py", python: str = sys.executable
    ) -> None:
        self.sampler = sampler
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name(script)), sampler],
            env=os.environ | ONE_THREAD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._read()

    def _read(self) -> dict[str, float]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                found: dict[str, float] = json.loads(line)
                return found
        raise RuntimeError(f"{self.sampler} ended without an answer; is it installed?")

    def ask(self, **task: int) -> dict[str, float]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        return self._read()

    def fit(self, n: int, p: int, n_draws: int, seed: int) -> dict[str, float]:
        return self.ask(n=n, p=p, n_draws=n_draws, seed=seed)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def time_size(workers: list[Worker], n: int, p: int, n_draws: int, rounds: int) -> Runs:
    """Time every sampler ``rounds`` times in turn, after an uncounted call of the same shape."""
    runs: Runs = {worker.sampler: [] for worker in workers}
    for worker in workers:
        first = worker.fit(n, p, n_draws, seed=0)
        report(n, p, "warm-up", worker.sampler, first)
    for turn in range(rounds):
        shift = turn % len(workers)
        for worker in workers[shift:] + workers[:shift]:
            run = worker.fit(n, p, n_draws, seed=turn + 1)
            runs[worker.sampler].append(run)
            report(n, p, f"round {turn + 1}", worker.sampler, run)
    return runs


def report(n: int, p: int, when: str, sampler: str, run: dict[str, float]) -> None:
    print(f"({n}, {p}) {when}: {sampler} {run['seconds']:.3f} s", file=sys.stderr, flush=True)


def seconds(runs: Runs, sampler: str, key: str = "seconds") -> list[float]:
    return [run[key] for run in runs[sampler]]


def compare(
    runs: Runs, size: tuple[int, int], clock: str = "seconds"
) -> dict[str, dict[str, float]]:
    """Ratios of medians, the smallest and largest ratio within a round, and the goals if any."""
    found = {}
    for title, (peer, ours) in COMPARISONS.items():
        if peer in runs and ours in runs:
            theirs, mine = seconds(runs, peer, clock), seconds(runs, ours, clock)
            within = [a / b for a, b in zip(theirs, mine, strict=True)]
            found[title] = {
                "ratio": statistics.median(theirs) / statistics.median(mine),
                "smallest": min(within),
                "largest": max(within),
            }
            if title in GOALS:
                found[title]["must"], found[title]["aim"] = GOALS[title][size]
    return found


def verdict(ratio: dict[str, float]) -> str:
    if "must" not in ratio:
        return ""
    if ratio["ratio"] >= ratio["aim"]:
        return "desired reached"
    return "required reached" if ratio["ratio"] >= ratio["must"] else "**below required**"


def median_table(results: list[dict[str, Any]], clock: str) -> str:
    used = [s for s in SAMPLERS if s in results[0]["runs"]]
    rows = []
    for result in results:
        row = [f"({result['n']}, {result['p']})"]
        for sampler in used:
            cell = f"{statistics.median(seconds(result['runs'], sampler, clock)):.3f}"
            if sampler.startswith("bayesvc") and clock == "seconds":
                inside = statistics.median(seconds(result["runs"], sampler, "in_sampler"))
                cell += f" ({inside:.3f})"
            row.append(cell)
        rows.append(row)
    return markdown_table(["(n, p)", *used], rows)


def ratio_table(results: list[dict[str, Any]], clock: str) -> str:
    rows = [
        [
            f"({result['n']}, {result['p']})",
            title,
            f"{ratio['ratio']:.1f}x",
            f"{ratio['smallest']:.1f}x to {ratio['largest']:.1f}x",
            *(f"{ratio[goal]:.0f}x" if goal in ratio else "" for goal in ("must", "aim")),
            verdict(ratio),
        ]
        for result in results
        for title, ratio in compare(result["runs"], (result["n"], result["p"]), clock).items()
    ]
    if not rows:
        return "nothing to compare"
    header = ["(n, p)", "comparison", "ratio of medians", "range", "required", "desired", "verdict"]
    return markdown_table(header, rows)


def tables(results: list[dict[str, Any]]) -> str:
    """All tables; those by CPU time only where something else used the core."""
    runs = [run for result in results for found in result["runs"].values() for run in found]
    worst = max(run["seconds"] / run["cpu_seconds"] for run in runs)
    parts = [
        "Median seconds per fit, end to end (in brackets: in the sampler alone)",
        median_table(results, "seconds"),
        "How many times faster (the range is that of the rounds)",
        ratio_table(results, "seconds"),
    ]
    if worst > BUSY:
        parts += [
            f"The core was shared: wall time up to {worst:.2f} times CPU time. By CPU time:",
            median_table(results, "cpu_seconds"),
            ratio_table(results, "cpu_seconds"),
        ]
    return "\n\n".join(parts)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed against stochtree and bartz.")
    parser.add_argument("--quick", action="store_true", help="1,000 + 1,000 draws, one round")
    parser.add_argument("--rounds", type=int, help="interleaved runs per sampler and size (5)")
    parser.add_argument("--draws", type=int, help="burn-in draws, and as many kept (5,000)")
    parser.add_argument("--only", nargs="+", choices=SAMPLERS, default=list(SAMPLERS))
    parser.add_argument("--sizes", type=int, nargs="+", default=[0, 1, 2], help="0, 1, 2")
    parser.add_argument("--check", action="store_true", help="fail where a ratio is below must")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 5)
    options.draws = options.draws or (1000 if options.quick else 5000)
    return options


def main() -> int:
    options = parse()
    core = pin_to_one_core()
    workers = [Worker(sampler) for sampler in SAMPLERS if sampler in options.only]
    results: list[dict[str, Any]] = []
    try:
        for n, p in (SIZES[i] for i in options.sizes):
            runs = time_size(workers, n, p, options.draws, options.rounds)
            results.append({"n": n, "p": p, "runs": runs, "ratios": compare(runs, (n, p))})
    finally:
        for worker in workers:
            worker.close()
    record = {
        "machine": describe("bayesvc", "stochtree", "bartz", "jax", "jaxlib", "numpy"),
        "pinned": core is not None,
        "n_trees": 20,
        "burn_in": options.draws,
        "n_draws": options.draws,
        "rounds": options.rounds,
        "results": results,
    }
    RESULTS.mkdir(exist_ok=True)
    full = (options.rounds, options.draws, len(results)) == (5, 5000, 3) and len(workers) == 5
    path = RESULTS / ("peers.json" if full else "peers-partial.json")
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(tables(results))
    worst = [
        ratio
        for result in results
        for ratio in result["ratios"].values()
        if ratio["ratio"] < ratio.get("must", 0)
    ]
    return 1 if options.check and worst else 0


if __name__ == "__main__":
    sys.exit(main())
