"""Peak memory of one call of ``bayesvc.sample`` in a fresh process, printed as JSON.

Peaks are the high-water mark of the resident set, taken when numpy and scipy are imported, when
bayesvc is, when the data are there, and after sampling.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import scipy  # noqa: F401
from problem import continuous


def peak_mb() -> float:
    # Not getrusage: its high-water mark survives exec and may be that of the process before.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM in /proc/self/status; peak memory is measured on Linux only")


def main() -> None:
    task = json.loads(sys.argv[1])
    peaks = {"numpy and scipy": peak_mb()}
    import bayesvc as bv

    peaks["bayesvc"] = peak_mb()
    X, y = continuous(task["n"], task["p"])
    X = np.ascontiguousarray(X)
    peaks["data"] = peak_mb()
    prior = bv.DART() if task["prior"] == "DART" else bv.BART()
    draws = bv.sample(
        X, y, prior, n_replicates=1, burn_in=100, n_draws=task["n_draws"], random_state=0, n_jobs=1
    )
    peaks["sampling"] = peak_mb()
    kept = draws.sigma.nbytes + draws.alpha.nbytes + draws.n_splits.nbytes
    loaded = "sklearn" in sys.modules
    print(json.dumps({"peaks": peaks, "trace_bytes": kept, "sklearn_loaded": loaded}))


if __name__ == "__main__":
    main()
