"""Run the chains of every table once and keep what they leave behind; run again to go on.

    python studies/world/fits.py learn FOLDER --tables 30 --jobs 2
    python studies/world/fits.py judge FOLDER --tables 30 --kinds "hinges;noise"

Each table is a file of its own, written whole or not at all, so a run can be killed at any time.
The settings stand in FOLDER/settings.json and cannot be changed afterwards; neither can the build.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import io
import json
import re
import time
import traceback
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from chains import PRIORS, Plan, run
from joblib import Parallel, delayed
from kinds import PARTS, kinds_of
from tables import Table, about, make

import bayesvc
from bayesvc import _core
from bayesvc._archive import atomic_file, write_text

# How many tables of a kind there are for each one of the others.
WEIGHTS = {"mixture": 12, "noise": 4}


def works(
    part: str, tables: int, kinds: list[str] | None = None, first: int = 0
) -> Iterator[tuple[str, int]]:
    """Yield kind and number, so that a run that is stopped has about as many of each kind."""
    wanted = kinds_of(part) if kinds is None else kinds
    for index in range(tables):
        for kind in wanted:
            weight = WEIGHTS.get(kind, 1)
            for number in range(index * weight, (index + 1) * weight):
                yield kind, first + number


def file_of(folder: Path, part: str, kind: str, number: int) -> Path:
    """Return where a table's results are, without the ending."""
    return folder / part / f"{re.sub('[^a-z0-9]+', '-', kind)}-{number}"


def build() -> str:
    """Return a fingerprint of the compiled sampler."""
    path = Path(str(_core.__file__))
    return f"{bayesvc.__version__} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def settle(folder: Path, plan: Plan) -> None:
    """Write the settings down, or compare them with those of the fits that are there."""
    own = dataclasses.asdict(plan) | {"prior_settings": repr(PRIORS[plan.prior]), "build": build()}
    path = folder / "settings.json"
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        write_text(path, json.dumps(own, indent=1) + "\n")
    known = json.loads(path.read_text(encoding="utf-8"))
    changed = [name for name in own if own[name] != known.get(name)]
    if changed:
        names = ", ".join(f"{name}: {known.get(name)!r}, now {own[name]!r}" for name in changed)
        raise SystemExit(f"{folder} has fits with other settings ({names}). Use another folder.")


def truth(table: Table) -> dict[str, np.ndarray]:
    """Return what is known of a table, as arrays."""
    text = json.dumps(about(table)).encode()
    return {
        "about": np.frombuffer(text, dtype=np.uint8),
        "relevant": table.relevant,
        "share": table.share.astype(np.float32),
        "likeness": table.likeness.astype(np.float32),
        "like": table.like.astype(np.int32),
        "types": np.array(table.types),
        "gaps": table.gaps.astype(np.float32),
    }


def seed_of(part: str, kind: str, number: int) -> int:
    """Return the seed of the chains of a table."""
    return zlib.crc32(f"{part} {kind} {number}".encode())


def too_large(table: Table, most_columns: int, most_cells: float) -> bool:
    """Tell whether a table is left out for its size."""
    n, p = table.spec.n, table.spec.p
    return p > most_columns or n * p > most_cells


def fit(
    part: str, kind: str, number: int, folder: Path, plan: Plan, size: tuple[int, float]
) -> None:
    """Fit one table, unless that was done."""
    start = file_of(folder, part, kind, number)
    path = start.with_name(start.name + ".npz")
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    began = time.process_time()
    try:
        table = make(kind, number, part)
        if too_large(table, *size):
            return
        arrays = run(table, plan, seed_of(part, kind, number))
    except Exception:
        write_text(start.with_name(start.name + ".error.txt"), traceback.format_exc())
        return
    arrays |= truth(table) | {"cpu_seconds": np.array(time.process_time() - began)}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    with atomic_file(path) as file:
        file.write(buffer.getvalue())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=30, help=f"of each kind; {WEIGHTS} times")
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--kinds", help="such as 'linear;noise'; all by default")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most-columns", type=int, default=5000)
    parser.add_argument("--most-cells", type=float, default=5e6)
    for field in dataclasses.fields(Plan):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=type(field.default), default=field.default)
    given = parser.parse_args()
    plan = Plan(**{field.name: getattr(given, field.name) for field in dataclasses.fields(Plan)})
    settle(given.folder, plan)
    kinds = given.kinds.split(";") if given.kinds else None
    size = (given.most_columns, given.most_cells)
    Parallel(n_jobs=given.jobs, batch_size=1)(
        delayed(fit)(given.part, kind, number, given.folder, plan, size)
        for kind, number in works(given.part, given.tables, kinds, given.first)
    )


if __name__ == "__main__":
    main()
