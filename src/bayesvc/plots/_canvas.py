"""What all plots share: the result, axes of our own or of the caller, names as plain text."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted
from bayesvc._typing import PathLike
from bayesvc.draws.draws import Draws
from bayesvc.plots.style import (
    FAINT,
    GREY,
    INK,
    guest_look,
    need_matplotlib,
    new_figure,
    own_look,
    save,
)
from bayesvc.selection.result import Selection

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_LONGEST_NAME = 24
_FAR_APART = 4
_ROUND_NUMBERS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)


@dataclass(frozen=True, eq=False, repr=False)
class Plot:
    """A picture and the numbers in it. A notebook shows the picture.

    Attributes
    ----------
    axes : tuple of matplotlib.axes.Axes
        One per panel, for titles, limits and so on to be changed.
    data : dict
        Columns of equal length; ``pandas.DataFrame(plot.data)`` makes a table of them.

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> plot = bv.select_from(draws).plot("importance")
    >>> plot
    <Plot: 1 panel; data with 4 rows of variable, selected, ...>
    >>> plot.data["variable"].tolist()
    ['d', 'a', 'b', 'c']
    """

    axes: tuple[Axes, ...]
    data: dict[str, NDArray[Any]]

    @property
    def ax(self) -> Axes:
        """The first panel."""
        return self.axes[0]

    @property
    def figure(self) -> Figure:
        """The figure that holds the panels."""
        return root_figure(self.ax)

    def save(self, path: PathLike) -> Path:
        """Write the figure in the format of the path's ending, such as .png, .svg or .pdf.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import bayesvc as bv
        >>> found = bv.select_from(bv.Draws.from_counts([[[9, 1]], [[7, 0]]]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.plot().save(pathlib.Path(folder) / "found.svg").name
        'found.svg'
        """
        with own_look():
            return save(self.figure, Path(path))

    def _repr_png_(self) -> bytes | None:
        if self.figure.canvas.manager is not None:  # pyplot's own, which it shows itself
            return None
        target = io.BytesIO()
        with own_look():
            self.figure.savefig(target, format="png", dpi=100)
        return target.getvalue()

    def __repr__(self) -> str:
        panels = "1 panel" if len(self.axes) == 1 else f"{len(self.axes)} panels"
        rows = len(next(iter(self.data.values()), ()))
        return f"<Plot: {panels}; data with {rows} rows of {', '.join(self.data)}>"


@dataclass(frozen=True)
class Canvas:
    """Panels to draw in, of our own or the caller's."""

    axes: tuple[Axes, ...]
    own: bool

    @property
    def ax(self) -> Axes:
        """The first panel."""
        return self.axes[0]

    def legend(self, handles: Sequence[Artist]) -> None:
        """Put a legend below the panels, or where there is room in those of the caller."""
        if self.own:
            root_figure(self.ax).legend(
                handles=handles, loc="outside lower center", ncols=min(len(handles), 3)
            )
        else:
            self.ax.legend(handles=handles, loc="best")


@contextmanager
def canvas(
    ax: Any, width: float, height: float, rows: int = 1, columns: int = 1, n: int = 1, **grid: Any
) -> Iterator[Canvas]:
    """Give `n` panels, in our look if they are made here."""
    need_matplotlib()
    if ax is not None:
        with guest_look():
            yield Canvas(_check_axes(ax, n), own=False)
        return
    with own_look():
        figure = new_figure(width, height)
        panels = figure.subplots(rows, columns, squeeze=False, **grid).ravel()
        for spare in panels[n:]:
            spare.set_axis_off()
        for axes in panels[:n]:
            # Ticks are made when they are first drawn, out of our context.
            axes.tick_params(which="both", color=INK, labelcolor=INK, labelsize=8)
        yield Canvas(tuple(panels[:n]), own=True)


def _check_axes(ax: Any, n: int) -> tuple[Axes, ...]:
    from matplotlib.axes import Axes

    several = isinstance(ax, list | tuple | np.ndarray)
    given = tuple(np.ravel(np.array(ax, dtype=object))) if several else (ax,)
    for one in given:
        if not isinstance(one, Axes):
            raise TypeError(
                f"`ax` must be matplotlib Axes. Got {one!r} instead. Leave it out for a new figure."
            )
    if len(given) != n:
        raise ValueError(
            f"`ax` must hold {n} panels. Got {len(given)} instead. Leave it out for a new figure."
        )
    return given


def root_figure(axes: Axes) -> Figure:
    """Return the figure of the axes, also if they are in a part of it."""
    figure: Any = axes.figure
    return figure.figure  # type: ignore[no-any-return]


def shown(name: str) -> str:
    """Return a name fit to be shown: one line, not too long."""
    line = " ".join(name.split())
    line = "".join(c if c.isprintable() else "?" for c in line)
    if len(line) <= _LONGEST_NAME:
        return line or "''"
    half = (_LONGEST_NAME - 1) // 2
    return f"{line[: _LONGEST_NAME - 1 - half]}…{line[-half:]}"


def verbatim(text: Text) -> Text:
    """Show a text as it is: a `$` in a name does not start mathematics."""
    text.set_usetex(False)
    text.set_parse_math(False)
    return text


def name_ticks(axis: Axis, places: Any, names: Sequence[str], **look: Any) -> list[Text]:
    """Put names at places of an axis and return them."""
    axis.set_ticks(places, labels=[shown(name) for name in names], **look)
    return [verbatim(label) for label in axis.get_ticklabels()]


def log1p_axis(axes: Axes, which: str, values: NDArray[Any]) -> None:
    """Scale an axis by log(1 + value), as clustering does, if the values are far apart."""
    least, largest = float(values.min()), float(values.max())
    if largest <= 5 or 1 + largest < _FAR_APART * (1 + least):
        return
    getattr(axes, f"set_{which}scale")("function", functions=(_log1p, np.expm1))
    axis: Axis = getattr(axes, f"{which}axis")
    axis.set_ticks([number for number in _ROUND_NUMBERS if number <= largest])


def _log1p(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log1p(np.maximum(values, -0.9)))  # margins may reach below -1


def say(axes: Axes, words: str) -> None:
    """Write in the middle of empty axes why they are empty."""
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center")
    axes.set_xticks([])
    axes.set_yticks([])


def row_lines(axes: Axes, n_rows: int) -> None:
    """Make rows 0, ..., n_rows - 1, the first on top, with a pale line each."""
    axes.hlines(
        np.arange(n_rows), 0, 1, transform=axes.get_yaxis_transform(), colors=GREY, linewidth=0.8,
        alpha=FAINT,
        zorder=0,
    )  # fmt: skip
    axes.set_ylim(n_rows - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def headline(selection: Selection) -> str:
    """Say how many variables the method selects."""
    count = f"{len(selection.indices)} of {len(selection.mask)}"
    noun = "variable" if len(selection.mask) == 1 else "variables"
    return f"{selection.method.name}: {count} {noun} selected"


def replicates_text(draws: Draws) -> str:
    """Say how many replicates there are, such as "10 replicates"."""
    return counted(draws.n_replicates, "replicate" if draws.abc is None else "kept forest")


def notable(selection: Selection, most: int) -> NDArray[np.intp]:
    """Return at most `most` variables, selected ones first, most important first."""
    return np.lexsort((selection.ranks, ~selection.mask))[:most]


def names_of(selection: Selection, which: NDArray[np.intp]) -> list[str]:
    """Return the names of variables."""
    return [selection.labels[j] for j in which.tolist()]


def as_selection(source: Any) -> Selection:
    """Return a Selection, or that of a fitted VariableSelector."""
    found = getattr(source, "selection_", source)
    if not isinstance(found, Selection):
        raise TypeError(
            "`selection` must be a Selection or a fitted VariableSelector. Got a "
            f"{type(source).__name__} instead. Pass what `bayesvc.select` or `select_from` "
            "returns, or an entry of `compare`."
        )
    return found


def as_draws(source: Any) -> Draws:
    """Return the draws of a Selection, a fitted estimator, or the draws themselves."""
    source = getattr(source, "selection_", source)
    found = getattr(source, "draws_", getattr(source, "draws", source))
    if not isinstance(found, Draws):
        raise TypeError(
            "`source` must be a Selection, Draws or a fitted BARTRegressor, BARTClassifier or "
            f"VariableSelector. Got a {type(source).__name__} instead."
        )
    return found
