"""Checks of claims about cells: functions that return a check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from bayesvc.bench import paper
from bayesvc.bench.result_rows import common_tasks, default_replicates, one_kind
from bayesvc.bench.score_tables import cell_means, next_best, runtimes, sensitivity

Cell = dict[str, Any]
"""`n` and `snr` (or `p`), and a value for each method."""

Finding = tuple[str, bool | None]
"""Result of a check, and whether the claim holds; None if nothing was run."""

Check = Callable[["Study"], Finding]

NOT_RUN: Finding = ("", None)
ALL = 1.0
MOST = 0.5
_MOST_LISTED = 4


class Study:
    """Rows that the claims refer to: one kind of data, the authors' if there are any."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = one_kind(rows)
        self.default = default_replicates(self.rows)

    def cells(self, score: str, methods: Sequence[str], *, needed: int | None = None) -> list[Cell]:
        """Return the cells in which at least `needed` of `methods` were run; by default, all."""
        shared = cell_means(common_tasks(self.default, methods))
        found: dict[tuple[int, float], Cell] = {}
        for row in shared.sort("n", "snr").iter_rows(named=True):
            place = (row["n"], row["snr"])
            found.setdefault(place, {"n": row["n"], "snr": row["snr"]})[row["method"]] = row[score]
        least = len(methods) if needed is None else needed
        return [cell for cell in found.values() if len(cell) - 2 >= least]

    def times(self, methods: Sequence[str]) -> list[Cell]:
        """Return seconds by (n, p) where all of `methods` were run."""
        table = runtimes(self.rows.filter(pl.col("method").is_in(list(methods)))).drop_nulls(
            "seconds"
        )
        found: dict[tuple[int, int], Cell] = {}
        for row in table.iter_rows(named=True):
            place = (row["n"], row["p"])
            found.setdefault(place, {"n": row["n"], "p": row["p"]})[row["method"]] = row["seconds"]
        return [found[place] for place in sorted(found) if len(found[place]) - 2 == len(methods)]

    def changes(self, n_replicates: Sequence[int]) -> list[Cell]:
        """Return the change in F1 with fewer replicates, and the lead over the next best."""
        table = sensitivity(self.rows).filter(
            pl.col("n_replicates").is_in(list(n_replicates)), pl.col("reference") >= 10
        )
        best = next_best(self.rows).filter(n_methods=len(paper.EXISTING))
        keys = ["data", "n", "snr"]
        joined = table.join(best.select(*keys, next_best="change"), on=keys, how="left")
        return joined.with_columns(lead=pl.col("change") - pl.col("next_best")).to_dicts()


def anywhere(cell: Cell) -> bool:
    """Accept every cell."""
    return True


def count(
    cells: Sequence[Cell], holds: Callable[[Cell], bool], enough: float = ALL, what: str = "cells"
) -> Finding:
    """Count the cells for which `holds` is true; `MOST` requires more than half of them."""
    if not cells:
        return NOT_RUN
    bad = [cell for cell in cells if not holds(cell)]
    good = len(cells) - len(bad)
    text = f"{good} of {len(cells)} {what}"
    if bad and len(bad) < len(cells):
        more = f" and {len(bad) - _MOST_LISTED} more" if len(bad) > _MOST_LISTED else ""
        text += f", not {', '.join(map(place, bad[:_MOST_LISTED]))}{more}"
    return text, good > len(cells) / 2 if enough == MOST else good >= enough * len(cells)


def place(cell: Cell) -> str:
    """Name a cell, as in "(500, 0.25)"."""
    second = cell["p"] if "p" in cell and "snr" not in cell else f"{cell['snr']:g}"
    return f"({cell['n']}, {second})"


def in_cells(
    score: str,
    methods: Sequence[str],
    holds: Callable[[Cell], bool],
    where: Callable[[Cell], bool] = anywhere,
    enough: float = ALL,
) -> Check:
    """Check each cell in which all of `methods` were run."""
    return lambda study: count(
        [cell for cell in study.cells(score, methods) if where(cell)], holds, enough
    )


def extreme(score: str, method: str, others: Sequence[str], sign: int = 1) -> Check:
    """Check that a method is above (below, for -1) all `others` that were run in the cell."""

    def holds(cell: Cell) -> bool:
        rest = [cell[other] for other in others if other in cell and other != method]
        return all(sign * cell[method] > sign * value for value in rest)

    def check(study: Study) -> Finding:
        cells = study.cells(score, [method, *others], needed=2)
        return count([cell for cell in cells if method in cell], holds)

    return check


def rank(cell: Cell, method: str, among: Sequence[str]) -> int:
    """Return the rank of a method in a cell, 1 for the largest value."""
    return 1 + sum(bool(cell[other] > cell[method]) for other in among)


def within(
    get: Callable[[Study], Sequence[Cell]],
    value: Callable[[Cell], float],
    least: float = -float("inf"),
    most: float = float("inf"),
    enough: float = ALL,
) -> Check:
    """Check that a value lies in a range, to four decimals, and show its own range."""

    def holds(cell: Cell) -> bool:
        return least <= round(value(cell), 4) <= most

    def check(study: Study) -> Finding:
        cells = get(study)
        if not cells:
            return NOT_RUN
        values = [value(cell) for cell in cells]
        text, verdict = count(cells, holds, enough)
        spread = (
            f"{min(values):.4g} to {max(values):.4g}" if len(values) > 1 else f"{values[0]:.4g}"
        )
        return f"{spread} ({text})", verdict

    return check


def along_snr(score: str, method: str, sign: int, start: float = 5.0) -> Check:
    """Check, for each n, that a score is higher (lower, for -1) above the SNR `start`."""

    def check(study: Study) -> Finding:
        cells = study.cells(score, [method])
        base = {cell["n"]: cell[method] for cell in cells if cell["snr"] == start}
        later = [cell for cell in cells if cell["snr"] > start and cell["n"] in base]
        return count(later, lambda cell: sign * (cell[method] - base[cell["n"]]) > 0)

    return check


def in_sizes(methods: Sequence[str], holds: Callable[[Cell], bool]) -> Check:
    """Check the seconds of each (n, p) in which all of `methods` were run."""
    return lambda study: count(study.times(methods), holds, what="sizes (n, p)")
