"""How often does the test for any signal err on noise, and how much does it see?

    python studies/any_signal.py            # level and power, about half an hour on two cores
    python studies/any_signal.py --quick    # a few data sets

Level: noise data (`bench.problems.pure_noise`), seeds from 10,000 on; the statistic and the length
of the fits were chosen on other data (seeds below 10,000). Power: the benchmark's equations at a
signal-to-noise ratio of 0.25, a fresh data set each. The test is that of `select(X, y)` with its
defaults; its cost is compared with that of the selection by sweeps and by seconds, the fits taken
one after the other.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import bayesvc as bv
from bayesvc.bench import feynman, problems
from bayesvc.bench.known_answer import BenchProblem
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import DEFAULT_DRAWS, check_sampling_config
from bayesvc.selection.signal import LEVEL, find_signal, plan_signal_test

RESULTS = Path(__file__).parent / "results" / "any_signal.json"
SWEEPS = {"dart-vc": 20 * DEFAULT_DRAWS, "quick (2 fits)": 4 * DEFAULT_DRAWS}
NOISE = [(n, p) for n in (200, 500) for p in (50, 200)]
FIRST_SEED = 10_000


def p_value(problem: BenchProblem, seed: int, sweeps: int) -> float:
    """Test one data set."""
    data = read_dataset(problem.X, problem.y, "auto")
    return find_signal(data, sweeps, check_sampling_config(random_state=seed, n_jobs=1)).p_value


def noise(n: int, p: int, n_data_sets: int) -> Iterable[tuple[BenchProblem, int]]:
    """Yield data sets without signal."""
    for seed in range(FIRST_SEED, FIRST_SEED + n_data_sets):
        yield problems.pure_noise(n, p, seed=seed), seed


def weak(n: int, n_data_sets: int) -> Iterable[tuple[BenchProblem, int]]:
    """Yield the equations at a signal-to-noise ratio of 0.25."""
    for i, name in enumerate(list(feynman.equations())[:n_data_sets]):
        yield feynman.load(name, n, 0.25, FIRST_SEED + i), FIRST_SEED + i


def rejected(found: list[float]) -> dict[str, float]:
    """Summarise p-values."""
    share = float(np.mean(np.array(found) <= LEVEL))
    error = float(np.sqrt(share * (1 - share) / len(found)))
    return {"data_sets": len(found), "share": share, "se": error}


def cost(n: int, p: int) -> dict[str, float]:
    """Compare the seconds of the test with those of the selection, in one process."""
    problem = problems.friedman(n, p, seed=FIRST_SEED)
    start = time.perf_counter()
    bv.select(problem.X, problem.y, random_state=0, n_jobs=1, signal_test=False)
    middle = time.perf_counter()
    p_value(problem, 0, SWEEPS["dart-vc"])
    return {"selection": middle - start, "test": time.perf_counter() - middle}


def main() -> None:
    """Run everything and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    on_noise, on_equations = (10, 10) if options.quick else (200, 100)
    rows = []
    for method, sweeps in SWEEPS.items():
        cells = {f"noise, n = {n}, p = {p}": noise(n, p, on_noise) for n, p in NOISE}
        cells |= {f"SNR 0.25, n = {n}": weak(n, on_equations) for n in (500, 1000)}
        for name, data_sets in cells.items():
            found = Parallel(n_jobs=options.jobs)(
                delayed(p_value)(problem, seed, sweeps) for problem, seed in data_sets
            )
            rows.append({"method": method, "data": name, **rejected(list(found))})
            print(rows[-1], flush=True)
    plans = {name: plan_signal_test(sweeps) for name, sweeps in SWEEPS.items()}
    seconds = [cost(500, 100), cost(1000, 300)]
    print(plans, seconds)
    if not options.quick:
        found = {"rows": rows, "permutations_and_sweeps": plans, "seconds": seconds}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
