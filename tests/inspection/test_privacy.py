"""Nothing of other users without permission, and no text, query or secret where it does not belong."""

from __future__ import annotations

import json
import logging
import traceback

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mongorecall.errors import RecallError
from mongorecall.inspection import Counters, InspectingMemoryService, LoggingHook, RingBuffer, diagnose
from mongorecall.otel import OpenTelemetryHook
from mongorecall.testing.factories import make_event, make_session, make_tool_event
from tests.inspection.world import APP, COFFEE, USER, World

CANARY = "walnutpin7781"
QUERY_CANARY = "tamarind5512"


@pytest.mark.parametrize("query", ["coffee", "what is it"])
@pytest.mark.parametrize("expect", [None, "s-1-1"])
async def test_the_answer_is_the_same_whatever_others_have(
    world: World, query: str, expect: str | None
) -> None:
    """Without ``allow_key_listing`` not one bit tells whether the collection holds anything else."""
    service = await world.service()
    service_options = {"app_name": APP, "user_id": USER, "query": query, "expect": expect}

    before = (await diagnose(service, **service_options)).to_dict()  # type: ignore[arg-type]
    await world.write(COFFEE, user_id="42")
    await world.write(COFFEE, app_name="sales")
    await world.write(COFFEE, user_id="anna")
    after = (await diagnose(service, **service_options)).to_dict()  # type: ignore[arg-type]

    assert after == before
    assert world.raw.count_documents({}) == 3


async def test_near_keys_show_ids_and_counts_only(world: World) -> None:
    """With permission: no text and no keyword of another user."""
    await world.write(f"{COFFEE} {CANARY}", user_id="42")

    diagnosis = await world.ask("coffee", allow_key_listing=True)

    told = json.dumps(diagnosis.to_dict()) + str(diagnosis) + repr(diagnosis)
    assert "support/42" in told
    assert CANARY not in told
    assert "flat" not in told


@pytest.mark.seed("I-031", "I-067", "I-076")
async def test_no_text_query_or_secret_leaves_by_default(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Two canaries, one remembered and one asked for, through every operation and fault; found nowhere."""
    caplog.set_level(logging.DEBUG)
    spans, metrics, ring, counters = InMemorySpanExporter(), InMemoryMetricReader(), RingBuffer(), Counters()
    tracer = TracerProvider()
    tracer.add_span_processor(SimpleSpanProcessor(spans))
    hook = OpenTelemetryHook(
        key_hash=b"a secret of tests",
        capture_content=True,  # even so: the records hold no content
        tracer_provider=tracer,
        meter_provider=MeterProvider([metrics]),
    )
    memory = InspectingMemoryService(await world.service(), hooks=[LoggingHook(), ring, counters, hook])
    told: list[str] = []

    session = make_session(
        f"I hid the {CANARY}", make_event(CANARY, event_id="e-2"), make_tool_event({CANARY: CANARY})
    )
    await memory.add_session_to_memory(session)
    await memory.search_memory(app_name=APP, user_id=USER, query=f"{CANARY} {QUERY_CANARY}")
    world.raw.update_one({"_id.event_id": "s-1-1"}, {"$set": {"content": CANARY}})
    await memory.search_memory(app_name=APP, user_id=USER, query=CANARY)
    for query in (QUERY_CANARY, CANARY):
        diagnosis = await diagnose(memory, app_name=APP, user_id=USER, query=query, session=session)
        told.append(repr(diagnosis))
    for arguments in ({"app_name": ""}, {"user_id": "a\x00"}, {"limit": 0}, {"query": 5}):
        asked = {"app_name": APP, "user_id": USER, "query": QUERY_CANARY} | arguments
        try:
            await memory.search_memory(**asked)
        except RecallError:
            told.append(traceback.format_exc().replace("QUERY_CANARY", ""))
    await memory.delete_user_memory(app_name=APP, user_id=USER)

    logged = [record for record in caplog.records if not record.name.startswith("pymongo")]
    told += [record.getMessage() + str(record.args) + str(record.exc_text) for record in logged]
    told += [span.to_json() for span in spans.get_finished_spans()]
    told += [str(metrics.get_metrics_data()), counters.text(), repr(ring.records())]
    assert len(ring) == 8
    assert len(spans.get_finished_spans()) == 8
    for text in told:
        assert CANARY not in text
        assert QUERY_CANARY not in text
        assert "a secret of tests" not in text


@pytest.mark.shows_content
async def test_content_is_logged_only_behind_the_switch(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """``log_content=True`` is a switch of its own."""
    caplog.set_level(logging.INFO, "mongorecall.inspection")
    memory = InspectingMemoryService(await world.service(), log_content=True)

    await memory.add_session_to_memory(make_session(CANARY))
    await memory.search_memory(app_name=APP, user_id=USER, query=f"{CANARY} please")

    write, search = (record.getMessage() for record in caplog.records[-2:])
    assert f'texts=["{CANARY}"]' in write
    assert f'query="{CANARY} please" texts=["{CANARY}"]' in search
