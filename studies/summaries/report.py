"""Make the tables and figures of docs/relevance from the results of this folder.

python studies/summaries/report.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from confirm import by_cell, by_seed, pairs_of, summarise
from score import NEW, OLD, STRICT

import bayesvc as bv
from bayesvc.bench import feynman
from bayesvc.measures._relevance import Relevance
from bayesvc.plots import style as _style

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[2] / "docs" / "relevance"
COLOURS = {500: "#88CCEE", 1000: "#44AA99", 1500: "#117733", 2000: "#332288"}
DART = [("dart", 10), ("dart", 2)]
SETTINGS = [*DART, ("bart", 10), ("bart", 2)]
APART = "feynman_III_8_54"  # the equation for which the rule was changed after the first look


def markdown(table: pl.DataFrame, digits: int = 3) -> str:
    """Return a table, numbers with so many digits."""

    def cell(value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, float):
            return f"{value:.{digits}f}"
        return str(value)

    lines = ["| " + " | ".join(table.columns) + " |", "|---" * table.width + "|"]
    lines += ["| " + " | ".join(map(cell, row)) + " |" for row in table.iter_rows()]
    return "\n".join(lines)


def tried(rows: pl.DataFrame) -> pl.DataFrame:
    """Return mean F1 over cells of every rule, for each prior and number of fits."""
    cells = rows.group_by("rule", "prior", "fits", "n", "snr").agg(pl.col("f1").mean())
    means = cells.group_by("rule", "prior", "fits").agg(pl.col("f1").mean())
    label = pl.format("{}, {} fits", pl.col("prior").cast(str).str.to_uppercase(), "fits")
    wide = means.with_columns(setting=label).pivot("setting", index="rule", values="f1")
    order = [f"{prior}, {fits} fits" for prior in ("DART", "BART") for fits in (10, 5, 2)]
    order = [setting for setting in order if setting in wide.columns]
    number = rows.group_by("rule").agg(cells=pl.struct("n", "snr").n_unique())
    whole = wide.join(number, on="rule").select("rule", "cells", *order)
    return whole.sort(order[0], descending=True, nulls_last=True)


def named_snr(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with its signal-to-noise ratios as text."""
    texts = [f"{snr:g}".replace("inf", "no noise") for snr in table["SNR"]]
    return table.with_columns(SNR=pl.Series(texts))


def low_snr(rows: pl.DataFrame, prior: str, new: str) -> pl.DataFrame:
    """Return F1 and how far it goes to the best cut, at n = 500 and SNR up to 1."""
    cells = by_cell(pairs_of(rows, prior, 10, new)).filter(
        (pl.col("n") == 500) & (pl.col("snr") <= 1)
    )
    way = pl.col("difference") / (pl.col("best") - pl.col("f1_against"))
    found = cells.select(
        SNR="snr", **{f"{prior}-relevance": "f1", f"{prior}-vc": "f1_against", "best cut": "best"},
        **{"share of the way": way},
    )  # fmt: skip
    pooled = cells["difference"].sum() / (cells["best"] - cells["f1_against"]).sum()
    means = [found[name].mean() for name in found.columns[1:-1]]
    return pl.concat(
        [
            named_snr(found),
            pl.DataFrame([["all three", *means, pooled]], found.columns, orient="row"),
        ]
    )


def cells(rows: pl.DataFrame, prior: str, fits: int, new: str = NEW) -> pl.DataFrame:
    """Return the comparison in every cell."""
    found = by_cell(pairs_of(rows, prior, fits, new)).select(
        "n", SNR="snr", **{"data sets": "data_sets", f"{prior}-relevance": "f1"},
        **{f"{prior}-vc": "f1_against", "best cut": "best", "difference": "difference"},
        **{"standard error": "se", "p (worse), Holm": "holm"},
        **{"TPR": "tpr", "TPR, vc": "tpr_against", "FPR": "fpr", "FPR, vc": "fpr_against"},
    )  # fmt: skip
    return named_snr(found)


def other_kinds(rows: pl.DataFrame, prior: str, fits: int) -> pl.DataFrame:
    """Return the comparison on each of the other kinds of problems that have relevant columns."""
    own = rows.filter(prior=prior, fits=fits)
    pair = own.filter(rule=NEW).join(own.filter(rule=OLD), on=["problem", "seed"], suffix="_vc")
    difference = pl.col("f1") - pl.col("f1_vc")
    return (
        pair.filter(~pl.col("problem").cast(str).str.starts_with("noise"))
        .group_by("problem", maintain_order=True)
        .agg(
            pl.col("f1").mean(), pl.col("f1_vc").mean(), difference=difference.mean(),
            se=difference.std() / pl.len().sqrt(), TPR=pl.col("tpr").mean(),
            TPR_vc=pl.col("tpr_vc").mean(), false=pl.col("fp").mean(),
            false_vc=pl.col("fp_vc").mean(),
        )
        .rename({"f1": "F1", "f1_vc": "F1, vc", "TPR_vc": "TPR, vc", "false": "false finds",
                 "false_vc": "false finds, vc", "se": "standard error"})
    )  # fmt: skip


def in_words(rows: pl.DataFrame, new: str = NEW, settings: list[tuple[str, int]] = SETTINGS) -> str:
    """Return the verdicts for each prior and number of fits."""
    return "\n\n".join(f"```\n{summarise(rows, *setting, new)}\n```" for setting in settings)


def draw_masking(path: Path) -> None:
    """Draw a data set in which one variable has most splits: what both methods make of it."""
    problem = feynman.load_authors("I.37.4", 500, 1.0, 860)
    draws = bv.sample(problem.X, problem.y, n_replicates=10, random_state=0)
    both = {
        "dart-vc": bv.select_from(draws, "dart-vc"),
        "dart-relevance": bv.select_from(draws, measure=Relevance(version=1)),
    }
    count, inclusion = draws.vc.mean(axis=0), draws.mpvip.mean(axis=0)
    colours = np.full(len(count), _style.GREY, dtype=object)
    colours[problem.relevant] = _style.SELECTED
    figure = _style.new_figure(9, 3.8)
    for axes, (name, found) in zip(figure.subplots(1, 2, sharey=True), both.items(), strict=True):
        relevance = name == "dart-relevance"
        x = found.values if relevance else inclusion
        axes.scatter(x, count + 0.01, c=colours.tolist(), s=22)
        chosen = found.selected
        axes.scatter(
            x[chosen], count[chosen] + 0.01, s=110, facecolors="none", edgecolors=_style.INK
        )
        axes.set_yscale("log")
        axes.set_title(f"{name}: {len(chosen)} of {len(problem.relevant)} found", fontsize=10)
        axes.set_xlabel(
            "probability of relevance" if relevance else "inclusion, mean over ten fits"
        )
        axes.grid(color="#EEEEEE", linewidth=0.6)
    figure.axes[0].set_ylabel("splits per draw, mean over ten fits")
    figure.axes[1].axvline(0.5, color=_style.INK, linewidth=0.8, linestyle=":")
    _style.save(figure, path)


def draw_differences(rows: pl.DataFrame, new: str, path: Path) -> None:
    """Draw the gain in F1 against SNR, a line for each n, a panel for each prior and number."""
    figure = _style.new_figure(9, 6.4)
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, (prior, fits) in zip(panels.flat, SETTINGS, strict=True):
        table = by_cell(pairs_of(rows, prior, fits, new))
        axes.axhline(0, color=_style.INK, linewidth=0.8)
        snrs = sorted(set(table["snr"]))
        for k, (n, part) in enumerate(table.group_by("n", maintain_order=True)):
            x = [snrs.index(snr) + 0.12 * (k - 1.5) for snr in part["snr"]]
            axes.errorbar(
                x, part["difference"], 2 * part["se"], color=COLOURS[int(n[0])], marker="o",
                markersize=4, linewidth=0.8, label=f"n = {n[0]}",
            )  # fmt: skip
        labels = [f"{snr:g}" for snr in snrs]
        axes.set_xticks(range(len(labels)), ["none" if s == "inf" else s for s in labels])
        axes.set_title(f"{prior.upper()}, {fits} fits", fontsize=10)
        axes.grid(axis="y", color="#EEEEEE", linewidth=0.6)
    for axes in panels[1]:
        axes.set_xlabel("signal-to-noise ratio (none: no noise)")
    for axes in panels[:, 0]:
        axes.set_ylabel("gain in F1 over the VC-measure")
    panels[0, 1].legend()
    _style.save(figure, path)


def draw_reliability(bins: pl.DataFrame, path: Path) -> None:
    """Draw the share of relevant variables against the stated probability."""
    figure = _style.new_figure(9, 4.4)
    panels = figure.subplots(1, 2, sharey=True)
    styles = {("dart", 10): "#882255", ("dart", 2): "#CC6677", ("bart", 10): "#332288",
              ("bart", 2): "#88CCEE"}  # fmt: skip
    for axes, source in zip(panels, ("equations", "other kinds"), strict=True):
        axes.plot([0, 1], [0, 1], color=_style.GREY, linewidth=1)
        for (prior, fits), colour in styles.items():
            own = bins.filter(source=source, prior=prior, fits=fits).sort("from")
            error = 2 * own["se"].fill_null(0)
            label = f"{prior.upper()}, {fits} fits"
            axes.errorbar(own["stated"], own["share"], error, color=colour, marker="o",
                          markersize=4, linewidth=0.8, label=label)  # fmt: skip
        axes.set_title(source, fontsize=10)
        axes.set_xlabel("stated probability that a variable is relevant")
        axes.grid(color="#EEEEEE", linewidth=0.6)
    panels[0].set_ylabel("share of such variables that are relevant")
    panels[0].legend()
    _style.save(figure, path)


def main() -> None:
    DOCS.mkdir(exist_ok=True)
    read = {p.stem: pl.read_parquet(p) for p in RESULTS.glob("*.parquet")}
    loaded = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in RESULTS.glob("*.json")}
    confirmed, other, formulas = read["confirmed"], read["other"], read["formulas"]
    again = read["again"]
    parts = {
        "Everything that was tried, on the equations to choose on": markdown(
            tried(read["tried"]), 4
        ),
        "What the probability of relevance could do without, and what more does not help": (
            "Mean F1; loss is that of logarithms, summed over the variables of a data set, mean "
            f"over all.\n\n{markdown(pl.DataFrame(loaded['learned']['left_out']), 4)}"
        ),
        "What the splits themselves say": markdown(pl.DataFrame(loaded["splits"]), 4),
        "How long irrelevant variables stay": markdown(pl.DataFrame(loaded["dwell"]), 2),
        "Everything that was tried, on the equations to confirm on": markdown(tried(confirmed), 4),
        "The first look in words, without the most probable variable where none reaches one half": (
            in_words(confirmed, STRICT)
        ),
        "The same with it": in_words(confirmed),
        **{
            f"At n = 500 and low SNR, {what}, ten {prior.upper()} fits": markdown(
                low_snr(rows, prior, new)
            )
            for what, rows, new in (("equations", confirmed, STRICT), ("formulas", formulas, NEW))
            for prior in ("dart", "bart")
        },
        **{
            f"Every cell: {prior.upper()}, {fits} fits": markdown(
                cells(confirmed, prior, fits, STRICT), 4
            )
            for prior, fits in SETTINGS
        },
        **{
            f"Other kinds of problems: {prior.upper()}, {fits} fits": markdown(
                other_kinds(other, prior, fits)
            )
            for prior, fits in SETTINGS
        },
        "The second confirmation, on formulas, in words": in_words(formulas),
        "The rules on formulas": markdown(tried(formulas), 4),
        **{
            f"Every cell of formulas: {prior.upper()}, {fits} fits": markdown(
                cells(formulas, prior, fits), 4
            )
            for prior, fits in SETTINGS
        },
        "The equations on two further seeds, in words": in_words(again, settings=DART),
        f"The same without {APART}": in_words(
            again.filter(pl.col("problem").cast(str) != APART), settings=DART
        ),
        "All five pairs of their ten fits, in words": in_words(read["pairs"], settings=DART[1:]),
        "Two fits on six further seeds, in words": in_words(read["seeds"], settings=DART[1:]),
        "Seed by seed": markdown(by_seed(pairs_of(read["seeds"], "dart", 2)), 4),
        "Every cell of six further seeds: DART, 2 fits": markdown(
            cells(read["seeds"], "dart", 2), 4
        ),
        "The rules on two further seeds": markdown(tried(again), 4),
        "At n = 500 and low SNR, two further seeds, ten DART fits": markdown(
            low_snr(again, "dart", NEW)
        ),
        "How far to the best cut one could go if the probabilities were right": markdown(
            pl.DataFrame(loaded["reach"])
        ),
        **{
            f"Every cell of two further seeds: DART, {fits} fits": markdown(
                cells(again, "dart", fits), 4
            )
            for _, fits in DART
        },
        "Noise": markdown(pl.DataFrame(loaded["noise"])),
        "Reliability": markdown(pl.DataFrame(loaded["reliability"])),
    }
    text = "# Tables\nMade by `studies/summaries/report.py` from the results beside it.\n"
    text += "".join(f"\n## {title}\n{part}\n" for title, part in parts.items())
    (DOCS / "first-formula-tables.md").write_text(text, encoding="utf-8")
    with _style.own_look():
        draw_masking(DOCS / "masking.svg")
        draw_differences(confirmed, STRICT, DOCS / "gain.svg")
        draw_differences(formulas, NEW, DOCS / "gain-formulas.svg")
        draw_reliability(pl.DataFrame(loaded["reliability"]), DOCS / "reliability.svg")


if __name__ == "__main__":
    main()
