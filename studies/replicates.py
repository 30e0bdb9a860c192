"""Does `n_replicates="auto"` reach the F1 of ten fits at a lower cost?

    bayesvc bench run --grid slice --out slice --keep-draws
    python studies/replicates.py slice

The fits that the replication kept (n = 500: twenty to each data set) are cut anew, as `select`
would have seen them one by one. How long the selection has to be stable was chosen on 360 data
sets, drawn at random, with dart-vc; the others confirm it. Where twenty fits are not enough, twenty
count.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import polars as pl
from joblib import Parallel, delayed

from bayesvc.bench import feynman
from bayesvc.bench.grid import Task
from bayesvc.bench.kept import unpack
from bayesvc.bench.scores import score
from bayesvc.bench.store import Store
from bayesvc.selection.apply import apply_method
from bayesvc.selection.methods import resolve_method
from bayesvc.selection.stopping import first_stable

RESULTS = Path(__file__).parent / "results" / "replicates.json"
FITS = 20
METHODS = ("dart-vc", "bart-vc")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path, help="folder of `bench run --keep-draws`")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    store = Store(options.store)
    tasks = [task for task in store.kept_tasks() if task.n == 500]
    chosen_on = set(np.random.default_rng(0).permutation(len(tasks))[:360].tolist())
    parts = Parallel(n_jobs=options.jobs)(
        delayed(rows_of)(store, task, i in chosen_on) for i, task in enumerate(tasks)
    )
    rows = pl.DataFrame([row for part in parts for row in part])
    table = (
        rows.group_by("method", "chosen_on")
        .agg(
            data_sets=pl.len(),
            mean_fits=pl.col("fits").mean(),
            share_at_limit=(pl.col("fits") == FITS).mean(),
            f1_auto=pl.col("f1").mean(),
            f1_ten=pl.col("f1_ten").mean(),
            difference=(pl.col("f1") - pl.col("f1_ten")).mean(),
            se=(pl.col("f1") - pl.col("f1_ten")).std() / pl.len().sqrt(),
        )
        .sort("method", "chosen_on")
    )
    by_snr = (
        rows.group_by("method", "snr")
        .agg(
            mean_fits=pl.col("fits").mean(),
            difference=(pl.col("f1") - pl.col("f1_ten")).mean(),
        )
        .sort("method", "snr")
    )
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_formatting="ASCII_MARKDOWN", float_precision=4):
        print(table, by_snr, sep="\n\n")
    by_snr = by_snr.with_columns(pl.col("snr").cast(pl.String))  # JSON knows no infinity
    found = {"all": table.to_dicts(), "by_snr": by_snr.to_dicts()}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def rows_of(store: Store, task: Task, chosen_on: bool) -> list[dict[str, float | str]]:
    """What the rule would have done with the fits of one data set."""
    relevant = np.arange(len(feynman.equation(task.problem).variables))
    rows: list[dict[str, float | str]] = []
    for method in METHODS:
        plan = resolve_method(method)
        fits = unpack(store.draws_path(task)).get(method.split("-")[0])
        if fits is None or fits.n_replicates < FITS:
            continue
        masks = [apply_method(plan, fits.first(k), None)[0] for k in range(1, FITS + 1)]
        enough = first_stable(masks) or FITS
        rows.append(
            {
                "method": method, "snr": task.snr, "chosen_on": chosen_on, "fits": enough,
                "f1": score(masks[enough - 1], relevant).f1, "f1_ten": score(masks[9], relevant).f1,
            }
        )  # fmt: skip
    return rows


if __name__ == "__main__":
    main()
