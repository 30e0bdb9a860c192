"""Errors as messages without a traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from bayesvc.cli.output import as_options

_F = TypeVar("_F", bound=Callable[..., Any])


class BadInput(click.ClickException):
    """An error in the input; the exit code is 2."""

    exit_code = 2


class Stopped(click.ClickException):
    """Stopped by Ctrl-C before there was a result; the exit code is 130."""

    exit_code = 130


def report_errors(command: _F) -> _F:
    """Turn errors of the input and of the disk into messages with exit code 2."""

    @functools.wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except BrokenPipeError:  # the reader of our output has closed it
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise BadInput(f"{where}{error.strerror or error}") from None
        except (ValueError, TypeError, ImportError, MemoryError) as error:
            raise BadInput(as_options(str(error))) from None

    return wrapped  # type: ignore[return-value]
