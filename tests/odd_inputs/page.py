"""docs/odd-inputs.md: a table of what goes in and what happens."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.helpers.paths import ROOT
from tests.odd_inputs import SECTIONS
from tests.odd_inputs.case import Case

PAGE = ROOT / "docs" / "odd-inputs.md"

_HEAD = """\
# Odd inputs
What goes in, and what happens. Every row is a test, and the messages are those that it got:
`tests/odd_inputs` holds the cases, and `pytest tests/odd_inputs --regenerate-golden` writes
this page. What is refused is refused before any fit starts. A message names the argument, its
value, and what to do; "..." stands for words of another package, or the rest of a long message.

X has 30 rows and 3 columns where nothing else is said.
"""


def row(case: Case, happens: str) -> str:
    """Return a case as a row of its table."""
    return f"| {case.goes_in.replace('|', chr(92) + '|')} | {happens} |"


def in_a_folder(case: Case) -> str:
    """Run a case in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return case.happens(Path(folder))


def render(happens: Callable[[Case], str] = in_a_folder) -> str:
    """Return the page."""
    parts = [_HEAD]
    for title, cases in SECTIONS.items():
        rows = [row(case, happens(case)) for case in cases]
        table = ["| what goes in | what happens |", "|---|---|", *rows]
        parts.append("\n".join([f"## {title}", *table, ""]))
    return "\n".join(parts)
