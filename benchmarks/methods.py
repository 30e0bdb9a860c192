"""What a method costs beyond its fits, and dart-vc against ten fits of stochtree.

    python benchmarks/methods.py            # what `make bench-methods` runs
    python benchmarks/methods.py --quick    # shorter chains, one round
    python benchmarks/methods.py --only compare after

One thread on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from machine import ONE_THREAD, RESULTS, describe, markdown_table, pin_to_one_core

os.environ.update(ONE_THREAD)

from peers import Worker
from problem import continuous

import bayesvc as bv


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def compare_all(rounds: int, draws: int) -> tuple[dict[str, Any], str]:
    """``compare(methods="all")`` against the time in its samplers."""
    X, y = continuous(500, 102)
    runs = []
    for turn in range(rounds):
        seconds, found = timed(
            lambda turn=turn: bv.compare(
                X, y, random_state=turn, n_jobs=1, burn_in=draws, n_draws=draws
            )
        )
        runs.append({"seconds": seconds, "sampling": sampling_seconds(found)})
    ratio = statistics.median(run["seconds"] / run["sampling"] for run in runs)
    text = (
        f"`compare(methods='all')` at (500, 102): {ratio:.3f}x the sum of its sampling times "
        "(at most 1.1x)"
    )
    return {"runs": runs}, text


def sampling_seconds(found: bv.Comparison) -> float:
    """Seconds in the sampler, each fit counted once: the longest series of each prior."""
    most: dict[str, float] = {}
    for selection in found.values():
        draws = selection.draws
        kind = type(draws.prior).__name__
        own = draws.abc.seconds if draws.abc is not None else float(draws.seconds.sum())
        most[kind] = max(most.get(kind, 0.0), own)
        if selection.permuted is not None:
            most["permuted"] = float(selection.permuted.seconds.sum())
    return sum(most.values())


def after_sampling(rounds: int, draws: int) -> tuple[dict[str, Any], str]:
    """From draws to the selection and its table and warnings, against the sampling."""
    rows, found = [], {}
    for n, p, most in ((1000, 500, 0.02), (500, 100_000, 1.0)):
        X, y = continuous(n, p)
        runs = []
        for turn in range(rounds):
            whole, selection = timed(
                lambda X=X, y=y, turn=turn: bv.select(
                    X, y, random_state=turn, n_jobs=1, burn_in=draws, n_draws=draws
                )
            )
            again, _ = timed(lambda s=selection: bv.select_from(s.draws))
            columns = selection.draws._encoded.columns
            twins, _ = timed(lambda s=selection, c=columns: c.correlations(s.selected.tolist()))
            told, _ = timed(lambda s=selection: (s.notes, s.table))
            # sixty selections: on request only, and at p = 100,000 minutes
            stable, _ = timed(lambda s=selection: s.stability) if p < 1000 else (float("nan"), None)
            sampling = float(selection.draws.seconds.sum())
            runs.append(
                {
                    "whole": whole,
                    "sampling": sampling,
                    "after": again + twins + told,
                    "stability": None if p > 1000 else stable,
                    "leaves": len(selection.threshold_result.points),
                }
            )
        share = statistics.median(run["after"] / run["sampling"] for run in runs)
        stable = statistics.median((run["stability"] or 0) / run["sampling"] for run in runs)
        leaves = f"{statistics.median(run['leaves'] for run in runs):,.0f}"
        told = "" if p > 1000 else f"{stable:.3f}"
        rows.append([f"({n}, {p:,})", leaves, f"{share:.4f}", f"{most}", told])
        found[f"{n}, {p}"] = runs
    header = ["(n, p)", "distinct rows", "after / sampling", "at most", "stability / sampling"]
    return found, "dart-vc, everything after sampling\n\n" + markdown_table(header, rows)


def against_stochtree(rounds: int, draws: int) -> tuple[dict[str, Any], str]:
    """dart-vc end to end at (500, 102) against ten BART fits of stochtree, turn by turn."""
    X, y = continuous(500, 102)
    worker = Worker("stochtree-bart")
    worker.fit(500, 102, draws, seed=0)
    runs = []
    for turn in range(rounds):
        theirs = sum(worker.fit(500, 102, draws, seed=10 * turn + k)["seconds"] for k in range(10))
        ours, _ = timed(
            lambda turn=turn: bv.select(
                X, y, random_state=turn, n_jobs=1, burn_in=draws, n_draws=draws
            )
        )
        runs.append({"stochtree": theirs, "dart-vc": ours})
        print(f"round {turn + 1}: {runs[-1]}", file=sys.stderr, flush=True)
    worker.close()
    ratio = statistics.median(run["stochtree"] / run["dart-vc"] for run in runs)
    text = f"Ten stochtree fits take {ratio:.1f}x as long as dart-vc at (500, 102) (at least 12x)"
    return {"runs": runs}, text


PARTS = {"compare": compare_all, "after": after_sampling, "stochtree": against_stochtree}


def main() -> None:
    parser = argparse.ArgumentParser(description="What a method costs beyond its fits.")
    parser.add_argument("--quick", action="store_true", help="500 + 500 draws, one round")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    pin_to_one_core()
    rounds, draws = (1, 500) if options.quick else (3, 5000)
    results: dict[str, Any] = {"machine": describe("bayesvc", "numpy", "scipy", "stochtree")}
    for name in options.only:
        results[name], text = PARTS[name](rounds, draws)
        print(text + "\n", flush=True)
    complete = not options.quick and len(options.only) == len(PARTS)
    target = RESULTS / ("methods.json" if complete else "methods-partial.json")
    target.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
