"""Do automatic chain lengths save sweeps without losing F1? Run again to go on.

On tables of the learning half whose numbers the study of the summaries does not use.

python studies/world/lengths.py ROWS [--tables 6] [--jobs 2]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from chains import PRIORS
from joblib import Parallel, delayed
from kinds import kinds_of
from rules import most_probable
from tables import make

import bayesvc as bv
from bayesvc.bench.scores import score
from bayesvc.measures import relevance
from bayesvc.sampling.config import AUTO_LENGTHS
from bayesvc.sampling.lengths import PILOT_REPLICATES

PRIOR = PRIORS["own-learned"]
FIRST_TABLE, N_REPLICATES = 5000, 10
MOST_CELLS = 500_000


def sweeps(draws: bv.Draws) -> int:
    """Return the iterations of all replicates, pilot ones that were too short included."""
    assert draws.burn_in is not None
    shorter = [2 * own for own in AUTO_LENGTHS if own < draws.burn_in]
    return N_REPLICATES * (draws.burn_in + draws.n_draws) + PILOT_REPLICATES * sum(shorter)


def scores(draws: bv.Draws, relevant: Any) -> dict[str, float]:
    """Return F1 of three summaries, and that of the ranking with the best threshold."""
    masks = {
        "VC-measure": bv.select_from(draws, "dart-vc").mask,
        "relevance": most_probable(relevance(draws)),
        "inclusion": draws.mpvip.mean(axis=0) >= 0.5,
    }
    order = np.argsort(-draws.vc.mean(axis=0), kind="stable")
    cuts = [np.isin(np.arange(len(order)), order[: k + 1]) for k in range(len(order))]
    found = {name: score(mask, relevant).f1 for name, mask in masks.items()}
    return found | {"best threshold": max(score(mask, relevant).f1 for mask in cuts)}


def row(kind: str, number: int) -> dict[str, Any] | None:
    """Sample one table with both lengths; None for a table that would take too long."""
    table = make(kind, number, "learn")
    n, p = table.X.shape
    if n * p > MOST_CELLS or len(table.relevant) == 0:
        return None
    arguments = {"n_replicates": N_REPLICATES, "n_jobs": 1, "random_state": number}
    arguments |= {"response": table.response}
    found: dict[str, Any] = {"kind": kind, "number": number, "n": n, "p": p}
    for name, lengths in (("full", {}), ("auto", {"burn_in": "auto", "n_draws": "auto"})):
        draws = bv.sample(table.X, table.y, PRIOR, **arguments, **lengths)
        f1 = scores(draws, table.relevant)
        used = sweeps(draws) if lengths else 2 * AUTO_LENGTHS[-1] * N_REPLICATES
        found[name] = {"f1": f1, "length": draws.n_draws, "sweeps": used}
    return found


def report(rows: list[dict[str, Any]]) -> None:
    """Print the proportion of sweeps and the differences in F1, with standard errors."""
    used = np.array([own["auto"]["sweeps"] / own["full"]["sweeps"] for own in rows])
    lengths = [own["auto"]["length"] for own in rows]
    print(f"{len(rows)} tables; sweeps {used.mean():.2f} of those of 5,000 + 5,000")
    print({length: lengths.count(length) for length in AUTO_LENGTHS})
    for name in rows[0]["full"]["f1"]:
        gain = np.array([own["auto"]["f1"][name] - own["full"]["f1"][name] for own in rows])
        full = np.mean([own["full"]["f1"][name] for own in rows])
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        print(f"{name:15} F1 {full:.3f}, with automatic lengths {gain.mean():+.4f} ({error:.4f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="file of the results, one JSON object a line")
    parser.add_argument("--tables", type=int, default=6, help="of each kind")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    known = given.rows.read_text().splitlines() if given.rows.exists() else []
    rows = [json.loads(line) for line in known]
    done = {(own["kind"], own["number"]) for own in rows}
    wanted = [
        (kind, number)
        for number in range(FIRST_TABLE, FIRST_TABLE + given.tables)
        for kind in kinds_of("learn")
        if (kind, number) not in done
    ]
    work = (delayed(row)(*own) for own in wanted)
    with given.rows.open("a") as file:
        for found in Parallel(given.jobs, return_as="generator")(work):
            if found is not None:
                rows.append(found)
                file.write(json.dumps(found) + "\n")
                file.flush()
    report(rows)


if __name__ == "__main__":
    main()
