"""A `RowStability` in words and as HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from bayesvc._text import visible
from bayesvc.selection.text import html_table

if TYPE_CHECKING:
    from bayesvc.selection.subsample_stability import RowStability

_MOST_ROWS = 20
_MEANING = (
    "frequency: proportion of the subsamples that select the variable. Subsamples have fewer rows, "
    "so a low frequency does not rule a variable out."
)


def heading(stable: RowStability) -> str:
    """Return the method and the subsamples in words."""
    low, high = int(stable.n_rows.min()), int(stable.n_rows.max())
    size = f"{low}" if low == high else f"{low} to {high}"
    total = stable.selection.draws.n_rows
    return f"{stable.selection.method.name} on {stable.scheme.in_words} of {size} of {total} rows"


def rows_shown(stable: RowStability) -> list[list[str]]:
    """Return the header, the selected variables, and the others that are selected at all.

    The largest selection frequency comes first.
    """
    mask, frequency = stable.selection.mask, stable.frequency
    order = np.lexsort((stable.selection.ranks, -frequency, ~mask))
    shown = [j for j in order.tolist() if mask[j] or frequency[j] > 0][:_MOST_ROWS]
    names = stable.selection.labels
    cells = [
        [visible(names[j]), "yes" if mask[j] else "no", f"{100 * frequency[j]:.0f} %"]
        for j in shown
    ]
    return [["variable", "selected", "frequency"], *cells]


def left_out(stable: RowStability) -> int:
    """Return how many variables the table leaves out although some subsample selects them."""
    anywhere = stable.selection.mask | (stable.frequency > 0)
    return max(0, int(anywhere.sum()) - _MOST_ROWS)


def as_text(stable: RowStability) -> str:
    """Return the repr."""
    cells = rows_shown(stable)
    widths = [max(len(row[k]) for row in cells) for k in range(3)]
    lines = [heading(stable)]
    for name, *rest in cells:
        right = "  ".join(cell.rjust(w) for cell, w in zip(rest, widths[1:], strict=True))
        lines.append(f"  {name.ljust(widths[0])}  {right}")
    if left_out(stable):
        lines.append(f"  ... and {left_out(stable)} more")
    return "\n".join([*lines, _MEANING])


def as_html(stable: RowStability) -> str:
    """Return what a notebook shows."""
    header, *cells = rows_shown(stable)
    more = f"<p>... and {left_out(stable)} more</p>" if left_out(stable) else ""
    return (
        f"<div><p><b>{html.escape(heading(stable))}</b></p>"
        f"{html_table(header, cells)}{more}<p>{_MEANING}</p></div>"
    )
