"""Score the rules on all pairs of fits, to know better what two fits are worth.

    python studies/summaries/two_fits.py AGAIN results/pairs.parquet
    python studies/summaries/two_fits.py SEEDS results/seeds.parquet    # the only pair of two fits

Rows as those of ``score.py``, with F1 and rates that are means over the pairs 1-2, 3-4, ..., 9-10.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from joblib import Parallel, delayed
from kept_sets import KeptSet, kept_sets
from score import NEW, OLD, rows_of

from bayesvc.bench.kept import KeptTallies

PER_FIT = ("vc", "vip", "mpvip", "mi", "seconds")


def pairs(fits: KeptTallies) -> Iterator[KeptTallies]:
    """Yield fits 1 and 2, 3 and 4, and so on."""
    for start in range(0, fits.n_replicates - 1, 2):
        rows = slice(start, start + 2)
        yield replace(fits, **{name: getattr(fits, name)[rows] for name in PER_FIT})


def rows_of_pairs(kept: KeptSet) -> list[dict[str, Any]]:
    """Score both rules on every pair of one data set."""
    sets = (replace(kept, fits={"dart": pair}) for pair in pairs(kept.fits["dart"]))
    return [row for one in sets for row in rows_of(one, (NEW, OLD), numbers=(2,))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    work = (delayed(rows_of_pairs)(kept) for kept in kept_sets("again", options.folder))
    parts = Parallel(n_jobs=options.jobs, batch_size=8)(work)
    rows = pl.DataFrame([row for part in parts for row in part])
    same = ["problem", "n", "snr", "seed", "p", "prior", "fits", "rule"]
    means = rows.group_by(same, maintain_order=True).agg(pl.col("f1", "tpr", "fpr").mean())
    names = pl.col("problem", "prior", "rule").cast(pl.Categorical)
    means.with_columns(names).write_parquet(options.out, compression_level=19)


if __name__ == "__main__":
    main()
