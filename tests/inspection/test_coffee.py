"""Seed 004's worked example, and the page that shows it with its real output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.resolve import Server

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```text\n(.*?)```", re.DOTALL)
HEADING = re.compile(r"^# .*\n", re.MULTILINE)


def steady(text: str) -> str:
    """Without what differs from run to run: milliseconds and the time of the write."""
    text = re.sub(r"ms=[\d.]+", "ms=…", text)
    return re.sub(r"last written \S+", "last written …", text)


@pytest.fixture(scope="module")
def printed(server: Server) -> str:
    """What the example prints on the real server."""
    run = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "coffee.py")],
        env=os.environ | {"MONGORECALL_URI": server.uri},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.seed("I-050", "I-051", "I-052")
def test_the_forgotten_coffee_order_is_found(printed: str) -> None:
    """The query is alive, the search ran under another key than the write, one shared function finds the
    coffee, and the order is found once it is restated in text."""
    steps = dict(re.findall(r"^# (?:\d\. )?(.*?)\n(.*?)(?=^# |\Z)", printed, re.MULTILINE | re.DOTALL))

    assert "memory.write key=support/42 " in steps["Monday"]
    assert "'coffee' is looked for as coffee" in steps["Did the query have a chance?"]
    assert "memory.search key=support/u-42 tokens=2 keywords=2 hits=0" in steps["What did the store do?"]
    assert "key_mismatch" in steps["Why?"]
    assert "hits=1" in steps["With one shared function"]
    assert "not_indexed" in steps["And the order?"]
    assert "hits=1" in steps["With the status restated in text"]


def test_the_page_shows_the_real_output(printed: str) -> None:
    """Block by block."""
    page = (ROOT / "docs" / "examples" / "coffee.md").read_text(encoding="utf-8")
    shown = [steady(block).strip() for block in BLOCK.findall(page)]
    real = [steady(part).strip() for part in HEADING.split(printed) if part.strip()]

    assert shown == real
