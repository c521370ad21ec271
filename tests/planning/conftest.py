"""How many random searches a run makes."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def searches() -> int:
    """``MONGORECALL_PLAN_SEARCHES``: 600 in ``make test``, 20 000 and more in ``make test-plans``."""
    return int(os.environ.get("MONGORECALL_PLAN_SEARCHES", "600"))
