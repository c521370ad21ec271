"""Every call leaves one record of keys, counts and times, and nothing else changes."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from pathlib import Path
from typing import Any

import pytest

from mongorecall import Content, Event, InMemoryMemoryService, MemoryScope, Part
from mongorecall.base import BaseMemoryService
from mongorecall.errors import InvalidInputError, UnsupportedError
from mongorecall.inspection import (
    Counters,
    InspectingMemoryService,
    LoggingHook,
    OperationRecord,
    RingBuffer,
    diagnose,
)
from mongorecall.models import IngestReport, SearchMemoryResponse
from mongorecall.testing.factories import make_event, make_session, make_tool_event
from tests.inspection.world import APP, COFFEE, USER, World


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged by inspection, without the times."""
    return [
        record.getMessage().rsplit(" ms=", 1)[0]
        for record in caplog.records
        if record.name == "mongorecall.inspection"
    ]


@pytest.mark.seed("I-016", "I-030", "I-032", "I-033")
async def test_writes_and_searches_log_one_line_each(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The exact key on both sides, counts and milliseconds; names as in the seed."""
    caplog.set_level(logging.INFO, "mongorecall.inspection")
    memory = InspectingMemoryService(await world.service())
    assert isinstance(memory, BaseMemoryService)

    await memory.add_session_to_memory(make_session(COFFEE, "the", make_tool_event({"order": 4417})))
    await memory.search_memory(app_name=APP, user_id=USER, query="the coffee preference?")

    assert lines(caplog) == [
        "memory.write key=support/u-42 session=s-1 events=3 text_events=1 stored=1",
        "memory.search key=support/u-42 tokens=3 keywords=2 hits=1",
    ]
    assert all(
        record.levelno == logging.INFO and " ms=" in record.getMessage() for record in caplog.records[-1:]
    )


@pytest.mark.seed("I-035")
async def test_text_events_are_what_the_store_can_find() -> None:
    """Only text parts count: no function call or response, no thought, no image, no empty text."""
    parts: list[dict[str, Any]] = [
        {"text": "", "thought": None},
        {"text": "a plan", "thought": True},
        {"function_call": {"name": "f", "args": {"city": "Utrecht"}}},
        {"inline_data": {"mime_type": "image/png", "data": "AAAA"}},
    ]
    silent = [
        Event(id=f"e-{n}", content=Content(parts=[Part.model_validate(part)])) for n, part in enumerate(parts)
    ]
    ring = RingBuffer()
    memory = InspectingMemoryService(InMemoryMemoryService(), hooks=[ring])
    told = InspectingMemoryService(_Untold(), hooks=[ring])

    for service in (memory, told):
        await service.add_session(make_session(COFFEE, *silent, Event(id="e-9", content=None)))

    assert [(record.events, record.text_events) for record in ring.records()] == [(6, 1), (6, 1)]


class _Untold(BaseMemoryService):
    """A service that reports nothing and does nothing."""

    async def add_events(self, **_arguments: Any) -> IngestReport:
        return IngestReport()

    async def search_memory(self, **_arguments: Any) -> SearchMemoryResponse:
        return SearchMemoryResponse()


async def test_values_on_a_line_are_quoted_and_escaped(caplog: pytest.LogCaptureFixture) -> None:
    """An id with spaces, quotes or line breaks cannot forge a field or a line."""
    caplog.set_level(logging.INFO, "mongorecall.inspection")
    memory = InspectingMemoryService(_Untold())

    await memory.search_memory(app_name='a b" hits=9', user_id="u\nmemory.write key=x", query="q")

    assert lines(caplog) == [
        'memory.search key="a b\\" hits=9/u\\nmemory.write key=x" tokens=1 hits=0',
    ]


async def test_ids_are_hashed_under_a_secret_when_asked_for() -> None:
    """The same key has the same hash, the ids are nowhere, and a short secret is refused."""
    ring = RingBuffer()
    secret = b"0123456789abcdef"
    memory = InspectingMemoryService(InMemoryMemoryService(), hooks=[ring], key_hash=secret)

    await memory.add_session(make_session(COFFEE))
    await memory.search_memory(app_name=APP, user_id=USER, query="coffee")

    write, search = ring.records()
    assert write.key == search.key != "support/u-42"
    assert "u-42" not in write.line() + search.line() + repr(ring.records())
    assert "s-1" not in write.line()
    with pytest.raises(InvalidInputError, match="at least 16 bytes"):
        InspectingMemoryService(InMemoryMemoryService(), key_hash=b"short")


async def test_a_failure_is_recorded_and_raised_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """The kind of the error is on a WARNING line; the error itself is untouched."""
    caplog.set_level(logging.INFO, "mongorecall.inspection")
    memory = InspectingMemoryService(InMemoryMemoryService())

    with pytest.raises(InvalidInputError):
        await memory.search_memory(app_name="", user_id=USER, query="secret words")
    with pytest.raises(UnsupportedError):
        await memory.add_memory(app_name=APP, user_id=USER, memories=[])

    assert [record.levelno for record in caplog.records] == [logging.WARNING, logging.WARNING]
    assert [line.rsplit(" ", 1)[1] for line in map(logging.LogRecord.getMessage, caplog.records)] == [
        "error=invalid_input",
        "error=unsupported",
    ]


async def test_a_cancelled_call_is_recorded_as_cancelled() -> None:
    """Cancellation passes through untouched."""

    class Slow(_Untold):
        async def search_memory(self, **_arguments: Any) -> SearchMemoryResponse:
            await asyncio.sleep(30)
            raise AssertionError

    ring = RingBuffer()
    task = asyncio.ensure_future(
        InspectingMemoryService(Slow(), hooks=[ring]).search_memory(app_name=APP, user_id=USER, query="q")
    )
    await asyncio.sleep(0.01)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert ring.records()[0].error == "cancelled"


async def test_a_hook_that_raises_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """What is inspected goes on, the other hooks too; the log names the classes only."""

    def broken(_record: OperationRecord) -> None:
        raise ValueError("the secret text")

    ring = RingBuffer()
    memory = InspectingMemoryService(InMemoryMemoryService(), hooks=[broken, ring])

    await memory.add_session(make_session(COFFEE))

    assert len(ring) == 1
    assert "the secret text" not in caplog.text
    assert "raised ValueError" in caplog.text


async def test_every_operation_leaves_a_record(world: World) -> None:
    """Also listing, counting, exporting, forgetting and remembering again."""
    ring = RingBuffer()
    memory = InspectingMemoryService(await world.service(), hooks=[ring])
    scope = {"app_name": APP, "user_id": USER}

    await memory.add_events_to_memory(**scope, session_id="s-1", events=iter([make_event(COFFEE)]))  # type: ignore[arg-type]
    await memory.list_memories(**scope)  # type: ignore[arg-type]
    await memory.list_sessions(**scope)  # type: ignore[arg-type]
    await memory.count_memories(**scope)
    exported = [row async for row in memory.export_user(**scope)]
    await memory.delete_memory(**scope, memory_id="e-1", dry_run=True)
    await memory.delete_session_memory(**scope, session_id="s-1")  # type: ignore[arg-type]
    await memory.remember_again(**scope, session_id="s-1")
    await memory.delete_user_memory(**scope)  # type: ignore[arg-type]

    assert len(exported) == 1
    assert [(record.operation, record.memories) for record in ring.records()] == [
        ("write", None),
        ("list", 1),
        ("list", 1),
        ("count", 1),
        ("export", 1),
        ("delete", 0),
        ("delete", 1),
        ("restore", 1),
        ("delete", 0),
    ]
    assert ring.records(operation="write")[0].stored == 1


async def test_the_ring_keeps_the_latest() -> None:
    """Oldest first, bounded, by key and operation."""
    ring = RingBuffer(capacity=3)
    memory = InspectingMemoryService(InMemoryMemoryService(), hooks=[ring])

    for user in ("a", "b", "c", "d"):
        await memory.search_memory(app_name=APP, user_id=user, query="q")

    assert [record.key for record in ring.records()] == ["support/b", "support/c", "support/d"]
    assert len(ring.records(key="support/c")) == 1
    ring.clear()
    assert len(ring) == 0


async def test_counters_print_what_prometheus_reads() -> None:
    """Totals by operation and outcome, a histogram, and no id or word anywhere."""
    counters = Counters()
    memory = InspectingMemoryService(InMemoryMemoryService(), hooks=[counters])

    await memory.add_session(make_session(COFFEE))
    await memory.search_memory(app_name=APP, user_id=USER, query="coffee")
    await memory.search_memory(app_name=APP, user_id=USER, query="espresso")

    text = counters.text()
    assert 'mongorecall_operations_total{operation="search",outcome="ok"} 2\n' in text
    assert "mongorecall_hits_total 1\n" in text
    assert "mongorecall_empty_searches_total 1\n" in text
    assert 'mongorecall_operation_seconds_bucket{operation="write",le="+Inf"} 1\n' in text
    assert 'mongorecall_operation_seconds_count{operation="search"} 2\n' in text
    assert not {"coffee", "u-42", "s-1", "support"} & set(text.replace('"', " ").split())


@pytest.mark.seed("I-034")
def test_explain_uses_the_delegates_own_rules() -> None:
    """The dead tokens are those that this service can never match."""
    memory = InspectingMemoryService(InMemoryMemoryService(stop_words={"coffee"}))

    explanation = memory.explain("the coffee preference? !!")

    assert explanation.dead_tokens == ("coffee", "!!")
    assert explanation.keywords == ("preference", "the")
    assert not explanation.assumed


@pytest.mark.seed("I-036")
async def test_a_key_mismatch_shows_through_a_service_that_tells_nothing() -> None:
    """The decorator's own journal is enough: a search under a key that no write names."""

    class Plain(_Untold):
        async def add_events(self, **arguments: Any) -> IngestReport:
            list(arguments["events"])
            return IngestReport()

    memory = InspectingMemoryService(Plain(), hooks=[])
    asked = {"app_name": APP, "user_id": USER, "query": "coffee"}

    never = await diagnose(memory, **asked, allow_key_listing=True)  # type: ignore[arg-type]
    await memory.add_session(make_session(COFFEE, user_id="42"))
    mismatch = await diagnose(memory, **asked, allow_key_listing=True)  # type: ignore[arg-type]
    hidden = await diagnose(memory, **asked)  # type: ignore[arg-type]

    assert (never.cause, mismatch.cause, hidden.cause) == (
        "nothing_written",
        "key_mismatch",
        "nothing_written",
    )
    assert "support/42" not in str(hidden.to_dict())


@pytest.mark.seed("I-071")
def test_one_function_builds_the_key_for_writers_and_readers() -> None:
    """With one policy two spellings are one key."""
    spellings = [(" Support", "U-42"), ("support", "u-42 ")]

    keys = {MemoryScope.of(app, user, policy="casefold").key for app, user in spellings}
    by_function = {
        MemoryScope.of(app, user, policy=lambda i: i.strip().lower()).key for app, user in spellings
    }

    assert keys == by_function == {"support/u-42"}


async def test_writers_and_readers_share_the_policy(world: World) -> None:
    """A service with a policy finds what another with the same policy wrote under another spelling."""
    writer = await world.service(key_policy="casefold")
    await writer.add_session(make_session(COFFEE, user_id="U-42 "))

    diagnosis = await world.ask("coffee", options={"key_policy": "casefold"}, user_id="u-42")

    assert diagnosis.cause is None
    assert diagnosis.key == "support/u-42"


def test_inspecting_costs_next_to_nothing() -> None:
    """At most 50 µs a call over a service that does nothing, with one log handler.

    On a machine that is busy with other work everything takes longer; there, at most four bare log lines.
    """
    logger = logging.getLogger("mongorecall.test_overhead")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    plain = _Untold()
    inspected = InspectingMemoryService(plain, hooks=[LoggingHook(logger)])
    calls = 50

    async def cost(service: BaseMemoryService) -> float:
        begun = time.thread_time()
        for _ in range(calls):
            await service.search_memory(app_name=APP, user_id=USER, query="what coffee do I usually get")
        return (time.thread_time() - begun) / calls

    def bare_line() -> float:
        begun = time.thread_time()
        for _ in range(calls):
            logger.info("memory.search key=%s", APP)
        return (time.thread_time() - begun) / calls

    async def best() -> tuple[float, float]:
        # the quietest of many short runs: what is measured is the work, not the neighbours
        rounds = [(await cost(inspected), await cost(plain), bare_line()) for _ in range(150)]
        inspected_cost, plain_cost, line_cost = (min(column) for column in zip(*rounds, strict=True))
        return inspected_cost - plain_cost, line_cost

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        handler = logging.StreamHandler(nowhere)
        logger.addHandler(handler)
        try:
            overhead, line = asyncio.run(best())
        finally:
            logger.removeHandler(handler)

    assert overhead < max(50e-6, 4 * line), f"{overhead * 1e6:.1f} µs, a bare log line {line * 1e6:.1f} µs"
