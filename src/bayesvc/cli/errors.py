"""Errors as messages without a traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from bayesvc._text import visible
from bayesvc.cli.output import as_options

_F = TypeVar("_F", bound=Callable[..., Any])


class VisibleError(click.ClickException):
    """An error whose lines hold nothing that controls a terminal."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(map(visible, lines)))


class BadInput(VisibleError):
    """An error in the input; the exit code is 2."""

    exit_code = 2


class Stopped(VisibleError):
    """Stopped by Ctrl-C; the exit code is 130, or 143 after SIGTERM."""

    exit_code = 130


def report_errors(command: _F) -> _F:
    """Turn errors of the input and of the disk into messages with exit code 2, and Ctrl-C too."""

    @functools.wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except KeyboardInterrupt:  # before there was anything to keep
            raise Stopped("Stopped.") from None
        except BrokenPipeError:  # the reader of our output has closed it
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise BadInput(f"{where}{error.strerror or error}") from None
        except (ValueError, TypeError, ImportError, MemoryError) as error:
            raise BadInput(as_options(_in_one_line(error))) from None

    return wrapped  # type: ignore[return-value]


def _in_one_line(error: Exception) -> str:
    """Return a message, which may be another library's, without its line breaks."""
    return " ".join(line.strip() for line in str(error).splitlines() if line.strip())
