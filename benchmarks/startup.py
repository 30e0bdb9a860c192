"""How long the package and its command line take to start, against the libraries beneath them.

python benchmarks/startup.py            # 15 rounds, a minute or two
python benchmarks/startup.py --quick    # 3 rounds

Every start is a new process, and the commands take turns. Where other work goes on, CPU time (user
and system) tells more than the wall clock.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from machine import ONE_THREAD, RESULTS, describe, markdown_table

LIBRARIES = "import numpy, scipy, sklearn"
THEIR_PARTS = (
    "import scipy.sparse, scipy.stats, sklearn.base, sklearn.feature_selection, sklearn.utils"
)
COMMANDS = {
    "python, nothing imported": ["-c", "pass"],
    "numpy": ["-c", "import numpy"],
    "numpy, scipy, scikit-learn": ["-c", LIBRARIES],
    "these and `import bayesvc`": ["-c", f"{LIBRARIES}; import bayesvc"],
    "these and the parts of them that bayesvc uses": ["-c", f"{LIBRARIES}; {THEIR_PARTS}"],
    "these and every name of bayesvc": ["-c", f"{LIBRARIES}\nfrom bayesvc import *"],
    "`bayesvc --help`": ["-m", "bayesvc", "--help"],
    "`bayesvc select --help`": ["-m", "bayesvc", "select", "--help"],
}
BASE = "numpy, scipy, scikit-learn"
BEYOND_AT_MOST = 0.3  # seconds of `import bayesvc` beyond the libraries
HELP_AT_MOST = 0.5

Start = dict[str, float]


def start(arguments: list[str]) -> Start:
    """Run Python once; return its seconds by the wall clock and on the processor."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, env=os.environ | ONE_THREAD
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{arguments} failed")
    return {"wall": time.perf_counter() - begin, "cpu": used.ru_utime + used.ru_stime}


def middle(runs: list[Start], clock: str) -> float:
    return statistics.median(run[clock] for run in runs)


def beyond(runs: dict[str, list[Start]], name: str) -> float:
    """Return the seconds of CPU time more than the libraries take in the same round."""
    pairs = zip(runs[name], runs[BASE], strict=True)
    return statistics.median(own["cpu"] - base["cpu"] for own, base in pairs)


def report(runs: dict[str, list[Start]]) -> str:
    rows = []
    for name, own in runs.items():
        ratios = [a["cpu"] / b["cpu"] for a, b in zip(own, runs[BASE], strict=True)]
        rows.append(
            [
                name, f"{middle(own, 'cpu'):.3f}", f"{middle(own, 'wall'):.3f}",
                f"{statistics.median(ratios):.2f}x ({min(ratios):.2f} to {max(ratios):.2f})",
            ]
        )  # fmt: skip
    header = ["started", "CPU s", "wall s", "CPU to numpy, scipy, scikit-learn (rounds)"]
    shown = middle(runs["`bayesvc --help`"], "cpu")
    verdict = (
        f"CPU seconds beyond the libraries, median over the rounds: `import bayesvc` "
        f"{beyond(runs, 'these and `import bayesvc`'):+.3f} (at most {BEYOND_AT_MOST}), every name "
        f"{beyond(runs, 'these and every name of bayesvc'):+.3f}. `bayesvc --help`: {shown:.3f} "
        f"(at most {HELP_AT_MOST})."
    )
    return f"{markdown_table(header, rows)}\n\n{verdict}"


def main() -> None:
    parser = argparse.ArgumentParser(description="How long the package takes to start.")
    parser.add_argument("--quick", action="store_true", help="3 rounds")
    options = parser.parse_args()
    for arguments in COMMANDS.values():
        start(arguments)  # files into the cache, bytecode onto the disk
    runs: dict[str, list[Start]] = {name: [] for name in COMMANDS}
    for _ in range(3 if options.quick else 15):
        for name, arguments in COMMANDS.items():
            runs[name].append(start(arguments))
    print(report(runs))
    machine = describe("bayesvc", "numpy", "scipy", "scikit-learn", "click")
    results: dict[str, Any] = {"machine": machine, "runs": runs}
    target = RESULTS / ("startup-partial.json" if options.quick else "startup.json")
    target.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
