"""SIGTERM, which job schedulers and `kill` send, handled like Ctrl-C."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

EXIT_CODE = 128 + signal.SIGTERM
INTERRUPTED = 128 + signal.SIGINT
_SECONDS_OF_ONE_REQUEST = 1.0


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM."""


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Raise Terminated on SIGTERM, and set the exit code to 143 if the command then fails.

    `timeout` sends the signal twice in a row, to the process and to its group. The second one must
    not interrupt what the first one made the command do.
    """
    received: list[float] = []

    def handle(*_: object) -> None:
        now = time.monotonic()
        is_repeated = bool(received) and now - received[-1] < _SECONDS_OF_ONE_REQUEST
        received.append(now)
        if not is_repeated:
            raise Terminated

    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:  # whoever ignores it has a reason
        signal.signal(signal.SIGTERM, handle)
    try:
        yield
    except SystemExit as end:
        if received and end.code not in (None, 0):
            sys.exit(EXIT_CODE)
        raise
