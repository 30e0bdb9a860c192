"""How often does the signal test err on noise, and how much does it see?

    python studies/signal_test.py            # level and power, some twenty minutes on one core
    python studies/signal_test.py --quick    # a few data sets

Level: noise data (`bench.problems.pure_noise`), seeds from 10,000 on; nothing about the test was
chosen on them. Power: the benchmark's equations at a signal-to-noise ratio of 0.25, a fresh data
set each. The test is that of `select(X, y)` with its defaults.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from bayesvc.bench import feynman, problems
from bayesvc.bench.known_answer import BenchProblem
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import DEFAULT_DRAWS, check_sampling_config
from bayesvc.selection.signal import LEVEL, find_signal

RESULTS = Path(__file__).parent / "results" / "signal_test.json"
ITERATIONS = 20 * DEFAULT_DRAWS  # of ten replicates
NOISE = [(n, p) for n in (200, 500) for p in (50, 200)]
FIRST_SEED = 10_000


def p_value(problem: BenchProblem, seed: int) -> float:
    """Test one data set."""
    data = read_dataset(problem.X, problem.y, "auto")
    return find_signal(data, ITERATIONS, check_sampling_config(random_state=seed, n_jobs=1)).p_value


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


def main() -> None:
    """Run everything and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    on_noise, on_equations = (10, 10) if options.quick else (200, 100)
    cells = {f"noise, n = {n}, p = {p}": noise(n, p, on_noise) for n, p in NOISE}
    cells |= {f"SNR 0.25, n = {n}": weak(n, on_equations) for n in (500, 1000)}
    rows = []
    for name, data_sets in cells.items():
        found = Parallel(n_jobs=options.jobs)(
            delayed(p_value)(problem, seed) for problem, seed in data_sets
        )
        rows.append({"data": name, **rejected(list(found))})
        print(rows[-1], flush=True)
    if not options.quick:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
