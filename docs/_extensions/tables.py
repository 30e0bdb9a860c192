"""Align columns of numbers to the right and keep names whole, in every table of every page."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes

# A number with an optional sign, unit, range or standard error, or several of them with slashes.
_ONE = r"[<>~+\-\u2212]?\d[\d,]*(\.\d+)?(e[+-]?\d+)?( ?%|x)?( \([^()]*\))?"
_NUMBER = re.compile(rf"{_ONE}( (/|to) {_ONE})*")
# Names of methods and sizes of tables stay on one line.
_NAME = re.compile(r"[a-z]+(-[a-z]+)+(@\d+)?|\([\d,]+, [\d,]+\)")
_EMPTY = {"", "-", "inf", "none"}


def align_numbers(app: Any, doctree: nodes.document) -> None:
    """Mark the cells of columns that hold only numbers."""
    for table in doctree.findall(nodes.tgroup):
        body = next(table.findall(nodes.tbody))
        rows = [list(row.findall(nodes.entry)) for row in body.findall(nodes.row)]
        heads = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)][:1]
        for column in range(len(heads[0])):
            cells = [row[column] for row in rows if column < len(row)]
            if _holds_numbers([cell.astext().strip() for cell in cells]):
                for cell in (*cells, heads[0][column]):
                    cell["classes"].append("number")
            for cell in cells:
                if _NAME.fullmatch(cell.astext().strip()):
                    cell["classes"].append("name")


def _holds_numbers(texts: list[str]) -> bool:
    filled = [text for text in texts if text.lower() not in _EMPTY]
    return bool(filled) and all(_NUMBER.fullmatch(text) for text in filled)


def setup(app: Any) -> dict[str, bool]:
    """Run it after a page has been read."""
    app.connect("doctree-read", align_numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
