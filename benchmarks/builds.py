"""Speed of this build against another one, say of the commit before a change, side by side.

python benchmarks/builds.py --other /path/to/other/.venv/bin/python
python benchmarks/builds.py --other ... --blocks 2 --pairs 5    # a first impression

Both builds draw the same chain from the same seed, in turns and on one core, and are timed by the
CPU time of ``bayesvc.sample``. Each block starts new processes, so that where the code happens to
lie in memory is not mistaken for its speed; the order of the two alternates from pair to pair.
"""

from __future__ import annotations

import argparse
import statistics
import sys

import numpy as np
from machine import markdown_table, pin_to_one_core
from peers import SIZES, Worker

PRIORS = ("bayesvc-bart", "bayesvc-dart")


def time_block(
    pythons: tuple[str, str], sampler: str, n: int, p: int, n_draws: int, seeds: range
) -> list[tuple[float, float]]:
    """Return CPU seconds of (this, other) for each seed, in two new processes."""
    this, other = (Worker(sampler, python=python) for python in pythons)
    for worker in (this, other):
        worker.fit(n, p, n_draws, seed=0)
    pairs = []
    for seed in seeds:
        order = (this, other) if seed % 2 else (other, this)
        taken = {worker: worker.fit(n, p, n_draws, seed)["cpu_seconds"] for worker in order}
        pairs.append((taken[this], taken[other]))
    this.close()
    other.close()
    return pairs


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return a bootstrap interval of 95 % for the median of the ratios."""
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(ratios, size=(10_000, len(ratios))), axis=1)
    low, high = np.quantile(medians, (0.025, 0.975))
    return float(low), float(high)


def summarize(pairs: list[tuple[float, float]]) -> dict[str, float]:
    ratios = [this / other for this, other in pairs]
    low, high = interval(ratios)
    this, other = zip(*pairs, strict=True)
    return {
        "ratio": statistics.median(ratios),
        "low": low,
        "high": high,
        "minima": min(this) / min(other),
        "this": statistics.median(this),
        "other": statistics.median(other),
    }


def table(results: list[dict[str, float | str]]) -> str:
    rows = [
        [
            f"({r['n']}, {r['p']})", str(r["sampler"]), f"{r['this']:.3f}", f"{r['other']:.3f}",
            f"{r['ratio']:.3f} ({r['low']:.3f} to {r['high']:.3f})", f"{r['minima']:.3f}",
        ]
        for r in results
    ]  # fmt: skip
    header = [
        "(n, p)", "prior", "this, CPU s", "other, CPU s",
        "median of the ratios (95 % interval)", "ratio of the minima",
    ]  # fmt: skip
    return markdown_table(header, rows)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the speed of two builds of bayesvc.")
    parser.add_argument("--other", required=True, help="the Python that has the other build")
    parser.add_argument("--blocks", type=int, default=6, help="how often both are started anew")
    parser.add_argument("--pairs", type=int, default=12, help="pairs of fits in a block")
    parser.add_argument("--draws", type=int, default=5000, help="burn-in draws, and draws kept")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    pin_to_one_core()
    pythons = (sys.executable, arguments.other)
    pairs: dict[tuple[int, int, str], list[tuple[float, float]]] = {}
    for block in range(arguments.blocks):
        seeds = range(1 + block * arguments.pairs, 1 + (block + 1) * arguments.pairs)
        for n, p in SIZES:
            for sampler in PRIORS:
                found = time_block(pythons, sampler, n, p, arguments.draws, seeds)
                pairs.setdefault((n, p, sampler), []).extend(found)
        print(f"block {block + 1} of {arguments.blocks}", file=sys.stderr, flush=True)
    results = [
        {"n": n, "p": p, "sampler": sampler, **summarize(own)}
        for (n, p, sampler), own in pairs.items()
    ]
    print(table(results))


if __name__ == "__main__":
    main()
