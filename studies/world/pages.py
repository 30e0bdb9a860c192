"""Write the tables of docs/relevance/judged.md from the rows of `score.py`.

python studies/world/pages.py studies/world/results/judged.parquet
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl
from kinds import AWKWARD, TYPED
from summaries import by_kind, noise, nominal_rates, over_kinds, reliability, verdict

from bayesvc._archive import write_text

PAGE = Path(__file__).parents[2] / "docs" / "relevance" / "judged.md"
DEFAULT, NEVER_EMPTY = "dart-relevance, the default", "dart-relevance, never empty"
PROBABILITIES = ("P(relevant), with signal test", "P(relevant), draws alone")
BEST = "best threshold, knowing the truth"
BASE = "dart-vc"
SHOWN = (
    DEFAULT, NEVER_EMPTY, "dart-relevance, no signal test", "first formula", BASE,
    "dart-vc, paper's prior", "first formula, paper's prior", "dart-mpm, one fit", "mean inclusion",
)  # fmt: skip


def lines(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    header = list(header)
    parts = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(part) + " |" for part in parts) + "\n"


def with_error(value: float, error: float | None) -> str:
    """Return a number with its standard error."""
    return f"{value:.3f}" if error is None else f"{value:.3f} ({error:.3f})"


def rules_of(rows: pl.DataFrame) -> list[str]:
    """Return our rules, then rivals, then the best threshold."""
    there = set(rows["rule"]) - set(PROBABILITIES) - {BEST}
    own = [rule for rule in SHOWN if rule in there]
    rivals = sorted(rule for rule in there - set(own) if "paper's prior" not in rule)
    return [*own, *rivals, BEST]


def means(kinds: pl.DataFrame, rules: list[str], names: tuple[str, ...] | None = None) -> str:
    """Return the means over kinds of each rule."""
    found = {row["rule"]: row for row in over_kinds(kinds, names).iter_rows(named=True)}
    return lines(
        ("rule", "F1", "recall", "false positives", "exact sets", "kinds with F1 below 0.90"),
        (
            (
                rule, with_error(row["f1"], row["f1_se"]), f"{row['tpr']:.3f}",
                with_error(row["fp"], row["fp_se"]), f"{100 * row['exact']:.0f} %",
                f"{row['below_90']} of {row['kinds']}",
            )
            for rule, row in ((rule, found[rule]) for rule in rules if rule in found)
        ),
    )  # fmt: skip


def each_kind(rows: pl.DataFrame, kinds: pl.DataFrame, rules: list[str]) -> str:
    """Return F1 of each kind, with the gain of the default, and its false positives."""
    cells = {(row["kind"], row["rule"]): row for row in kinds.iter_rows(named=True)}
    found = dict(verdict(rows).iter_rows())
    shown = [rule for rule in rules if rule != NEVER_EMPTY]

    def row_of(kind: str) -> Iterable[str]:
        own = cells[kind, DEFAULT]
        yield kind
        yield str(own["tables"])
        for rule in shown:
            cell = cells.get((kind, rule))
            yield "" if cell is None else f"{cell['f1']:.3f}"
        yield f"{own['gain']:+.3f} ({own['gain_se'] or 0:.3f})"
        yield f"{own['fp']:.2f}"
        yield f"{100 * found[kind]:.0f} %"

    header = ("kind", "tables", *shown, "gain", "false positives", "evidence")
    return lines(header, map(row_of, sorted({kind for kind, _ in cells})))


def calibration(rows: pl.DataFrame, rule: str) -> str:
    """Return stated and observed proportions by tenth."""
    own = reliability(rows.filter(rule=rule))
    return lines(
        ("stated", "columns", "mean stated", "relevant"),
        (
            (
                f"{row['from']:.1f} to {row['from'] + 0.1:.1f}", f"{row['columns']:,}",
                f"{row['stated']:.3f}", with_error(row["relevant"], row["se"]),
            )
            for row in own.iter_rows(named=True)
        ),
    )  # fmt: skip


def rates(rows: pl.DataFrame) -> str:
    """Return the mean proportion of false positives at nominal rates, and recall."""
    table = nominal_rates(rows.filter(pl.col("rule").is_in(PROBABILITIES))).sort("rule")
    names = [name.removeprefix("fdp_") for name in table.columns if name.startswith("fdp_")]
    return lines(
        ("rule", "tables", *[f"FDR({name})" for name in names], *[f"recall {q}" for q in names]),
        (
            (
                row["rule"], str(row["tables"]),
                *[with_error(row[f"fdp_{name}"], row[f"se_{name}"]) for name in names],
                *[f"{row[f'tpr_{name}']:.3f}" for name in names],
            )
            for row in table.iter_rows(named=True)
        ),
    )  # fmt: skip


def of_noise(rows: pl.DataFrame) -> str:
    """Return how often something is selected from noise, and states one half or more."""
    table = noise(rows).filter(pl.col("rule").is_in([DEFAULT, *PROBABILITIES, BASE]))
    return lines(
        ("rule", "columns", "tables", "something selected", "some probability of one half or more"),
        (
            (
                row["rule"], row["p"], str(row["len" if "len" in row else "tables"]),
                f"{100 * row['any']:.1f} %",
                "" if row["some at .5"] is None else f"{100 * row['some at .5']:.1f} %",
            )
            for row in table.iter_rows(named=True)
        ),
    )  # fmt: skip


def page(rows: pl.DataFrame) -> str:
    """Return the whole page."""
    kinds, rules = by_kind(rows, BASE), rules_of(rows)
    other = rows.filter(pl.col("kind") != "noise")
    parts: dict[str, Callable[[], str]] = {
        "Means over kinds": lambda: means(kinds, rules),
        "Awkward responses": lambda: means(kinds, rules, AWKWARD),
        "Columns and responses of other types": lambda: means(kinds, rules, TYPED),
        "Each kind: F1": lambda: each_kind(other, kinds, rules),
        "Stated probabilities, with the signal test": lambda: calibration(other, PROBABILITIES[0]),
        "Stated probabilities, from draws alone": lambda: calibration(other, PROBABILITIES[1]),
        "Sets with an expected proportion of false positives": lambda: rates(rows),
        "Noise": lambda: of_noise(rows),
    }
    text = (
        "# Tables of the judging half\nWritten by `studies/world/pages.py`. [The plan]"
        "(https://github.com/bayesvc/bayesvc/tree/main/studies/world) says what the kinds are. "
        "Numbers in brackets are standard errors over tables. *Gain* is the difference of the "
        "default in F1 to dart-vc on the same replicates; *evidence* is how often the signal test "
        "finds it.\n"
    )
    for title, part in parts.items():
        text += f"\n## {title}\n{part()}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    write_text(PAGE, page(pl.read_parquet(parser.parse_args().rows)))


if __name__ == "__main__":
    main()
