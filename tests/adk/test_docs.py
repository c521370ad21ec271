"""The page about google-adk: its code runs as printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from google.genai import types

from mongorecall.adk import MemoryTracePlugin
from tests.adk.scripted import ScriptedModel, answer_with_memory, call_load_memory

if TYPE_CHECKING:
    from google.adk.runners import Runner

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "adk.md"
CLUSTER = "mongodb+srv://user:password@cluster.mongodb.net/"


def blocks(uri: str, database: str) -> list[str]:
    """The page's Python, with the server and the database of the test."""
    found = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [
        block.replace(CLUSTER, uri).replace('database_name="my_app"', f'database_name="{database}"')
        for block in found
    ]


async def turn(runner: Runner, session_id: str, text: str) -> str:
    """One turn in a new session; the last text."""
    names: dict[str, Any] = {"user_id": "u-42", "session_id": session_id}
    await runner.session_service.create_session(app_name="my_app", **names)
    message = types.Content(role="user", parts=[types.Part(text=text)])
    events = [event async for event in runner.run_async(**names, new_message=message)]
    assert events[-1].content is not None
    return (events[-1].content.parts or [types.Part()])[0].text or ""


@pytest.mark.seed("R-004", "R-080")
@pytest.mark.filterwarnings("default:.*EXPERIMENTAL", "default:.*experimental", "default::DeprecationWarning")
async def test_every_example_runs_as_printed(uri: str, database: str) -> None:
    """From the first import to the shared client; the first agent recalls what it was told."""
    names: dict[str, Any] = {}
    first, *rest = blocks(uri, database)
    exec(first, names)
    names["agent"].model = ScriptedModel(["Noted.", call_load_memory("coffee"), answer_with_memory])
    for block in rest:
        if "MongoClient" in block:
            await names["memory_service"].close()
        exec(block, names)
        if "async def remember(" in block:
            await turn(names["runner"], "s-1", "My favourite coffee is a flat white.")
            await names["remember"]("s-1")
            assert await turn(names["runner"], "s-2", "Which coffee?") == (
                "You said: My favourite coffee is a flat white."
            )
    assert isinstance(names["app"].plugins[0], MemoryTracePlugin)
    found = await names["memory_service"].search_memory(app_name="my_app", user_id="u-42", query="coffee")
    assert len(found.memories) == 3  # the fact, the question and the answer, kept by the plugin
    await names["memory_service"].close()
    names["client"].close()
