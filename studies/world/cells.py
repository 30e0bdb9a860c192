"""The default on the paper's 36 cells, paired with the VC-measure on the same data sets.

    python studies/world/cells.py FOLDER --jobs 2          # run again to go on
    python studies/world/cells.py FOLDER --report --out studies/world/results/cells.parquet

The data sets are those of the first look of ``studies/summaries`` (seed 5390, 53 equations), whose
rows have the F1 of the VC-measure on ten DART replicates of the paper's prior.
"""

from __future__ import annotations

import argparse
import io
import zlib
from pathlib import Path

import numpy as np
import polars as pl
from chains import PRIORS
from joblib import Parallel, delayed

import bayesvc as bv
from bayesvc._archive import atomic_file
from bayesvc.bench import feynman
from bayesvc.bench.scores import score
from bayesvc.measures import _relevance_dart

ROWS = Path(__file__).parents[1] / "summaries" / "results" / "confirmed.parquet"
UNIT = ("problem", "n", "snr", "seed")
BASE = "VC-measure, as in the paper"


def places() -> pl.DataFrame:
    """Return the data sets, equation by equation in random order, and the F1 of the VC-measure."""
    rows = pl.read_parquet(ROWS).with_columns(pl.col("problem", "rule", "prior").cast(pl.String))
    known = rows.filter(pl.col("rule") == BASE, pl.col("prior") == "dart", pl.col("fits") == 10)
    problems = known["problem"].unique().sort()
    order = np.random.default_rng(0).permutation(len(problems))
    ranks = pl.DataFrame({"problem": problems, "rank": order})
    return known.join(ranks, on="problem").sort("rank", *UNIT).select(*UNIT, base="f1")


def fit(folder: Path, problem: str, n: int, snr: float, seed: int) -> None:
    """Run the replicates and the signal test on one data set, unless that was done."""
    path = folder / f"{problem}-{n}-{snr:g}-{seed}.npz"
    if path.exists():
        return
    data = feynman.load_authors(problem, n, snr, seed)
    found = bv.select(
        data.X, data.y, "dart-relevance", prior=PRIORS["own-learned"], row_stability=False,
        random_state=zlib.crc32(path.name.encode()), n_jobs=1,
    )  # fmt: skip
    assert found.signal is not None
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, vc=found.draws.vc, mpvip=found.draws.mpvip, p_value=found.signal.p_value,
        relevant=data.relevant,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        file.write(buffer.getvalue())


def rows_of(folder: Path) -> pl.DataFrame:
    """Return F1 of the default without and with its verdict, beside that of the VC-measure."""
    found = []
    for row in places().iter_rows(named=True):
        path = folder / f"{row['problem']}-{row['n']}-{row['snr']:g}-{row['seed']}.npz"
        if not path.exists():
            continue
        kept = np.load(path)
        p = _relevance_dart.probability(kept["vc"], kept["mpvip"])
        evidence = float(kept["p_value"]) <= 0.05
        shifted = _relevance_dart.given_signal(p, float(kept["p_value"])) if evidence else p
        own = score(shifted >= min(0.5, shifted.max()), kept["relevant"]).f1
        found.append(row | {"f1": own, "shipped": own if evidence else 0.0, "evidence": evidence})
    return pl.DataFrame(found)


def report(rows: pl.DataFrame) -> None:
    """Print each cell, and the means over cells."""
    gain = (pl.col("f1") - pl.col("base")).round(6)  # the base has single precision
    cells = (
        rows.group_by("n", "snr")
        .agg(
            pl.len().alias("data sets"), pl.col("base", "f1", "shipped", "evidence").mean(),
            gain=gain.mean(), se=gain.std() / pl.len().sqrt(),
        )
        .sort("n", "snr")
    )  # fmt: skip
    with pl.Config(tbl_rows=-1, tbl_cols=-1, float_precision=3):
        print(cells)
        print(cells.select(pl.col("base", "f1", "shipped", "gain").mean()))
    every = rows.select(gain=gain.mean(), se=gain.std() / pl.len().sqrt())
    print(f"all data sets: gain {every['gain'][0]:+.4f} ({every['se'][0]:.4f})")
    print(f"cells better {(cells['gain'] > 0).sum()}, worse {(cells['gain'] < 0).sum()}; least z "
          f"{(cells['gain'] / cells['se']).min():.2f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if not given.report:
        Parallel(given.jobs, batch_size=1)(
            delayed(fit)(given.folder, *row) for row in places().select(UNIT).iter_rows()
        )
        return
    rows = rows_of(given.folder)
    if given.out:
        rows.write_parquet(given.out)
    report(rows)


if __name__ == "__main__":
    main()
