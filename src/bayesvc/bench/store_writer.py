"""The process that writes to a store: its token, its heartbeat and its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bayesvc._lock import Heartbeat, claim, new_token


class StoreWriter:
    """Signals that this process is alive, and names its files.

    Parameters
    ----------
    folder : Path
        Folder with a file for each writer.
    """

    def __init__(self, folder: Path) -> None:
        self.token = new_token()
        self._file = folder / self.token
        self._file.write_text(self.token)
        self._count = 0
        self._heartbeat = Heartbeat(self._file.touch)

    def claim(self, place: Path, is_gone: Callable[[str, Path], bool]) -> bool:
        """Create a file that names this process; return False if another writer's is there."""
        return claim(self._file, place, is_gone) is None

    def next_name(self) -> str:
        """Return a name for a new file that no other writer uses."""
        self._count += 1
        return f"{self.token}+{self._count:06d}"

    def stop(self) -> None:
        """Stop signalling and remove the file."""
        self._heartbeat.stop()
        self._file.unlink(missing_ok=True)
