"""Files that belong to one process, and whether that process is still running.

A process writes a file of its own, which names it, and claims a place by a hard link to that file:
making a link either succeeds or finds another one there, on NFS too, and the link is never there
without the name. A lock of the kernel (`flock`) is not used: on NFS it may hold on one machine only
or not work at all, and worker processes would inherit it.

The owner touches its file every few seconds. On the same machine the process id tells whether the
owner is gone; on another one, a file that was not touched for a minute does.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import socket
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

SECONDS_BETWEEN_BEATS = 5.0
SECONDS_UNTIL_GONE = 60.0
_SECONDS_BETWEEN_TRIES = 0.01
_MOST_TRIES = 200
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EACCES)


def new_token() -> str:
    """Return a name for this process that no other process has or will have.

    Examples
    --------
    >>> from bayesvc._lock import is_running, new_token
    >>> is_running(new_token()) in (True, None)
    True
    """
    pid = os.getpid()
    _, birth = _process(pid)
    return f"{host_name()}+{pid}+{_machine()}-{birth}-{secrets.token_hex(6)}"


def is_running(token: str) -> bool | None:
    """Return whether the process of a token is running; None if that cannot be known from here.

    Examples
    --------
    >>> from bayesvc._lock import host_name, is_running
    >>> is_running("elsewhere+1+0"), is_running(f"{host_name()}+{2**22 + 1}+0")
    (None, False)
    """
    host, pid, rest = token.split("+") if token.count("+") == 2 else ("", "", "")
    machine, birth, _ = rest.split("-") if rest.count("-") == 2 else ("", "", "")
    if host != host_name() or not pid.isdigit() or (machine and machine != _machine()):
        return None
    if not _exists(int(pid)):
        return False
    state, own_birth = _process(int(pid))
    if state in ("Z", "X") or (birth and own_birth and birth != own_birth):
        return False  # it ended and was not waited for, or its number went to another process
    return True if birth and own_birth else None


def host_name() -> str:
    """Return the name of this machine as tokens carry it."""
    return socket.gethostname().replace("+", "-")


def seconds_since_beat(path: Path) -> float:
    """Return how long ago a file was touched; infinity if there is none.

    The time is that of the file system, which may be another machine's.
    """
    try:
        touched = path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")
    probe = path.with_name(f".clock-{secrets.token_hex(8)}")
    try:
        probe.touch()
        return probe.stat().st_mtime - touched
    except OSError:  # a full disk
        return time.time() - touched
    finally:
        probe.unlink(missing_ok=True)


class Heartbeat:
    """Calls a function every few seconds, on a thread of its own, until it is stopped."""

    def __init__(self, beat: Callable[[], object]) -> None:
        self._beat = beat
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait until the function is not running."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(SECONDS_BETWEEN_BEATS):
            try:
                self._beat()
            except OSError:
                continue  # a full or absent disk shows when results are written


def claim(own: Path, place: Path, is_gone: Callable[[str, Path], bool]) -> str | None:
    """Link a file of this process to a place, and return None, or the text of the file there.

    A file whose owner `is_gone`, as judged from its text and its path, is replaced. Of several
    processes that find it gone, only the one that claims the *turn* to replace it does so. The turn
    has a name of its own for each text, so that nobody can replace a newer file than the one that
    was judged.
    """
    for _ in range(_MOST_TRIES):
        if _link(own, place):
            return None
        text = text_of(place)
        if text is None:
            continue  # removed meanwhile
        if not is_gone(text, place):
            return text
        turn = place.with_name(f"{place.name}.{hashlib.sha256(text.encode()).hexdigest()[:12]}")
        if claim(own, turn, is_gone) is not None:
            time.sleep(_SECONDS_BETWEEN_TRIES)  # another process is about to replace it
        elif text_of(place) == text:
            turn.replace(place)
            return None
        else:
            turn.unlink(missing_ok=True)
    return text_of(place) or ""


def text_of(path: Path) -> str | None:
    """Return the text of a small file; None if there is none, and "" of what is not a file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ""  # reading a pipe would wait for ever
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class Owner:
    """The process that a lock names."""

    host: str
    pid: str
    since: float | None

    @classmethod
    def from_text(cls, text: str) -> Owner:
        """Return the owner that the text of a lock names."""
        token, _, since = text.partition("\n")
        host, pid, _ = token.split("+") if token.count("+") == 2 else ("", "", "")
        return cls(host, pid, float(since) if since.strip().isdigit() else None)

    def __str__(self) -> str:
        """Return the owner in words."""
        if not self.pid:
            return "an unknown process"
        since = ""
        if self.since is not None:
            since = f", since {datetime.fromtimestamp(self.since):%Y-%m-%d %H:%M:%S}"
        return f"process {self.pid} on {self.host}{since}"


class LockHeld(Exception):
    """Another process holds the lock."""

    def __init__(self, owner: Owner) -> None:
        super().__init__(str(owner))
        self.owner = owner


class Lock:
    """A file that says which process owns the folder it is in. Making one takes the lock.

    Parameters
    ----------
    path : Path
        The file, in a folder that exists.

    Raises
    ------
    LockHeld
        If a process that is still running holds it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesvc._lock import Lock, LockHeld
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lock = Lock(pathlib.Path(folder) / "owner")
    ...     try:
    ...         Lock(lock.path)
    ...     except LockHeld:
    ...         print("held")
    ...     lock.release()
    held
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = f"{new_token()}\n{int(time.time())}\n"
        own = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        try:
            own.write_text(self._text, encoding="utf-8")
            held_by = claim(own, path, _is_gone)
        finally:
            own.unlink(missing_ok=True)
        if held_by is not None:
            raise LockHeld(Owner.from_text(held_by))
        self._heartbeat = Heartbeat(self._touch)

    @property
    def is_held(self) -> bool:
        """Whether this process still holds the lock."""
        return text_of(self.path) == self._text

    def copy_to(self, path: Path) -> None:
        """Put the same lock at another place too."""
        _link(self.path, path)

    def release(self) -> None:
        """Give the lock back."""
        self._heartbeat.stop()
        if self.is_held:
            self.path.unlink(missing_ok=True)

    def _touch(self) -> None:
        if self.is_held:
            self.path.touch()


def running_owner(path: Path) -> Owner | None:
    """Return the running process that holds the lock in a file; None if there is none."""
    text = text_of(path)
    return None if text is None or _is_gone(text, path) else Owner.from_text(text)


def delete_leftovers(path: Path) -> None:
    """Delete what processes that were killed left beside the lock in a file."""
    one = "[0-9a-f]"
    names = (f".{path.name}.{one * 12}", f"{path.name}.{one * 12}", f".clock-{one * 16}")
    for leftover in [found for name in names for found in path.parent.glob(name)]:
        text = text_of(leftover)
        if text is not None and _is_gone(text, leftover):
            leftover.unlink(missing_ok=True)


def _is_gone(text: str, path: Path) -> bool:
    """Return whether the owner of a lock is gone. One that was suspended is not."""
    running = is_running(text.partition("\n")[0])
    if running is None:
        return seconds_since_beat(path) > SECONDS_UNTIL_GONE
    return not running


def _link(own: Path, place: Path) -> bool:
    """Make a link; return False if something else is there."""
    n_before = own.stat().st_nlink
    try:
        os.link(own, place)
        return True
    except FileNotFoundError:
        raise
    except FileExistsError:
        # over NFS the reply to a first try may be lost, and then the second one fails
        return own.stat().st_nlink > n_before and _is_same(own, place)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    try:  # a file system without links
        with place.open("x", encoding="utf-8") as file:
            file.write(own.read_text(encoding="utf-8"))
    except FileExistsError:
        return False
    return True


def _is_same(own: Path, place: Path) -> bool:
    try:
        return place.samefile(own)
    except FileNotFoundError:
        return False


def _exists(pid: int) -> bool:
    if os.name == "nt":  # where a signal, even 0, ends the process
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _process(pid: int) -> tuple[str, str]:
    """Return the state of a process and when it started, as Linux tells; elsewhere nothing."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", ""
    fields = text.rpartition(")")[2].split()
    return (fields[0], fields[19]) if len(fields) > 19 else ("", "")


@cache
def _machine() -> str:
    """Return what tells this machine, since it started, and this container from others.

    Process ids of another container mean nothing here, though it may have the same host name.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        return hashlib.sha256((boot + os.readlink("/proc/self/ns/pid")).encode()).hexdigest()[:8]
    except OSError:
        return ""
