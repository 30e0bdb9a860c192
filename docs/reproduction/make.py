"""Make the tables and figures of this folder from its rows.

bayesvc bench run --grid slice --out slice --keep-draws
bayesvc bench export slice docs/reproduction/rows.parquet
python docs/reproduction/make.py

The other files of rows, each exported from a run of its own:

rows-seeds         dart-vc, n = 500, SNR 0.25, 1, 5, inf, seeds 5390 and 6265
rows-known-sigma   dart-mpm-true-sigma, n = 500 and 1000, SNR 5 to 20
rows-rivals        bayesvc.bench.baselines:lasso and :random_forest, n = 500, SNR 1
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from bayesvc.bench import paper_comparison, score_tables
from bayesvc.bench.claims import claims
from bayesvc.bench.figure_scatter import sample_scatter
from bayesvc.bench.figures import draw_all
from bayesvc.plots import style as _style
from bayesvc.selection.methods import RECIPES

HERE = Path(__file__).parent
CHOICE_SNRS = (0.25, 1.0, 5.0)
SHOWN_SNR = 1.0


def main() -> None:
    rows = pl.concat([pl.read_parquet(path) for path in sorted(HERE.glob("rows*.parquet"))])
    rows = rows.unique(["data", "problem", "n", "snr", "seed", "method", "n_replicates"])
    # the name of the module when these rows were made
    rows = rows.with_columns(
        pl.col("method").str.replace("bench.rivals:", "bench.baselines:", literal=True)
    )
    rows = complete_cells(rows)
    one_seed = rows.filter(pl.col("seed") == 860)
    draw_all(one_seed, HERE / "figures", "svg", sample_scatter())
    cells = paper_comparison.against_paper(one_seed).drop_nulls("z")
    places = score_tables.first_places(one_seed)
    parts = {
        "Cells within 2 standard errors of the paper": (
            paper_comparison.count_agreeing_cells(one_seed)
        ),
        "Mean difference of dart-vc from the paper, over cells": (
            paper_comparison.mean_difference_from_paper(rows)
        ),
        "Where dart-vc is first among the paper's methods": places,
        "Every cell": cells.select(
            "method", "n", "snr", "n_problems", "ours", "paper", "difference", "se", "z", "z_bug",
            "tpr_difference", "fpr_difference", "basis",
        ),
        "Change in F1 of dart-vc with fewer replicates": score_tables.sensitivity(one_seed),
        "Seconds per data set": score_tables.runtimes(one_seed, by_n=True),
        "Comparison with common alternatives": beside_rivals(one_seed),
    }  # fmt: skip
    text = "# Tables\nMade by `make.py` from `rows*.parquet`.\n"
    for title, table in parts.items():
        text += f"\n## {title}\n{markdown(table)}\n"
    text += f"\n## Claims\n{claim_table(one_seed)}\n"
    (HERE / "tables.md").write_text(text, encoding="utf-8")
    chosen = choice_table(one_seed)
    (HERE / "choice.md").write_text(markdown(chosen) + "\n", encoding="utf-8")
    draw_choice(one_seed, HERE / "figures" / "choice.svg")


def complete_cells(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out cells that lack some of the equations."""
    cell = ("seed", "n", "snr", "method")
    whole = rows.group_by(cell).agg(pl.col("problem").n_unique()).filter(problem=100)
    return rows.join(whole.select(cell), on=cell)


def by_method(rows: pl.DataFrame) -> pl.DataFrame:
    """Average each method with its default number of replicates, at n = 500, by SNR."""
    fits = {name: recipe.n_replicates for name, recipe in RECIPES.items()}
    own = pl.col("method").replace_strict(fits, default=-1, return_dtype=pl.Int64)
    return (
        rows.filter(pl.col("n") == 500, pl.col("snr").is_in(CHOICE_SNRS))
        .filter((pl.col("n_replicates") == own) | (pl.col("method") == "abc-mpm"))
        .group_by("method", "snr")
        .agg(pl.col("f1", "tpr", "fpr", "fp", "seconds").mean(), n_problems=pl.len())
        .sort("method", "snr")
    )


def beside_rivals(rows: pl.DataFrame) -> pl.DataFrame:
    """Compare the methods of `bench.baselines` with dart-vc on the same data sets."""
    is_rival = pl.col("method").str.contains(":")
    cells = rows.filter(is_rival).select("n", "snr").unique()
    is_ours = (pl.col("method") == "dart-vc") & (pl.col("n_replicates") == 10)
    return (
        rows.filter(is_rival | is_ours)
        .join(cells, on=["n", "snr"])
        .group_by(pl.col("method").str.replace(".*:", ""), "n", "snr")
        .agg(pl.col("f1", "tpr", "fp").mean(), seconds=pl.col("seconds").median())
        .sort("n", "snr", "f1", descending=[False, False, True])
    )


def choice_table(rows: pl.DataFrame) -> pl.DataFrame:
    """Tabulate F1, TPR and false positives by SNR, and the time relative to dart-vc."""
    cells = by_method(rows)
    unit = cells.filter(pl.col("method") == "dart-vc")["seconds"].mean()
    parts = [
        cells.filter(pl.col("snr") == snr).select(
            "method",
            pl.struct("f1", "tpr", "fp")
            .map_elements(
                lambda cell: f"{cell['f1']:.2f} / {cell['tpr']:.2f} / {cell['fp']:.1f}",
                return_dtype=pl.String,
            )
            .alias(f"SNR {snr:g}: F1 / TPR / false positives"),
        )
        for snr in CHOICE_SNRS
    ]
    table = cells.group_by("method").agg(
        mean=pl.col("f1").mean(), relative=pl.col("seconds").mean() / unit
    )
    for part in parts:
        table = table.join(part, on="method")
    return (
        table.sort("mean", descending=True)
        .with_columns(time=pl.col("relative").map_elements("{:.1f}".format, return_dtype=pl.String))
        .select("method", pl.exclude("method", "mean", "relative", "time"), "time")
    )


def draw_choice(rows: pl.DataFrame, path: Path) -> None:
    """Plot the proportion of relevant columns selected against the number of false positives."""
    cells = by_method(rows).filter(pl.col("snr") == SHOWN_SNR)
    with _style.own_look():
        figure = _style.new_figure(6.4, 4.0)
        axes = figure.subplots()
        for method, tpr, fp in cells.select("method", "tpr", "fp").iter_rows():
            colour, marker = _style.STYLES.get(method, (_style.GREY, "o"))
            axes.plot(fp, tpr, marker, color=colour, markersize=8)
            place = (7, 3) if method == "abc-mpm" else (7, -3)  # clear of its neighbour
            axes.annotate(method, (fp, tpr), xytext=place, textcoords="offset points", fontsize=8)
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xlabel("irrelevant columns selected, mean over 100 equations")
        axes.set_ylabel("proportion of the relevant columns selected")
        axes.set_title(f"n = 500, SNR {SHOWN_SNR:g}: up is better, left is better", loc="left")
        _style.save(figure, path)


def markdown(table: pl.DataFrame) -> str:
    lines = ["| " + " | ".join(table.columns) + " |", "|---" * table.width + "|"]
    columns = [shown(column) for column in table.iter_columns()]
    lines += ["| " + " | ".join(row) + " |" for row in zip(*columns, strict=True)]
    return "\n".join(lines)


def claim_table(rows: pl.DataFrame) -> str:
    lines = [
        "| verdict | claim | in the text | in the paper's tables | here |",
        "|---|---|---|---|---|",
    ]
    for c in claims(rows):
        lines.append(f"| {c.verdict} | {c.statement} | {c.paper} | {c.tables} | {c.ours} |")
    return "\n".join(lines)


def shown(column: pl.Series) -> list[str]:
    """Format a column, its numbers with the same number of decimals."""
    if column.name.endswith("snr"):
        return ["" if value is None else f"{value:g}" for value in column]
    if not column.dtype.is_float():
        return ["" if value is None else str(value) for value in column]
    finite = column.drop_nulls().filter(column.drop_nulls().is_finite())
    digits = max((decimals(value) for value in finite), default=0)
    return ["" if value is None else f"{value:.{digits}f}" for value in column]


def decimals(value: float) -> int:
    """Return how many decimals show four digits of a number, at most five."""
    _, _, fraction = f"{value:.4g}".partition(".")
    return 5 if "e" in fraction else min(len(fraction), 5)


if __name__ == "__main__":
    main()
