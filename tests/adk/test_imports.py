"""google-adk is loaded by the package named for it, and by no other."""

from __future__ import annotations

import subprocess
import sys

import mongorecall.adk

_FRESH = """
import sys, mongorecall, mongorecall.inspection
print([name for name in sys.modules if name.split(".")[:2] == ["google", "adk"] or name == "google.genai"])
sys.modules["google.adk"] = None
try:
    import mongorecall.adk
except ImportError as error:
    print(error)
"""


def test_only_the_edge_loads_google_adk_and_names_the_extra_without_it() -> None:
    """google-adk takes seconds to load and most users have none; what to install stands in the message."""
    run = subprocess.run([sys.executable, "-c", _FRESH], capture_output=True, text=True, check=True)
    loaded, refused = run.stdout.splitlines()
    assert loaded == "[]"
    assert refused == "mongorecall.adk needs google-adk: pip install 'mongorecall[adk]'"


def test_every_public_name_is_there_and_documented() -> None:
    """``__all__`` is sorted, complete and explained."""
    names = mongorecall.adk.__all__
    assert names == sorted(names)
    assert all(getattr(mongorecall.adk, name).__doc__ for name in names)
