"""Score every summary on kept fits: one row per data set, prior, number of fits and rule.

python studies/summaries/score.py first SLICE tried.parquet           # equations to choose on
python studies/summaries/score.py second CONFIRM confirmed.parquet    # those to confirm on
python studies/summaries/score.py again AGAIN again.parquet           # the same, other seeds
python studies/summaries/score.py other OTHER other.parquet           # problems of other kinds
python studies/summaries/score.py study FORMULAS formulas.parquet     # formulas to confirm on
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from kept_sets import KeptSet, kept_sets
from rules import RULES, NotKept

from bayesvc.bench.kept import KeptTallies
from bayesvc.bench.scores import Scores, score

RUN = (2, 5, 10)
NEW = "probability of relevance >= 0.5, at least one"
STRICT = "probability of relevance >= 0.5"
OLD = "VC-measure, as in the paper"
ORACLE = "the best cut of the mean count, knowing the truth"
# On other problems than the equations; with 5,000 columns some of the others take minutes.
ON_OTHERS = (
    NEW, STRICT, OLD, "VC-measure, complete", "clusters of counts and inclusion",
    "lower quartile of counts >= 1", "mean inclusion >= 0.5", "mean inclusion >= 0.7",
)  # fmt: skip


def oracle(fits: KeptTallies, relevant: np.ndarray[Any, np.dtype[np.intp]]) -> Scores:
    """Cut the ranking by mean count where F1 is highest."""
    order = np.argsort(-fits.vc.mean(axis=0), kind="stable")
    best = score(np.zeros(len(order), dtype=bool), relevant)
    mask = np.zeros(len(order), dtype=bool)
    for j in order:
        mask[j] = True
        best = max(best, score(mask, relevant), key=lambda s: s.f1)
        if best.fn == 0:
            break
    return best


def rows_of(
    kept: KeptSet, rules: Iterable[str], numbers: Sequence[int] = RUN
) -> list[dict[str, Any]]:
    """Score these rules, and the best cut, on one data set, with the first fits of it."""
    rows = []
    for prior in ("dart", "bart"):
        if prior not in kept.fits:
            continue
        for number in numbers:
            fits = kept.fits[prior].first(number)
            found = {ORACLE: oracle(fits, kept.relevant)}
            for name in rules:
                try:
                    found[name] = score(np.asarray(RULES[name](fits)), kept.relevant)
                except NotKept:
                    continue
            about = {
                "problem": kept.problem, "n": kept.n, "snr": kept.snr, "seed": kept.seed,
                "p": fits.vc.shape[1], "prior": prior, "fits": number,
            }  # fmt: skip
            rows += [about | {"rule": name, **s._asdict()} for name, s in found.items()]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=["first", "second", "again", "other", "study"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    rules = tuple(RULES) if options.which in ("first", "second") else ON_OTHERS
    work = (delayed(rows_of)(kept, rules) for kept in kept_sets(options.which, options.folder))
    parts = Parallel(n_jobs=options.jobs, batch_size=8)(work)
    rows = pl.DataFrame([row for part in parts for row in part])
    names = pl.col("problem", "prior", "rule").cast(pl.Categorical)
    small = pl.col("n", "seed", "p", "fits", "tp", "fp", "fn").cast(pl.Int32)
    scores = pl.col("f1", "tpr", "fpr").cast(pl.Float32)
    rows.with_columns(names, small, scores).write_parquet(options.out, compression_level=19)


if __name__ == "__main__":
    main()
