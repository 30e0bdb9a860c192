"""A call on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")

# Short enough that Ctrl-C works at once even on platforms where waiting cannot be interrupted.
SECONDS_BETWEEN_LOOKS = 0.1


class BackgroundCall(Generic[_T]):
    """A call that starts at once on a thread of its own."""

    def __init__(self, compute: Callable[[], _T]) -> None:
        self._compute = compute
        self._outcome: list[_T] = []
        self._error: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome.append(self._compute())
        except BaseException as caught:  # raised again on the caller's thread
            self._error.append(caught)

    def result(self) -> _T:
        """Wait for the result; stays interruptible while waiting."""
        while self._thread.is_alive():
            self._thread.join(SECONDS_BETWEEN_LOOKS)
        if self._error:
            raise self._error[0]
        return self._outcome[0]
