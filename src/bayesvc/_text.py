"""Numbers and names in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

# The joiners U+200C and U+200D belong to the spelling of some languages, and to emoji.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_PLAIN_WORD = re.compile(r"[a-z]+(?=[ ,:;.!?-]|$)")


def counted(number: int, thing: str) -> str:
    """Return a number with its noun in the singular or plural.

    Examples
    --------
    >>> from bayesvc._text import counted
    >>> counted(1, "value"), counted(2, "value")
    ('1 value', '2 values')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def probability(value: float) -> str:
    """Return an estimated probability as text that does not claim to be certain.

    Examples
    --------
    >>> from bayesvc._text import probability
    >>> probability(0.25), probability(0.9998), probability(0.0001)
    ('0.250', '> 0.999', '< 0.001')
    """
    if value > 0.999:
        return "> 0.999"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def percent(value: float) -> str:
    """Return a proportion as a whole percentage; halves are rounded up, as in the report.

    Examples
    --------
    >>> from bayesvc._text import percent
    >>> percent(0.625), percent(1.0)
    ('63 %', '100 %')
    """
    return f"{math.floor(100 * value + 0.5)} %"


def visible(text: str, keep: str = "") -> str:
    r"""Return a text with characters that control a terminal, or are not seen, as escapes.

    These are control characters, line and paragraph separators, marks that turn the direction of
    writing, and halves of surrogate pairs. Those in `keep` stay.

    Examples
    --------
    >>> from bayesvc._text import visible
    >>> print(visible("\x1b[31mred"))
    \x1b[31mred
    """
    return _HIDDEN.sub(lambda match: match[0] if match[0] in keep else _escaped(match[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def listed(names: Iterable[object], most: int = 8, last: str = ",") -> str:
    """Join names, made visible, with commas; beyond `most`, say how many more there are.

    Within a sentence, the `last` two names are joined by "and".

    Examples
    --------
    >>> from bayesvc._text import listed
    >>> listed("abc"), listed("abc", most=1), listed("abc", last="and")
    ('a, b, c', 'a and 2 more', 'a, b and c')
    """
    items = [visible(str(name)) for name in names]
    if last != "," and 2 <= len(items) <= most:
        return f"{', '.join(items[:-1])} {last} {items[-1]}"
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def quoted(names: Iterable[object], most: int = 5) -> str:
    """Join names in quotation marks with commas; beyond `most`, say how many more there are.

    Examples
    --------
    >>> from bayesvc._text import quoted
    >>> quoted(["a", "b"]), quoted(["a", "b"], most=1)
    ("'a', 'b'", "'a' and 1 more")
    """
    return listed(map(repr, names), most)


def as_sentence(text: str) -> str:
    """Return a phrase with a capital letter and a full stop.

    A first word that is not a plain word, such as an argument, stays as it is.

    Examples
    --------
    >>> from bayesvc._text import as_sentence
    >>> as_sentence("pass a number such as 0.05")
    'Pass a number such as 0.05.'
    >>> as_sentence("n_trees=20 is enough")
    'n_trees=20 is enough.'
    """
    text = text.strip()
    if _PLAIN_WORD.match(text):
        text = f"{text[0].upper()}{text[1:]}"
    return text if text.endswith((".", "!", "?")) else f"{text}."
