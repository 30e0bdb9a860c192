"""Compare the settings with the first one, cell by cell and pooled.

python studies/engine/report.py ROWS
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import polars as pl
from settings import BASE
from tables import PLAIN

NOISY = ("snr=0.25", "snr=1")


def read(folder: Path) -> pl.DataFrame:
    """Return one row per table, setting and summary."""
    rows = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            own = json.loads(line)
            for summary, (f1, *_, fp, _fn) in own.pop("scores").items():
                rows.append(own | {"summary": summary, "f1": f1, "fp": fp})
    tables = [pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))]
    return pl.concat([*tables, *([pl.DataFrame(rows)] if rows else [])], how="diagonal")


def paired(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return mean F1, and its difference from the base setting, with standard errors."""
    place = ["part", "group", "cell", "unit", "summary"]
    base = rows.filter(pl.col("setting") == BASE).select(*place, base=pl.col("f1"))
    joined = rows.join(base, on=place).with_columns(gain=pl.col("f1") - pl.col("base"))
    return (
        joined.group_by([*keys, "setting", "summary"], maintain_order=True)
        .agg(
            n=pl.len(),
            f1=pl.col("f1").mean(),
            fp=pl.col("fp").mean(),
            gain=pl.col("gain").mean(),
            se=pl.col("gain").std() / np.sqrt(pl.len()),
            cost=pl.col("seconds").mean(),
        )
        .sort([*keys, "summary", "setting"])
    )


def pooled_cell(cell: str, group: str) -> str:
    """Return the pool that a cell belongs to."""
    if group == "equations":
        return "SNR 0.25 and 1" if cell.endswith(NOISY) else "SNR 5 and infinity"
    return "plain responses" if cell in PLAIN else "awkward responses"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    given = parser.parse_args()
    rows = read(given.rows)
    pool = [pooled_cell(*own) for own in rows.select("cell", "group").iter_rows()]
    rows = rows.with_columns(pool=pl.Series(pool))
    with pl.Config(tbl_rows=-1, tbl_cols=-1, float_precision=3, tbl_hide_dataframe_shape=True):
        print(paired(rows, ["group", "part", "pool"]))
        print(paired(rows, ["group", "part", "cell"]))


if __name__ == "__main__":
    main()
