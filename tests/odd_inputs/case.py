"""One odd input: what goes in, and what must happen."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from bayesvc.exceptions import BayesvcWarning
from tests.helpers.no_sampling import no_sampling

_LONGEST = 400  # characters of a message on the page


@dataclass(frozen=True)
class Refused:
    """A call that raises `error`, with a message that has all parts in `says`, before any fit.

    `varies` is a pattern of what other packages say in the message; the page leaves it out. What
    `given` makes, with fits if need be, goes into the call.
    """

    goes_in: str
    call: Callable[..., Any]
    error: type[Exception]
    says: tuple[str, ...]
    varies: str | None = None
    given: Callable[[], Any] | None = None

    def happens(self, folder: Path) -> str:
        """Check that it is refused as it should be, and return the message as the page has it."""
        with chdir(folder):
            args = () if self.given is None else (self.given(),)
        with chdir(folder), no_sampling():
            try:
                self.call(*args)
            except self.error as error:
                message = str(error)
            else:
                raise AssertionError(f"{self.goes_in}: nothing was raised")
        missing = [part for part in self.says if part not in message]
        assert not missing, f"{message!r} lacks {missing}"
        return as_code(shown(f"{self.error.__name__}: {message}", self.varies))


@dataclass(frozen=True)
class Accepted:
    """A call that works; `gives` says in words what `holds` checks of its result."""

    goes_in: str
    call: Callable[[], Any]
    gives: str
    holds: Callable[[Any], object]

    def happens(self, folder: Path) -> str:
        """Check the result, and return what it is in words."""
        with chdir(folder), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", BayesvcWarning)  # the chains are short
            result = self.call()
        assert self.holds(result), f"{self.goes_in}: not so: {self.gives}"
        return self.gives


@dataclass(frozen=True)
class Command:
    """A command that ends with exit code 2 and a message, and leaves nothing behind."""

    goes_in: str
    args: tuple[str, ...]
    says: str
    files: tuple[tuple[str, str | bytes], ...] = ()
    varies: str | None = None

    def happens(self, folder: Path) -> str:
        """Check that it is refused as it should be, and return the message as the page has it."""
        from bayesvc.cli.app import app

        for name, content in self.files:
            raw = content if isinstance(content, bytes) else content.encode()
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(raw)
        before = {path.name for path in folder.iterdir()}
        with chdir(folder), no_sampling():
            done = CliRunner().invoke(app, list(self.args))
        assert done.exit_code == 2, done.output
        assert self.says in done.stderr
        assert done.stdout == ""
        assert {path.name for path in folder.iterdir()} == before
        message = "Error:" + done.stderr.partition("Error:")[2]
        return f"exit code 2, {as_code(shown(message, self.varies))}"


Case = Refused | Accepted | Command


def shown(message: str, varies: str | None) -> str:
    """Return a message as one line of moderate length."""
    line = " ".join(message.split())
    if varies is not None:
        line, changed = re.subn(varies, "...", line)
        assert changed, f"{varies!r} is not in {line!r}"
    return line if len(line) <= _LONGEST else line[:_LONGEST].rsplit(" ", 1)[0] + " ..."


def as_code(line: str) -> str:
    """Return a line as code in a cell of a Markdown table."""
    marks = "``" if "`" in line else "`"
    space = " " if "`" in line else ""
    return f"{marks}{space}{line}{space}{marks}".replace("|", r"\|")
