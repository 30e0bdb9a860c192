"""The process that writes to a store: its token, its heartbeat and its files."""

from __future__ import annotations

import os
import socket
import threading
import uuid
from pathlib import Path

_SECONDS_BETWEEN_BEATS = 5.0


class StoreWriter:
    """Signals that this process is alive, and names its files.

    Parameters
    ----------
    folder : Path
        Folder with a file for each writer.
    """

    def __init__(self, folder: Path) -> None:
        self.token = f"{host_name()}+{os.getpid()}+{uuid.uuid4().hex[:12]}"
        self._file = folder / self.token
        self._file.write_text(self.token)
        self._count = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def sign(self, claim: Path) -> None:
        """Create a file that names this process; FileExistsError if there is one."""
        try:
            os.link(self._file, claim)  # in one step, so that no kill leaves it without the name
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            with claim.open("x") as file:
                file.write(self.token)

    def next_name(self) -> str:
        """Return a name for a new file that no other writer uses."""
        self._count += 1
        return f"{self.token}+{self._count:06d}"

    def stop(self) -> None:
        """Stop signalling and remove the file."""
        self._stop.set()
        self._thread.join()
        self._file.unlink(missing_ok=True)

    def _beat(self) -> None:
        while not self._stop.wait(_SECONDS_BETWEEN_BEATS):
            try:
                self._file.touch()
            except OSError:
                continue  # a full or absent disk shows when results are written


def host_name() -> str:
    """Return the name of this machine as writers' tokens carry it."""
    return socket.gethostname().replace("+", "-")


def is_alive(pid: int) -> bool:
    """Return whether a process of this machine is running."""
    if os.name == "nt":  # where a signal, even 0, ends the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
