"""Effects in words: what a console, a notebook and JSON show."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesvc._text import counted, percent, probability, visible
from bayesvc._version import __version__
from bayesvc.selection.text import html_table

if TYPE_CHECKING:
    from bayesvc.explain.direction import Direction
    from bayesvc.explain.result import Effects


def as_text(effects: Effects) -> str:
    """Return the repr."""
    rows = table_rows(effects)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = heading(effects)
    for row in rows:
        cells = [
            cell.ljust(width) if k in (0, len(row) - 1) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    lines += [f"Note: {note.text}" for note in effects.notes]
    return "\n".join(lines)


def as_html(effects: Effects) -> str:
    """Return what a notebook shows."""
    header, *rows = table_rows(effects)
    first, *others = heading(effects)
    lines = "<br>".join(html.escape(line) for line in others)
    notes = "".join(f"<p><b>Note:</b> {html.escape(note.text)}</p>" for note in effects.notes)
    own = [[row[0], row[-1], *row[1:-1]] for row in (header, *rows)]
    return (
        f"<div><p><b>{html.escape(first)}</b><br>{lines}</p>{html_table(own[0], own[1:])}{notes}"
        "</div>"
    )


def heading(effects: Effects) -> list[str]:
    """Return the lines above the table."""
    draws, level = effects.draws, percent(effects.interval)
    response = draws.response_model
    assert response is not None  # it has trees to predict with
    lines = [
        f"effects of {counted(len(effects.names), 'variable')} on the "
        f"{response.mean_label(draws.classes)}",
        f"forest of {draws.n_trees} trees on {draws.n_rows} rows; "
        f"{counted(draws.n_replicates, 'chain')}; random_state={draws.random_state}",
    ]
    if effects.loss is not None:
        score, low, high = effects.loss.score
        lines.append(
            f"out-of-sample {effects.loss.name} {score:.3g} ({level} confidence interval {low:.3g} "
            f"to {high:.3g})"
        )
    lines.append(f"in brackets: {level} intervals; shares assume independent variables")
    return [visible(line) for line in lines]


def table_rows(effects: Effects) -> list[list[str]]:
    """Return the header and a row for each variable."""
    columns = effects.columns
    loss = effects.loss
    header = ["variable", "share alone", "share in total", "change"]
    header += [] if loss is None else [loss_label(loss.name)]
    rows = [[*header, "direction"]]
    for k, name in enumerate(effects.labels):
        own = effects.directions[k]
        first = [100 * columns[key][k] for key in _FIRST]
        row = [
            visible(name),
            f"{first[0]:.1f} % ({first[1]:.1f} to {first[2]:.1f})",
            f"{100 * columns['total'][k]:.1f} %",
            _with_bounds(own.change, own.change_low, own.change_high),
        ]
        if loss is not None:
            row.append(_with_bounds(*(columns[key][k] for key in _LOSS)))
        rows.append([*row, _direction(own)])
    return rows


_FIRST = ("first_order", "first_order_low", "first_order_high")
_LOSS = ("loss", "loss_low", "loss_high")


def loss_label(name: str) -> str:
    """Return what the loss of a variable is.

    Examples
    --------
    >>> from bayesvc.explain.text import loss_label
    >>> loss_label("R2"), loss_label("log loss")
    ('loss of R2', 'rise of log loss')
    """
    return "loss of R2" if name == "R2" else f"rise of {name}"


def value_text(value: object) -> str:
    """Return a value of a column as text.

    Examples
    --------
    >>> from bayesvc.explain.text import value_text
    >>> value_text(0.123456), value_text("red"), value_text(None)
    ('0.1235', 'red', '')
    """
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def as_dict(effects: Effects) -> dict[str, Any]:
    """Return what JSON holds."""
    draws, loss = effects.draws, effects.loss
    columns = effects.columns | effects.detail_columns
    keys = list(columns)
    by_row = zip(*columns.values(), strict=True)
    score = [math.nan] * 3 if loss is None else loss.score
    return {
        "bayesvc": __version__,
        "response": draws.response,
        "n_rows": draws.n_rows,
        "overlap": _plain(effects.overlap),
        "n_trees": draws.n_trees,
        "n_chains": draws.n_replicates,
        "burn_in": draws.burn_in,
        "random_state": draws.random_state,
        "interval": effects.interval,
        "loss_of": None if loss is None else loss.name,
        "score": _plain(score[0]),
        "score_low": _plain(score[1]),
        "score_high": _plain(score[2]),
        "notes": [note.as_dict() for note in effects.notes],
        "variables": [{k: _plain(v) for k, v in zip(keys, row, strict=True)} for row in by_row],
    }


def _plain(value: Any) -> Any:
    """Return a number or text as JSON can hold it; None for NaN."""
    if isinstance(value, str):
        return value
    return float(value) if math.isfinite(value) else None


def _with_bounds(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return ""
    digits = _decimals([value, low, high])
    shown = [f"{number:.{digits}f}" if digits >= 0 else f"{number:.3g}" for number in
             (value, low, high)]  # fmt: skip
    shown = [text[1:] if text.strip("-0.") == "" and text[0] == "-" else text for text in shown]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"


def _decimals(numbers: Sequence[float]) -> int:
    """Return how many decimals show three digits of the largest number; -1 for powers of ten."""
    largest = float(np.abs(numbers).max())
    if largest == 0 or not 1e-4 <= largest < 1e6:
        return -1
    return min(max(0, 2 - math.floor(math.log10(largest))), 6)


def _direction(own: Direction) -> str:
    if math.isnan(own.probability):
        return own.text
    return f"{own.text} (probability {probability(own.probability)})"
