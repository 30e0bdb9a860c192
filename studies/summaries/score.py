"""Score every summary on kept fits: one row per data set, prior, number of fits and rule.

python studies/summaries/score.py first SLICE tried.parquet          # equations to choose on
python studies/summaries/score.py second CONFIRM confirmed.parquet   # those to confirm on
python studies/summaries/score.py random RANDOM tried.parquet
python studies/summaries/score.py other OTHER confirmed.parquet
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from kept_sets import KeptSet, of_equations, of_problems
from problems import OTHER_KINDS, halves
from rules import RULES

from bayesvc.bench.kept import KeptFits
from bayesvc.bench.scores import Scores, score

FITS = (2, 5, 10)
ORACLE = "the best cut of the mean count, knowing the truth"


def oracle(fits: KeptFits, relevant: np.ndarray[Any, np.dtype[np.intp]]) -> Scores:
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


def rows_of(kept: KeptSet) -> list[dict[str, Any]]:
    """Score all rules on one data set."""
    rows = []
    for prior in ("dart", "bart"):
        if prior not in kept.fits:
            continue
        for number in FITS:
            fits = kept.fits[prior].first(number)
            found = {ORACLE: oracle(fits, kept.relevant)}
            for name, rule in RULES.items():
                try:
                    found[name] = score(np.asarray(rule(fits)), kept.relevant)
                except LookupError:  # the rule needs fits that were not kept
                    continue
            about = {
                "problem": kept.problem, "n": kept.n, "snr": kept.snr, "seed": kept.seed,
                "p": fits.vc.shape[1], "prior": prior, "fits": number,
            }  # fmt: skip
            rows += [about | {"rule": name, **s._asdict()} for name, s in found.items()]
    return rows


def sets_of(which: str, folder: Path) -> Iterator[KeptSet]:
    """Yield the data sets of a part of the study."""
    if which == "random":
        yield from of_problems(folder, "random")
    elif which == "other":
        for kind in OTHER_KINDS:
            yield from of_problems(folder, f"{zlib.crc32(kind.encode()):08x}")
    else:
        yield from of_equations(folder, halves()[which == "second"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=["first", "second", "random", "other"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    work = (delayed(rows_of)(kept) for kept in sets_of(options.which, options.folder))
    parts = Parallel(n_jobs=options.jobs, batch_size=8)(work)
    pl.DataFrame([row for part in parts for row in part]).write_parquet(options.out)


if __name__ == "__main__":
    main()
