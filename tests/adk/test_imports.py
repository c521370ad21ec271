"""google-adk is loaded by the package named for it, and by no other."""

from __future__ import annotations

import subprocess
import sys

import mongorecall.adk

_LOADED = """
import sys, mongorecall, mongorecall.inspection
print([name for name in sys.modules if name.split(".")[:2] == ["google", "adk"] or name == "google.genai"])
"""
_WITHOUT_ADK = """
import sys
sys.modules["google.adk"] = None
try:
    import mongorecall.adk
except ImportError as error:
    print(error)
"""


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_importing_mongorecall_loads_nothing_of_google_adk() -> None:
    """google-adk takes seconds to load, and most users of the library have none."""
    assert run(_LOADED) == "[]"


def test_without_google_adk_the_error_names_the_extra() -> None:
    """What to install stands in the message."""
    assert run(_WITHOUT_ADK) == "mongorecall.adk needs google-adk: pip install 'mongorecall[adk]'"


def test_every_public_name_is_there_and_documented() -> None:
    """``__all__`` is sorted, complete and explained."""
    names = mongorecall.adk.__all__
    assert names == sorted(names)
    assert all(getattr(mongorecall.adk, name).__doc__ for name in names)
