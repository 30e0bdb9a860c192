"""Commands that finish some of their chains and then wait, so that no test needs to be quick."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.helpers.figures import PLACEHOLDERS

# Lets `number` chains be kept in a checkpoint, and holds the next one until `release` exists.
HOLD = """
def hold(number, release):
    import pathlib, time
    from bayesvc.sampling.checkpoint import Checkpoint

    keep, kept = Checkpoint.keep, []

    def wait_and_keep(self, key, result):
        while len(kept) >= number and not pathlib.Path(release).exists():
            time.sleep(0.01)
        keep(self, key, result)
        kept.append(key)

    Checkpoint.keep = wait_and_keep
"""
_COMMAND = f"""{PLACEHOLDERS}{HOLD}
hold(int(sys.argv[1]), sys.argv[2])
sys.argv[:] = ["bayesvc", *sys.argv[3:]]
from bayesvc.cli import main

main()
"""


def held_command(number: int, release: Path, *args: object) -> list[str]:
    """Return the command `bayesvc` with these arguments, held after `number` chains.

    Its figures are empty.
    """
    return [sys.executable, "-c", _COMMAND, str(number), str(release), *map(str, args)]
