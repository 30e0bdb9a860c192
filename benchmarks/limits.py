"""The largest data the package is held to: n = 1,000,000 x p = 100 and n = 500 x p = 100,000.

python benchmarks/limits.py            # a fresh process each, some minutes
python benchmarks/limits.py --quick    # a tenth of the rows and columns
python benchmarks/limits.py --files    # from Parquet files, on all cores, automatic lengths
python benchmarks/limits.py --files rows       # the file of many rows only; or columns
python benchmarks/limits.py --files --short    # the same with a few iterations, for the memory

With --files the sizes are n = 1,000,000 x p = 100 and n = 10,000 x p = 100,000, and `bayesvc
select --burn-in auto --draws auto` is timed from end to end; the second file takes 9 GB of disk.
Each size replaces its own row in the table of results. Without --files, that of many
columns is a selection with all defaults, and that of many rows is one fit of far fewer sweeps than
the default, without the test for signal; the table says how many, and what all sweeps would take at
that pace.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from limits_files import measure_file
from machine import ONE_THREAD, RESULTS, describe, markdown_table, pin_to_one_core

SWEEPS = 10 * (5_000 + 5_000) + 100 * 300  # of `select` with its defaults: fits, test for signal
SHORT = {"n_replicates": 1, "burn_in": 1_000, "n_draws": 1_000, "signal_test": False}
SIZES: tuple[dict[str, Any], ...] = (
    {"n": 1_000_000, "p": 100, "sweeps": 2_000, "length": SHORT},
    {"n": 500, "p": 100_000, "sweeps": SWEEPS, "length": {}},
)
FILE_SIZES = {"rows": (1_000_000, 100), "columns": (10_000, 100_000)}
QUICK_FILE_SIZES = {"rows": (100_000, 100), "columns": (10_000, 10_000)}
AUTOMATIC_LENGTHS = ["--burn-in", "auto", "--draws", "auto"]
FEW_ITERATIONS = ["--replicates", "2", "--burn-in", "5", "--draws", "5", "--no-signal-test"]


def measure(task: dict[str, Any]) -> dict[str, Any]:
    worker = Path(__file__).with_name("limits_worker.py")
    command = [sys.executable, str(worker), json.dumps(task)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | ONE_THREAD
    )
    found: dict[str, Any] = json.loads(done.stdout)
    start, whole = found["two_sweeps"]["cpu"], found["all_sweeps"]["cpu"]
    per_sweep = (whole - start) / (task["sweeps"] - 2)
    found["cpu_per_sweep"] = per_sweep
    found["cpu_per_selection"] = start + SWEEPS * per_sweep
    return task | found


def table(runs: list[dict[str, Any]]) -> str:
    header = [
        "(n, p)", "iterations", "wall s", "CPU s", "of these before sampling",
        "CPU ms per iteration", "X, MB", "peak MB", "CPU h for 130,000 iterations",
    ]  # fmt: skip
    lines = [
        [
            f"({run['n']:,}, {run['p']:,})",
            f"{run['sweeps']:,}",
            f"{run['all_sweeps']['wall']:.1f}",
            f"{run['all_sweeps']['cpu']:.1f}",
            f"{run['two_sweeps']['cpu']:.1f}",
            f"{1000 * run['cpu_per_sweep']:.3g}",
            f"{run['x_mb']:,.0f}",
            f"{run['peaks']['selection']:,.0f}",
            f"{run['cpu_per_selection'] / 3600:.2g}",
        ]
        for run in runs
    ]
    return markdown_table(header, lines)


def file_table(runs: list[dict[str, Any]]) -> str:
    header = [
        "(n, p)", "iterations", "wall s", "CPU s", "load before, after", "file, MB", "codes, MB",
        "peak MB", "peak / codes",
    ]  # fmt: skip
    lines = [
        [
            f"({run['n']:,}, {run['p']:,})",
            run["lengths"],
            f"{run['wall']:.0f}",
            f"{run['cpu']:.0f}",
            f"{run['load'][0]:.1f}, {run['load'][1]:.1f}",
            f"{run['file_mb']:,.0f}",
            f"{run['codes_mb']:,.0f}",
            f"{run['peak_mb']:,.0f}",
            f"{run['peak_mb'] / run['codes_mb']:.1f}",
        ]
        for run in runs
    ]
    return markdown_table(header, lines)


def measure_files(which: str, quick: bool, short: bool) -> None:
    path = RESULTS / f"limits-files{'-partial' if quick or short else ''}.json"
    known = json.loads(path.read_text())["runs"] if path.exists() else []
    runs = {(run["n"], run["p"]): run for run in known}
    for kind, size in (QUICK_FILE_SIZES if quick else FILE_SIZES).items():
        if which in (kind, "all"):
            runs[size] = measure_file(*size, FEW_ITERATIONS if short else AUTOMATIC_LENGTHS)
            write(path, list(runs.values()))
    print(file_table(list(runs.values())))


def write(path: Path, runs: list[dict[str, Any]]) -> None:
    record = {"machine": describe("bayesvc", "numpy", "scipy", "polars"), "runs": runs}
    path.write_text(json.dumps(record, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Time and memory of the largest data.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument(
        "--files",
        nargs="?",
        const="all",
        choices=("all", *FILE_SIZES),
        help="from Parquet files, end to end",
    )
    parser.add_argument("--short", action="store_true", help="with --files: a few iterations")
    options = parser.parse_args()
    quick = options.quick
    if options.files:
        measure_files(options.files, quick, options.short)
        return
    pin_to_one_core()
    tasks = [dict(size) for size in SIZES]
    if quick:
        tasks[0]["n"] //= 10
        tasks[1]["p"] //= 10
    runs = [measure(task) for task in tasks]
    print(table(runs))
    write(RESULTS / ("limits-partial.json" if quick else "limits.json"), runs)


if __name__ == "__main__":
    main()
