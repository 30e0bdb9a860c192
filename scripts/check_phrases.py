"""Find phrases that must not come back in what people read.

They claim a cause, are not idiomatic, or have a better word in the glossary. Case and line breaks
do not matter; a phrase is found only as whole words. Files that scripts write are not searched.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

# What must not come back, and what to write instead.
PHRASES = {
    "truth value": "boolean",
    "truth values": "booleans",
    "false find": "false positive",
    "false finds": "false positives",
    "is no probability": "must be in the interval (0, 1)",
    "is no array": "must be an array",
    "is no number": "must be a number",
    "is no weight": "must be a weight",
    "are no numbers": "must be numbers",
    "has no meaning for": "is not supported by",
    "cannot go with": "is not compatible with",
    "drives": "is predictive of",
    "drive the target": "predict the target",
    "driver": "relevant variable",
    "drivers": "relevant variables",
    "dearest": "most expensive",
    "by chance, it seems": "say what the test showed",
    "fits were enough": "say that the selection was stable, or that it was not",
    "without further words": "by default",
    "cut in two": "clustered into two groups",
    "tells as much as": "has an effective sample size of",
    "tell as much as": "have an effective sample size of",
    "misses the least": "has the highest recall",
    "of other two": "for any other two",
    "took a liking": "favoured",
    "refutes nothing": "does not show that a variable is irrelevant",
    "at hand too": "also available",
}

SEARCHED = (
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "src/bayesvc/**/*.py",
    "src/bayesvc/**/*.jinja", "src/bayesvc/**/*.js", "cpp/**/*.[ch]pp", "bind/*.[ch]pp",
)  # fmt: skip
WRITTEN_BY_SCRIPTS = (
    "docs/reproduction/tables.md",
    "docs/relevance/first-formula-tables.md",
    "docs/generated",
)


def offences(text: str) -> list[tuple[int, str]]:
    """Return the lines on which a phrase begins, with the phrase."""
    found = []
    for phrase in PHRASES:
        words = r"[\s\"#*/|]+".join(map(re.escape, phrase.split()))
        for match in re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE):
            found.append((text.count("\n", 0, match.start()) + 1, phrase))
    return sorted(found)


def searched() -> list[Path]:
    """Return the files to search."""
    paths = {path for pattern in SEARCHED for path in ROOT.glob(pattern)}
    return sorted(
        path
        for path in paths
        if not path.relative_to(ROOT).as_posix().startswith(WRITTEN_BY_SCRIPTS)
    )


def main() -> int:
    """Print every offence, and return 1 if there is any."""
    n_offences = 0
    for path in searched():
        for line, phrase in offences(path.read_text(encoding="utf-8")):
            n_offences += 1
            place = f"{path.relative_to(ROOT).as_posix()}:{line}"
            print(f'{place}: "{phrase}"; write: {PHRASES[phrase]}')
    return 1 if n_offences else 0


if __name__ == "__main__":
    sys.exit(main())
