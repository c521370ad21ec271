"""The forgotten coffee order: a debugging session from the log lines to the fix, step by step."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.sessions.session import Session
from google.genai import types

from mongorecall.adk import MemoryTracePlugin, MongoDbMemoryService, load_memory, to_adk
from mongorecall.inspection import InspectingMemoryService, diagnose
from tests.adk.events import event
from tests.adk.scripted import Conversation, answer_with_memory, call_load_memory

if TYPE_CHECKING:
    from google.adk.memory.base_memory_service import BaseMemoryService

    from tests.adk.scripted import Step

FACT = "My favourite coffee is a flat white."
ORDER = types.FunctionResponse(name="order_status", response={"order": "4417", "status": "shipped"})


def user_id_of(database_id: int) -> str:
    """The one shared function that writers and readers build the user id with."""
    return f"u-{database_id}"


def monday(user_id: str) -> Session:
    """What the user said, and a tool result that holds the order number."""
    turns = [event(FACT, id="e-1"), event(types.Part(function_response=ORDER), id="e-2", author="assistant")]
    return Session(id="monday", app_name="support", user_id=user_id, events=turns)


async def thursday(memory: BaseMemoryService) -> str:
    """The chat endpoint: the user asks, the model calls load_memory."""
    steps: list[Step] = [call_load_memory("coffee preference?"), answer_with_memory]
    talk = Conversation(memory, steps, tools=[load_memory], plugins=[MemoryTracePlugin(log_content=True)])
    return await talk.answer("What coffee do I usually get?")


def lines(caplog: pytest.LogCaptureFixture, event_name: str) -> list[str]:
    """The log lines of one kind."""
    told = [record.getMessage() for record in caplog.records if record.name.startswith("mongorecall")]
    return [line for line in told if line.startswith(event_name + " ")]


@pytest.mark.seed("I-050", "I-051", "I-052", "I-071", "I-072")
async def test_the_debugging_session(memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture) -> None:
    """From "it does not know" to "flat white", and then to order 4417."""
    caplog.set_level(logging.INFO, logger="mongorecall")
    service = InspectingMemoryService(memory.service)
    inspected = to_adk(service)
    await inspected.add_session_to_memory(monday(str(42)))
    assert await thursday(inspected) == "You said: "

    # 1. The model did call the tool, and its query is alive: no token is dead.
    [query] = lines(caplog, "memory.query")
    assert 'q="coffee preference?"' in query
    assert "key=support/u-42" in query
    assert "dead=[]" in query

    # 2. The search ran under support/u-42 and found nothing.
    [search] = lines(caplog, "memory.search")
    assert "key=support/u-42 tokens=2 keywords=2 hits=0" in search

    # 3. Monday's write went to support/42: check 2, the key. The diagnosis says the same.
    [write] = lines(caplog, "memory.write")
    assert "key=support/42 " in write
    diagnosis = await diagnose(
        service, app_name="support", user_id="u-42", query="coffee preference?", allow_key_listing=True
    )
    assert diagnosis.cause == "key_mismatch"
    assert "support/42" in str(diagnosis.to_dict())

    # 4. With the user id built by one shared function, the fact is found.
    await inspected.add_session_to_memory(monday(user_id_of(42)))
    assert await thursday(inspected) == f"You said: {FACT}"
    assert "hits=1" in lines(caplog, "memory.search")[-1]

    # 5. The order number stood only in a function response: check 4, the indexed content.
    scope: dict[str, Any] = {"app_name": "support", "user_id": "u-42"}
    question = "Where's order 4417?"
    assert (await inspected.search_memory(**scope, query=question)).memories == []
    diagnosis = await diagnose(service, **scope, query=question, session=monday("u-42"))
    assert diagnosis.cause == "not_indexed"

    # 6. Restated in the agent's own words, it is found.
    restated = event("Your order 4417 has shipped.", author="assistant", minute=1)
    await inspected.add_events_to_memory(**scope, session_id="monday", events=[restated])
    [found] = (await inspected.search_memory(**scope, query=question)).memories
    assert found.content == restated.content
