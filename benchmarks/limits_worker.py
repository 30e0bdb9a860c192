"""One selection from a large data set in a fresh process, timed, with its peak memory, as JSON.

The same call with two sweeps comes first: the difference is what the sweeps cost. CPU time, which
with one thread is the time on an idle machine, is taken beside that of the wall clock. The data are
column by column, as they are drawn, and are not copied.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from memory_worker import peak_mb
from problem import Array, continuous

import bayesvc as bv


def timed(X: Array, y: Array, **length: Any) -> tuple[bv.Selection, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = bv.select(X, y, random_state=0, n_jobs=1, **length)
    return found, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def main() -> None:
    task = json.loads(sys.argv[1])
    two_sweeps = {"n_replicates": 1, "burn_in": 1, "n_draws": 1, "signal_test": False}
    timed(*continuous(50, 6), **two_sweeps)  # loads what is loaded late
    X, y = continuous(task["n"], task["p"])
    peaks = {"data": peak_mb()}
    _, short = timed(X, y, **two_sweeps)
    selection, whole = timed(X, y, **task["length"])
    peaks["selection"] = peak_mb()
    found = {
        "two_sweeps": short,
        "all_sweeps": whole,
        "in_sampler_wall": float(selection.draws.seconds.sum()),
        "x_mb": X.nbytes / 2**20,
        "peaks": peaks,
        "splits": float(selection.draws.n_splits.mean()),
        "selected": selection.names,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
