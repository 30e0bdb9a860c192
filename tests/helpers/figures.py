"""Stand-ins for the figures of a command, which take most of the time of a short one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bayesvc import plots
from tests.helpers.paths import ROOT

_FIGURES = ("agreement", "dendrogram", "importance", "nulls", "scatter", "stability", "traces")


class Placeholder:
    """Stands for a plot."""

    def save(self, path: Path) -> None:
        path.write_text("<svg/>\n")


def draw_placeholders(set_attribute: Callable[[Any, str, Any], None] = setattr) -> None:
    """Let commands write empty figures, where a test is not about figures."""
    for name in _FIGURES:
        set_attribute(plots, name, lambda *_, **__: Placeholder())


# The same in a process of its own.
PLACEHOLDERS = f"""
import sys
sys.path.append({str(ROOT)!r})
from tests.helpers.figures import draw_placeholders
draw_placeholders()
"""
