"""The command ``mongorecall``: arguments and printing only. Needs the extra ``cli``."""

from __future__ import annotations

import sys

MISSING = "mongorecall: the command line needs typer and rich: pip install 'mongorecall[cli]'"


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    try:
        from mongorecall.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(MISSING)
    app()
