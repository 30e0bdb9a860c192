"""Ctrl-C and SIGTERM while the command is still loading."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# The process sends itself the signal when the module is first looked for.
SCRIPT = """
import os, sys

number, module = int(sys.argv[1]), sys.argv[2]

class Signals:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Signals())
from bayesvc.cli import main
sys.argv[1:] = ["recipes"]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signals")
@pytest.mark.parametrize("module", ["bayesvc.cli.app", "bayesvc.selection.methods"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_early_signal_ends_the_command_quietly(module, number, code):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(int(number)), module], capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "Aborted" not in done.stderr
