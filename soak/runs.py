"""Commands that a soak test runs, and what they must leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import numpy as np
import polars as pl

import bayesvc as bv
from bayesvc.bench.store import Store

MARK = "BAYESVC_SOAK"  # in the environment of every process that the soak test starts
_CHAIN = ("--burn-in", "1000", "--draws", "1000", "--replicates", "4", "--permutations", "19")
_HOW = ("--method", "bart-vip-local", "--seed", "3", "--no-signal-test", "--quiet")
_GRID = ("--grid", "smoke", "--methods", "dart-vc@2,bart-mpm", "--n", "500", "--snr", "1,inf")
_TIMED = ("seconds",)


class Trouble(AssertionError):
    """Something that must not happen did."""


def check(condition: object, message: str) -> None:
    """Raise Trouble unless the condition holds."""
    if not condition:
        raise Trouble(message)


def write_table(path: Path) -> None:
    """Write a table with one relevant column of twelve."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(300, 12))
    columns = {f"x{j}": X[:, j] for j in range(12)}
    pl.DataFrame(columns | {"y": 9 * X[:, 2] + rng.normal(size=300)}).write_csv(path)


def select_command(table: Path, out: Path, *more: str) -> list[str]:
    """Return a `select` of some seconds that writes to `out`."""
    place = ("--target", "y", "--out", str(out))
    return [sys.executable, "-m", "bayesvc", "select", str(table), *place, *_CHAIN, *_HOW, *more]


def bench_command(out: Path) -> list[str]:
    """Return a `bench run` of some seconds that writes to `out`."""
    place = ("--out", str(out), "--jobs", "2")
    return [sys.executable, "-m", "bayesvc", "bench", "run", *_GRID, *place]


def start(command: list[str], mark: str) -> subprocess.Popen[str]:
    """Start a command in a session of its own."""
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {MARK: mark}, start_new_session=True,
    )  # fmt: skip


def finish(command: list[str], mark: str, codes: tuple[int, ...] = (0,)) -> tuple[int, str]:
    """Run a command to its end; return its exit code, one of `codes`, and what it printed."""
    process = start(command, mark)
    output, _ = process.communicate()
    check(
        process.returncode in codes,
        f"exit code {process.returncode} of {command[3:]}, not one of {codes}: {output}",
    )
    return process.returncode, output


def killed(command: list[str], mark: str, random: Random, longest: float) -> tuple[int, str]:
    """Send a random signal after a random time; return the exit code and the output."""
    process = start(command, mark)
    try:
        output, _ = process.communicate(timeout=random.uniform(0, longest))
    except subprocess.TimeoutExpired:
        number = random.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        process.send_signal(number)
        output, _ = process.communicate()
        early = {-number, 1}  # before the command has a handler, or while Python starts
        allowed = {0, 2, 128 + number} | early
        check(
            process.returncode in allowed,
            f"exit code {process.returncode} after signal {number}: {output}",
        )
    return process.returncode, output


def check_selection(out: Path, wanted: Path) -> None:
    """Compare the files of two selections, and what is in them."""
    names, expected = files(out), files(wanted)
    check(names == expected, f"{out} holds {sorted(names ^ expected)} besides or not at all")
    for name in ("selection.csv",):
        check((out / name).read_bytes() == (wanted / name).read_bytes(), f"{out / name} differs")
    own, other = (bv.Draws.load(folder / "draws.npz") for folder in (out, wanted))
    for name in ("vc", "mi", "sigma", "n_splits"):
        same = np.array_equal(getattr(own, name), getattr(other, name))
        check(same, f"{name} of {out} differs")


def check_rows(out: Path, wanted: Path) -> None:
    """Compare the rows of two studies."""
    own, other = (rows_of(folder) for folder in (out, wanted))
    check(own.equals(other), f"the rows of {out} differ from those of {wanted}")
    left = [path for path in out.rglob("*") if path.is_file() and is_temporary(path)]
    check(not left, f"left in {out}: {left}")


def rows_of(folder: Path) -> pl.DataFrame:
    """Return the rows of a study without times, in a fixed order."""
    rows = Store(folder).rows().drop(*_TIMED)
    return rows.sort("problem", "n", "snr", "seed", "method", "n_replicates")


def files(folder: Path) -> set[str]:
    """Return the paths of all files in a folder, hidden ones too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def is_temporary(path: Path) -> bool:
    """Tell whether a file of a study belongs to a process that should have ended."""
    return path.name.startswith(".") or path.parent.name == "claims"


def processes(mark: str) -> list[int]:
    """Return the processes that were started with this mark and are still there."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                environment = (place / "environ").read_bytes().split(b"\0")
            except OSError:
                continue  # it ended meanwhile, or belongs to somebody else
            if wanted in environment:
                found.append(int(place.name))
    return found


def wait_until_gone(mark: str, seconds: float = 60.0) -> None:
    """Raise Trouble if processes are left after a while; they may take some seconds to notice."""
    end = time.monotonic() + seconds
    while left := processes(mark):
        check(time.monotonic() < end, f"processes left behind: {left}")
        time.sleep(0.2)
