"""Names beside points, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray
from bayesvc.plots._canvas import root_figure, shown, verbatim
from bayesvc.plots.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Where a name may go: direction from its point, and distance in points (1/72 inch).
_DIRECTIONS = (
    (1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (-1, 0), (0, 1), (0, -1),
    (2, 1), (2, -1), (1, 2), (1, -2), (-1, 2), (-1, -2), (-2, 1), (-2, -1),
)  # fmt: skip
_DISTANCES = (6, 12, 20, 30, 42, 56, 72, 90, 110)
_LEADER_FROM = 12  # a name this far away gets a line to its point
_SAME_PLACE = 4  # points this near share one label
_NAMES_TOGETHER = 3
_PADDING = 2
_FONT_SIZE = 8


def label_points(
    axes: Axes,
    x: FloatArray,
    y: FloatArray,
    which: Sequence[int],
    names: Sequence[str],
    avoid: tuple[FloatArray, FloatArray] | None = None,
) -> None:
    """Write the names of the points `which`, the first first; one without room is left out.

    A name covers no other name, no point and nothing of `avoid`. Points in one place share a
    label.
    """
    if len(which) == 0:
        return
    figure = root_figure(axes)
    figure.draw_without_rendering()  # the layout decides where points are
    scale = figure.dpi / 72
    points = axes.transData.transform(np.column_stack([x, y])) / scale
    marks = points
    if avoid is not None:
        marks = np.vstack([points, axes.transData.transform(np.column_stack(avoid)) / scale])
    room = _Room(np.array(axes.get_window_extent().extents) / scale, marks, [])
    for j, text in _joined(points, which, names):
        size = _text_size(axes, text) / scale
        spot = room.take(points[j], size)
        if spot is not None:
            _write(axes, (float(x[j]), float(y[j])), text, spot - points[j], size)


@dataclass
class _Room:
    """What is free of the axes, in points."""

    frame: FloatArray
    marks: FloatArray
    taken: list[FloatArray]

    def take(self, point: FloatArray, size: FloatArray) -> FloatArray | None:
        """Find a place for a label of this size and return its centre."""
        for centre in _centres(point, size):
            box = np.concatenate([centre - size / 2 - _PADDING, centre + size / 2 + _PADDING])
            line = _leader(point, centre, size)
            if self._allows(box, line) and not self._crosses(line, point):
                self.taken.append(box)
                self.marks = np.vstack([self.marks, line])
                return centre
        return None

    def _allows(self, box: FloatArray, line: FloatArray) -> bool:
        within = (box[:2] >= self.frame[:2]).all() and (box[2:] <= self.frame[2:]).all()
        return bool(within and not _inside(self.marks, box).any()) and not any(
            ((box[:2] < other[2:]) & (other[:2] < box[2:])).all() or _inside(line, other).any()
            for other in self.taken
        )

    def _crosses(self, line: FloatArray, point: FloatArray) -> bool:
        """Say whether a line from a point touches other marks."""
        others = self.marks[np.hypot(*(self.marks - point).T) > _SAME_PLACE]
        away = line[:, np.newaxis] - others
        return bool((np.hypot(away[..., 0], away[..., 1]) < _SAME_PLACE).any())


def _joined(
    points: FloatArray, which: Sequence[int], names: Sequence[str]
) -> list[tuple[int, str]]:
    """Return a point and a text for every place that has names."""
    groups: list[tuple[int, list[str]]] = []
    for j, name in zip(which, names, strict=True):
        near = (g for i, g in groups if np.hypot(*(points[i] - points[j])) < _SAME_PLACE)
        group = next(near, None)
        if group is None:
            groups.append((j, [shown(name)]))
        else:
            group.append(shown(name))
    texts = []
    for j, group in groups:
        more = len(group) - _NAMES_TOGETHER
        text = ", ".join(group[:_NAMES_TOGETHER])
        texts.append((j, f"{text} and {more} more" if more > 0 else text))
    return texts


def _centres(point: FloatArray, size: FloatArray) -> list[FloatArray]:
    centres = []
    for distance in _DISTANCES:
        for direction in _DIRECTIONS:
            step = np.array(direction) / np.hypot(*direction)
            centres.append(point + distance * step + np.sign(direction) * size / 2)
    return centres


def _leader(point: FloatArray, centre: FloatArray, size: FloatArray) -> FloatArray:
    """Return places along the line from a point to its label; none if they are near."""
    if _gap(centre - point, size) < _LEADER_FROM:
        return np.empty((0, 2))
    along = np.linspace(0, 1, 20)[:, np.newaxis]
    places = point + along * (centre - point)
    inside = (np.abs(places - centre) < size / 2).all(axis=1)
    return np.asarray(places[~inside][1:])


def _gap(offset: FloatArray, size: FloatArray) -> float:
    return float(np.hypot(*(np.abs(offset) - size / 2).clip(0)))


def _inside(places: FloatArray, box: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(np.all((places > box[:2]) & (places < box[2:]), axis=1))


def _text_size(axes: Axes, text: str) -> FloatArray:
    """Return width and height in pixels."""
    probe = verbatim(axes.text(0, 0, text, fontsize=_FONT_SIZE))
    box = probe.get_window_extent()
    probe.remove()
    return np.array([box.width, box.height])


def _write(
    axes: Axes, point: tuple[float, float], text: str, offset: FloatArray, size: FloatArray
) -> None:
    leader = {"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 3}
    far = _gap(offset, size) >= _LEADER_FROM
    note = axes.annotate(
        text, point, xytext=(float(offset[0]), float(offset[1])), textcoords="offset points",
        ha="center", va="center", fontsize=_FONT_SIZE, zorder=5,
        arrowprops=leader if far else None,
    )  # fmt: skip
    verbatim(note)
