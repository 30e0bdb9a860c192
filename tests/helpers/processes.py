"""Programs in processes of their own: interrupted, or waited for."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time


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
