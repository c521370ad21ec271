"""``examples/adk_agent.py`` runs without a key and without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "adk_agent.py"


@pytest.mark.seed("R-001", "R-004")
def test_the_example_recalls_monday_on_thursday(uri: str) -> None:
    """A fact is told, found in a later session, and a query without words is answered with the reason."""
    environment = {**os.environ, "MONGORECALL_URI": uri}
    command = [sys.executable, str(EXAMPLE)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    told = run.stdout.splitlines()
    assert told[0] == "[monday] user:  My favourite coffee is a flat white."
    assert any(line.endswith("you said: My favourite coffee is a flat white.") for line in told)
    assert told[-1].startswith("[friday] agent: I do not know. The query had no searchable words.")
