"""What a worker process does besides its tasks: it ends with the process that started it."""

from __future__ import annotations

import functools
import os
import signal
import threading
import time

_SECONDS_BETWEEN_LOOKS = 0.5


def prepare_worker(parent: int) -> None:
    """Leave signals to the parent, a process id, and end as soon as it is gone.

    Ctrl-C and SIGTERM often reach all processes of a group. The parent then ends its workers.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _do_nothing)  # unlike SIG_IGN it is not inherited by other programs
    end_with(parent)


@functools.cache
def end_with(parent: int) -> None:
    """End this process as soon as its parent is gone; do nothing in the parent itself.

    A killed parent cannot end its workers, which would go on and keep its output open.
    """
    if os.getpid() != parent:
        threading.Thread(target=_wait_for_end, args=(parent,), daemon=True).start()


def _wait_for_end(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)  # not sys.exit, which would end this thread only


def _do_nothing(*_: object) -> None:
    pass
