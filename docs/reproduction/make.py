"""Make the tables and figures of this folder from its rows.

bayesvc bench run --grid slice --out slice --keep-draws
bayesvc bench export slice docs/reproduction/rows.parquet
python docs/reproduction/make.py
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from bayesvc.bench import against, summary
from bayesvc.bench.claims import claims
from bayesvc.bench.figures import draw_all
from bayesvc.bench.scatter import fit_scatter

HERE = Path(__file__).parent


def main() -> None:
    rows = pl.concat([pl.read_parquet(path) for path in sorted(HERE.glob("rows*.parquet"))])
    rows = rows.unique(["data", "problem", "n", "snr", "seed", "method", "n_replicates"])
    one_seed = rows.filter(pl.col("seed") == 860)
    draw_all(one_seed, HERE / "figures", "svg", fit_scatter())
    cells = against.against_paper(one_seed).drop_nulls("z")
    places = summary.first_places(one_seed)
    parts = {
        "Cells within 2 standard errors of the paper": against.verdict(one_seed),
        "Mean difference of dart-vc from the paper, over cells": against.mean_difference(rows),
        "Where dart-vc is first among the paper's methods": places,
        "Every cell": cells.select(
            "method", "n", "snr", "n_problems", "ours", "paper", "difference", "se", "z", "z_bug",
            "tpr_difference", "fpr_difference", "basis",
        ),
        "Change in F1 of dart-vc with fewer fits": summary.sensitivity(one_seed),
        "Seconds per data set": summary.runtimes(one_seed, by_n=True),
    }  # fmt: skip
    text = "# Tables\nMade by `make.py` from `rows*.parquet`.\n"
    for title, table in parts.items():
        text += f"\n## {title}\n{markdown(table)}\n"
    text += f"\n## Claims\n{claim_table(one_seed)}\n"
    (HERE / "tables.md").write_text(text, encoding="utf-8")


def markdown(table: pl.DataFrame) -> str:
    lines = ["| " + " | ".join(table.columns) + " |", "|---" * table.width + "|"]
    for row in table.iter_rows():
        lines.append("| " + " | ".join(shown(value) for value in row) + " |")
    return "\n".join(lines)


def claim_table(rows: pl.DataFrame) -> str:
    lines = [
        "| verdict | claim | in the text | in the paper's tables | here |",
        "|---|---|---|---|---|",
    ]
    for c in claims(rows):
        lines.append(f"| {c.verdict} | {c.statement} | {c.paper} | {c.tables} | {c.ours} |")
    return "\n".join(lines)


def shown(value: object) -> str:
    if isinstance(value, float):
        return "inf" if value == float("inf") else f"{value:.4g}"
    return "" if value is None else str(value)


if __name__ == "__main__":
    main()
