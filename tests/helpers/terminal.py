"""A pseudo-terminal for commands."""

from __future__ import annotations

import codecs
import os
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")


class Terminal:
    """A process whose input, output and errors are a terminal of 100 columns."""

    def __init__(self, command: list[str], cwd: Path) -> None:
        self._master, slave = pty.openpty()
        env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, cwd=cwd, env=env,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.text = ""

    def read_until(self, condition, seconds=200):
        end = time.monotonic() + seconds
        while not condition(self.text):
            assert time.monotonic() < end, self.text
            ready, _, _ = select.select([self._master], [], [], 0.05)
            if ready:
                try:
                    self.text += self._decoder.decode(os.read(self._master, 65536))
                except OSError:  # the other side is closed
                    break

    def finish(self):
        self.read_until(lambda text: self.process.poll() is not None)
        if self._more():
            self.read_until(lambda text: not self._more())
        return self.process.wait(timeout=200), re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.text)

    def _more(self):
        ready, _, _ = select.select([self._master], [], [], 0.2)
        return bool(ready)
