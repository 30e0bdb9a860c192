"""Programs in processes of their own: interrupted, or waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path


def assert_stops_on_ctrl_c(program):
    """Interrupt a program once it prints "running"; it must have far more to do than can be done.

    It then ends only if it is stopped: that it ends at all is what is checked, not how soon.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=200)[1]
        assert process.returncode != 0
        assert "KeyboardInterrupt" in errors
    finally:
        process.kill()


def wait_for(condition, seconds=200):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


@contextmanager
def running(command, **options):
    """Start a process in a session of its own; at the end no process of that session is left."""
    process = subprocess.Popen(command, text=True, start_new_session=True, **options)
    try:
        yield process
    finally:
        for pid in session_of(process.pid):
            os.kill(pid, signal.SIGKILL)
        process.communicate()


def session_of(leader):
    """Return the processes of a session, by the id of the one that started it, as Linux tells."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[3]) == leader and fields[0] not in ("Z", "X"):
            found.append(int(stat.parent.name))
    return found
