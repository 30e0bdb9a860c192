"""Programs in processes of their own: interrupted, or waited for."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time


def assert_stops_on_ctrl_c(program):
    """Interrupt a program once it prints "running"."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        errors = process.communicate(timeout=20)[1]
        # a second for the sampler, another for the interpreter to end on a busy machine
        assert time.monotonic() - sent < 2
        assert "KeyboardInterrupt" in errors
    finally:
        process.kill()


def wait_for(condition, seconds=200):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)
