"""Names that would do something to a terminal, or to a reader's eyes."""

from __future__ import annotations

import re

HOSTILE_NAMES = (
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b2J one character for two",
    "\u202eturned",
    "two\u2028lines",
    "three\nlines\r\nmore",
    "with\ttab",
    "\x7f\x08\x00".replace("\x00", "\x01"),
    "\u2066isolated\u200f",
)

_HOSTILE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def hostile_characters(text: str, allowed: str = "") -> set[str]:
    """Return the characters of a text that no terminal should be sent; newlines are not counted."""
    return set(_HOSTILE.findall(text)) - set(allowed)
