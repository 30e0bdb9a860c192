"""The command line, `bayesvc`."""

from __future__ import annotations

import sys

from bayesvc.cli.signals import INTERRUPTED, sigterm_as_interrupt


def main() -> None:
    """Run the command line, or say what to install if its libraries are missing."""
    with sigterm_as_interrupt():
        try:
            from bayesvc.cli.app import app
        except ModuleNotFoundError as error:
            if error.name not in ("click", "rich"):
                raise
            sys.exit(f"The command line needs {error.name}. Run: pip install 'bayesvc[cli]'")
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        app()
