"""Compare the settings with the usual moves, table by table and pooled.

python studies/mixing/report.py [RESULTS]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from settings import BASE, SETTINGS
from tables import TABLES

SUMMARIES = {"best": "best threshold", "inclusion": "inclusion at one half", "vc": "VC-measure"}
Rows = dict[tuple[str, str], dict[str, Any]]


def read(path: Path, place: str) -> Rows:
    """Return the rows of a file by place and setting."""
    rows = map(json.loads, path.read_text().splitlines())
    return {(own[place], own["setting"]): own for own in rows}


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def mean_and_error(values: list[float], digits: int = 2) -> str:
    mean, error = np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{mean:.{digits}f} ({error:.{digits}f})"


def gains(chains: Rows) -> None:
    """Print how many times the effective draws of the usual moves each setting has."""
    print(line(["setting", "tables", "sigma", "f at 20 rows", "split counts", "CPU time"]))
    print("|---|---|---|---|---|---|")
    for setting in SETTINGS:
        cells = []
        for what in ("sigma", "f", "counts"):
            ratios = [
                own[what] / chains[table, BASE][what]
                for (table, each), own in chains.items()
                if each == setting and what in own
            ]
            logs = np.log(ratios)
            error = logs.std(ddof=1) / np.sqrt(len(logs)) if len(logs) > 1 else np.nan
            low, high = np.exp(logs.mean() + np.array([-2, 2]) * error)
            cells.append(f"{np.exp(logs.mean()):.2f} ({low:.2f} to {high:.2f})")
        cpu = [
            own["cpu"] / chains[table, BASE]["cpu"]
            for (table, each), own in chains.items()
            if each == setting
        ]
        print(line([setting, str(len(cpu)), *cells, f"{np.median(cpu):.2f}"]))


def each_table(chains: Rows) -> None:
    """Print effective draws and R-hat of the usual moves and of perturb."""
    print(line(["table", *(f"{what}: usual, perturb" for what in ("sigma", "f", "counts"))]))
    print("|---|---|---|---|")
    for table in TABLES:
        cells = []
        for what in ("sigma", "f", "counts"):
            pair = [chains[table, s] for s in (BASE, "perturb") if (table, s) in chains]
            known = [f"{own[what]:.0f} ({own[what + '_rhat']:.2f})" for own in pair if what in own]
            cells.append(", ".join(known) or "none")
        print(line([table, *cells]))


def selection(rows: Rows) -> None:
    """Print the F1 of each setting less that of the usual moves."""
    print(line(["setting", "problems", *SUMMARIES.values()]))
    print("|---|---|---|---|---|")
    for setting in SETTINGS:
        pairs = [
            (own, rows[problem, BASE])
            for (problem, each), own in rows.items()
            if each == setting and (problem, BASE) in rows
        ]
        if pairs:
            usual = setting == BASE
            cells = [
                mean_and_error([own[what] - (0 if usual else base[what]) for own, base in pairs], 3)
                for what in SUMMARIES
            ]
            print(line([setting, str(len(pairs)), *cells]))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "results"
    chains = read(folder / "chains.jsonl", "table")
    gains(chains)
    print()
    each_table(chains)
    print()
    selection(read(folder / "selection.jsonl", "problem"))


if __name__ == "__main__":
    main()
