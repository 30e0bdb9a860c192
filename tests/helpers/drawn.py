"""What drawn axes show, and names that are hard to draw."""

from __future__ import annotations

import io
from typing import Any

HOSTILE = ["$x_{1}$", "<b>", "_hidden", "$\\frac{", "two\nlines", "long " * 20]


def offsets(axes: Any, which: int) -> list[list[float]]:
    return axes.collections[which].get_offsets().tolist()  # type: ignore[no-any-return]


def drawn_texts(figure: Any) -> list[Any]:
    """All texts with something in them, after a real drawing, in which mathematics would fail."""
    from matplotlib.text import Text

    figure.savefig(io.BytesIO(), format="png")
    return [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


def tick_names(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def overlaps(texts: list[Any]) -> list[tuple[str, str]]:
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts]
    return [
        (a, b) for i, (a, one) in enumerate(boxes) for b, other in boxes[:i] if one.overlaps(other)
    ]
