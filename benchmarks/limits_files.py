"""A selection from a large Parquet file by the command line, from end to end.

The file is written in row groups, so that this process never holds the table either.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from problem import N_RELEVANT, response

import bayesvc as bv

GROUP_BYTES = 2**30  # of a row group: those of wide tables would be very many
SECONDS_BETWEEN_LOOKS = 0.1


def write_table(path: Path, n: int, p: int) -> None:
    """Write X ~ U(1, 3) as float64, and y, which depends on the first columns."""
    rng = np.random.default_rng([0, 3])
    relevant = rng.uniform(1.0, 3.0, size=(n, N_RELEVANT))
    y = response(relevant, 0)
    names = [*(f"x{j}" for j in range(p)), "y"]
    writer = None
    size = max(1, GROUP_BYTES // (8 * p))
    for first in range(0, n, size):
        rows = slice(first, min(first + size, n))
        columns = list(rng.uniform(1.0, 3.0, size=(p, rows.stop - first)))
        columns[:N_RELEVANT] = relevant[rows].T
        table = pa.table([*columns, y[rows]], names=names)
        writer = writer or pq.ParquetWriter(path, table.schema, compression="none")
        writer.write_table(table)
    assert writer is not None
    writer.close()


def high_water_mb(pid: int) -> float:
    """Return the peak of a process so far; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def measure_file(n: int, p: int, options: list[str]) -> dict[str, Any]:
    """Time `bayesvc select` with these options on a new file of this size."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(path, n, p)
        command = [sys.executable, "-m", "bayesvc", "select", str(path), "--target", "y"]
        command += ["--out", str(Path(folder) / "out"), "--quiet", *options]
        load = [os.getloadavg()[0]]
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        peak = 0.0
        while running.poll() is None:
            peak = max(peak, high_water_mb(running.pid))
            time.sleep(SECONDS_BETWEEN_LOOKS)
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        load.append(os.getloadavg()[0])
        if running.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {running.returncode}")
        assert running.stdout is not None
        draws = bv.Draws.load(Path(folder) / "out" / "draws.npz")
        code_bytes = 1 if n <= 2**8 else 2 if n <= 2**16 else 4
        return {
            "n": n, "p": p, "options": options, "lengths": f"{draws.burn_in} + {draws.n_draws}",
            "replicate_seconds": draws.seconds.tolist(), "load": load, "wall": wall,
            "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            "peak_mb": peak, "codes_mb": n * p * code_bytes / 2**20,
            "file_mb": path.stat().st_size / 2**20, "selected": running.stdout.read().split(),
        }  # fmt: skip
