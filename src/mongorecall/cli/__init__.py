"""The command ``mongorecall``: arguments and printing only. Needs the extra ``cli``."""

from __future__ import annotations

import sys
import warnings

MISSING = "mongorecall: the command line needs typer and rich: pip install 'mongorecall[cli]'"


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    try:
        from mongorecall.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(MISSING)
    # Said where code is written against it; here nobody writes code.
    warnings.filterwarnings("ignore", message=".*MONGODB_MEMORY_SERVICE")
    app()
