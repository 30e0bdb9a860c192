"""Parts of the benchmark's figures: panels, lines and legends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from bayesvc.bench import paper
from bayesvc.plots.style import GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REPLICATE_STYLES: dict[int | None, tuple[str, str]] = {
    10: ("#88CCEE", "o"),
    5: ("#44AA99", "s"),
    3: ("#117733", "^"),
    2: ("#332288", "D"),
    1: ("#882255", "v"),
    None: ("#000000", "X"),
}


def four_panels(title: str, note: str, y: str, x: str) -> tuple[Figure, dict[int, Axes]]:
    """Create a figure with a panel for each n of the paper."""
    figure = new_figure(9, 7)
    figure.suptitle(title + "\n" * (1 + note.count("\n")), fontsize=12)  # room for the note
    figure.text(0.5, 0.955, note, ha="center", va="top", fontsize=8, color="#555555")
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    panels = dict(zip(paper.SIZES, grid.flat, strict=True))
    for n, axes in panels.items():
        axes.set_title(f"n = {n}", fontsize=10)
        axes.grid(color="#EEEEEE", linewidth=0.6)
        axes.set_axisbelow(True)
    for axes in grid[:, 0]:
        axes.set_ylabel(y)
    for axes in grid[1]:
        axes.set_xlabel(x)
    return figure, panels


def draw_line(
    axes: Axes,
    table: pl.DataFrame,
    y: str,
    colour: str,
    marker: str,
    behind: bool = False,
    x: str = "snr",
) -> None:
    """Draw a line through the rows, interrupted at each SNR of the paper that was not run."""
    if table.is_empty():
        return
    values = dict(zip(table[x].to_list(), table[y].to_list(), strict=True))
    places = list(paper.SNRS) if x == "snr" else sorted(values)
    at = range(len(places)) if x == "snr" else places
    width, size = (0.8, 6.5) if behind else (1.4, 5)
    axes.plot(
        at,
        [values.get(place, math.nan) for place in places],
        color=colour,
        marker=marker,
        linewidth=width,
        markersize=size,
        zorder=1 if behind else 3,
    )


def snr_axis(axes: Axes) -> None:
    """Put the paper's SNRs on the x axis, evenly spaced."""
    labels = [f"{snr:g}" for snr in paper.SNRS[:-1]] + ["noiseless"]
    axes.set_xticks(range(len(labels)), labels, fontsize=8)
    axes.set_xlim(-0.4, len(labels) - 0.6)


def mark_not_run(axes: Axes, missing: bool) -> None:
    """Write "not run" into a panel without results."""
    if missing:
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7}
        axes.text(0.5, 0.4, "not run", transform=axes.transAxes, ha="center", fontsize=12, bbox=box)


def add_legend(figure: Figure, styles: Mapping[str, tuple[str, str]]) -> None:
    """Add one legend for all panels below them."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=marker, linewidth=1.4, markersize=5, label=name)
        for name, (colour, marker) in styles.items()
    ]
    handles.append(Line2D([], [], color=GREY, linewidth=0.8, label="grey: paper"))
    columns = min(len(handles), 5)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=9)
