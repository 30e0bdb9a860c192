"""A one-line progress bar for long runs, and the hook for callers who want their own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

ProgressCallback = Callable[[int, int], object]

_BAR_WIDTH = 30
_SECONDS_BETWEEN_UPDATES = 0.2


class Progress:
    """Reports how many of `total` iterations are done, at most five times a second.

    Parameters
    ----------
    progress : bool, callable or None
        True draws a bar on standard error if that is a terminal; a callable receives
        ``(done, total)``; None and False report nothing.
    total : int
        Number of iterations in the whole run.
    stream : file, optional
        Where the bar goes; standard error by default.

    Examples
    --------
    >>> from bayesvc.sampling.progress import Progress
    >>> report = Progress(lambda done, total: print(f"{done} of {total}"), total=10)
    >>> report.finish()
    10 of 10
    """

    def __init__(
        self, progress: bool | ProgressCallback | None, total: int, stream: TextIO | None = None
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._callback: ProgressCallback | None = None
        self._draws_bar = False
        if callable(progress):
            self._callback = progress
        elif progress:
            self._draws_bar = self._stream is not None and self._stream.isatty()
        self._total = total
        self._started = time.monotonic()
        self._last_update = self._started

    def update(self, done: int) -> None:
        """Report `done` iterations, unless the last report was a moment ago."""
        now = time.monotonic()
        if now - self._last_update >= _SECONDS_BETWEEN_UPDATES:
            self._last_update = now
            self._show(done)

    def finish(self) -> None:
        """Report that everything is done."""
        self._show(self._total)
        if self._draws_bar:
            self._stream.write("\n")
            self._stream.flush()

    def abandon(self) -> None:
        """Leave the line of an unfinished bar, so that an error starts on its own line."""
        if self._draws_bar:
            self._stream.write("\n")
            self._stream.flush()

    def _show(self, done: int) -> None:
        if self._callback is not None:
            self._callback(done, self._total)
        elif self._draws_bar:
            # padded, so that a shorter text covers what a longer one left behind
            self._stream.write("\r" + bar_text(done, self._total, self._seconds()).ljust(78))
            self._stream.flush()

    def _seconds(self) -> float:
        return time.monotonic() - self._started


def bar_text(done: int, total: int, seconds: float) -> str:
    """Return the bar as text: fraction done, time used and time left.

    Examples
    --------
    >>> from bayesvc.sampling.progress import bar_text
    >>> bar_text(500, 1000, 2.0)
    'sampling [###############---------------]  50 %  0:02, 0:02 left'
    """
    fraction = done / total if total else 1.0
    filled = int(_BAR_WIDTH * fraction)
    left = _clock(seconds * (1 - fraction) / fraction) if fraction > 0 else "?"
    bar = "#" * filled + "-" * (_BAR_WIDTH - filled)
    return f"sampling [{bar}] {100 * fraction:3.0f} %  {_clock(seconds)}, {left} left"


def check_progress(progress: Any) -> bool | ProgressCallback | None:
    """Return `progress` if it is None, a boolean or a callable."""
    if progress is None or isinstance(progress, bool) or callable(progress):
        return progress  # type: ignore[no-any-return]
    raise TypeError(
        f"`progress` must be None, True, False or a callable. Got {progress!r} instead. Pass True "
        "for a bar, or a function that receives (done, total)."
    )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
