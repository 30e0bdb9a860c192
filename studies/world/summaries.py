"""What the plan asks of the rows of `score.py`: by kind, paired, calibration, noise.

python studies/world/summaries.py ROWS.parquet --base dart-vc
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from kinds import AWKWARD, TYPED

APART = ("mixture", "noise")  # not in the mean over kinds
LENIENT_KINDS = ("near-copies",)
PLACE = ("part", "kind", "number")


def with_relevant(rows: pl.DataFrame) -> pl.DataFrame:
    """Return tables in which something is relevant, with lenient F1 where the plan says so."""
    near = pl.col("kind").is_in(LENIENT_KINDS)
    return rows.filter(pl.col("n_relevant") > 0).with_columns(
        f1=pl.when(near).then("lenient_f1").otherwise("f1"),
        fp=pl.when(near).then("lenient_fp").otherwise("fp"),
        strict_f1="f1",
    )


def by_kind(rows: pl.DataFrame, base: str) -> pl.DataFrame:
    """Return mean scores of each rule and kind, and the gain over the base on the same tables."""
    own = with_relevant(rows)
    first = own.filter(rule=base).select(*PLACE, base_f1="f1")
    joined = own.join(first, on=PLACE).with_columns(gain=pl.col("f1") - pl.col("base_f1"))
    return (
        joined.group_by("kind", "rule")
        .agg(
            pl.len().alias("tables"),
            pl.col("f1", "strict_f1", "tpr", "fp", "exact", "gain").mean(),
            f1_se=pl.col("f1").std() / pl.len().sqrt(),
            fp_se=pl.col("fp").std() / pl.len().sqrt(),
            gain_se=pl.col("gain").std() / pl.len().sqrt(),
        )
        .sort("rule", "kind")
    )


def over_kinds(kinds: pl.DataFrame, names: tuple[str, ...] | None = None) -> pl.DataFrame:
    """Return means over kinds with equal weights.

    `_se` is the error for these kinds (tables vary), `_between` that for kinds like these.
    """
    own = kinds.filter(~pl.col("kind").is_in(APART))
    if names is not None:
        own = own.filter(pl.col("kind").is_in(names))
    within = {f"{name}_se": (pl.col(f"{name}_se") ** 2).sum().sqrt() / pl.len() for name in SCORES}
    between = {f"{name}_between": pl.col(name).std() / pl.len().sqrt() for name in SCORES}
    return (
        own.group_by("rule")
        .agg(
            pl.len().alias("kinds"),
            pl.col("f1", "strict_f1", "tpr", "fp", "exact", "gain").mean(),
            below_90=(pl.col("f1") < 0.9).sum(),
            **within,
            **between,
        )
        .sort("f1", descending=True)
    )


SCORES = ("f1", "fp", "gain")


def reliability(rows: pl.DataFrame) -> pl.DataFrame:
    """Return of each rule and tenth the stated and observed proportion, tables as units."""
    own = (
        rows.filter(pl.col("columns").is_not_null()) if "columns" in rows.columns else rows.head(0)
    )
    found = []
    for (rule,), part in own.group_by("rule", maintain_order=True):
        columns, stated, observed = (
            np.array(part[name].to_list(), dtype=float)
            for name in ("columns", "stated", "observed")
        )
        total = np.maximum(columns.sum(axis=0), 1)
        rate = observed.sum(axis=0) / total
        se = np.sqrt(((observed - rate * columns) ** 2).sum(axis=0)) / total
        for i in range(columns.shape[1]):
            found.append(
                {
                    "rule": rule, "from": i / columns.shape[1], "columns": int(columns[:, i].sum()),
                    "stated": stated[:, i].sum() / total[i], "relevant": rate[i], "se": se[i],
                }
            )  # fmt: skip
    return pl.DataFrame(found)


def nominal_rates(rows: pl.DataFrame, by: tuple[str, ...] = ()) -> pl.DataFrame:
    """Return the mean proportion of false positives, and recall, at each nominal rate."""
    rates = [name.removeprefix("fdp_") for name in rows.columns if name.startswith("fdp_")]
    if not rates:
        return pl.DataFrame()
    own = rows.filter(pl.col(f"fdp_{rates[0]}").is_not_null())
    return own.group_by("rule", *by).agg(
        pl.len().alias("tables"),
        *[pl.col(f"fdp_{rate}").mean() for rate in rates],
        *[(pl.col(f"fdp_{rate}").std() / pl.len().sqrt()).alias(f"se_{rate}") for rate in rates],
        *[pl.col(f"tpr_{rate}").filter(pl.col("n_relevant") > 0).mean() for rate in rates],
    )


def noise(rows: pl.DataFrame) -> pl.DataFrame:
    """Return how often something was selected where nothing is relevant, by number of columns."""
    own = rows.filter(pl.col("kind") == "noise")
    about = [pl.len().alias("tables"), pl.col("any").mean(), pl.col("fp").mean()]
    if "half" in own.columns:
        about.append(pl.col("half").cast(pl.Float64).mean().alias("some at .5"))
    each = own.group_by("rule", pl.col("p").cast(pl.String)).agg(about)
    whole = own.group_by("rule").agg(about).with_columns(p=pl.lit("all")).select(each.columns)
    return pl.concat([each, whole]).sort("rule", "p")


def by_strength(rows: pl.DataFrame) -> pl.DataFrame:
    """Return recall by the strength of the relevant columns, from the weakest class on."""
    names = [name for name in rows.columns if name.startswith("found_")]
    classes = [name.removeprefix("found_") for name in names]
    return rows.group_by("rule").agg(
        *[pl.col(f"relevant_{i}").sum() for i in classes],
        *[
            (pl.col(f"found_{i}").sum() / pl.col(f"relevant_{i}").sum()).alias(f"tpr_{i}")
            for i in classes
        ],
    )


def verdict(rows: pl.DataFrame) -> pl.DataFrame:
    """Return how often the signal test is significant, by kind."""
    one = rows.unique(PLACE, keep="first")
    return one.group_by("kind").agg(found=(pl.col("p_value") <= 0.05).mean()).sort("found")


def report(rows: pl.DataFrame, base: str) -> None:
    """Print everything."""
    kinds, solvable = by_kind(rows, base), rows.filter(~pl.col("kind").is_in(APART))
    parts = {
        "mean over kinds": over_kinds(kinds),
        "awkward responses": over_kinds(kinds, AWKWARD),
        "columns and responses of other types": over_kinds(kinds, TYPED),
        "by kind": kinds,
        "reliability: kinds and mixture": reliability(rows.filter(pl.col("kind") != "noise")),
        "reliability: noise": reliability(rows.filter(pl.col("kind") == "noise")),
        "nominal rates: all tables": nominal_rates(rows),
        "nominal rates: by kind": nominal_rates(rows, ("kind",)),
        "noise": noise(rows),
        "recall by strength: kinds": by_strength(solvable),
        "recall by strength: mixture": by_strength(rows.filter(pl.col("kind") == "mixture")),
        "signal test": verdict(rows),
    }
    with pl.Config(
        tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=3,
        tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, fmt_str_lengths=40,
    ):  # fmt: skip
        for title, part in parts.items():
            print(f"\n{title}\n{part}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--base", default="dart-vc")
    given = parser.parse_args()
    report(pl.read_parquet(given.rows), given.base)


if __name__ == "__main__":
    main()
