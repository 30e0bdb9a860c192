"""Of the variables with a stated probability of about x, what share is relevant?

    python studies/summaries/reliability.py CONFIRM OTHER

The equations of the second half and the problems of other kinds, none of which the probability was
learned on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from kept_sets import KeptSet, kept_sets

from bayesvc.measures import relevance

RESULTS = Path(__file__).parent / "results" / "reliability.json"
EDGES = (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1)
FITS = (2, 10)


def bins_of(sets: Iterator[KeptSet], source: str) -> list[dict[str, Any]]:
    """Return, for each prior, number of fits and bin, how many variables and how many relevant."""
    shape = (len(FITS), len(EDGES) - 1, 3)
    sums = {prior: np.zeros(shape) for prior in ("dart", "bart")}
    for kept in sets:
        for prior, fits in kept.fits.items():
            truth = np.zeros(fits.vc.shape[1], dtype=bool)
            truth[kept.relevant] = True
            for k, number in enumerate(FITS):
                p = relevance(fits.first(number))
                place = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, len(EDGES) - 2)
                for column, weight in enumerate((np.ones(len(p)), p, truth)):
                    sums[prior][k, :, column] += np.bincount(place, weight, len(EDGES) - 1)
    return [
        {
            "source": source, "prior": prior, "fits": number, "from": EDGES[b], "to": EDGES[b + 1],
            "variables": int(own[k, b, 0]), "stated": float(own[k, b, 1] / own[k, b, 0]),
            "relevant": int(own[k, b, 2]),
        }
        for prior, own in sums.items()
        for k, number in enumerate(FITS)
        for b in range(len(EDGES) - 1)
        if own[k, b, 0] > 0
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("confirm", type=Path)
    parser.add_argument("other", type=Path)
    options = parser.parse_args()
    found = bins_of(kept_sets("second", options.confirm), "equations")
    found += bins_of(kept_sets("other", options.other), "other kinds")
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
