"""How much of the way to the best cut could be gone at all, at n = 500 and low SNR?

    python studies/summaries/reach.py CONFIRM AGAIN

The best cut knows the truth. Here the truth is drawn anew, each variable relevant with its stated
probability, independently (draws without any relevant one are left out). If that were how the truth
comes about, no rule could on average score higher than the set whose expected F1 is highest, which
is taken to be that of the highest ratio of expectations. Written to results/reach.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from kept_sets import KeptSet, kept_sets
from learn import BoolArray, best_expected
from rules import RULES
from score import NEW, OLD, oracle

from bayesvc.bench.kept import KeptTallies
from bayesvc.bench.scores import score
from bayesvc.measures._relevance_model import probability

TRUTHS = 50


def of_truth(fits: KeptTallies, sets: dict[str, BoolArray], relevant: Any) -> dict[str, float]:
    """Return F1 of these sets and of the best cut."""
    found = {name: score(mask, relevant).f1 for name, mask in sets.items()}
    return found | {"best": oracle(fits, relevant).f1}


def rows_of(kept: KeptSet, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Yield the scores by the truth, and the mean of those by drawn ones."""
    for prior, fits in kept.fits.items():
        p = probability(fits.vc, fits.mpvip)
        sets = {"relevance": RULES[NEW](fits), "vc": RULES[OLD](fits), "optimal": best_expected(p)}
        drawn = (np.flatnonzero(rng.random(len(p)) < p) for _ in range(TRUTHS))
        worlds = [of_truth(fits, sets, relevant) for relevant in drawn if len(relevant)]
        about = {"prior": prior, "snr": kept.snr}
        yield about | {"truth": "real", **of_truth(fits, sets, kept.relevant)}
        if worlds:
            means = {name: float(np.mean([w[name] for w in worlds])) for name in worlds[0]}
            yield about | {"truth": "drawn", **means}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    rng = np.random.default_rng(0)
    rows = [
        row
        for folder in parser.parse_args().folders
        for kept in kept_sets("again", folder)
        if kept.n == 500 and kept.snr <= 1
        for row in rows_of(kept, rng)
    ]
    lead = pl.col("best") - pl.col("vc")
    means = pl.DataFrame(rows).group_by("prior", "truth").mean().drop("snr")
    found = means.sort("prior", "truth", descending=True).with_columns(
        way=(pl.col("relevance") - pl.col("vc")) / lead,
        way_optimal=(pl.col("optimal") - pl.col("vc")) / lead,
    )
    path = Path(__file__).parent / "results" / "reach.json"
    path.write_text(json.dumps(found.to_dicts(), indent=1) + "\n", encoding="utf-8")
    print(found)


if __name__ == "__main__":
    main()
