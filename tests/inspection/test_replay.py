"""A failed conversation, from a file, walked through the four checks."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from mongorecall import InMemoryMemoryService
from mongorecall.errors import InvalidInputError
from mongorecall.inspection import InspectingMemoryService, replay
from mongorecall.inspection._trace_log import read_trace
from mongorecall.testing.factories import make_session
from tests.inspection.world import APP, COFFEE, USER, World


def conversation(*parts: dict[str, Any], author: str = "agent") -> dict[str, Any]:
    """A session in google-adk's JSON, one event a part."""
    events = [
        {"id": f"e-{n}", "author": author, "content": {"parts": [part]}} for n, part in enumerate(parts)
    ]
    return {"id": "thursday", "appName": APP, "userId": USER, "events": events}


@pytest.mark.seed("I-073")
async def test_the_questions_of_a_session_are_replayed(world: World, tmp_path: Path) -> None:
    """Each call of ``load_memory`` goes through the four checks in order."""
    await world.write(COFFEE, user_id="42")
    session = conversation(
        {"function_call": {"name": "load_memory", "args": {"query": "coffee preference?"}}},
        {"functionCall": {"name": "load_memory", "args": {"query": "what is it"}}},
        {"function_call": {"name": "load_memory", "args": {"query": "coffee preference?"}}},
    )
    (file := tmp_path / "thursday.json").write_text(json.dumps(session, indent=2))

    report = await replay(await world.service(), file, allow_key_listing=True)

    assert report.source == "session"
    assert report.causes == {"key_mismatch": 2}
    assert [one.query for one in report.queries] == ["coffee preference?", "what is it"]
    assert [check.name for check in report.queries[0].diagnosis.checks] == [
        "WRITTEN",
        "KEY",
        "MATCH_RULES",
        "INDEXED_CONTENT",
    ]
    assert not report.ok
    assert json.loads(json.dumps(report.to_dict()))["causes"] == {"key_mismatch": 2}


async def test_a_model_that_never_asked_is_a_finding(world: World, tmp_path: Path) -> None:
    """The user's turns are replayed in place of the calls that were never made."""
    await world.write(COFFEE)
    session = conversation({"text": "What coffee do I usually get?"}, author="user")
    (file := tmp_path / "thursday.json").write_text(json.dumps(session))

    report = await replay(await world.service(), file)

    assert "never called load_memory" in report.findings[0]
    assert [(one.query, one.diagnosis.cause) for one in report.queries] == [
        ("What coffee do I usually get?", None)
    ]
    assert not report.ok


async def test_queries_of_a_file_are_replayed(world: World) -> None:
    """JSON Lines with a key and an expected event each, or the caller's key."""
    await world.write(COFFEE, "I like tea")
    lines = [
        json.dumps({"query": "coffee", "app_name": APP, "user_id": USER, "expect": "s-1-2"}),
        json.dumps({"q": "tea"}),
    ]

    report = await replay(await world.service(), lines, app_name=APP, user_id=USER)

    assert report.source == "queries"
    assert [one.diagnosis.cause for one in report.queries] == ["no_shared_keyword", None]
    with pytest.raises(InvalidInputError, match="names no app or user"):
        await replay(await world.service(), lines[1:])


@pytest.mark.seed("I-036")
async def test_the_log_lines_alone_show_a_key_mismatch(caplog: pytest.LogCaptureFixture) -> None:
    """A search under a key that no write names is a mismatch; no write at all means never written."""
    caplog.set_level(logging.INFO, "mongorecall.inspection")
    memory = InspectingMemoryService(InMemoryMemoryService())

    await memory.search_memory(app_name=APP, user_id=USER, query="coffee")
    never = read_trace(record.getMessage() for record in caplog.records)
    await memory.add_session_to_memory(make_session(COFFEE, user_id="42"))
    await memory.search_memory(app_name=APP, user_id=USER, query="coffee")
    mismatch = read_trace(f"2026-03-05 10:00:00 INFO {record.getMessage()}" for record in caplog.records)

    assert never.findings() == (
        "support/u-42: 1 searches without a hit, and no write line at all: memory is never written",
    )
    assert mismatch.findings() == (
        "support/u-42: 2 searches without a hit, and no write line names this key; written: support/42",
    )


async def test_a_trace_log_is_replayed(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Its keys are compared; its queries are diagnosed where it holds them."""
    caplog.set_level(logging.INFO, "mongorecall.inspection")
    service = await world.service()
    memory = InspectingMemoryService(service, log_content=True)
    await memory.add_session_to_memory(make_session(COFFEE, user_id="a b"))
    await memory.search_memory(app_name=APP, user_id=USER, query='coffee "please"')

    report = await replay(service, [record.getMessage() for record in caplog.records])

    assert report.source == "trace"
    assert report.findings
    assert [(one.query, one.diagnosis.cause) for one in report.queries] == [
        ('coffee "please"', "nothing_written")
    ]


def test_lines_of_the_trace_plugin_are_read() -> None:
    """Keys that begin like a number, quoted values and lists are values too."""
    log = read_trace(
        [
            'INFO memory.query key=42/u source=load_memory tokens=2 keywords=2 dead=[] q="coffee = tea"',
            "memory.tool key=42/u hits=0 ms=1.5",
            "nothing of ours",
        ]
    )

    assert log.asked == 1
    assert [(search.key, search.query) for search in log.searches] == [("42/u", "coffee = tea")]


async def test_a_log_without_a_question_is_a_finding_of_its_own() -> None:
    """Then the model never asked, and memory is not to blame."""
    report = await replay(InMemoryMemoryService(), ["memory.write key=a/b session=s events=1 text_events=1"])

    assert report.findings[0].startswith("no search and no question in the log")


async def test_a_file_of_something_else_is_refused() -> None:
    """The error says what is missing, and shows nothing of the file."""
    with pytest.raises(InvalidInputError, match="neither a session nor a query"):
        await replay(InMemoryMemoryService(), ['{"walnut": 1}'])
