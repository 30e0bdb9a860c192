"""Fit every setting to every table and score the summaries; run again to go on.

python studies/engine/run.py kinds choose ROWS [--settings "k=2;learned"]
python studies/engine/run.py equations judge ROWS --n 500 [--jobs 2]
"""

from __future__ import annotations

import argparse
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from settings import BASE, SETTINGS, SUMMARIES, sample
from tables import SEEDS, STUDY_SNR, Place, places

import bayesvc as bv
from bayesvc.bench.scores import Scores, score


def best_threshold(draws: bv.Draws, relevant: Any) -> Scores:
    """Return the scores of the ranking by mean count, cut where F1 is highest."""
    mask = np.zeros(draws.vc.shape[1], dtype=bool)
    best = score(mask, relevant)
    for j in np.argsort(-draws.vc.mean(axis=0), kind="stable"):
        mask[j] = True
        best = max(best, score(mask, relevant), key=lambda s: s.f1)
        if best.fn == 0:
            break
    return best


def row(place: Place, setting: str) -> dict[str, Any]:
    """Fit one setting to one table; return F1 and errors of each summary."""
    table = place.table()
    seed = zlib.crc32(f"{place}".encode())
    draws = sample(setting, table.X, table.y, seed)
    found = {name: score(rule(draws), table.relevant) for name, rule in SUMMARIES.items()}
    found["best threshold"] = best_threshold(draws, table.relevant)
    about = {"part": place.part, "group": place.group, "cell": place.cell, "unit": place.unit}
    scores = {name: [s.f1, s.tp, s.fp, s.fn] for name, s in found.items()}
    return about | {"setting": setting, "scores": scores, "seconds": float(np.sum(draws.seconds))}


def run_place(place: Place, settings: list[str], done: set[tuple[str, ...]], path: Path) -> None:
    """Run what is missing at one place; each row is one line, appended whole."""
    for setting in settings:
        if (place.cell, place.unit, setting) not in done:
            line = json.dumps(row(place, setting)) + "\n"
            with path.open("a") as file:
                file.write(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("group", choices=["kinds", "equations"])
    parser.add_argument("part", choices=list(SEEDS))
    parser.add_argument("rows", type=Path, help="folder of the results")
    parser.add_argument("--settings", default=";".join(SETTINGS), help=f"such as '{BASE};learned'")
    parser.add_argument("--n", type=int, help="rows of the equations; both sizes if absent")
    parser.add_argument("--snr", help="of the equations, such as '0.25;1'; all by default")
    parser.add_argument("--number", type=int, default=10, help="tables of each kind and function")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    given.rows.mkdir(parents=True, exist_ok=True)
    path = given.rows / f"{given.group}-{given.part}.jsonl"
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(own["cell"], own["unit"], own["setting"]) for own in known}
    settings = given.settings.split(";")
    snrs = STUDY_SNR if given.snr is None else [float(snr) for snr in given.snr.split(";")]
    Parallel(n_jobs=given.jobs)(
        delayed(run_place)(place, settings, done, path)
        for place in places(given.group, given.part, given.n, given.number, snrs)
    )


if __name__ == "__main__":
    main()
