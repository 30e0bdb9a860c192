"""The command line, `bayesvc`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; without its libraries say what to install."""
    try:
        from bayesvc.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        sys.exit(f"the command line needs {error.name}; pip install 'bayesvc[cli]'")
    app()
