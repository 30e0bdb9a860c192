"""What each setting selects on forty problems, ten replicates each, with the same seeds.

python studies/mixing/selection.py ROWS [--settings "as it was;perturb"]    # run again to go on
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from settings import SETTINGS, sample
from tables import Table, equation, friedman

import bayesvc as bv
from bayesvc.bench import feynman
from bayesvc.bench.scores import score


def problems() -> dict[str, Callable[[], Table]]:
    """Return thirteen equations at three noise levels, and Friedman's function."""
    found: dict[str, Callable[[], Table]] = {"Friedman": lambda: friedman(500, 100, 1.0, 11)}
    for name in list(feynman.equations())[3::8][:13]:
        for snr in (1.0, 5.0, np.inf):
            found[f"{name}, SNR {snr:g}"] = lambda name=name, snr=snr: equation(name, snr)
    return found


def best_f1(draws: bv.Draws, relevant: NDArray[np.intp]) -> float:
    """Return the F1 of the ranking by mean count, with the best threshold."""
    mask = np.zeros(draws.vc.shape[1], dtype=bool)
    best = 0.0
    for j in np.argsort(-draws.vc.mean(axis=0), kind="stable")[: 6 * len(relevant)]:
        mask[j] = True
        best = max(best, score(mask, relevant).f1)
    return best


def measure(name: str, table: Table, setting: str) -> dict[str, Any]:
    """Return the F1 of four summaries of ten replicates."""
    seed = zlib.crc32(name.encode())
    draws = sample(setting, table.X, table.y, n_replicates=10, random_state=seed)
    relevant = table.relevant
    return {
        "best": best_f1(draws, relevant),
        "inclusion": score(draws.mpvip.mean(axis=0) >= 0.5, relevant).f1,
        "single": float(np.mean([score(m >= 0.5, relevant).f1 for m in draws.mpvip])),
        "vc": score(bv.select_from(draws, "dart-vc").mask, relevant).f1,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--settings", default=";".join(SETTINGS))
    given = parser.parse_args()
    lines = given.rows.read_text().splitlines() if given.rows.exists() else []
    done = {(own["problem"], own["setting"]) for own in map(json.loads, lines)}
    for name, make in problems().items():
        for setting in given.settings.split(";"):
            if (name, setting) not in done:
                found = measure(name, make(), setting)
                with given.rows.open("a") as file:
                    file.write(json.dumps({"problem": name, "setting": setting, **found}) + "\n")


if __name__ == "__main__":
    main()
