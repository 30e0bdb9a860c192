"""How many variables are selected where none matters?

    python studies/summaries/noise.py OTHER

The noise data among the problems of other kinds, with the test for signal that a selection carries.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from fits import FIRST_OTHER_SEED
from kept_sets import KeptSet, of_kind
from problems import OTHER_KINDS
from rules import most_probable, vc

from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import DEFAULT_DRAWS, check_sampling_config
from bayesvc.selection.signal import find_signal

RESULTS = Path(__file__).parent / "results" / "noise.json"
RULES = {"vc": vc, "relevance": most_probable}


def signal_found(kind: str, kept: KeptSet) -> bool:
    """Test the data of one problem as `select` does with ten fits."""
    problem = OTHER_KINDS[kind](FIRST_OTHER_SEED + kept.seed)
    data = read_dataset(problem.X, problem.y, "auto")
    config = check_sampling_config(random_state=kept.seed, n_jobs=2)
    return find_signal(data, 20 * DEFAULT_DRAWS, config).found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for kind in (name for name in OTHER_KINDS if name.startswith("noise")):
        sets = list(of_kind(options.other, kind))
        found = np.array([signal_found(kind, kept) for kept in sets])
        for prior in ("dart", "bart"):
            for rule, select in RULES.items():
                numbers = np.array([select(kept.fits[prior]).sum() for kept in sets])
                rows.append(
                    {
                        "kind": kind, "method": f"{prior}-{rule}", "data_sets": len(sets),
                        "signal_found": int(found.sum()), "selected": float(numbers.mean()),
                        "selected_if_signal": float((numbers * found).mean()),
                    }
                )  # fmt: skip
                print(rows[-1])
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
