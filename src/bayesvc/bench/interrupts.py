"""Interrupts that wait until the work can be left without a trace."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class DeferredInterrupts:
    """Keeps signals from raising anywhere but in `check`. Use it in a `with` statement.

    An exception that a handler raises at any moment may leave a lock of an executor held, or be
    lost in a destructor. Polars, moreover, handles SIGINT in a way that does not end the waiting of
    the main thread. A second Ctrl-C is not deferred, in case `check` is never reached.

    On another thread than the main one nothing changes: handlers do not run there.

    Examples
    --------
    >>> import signal
    >>> from bayesvc.bench.interrupts import DeferredInterrupts
    >>> try:
    ...     with DeferredInterrupts() as interrupts:
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("still running")
    ...         interrupts.check()
    ... except KeyboardInterrupt:
    ...     print("stopped")
    still running
    stopped
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._received: list[int] = []

    def __enter__(self) -> DeferredInterrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):  # neither ignored nor left to the system
                    self._handlers[number] = handler
                    signal.signal(number, self._receive)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if kind is None:
            self.check()

    def check(self) -> None:
        """Handle the first signal that was received: usually, raise KeyboardInterrupt."""
        if self._received:
            self._handlers[self._received[0]](self._received[0], None)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        again = number == signal.SIGINT and number in self._received
        self._received.append(number)
        if again:
            self._handlers[number](number, frame)
