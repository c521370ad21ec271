"""`to_adk` and `from_adk`: one interface seen through the other."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.memory import InMemoryMemoryService as AdkInMemoryMemoryService
from google.adk.memory import SqliteMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse as AdkResponse
from google.adk.memory.memory_entry import MemoryEntry as AdkMemoryEntry
from google.adk.sessions.session import Session as AdkSession
from google.genai import types

from mongorecall import InMemoryMemoryService
from mongorecall.adk import AdkMemoryService, MongoDbMemoryService, from_adk, to_adk
from mongorecall.errors import InvalidTypeError, UnsupportedError
from mongorecall.models import Content, MemoryEntry
from mongorecall.testing._corner import said
from tests.adk.events import MONDAY, event, texts, warned

if TYPE_CHECKING:
    from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService
    from pymongo.collection import Collection

    from tests.adk.conftest import MakeDropIn

USER: dict[str, Any] = {"app_name": "support", "user_id": "u-42"}


# --- to_adk ------------------------------------------------------------------------------------------


async def test_what_comes_out_is_what_adk_has(memory: MongoDbMemoryService) -> None:
    """ADK's classes, genai's content, a time with offset, no metadata of ours."""
    call = types.Part(function_call=types.FunctionCall(name="look", args={"n": 1}))
    image = types.Part(inline_data=types.Blob(data=b"\x89PNG\xff", mime_type="image/png"))
    turn = event("kiln", call, image, id="e-1")
    await memory.add_events_to_memory(**USER, session_id="s-1", events=[turn])
    response = await memory.search_memory(**USER, query="kiln")
    [entry] = response.memories
    assert isinstance(response, AdkResponse)
    assert type(entry) is AdkMemoryEntry
    assert (entry.id, entry.author, entry.custom_metadata) == ("e-1", "user", {})
    assert entry.content == turn.content
    assert datetime.fromisoformat(entry.timestamp or "").timestamp() == MONDAY
    assert datetime.fromisoformat(entry.timestamp or "").utcoffset() == timedelta(0)


async def test_a_response_equals_and_dumps_as_adks_own(memory: MongoDbMemoryService) -> None:
    """Code that compares or prints responses sees no difference; ours is inside."""
    empty = await memory.search_memory(**USER, query="the")
    assert empty == AdkResponse()
    assert AdkResponse() == empty
    assert empty.model_dump() == {"memories": []}
    assert empty.reason == "no_searchable_words"
    await memory.add_events_to_memory(**USER, events=[event("kiln")])
    found = await memory.search_memory(**USER, query="kiln")
    assert found != AdkResponse()
    assert found.found is not None
    assert found.found.query_keywords == ["kiln"]


async def test_details_are_added_when_asked_for(make_drop_in: MakeDropIn) -> None:
    """Score, session and matched keywords, beside the metadata that was stored."""
    memory = await make_drop_in(include_details=True, store_metadata=True)
    await memory.add_events_to_memory(
        **USER, session_id="s-1", events=[event("hot kiln")], custom_metadata={"topic": "pottery"}
    )
    [entry] = (await memory.search_memory(**USER, query="kiln hot wheel")).memories
    assert entry.custom_metadata == {
        "topic": "pottery",
        "score": 2,
        "session_id": "s-1",
        "matched_keywords": ["hot", "kiln"],
    }


async def test_filters_can_be_given_past_adk(memory: MongoDbMemoryService) -> None:
    """ADK asks without; your own code may narrow a search."""
    turns = [event("kiln one", minute=1), event("kiln two", minute=2)]
    await memory.add_events_to_memory(**USER, events=turns)
    assert texts(await memory.search_memory(**USER, query="kiln", limit=1)) == ["kiln two"]


async def test_forgetting_under_adks_names(memory: MongoDbMemoryService) -> None:
    """One memory by the id that search returned, a session, a user."""
    for session_id in ("s-1", "s-2"):
        turns = [event(f"kiln {session_id} {n}", minute=n) for n in range(2)]
        await memory.add_events_to_memory(**USER, session_id=session_id, events=turns)
    [newest, *_] = (await memory.search_memory(**USER, query="s-1")).memories
    await memory.delete_memory(**USER, memory_id=newest.id)
    assert len((await memory.search_memory(**USER, query="kiln")).memories) == 3
    assert (await memory.delete_session_memory(**USER, session_id="s-2")).forgotten == 2
    assert (await memory.delete_user_memory(**USER)).forgotten == 1


@pytest.mark.seed("R-095")
async def test_add_memory_is_not_implemented_by_default(memory: MongoDbMemoryService) -> None:
    """As the peer: ``NotImplementedError``, which here also names the option."""
    entry = AdkMemoryEntry(content=types.Content(parts=[types.Part(text="kiln")]))
    with pytest.raises(NotImplementedError, match="direct_memories=True"):
        await memory.add_memory(**USER, memories=[entry])


async def test_adks_memory_entries_are_stored_when_asked_for(make_drop_in: MakeDropIn) -> None:
    """``direct_memories=True`` takes them as they are."""
    memory = await make_drop_in(direct_memories=True, store_metadata=True)
    entry = AdkMemoryEntry(
        content=types.Content(parts=[types.Part(text="kiln at dawn")]),
        author="user",
        timestamp="2026-03-02T09:30:00+00:00",
        custom_metadata={"topic": "pottery"},
    )
    await memory.add_memory(**USER, memories=[entry])
    [found] = (await memory.search_memory(**USER, query="kiln")).memories
    assert found.content == entry.content
    assert found.timestamp == "2026-03-02T09:30:00+00:00"
    assert found.custom_metadata == {"topic": "pottery"}


async def test_content_of_another_runtime_is_returned_by_its_text(
    memory: MongoDbMemoryService, raw: Collection[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    """A field that genai refuses does not hold back a memory that can be read."""
    await memory.add_events_to_memory(**USER, events=[event("kiln")])
    raw.update_one({}, {"$set": {"content.parts": [{"text": "kiln", "colour": "walnut"}]}})
    assert texts(await memory.search_memory(**USER, query="kiln")) == ["kiln"]
    assert len(warned(caplog)) == 1
    assert "walnut" not in caplog.text


async def test_any_service_of_ours_will_do() -> None:
    """Here the in-memory one."""
    memory = to_adk(InMemoryMemoryService())
    await memory.add_session_to_memory(AdkSession(id="s-1", events=[event("kiln")], **USER))
    assert texts(await memory.search_memory(**USER, query="kiln")) == ["kiln"]
    assert repr(memory).startswith("AdkMemoryService(InMemoryMemoryService")


# --- from_adk ----------------------------------------------------------------------------------------


async def test_a_service_of_ours_comes_back_as_itself(memory: MongoDbMemoryService) -> None:
    """There is nothing to adopt."""
    assert from_adk(memory) is memory.service
    service = InMemoryMemoryService()
    assert from_adk(AdkMemoryService(service)) is service


async def test_an_adopted_service_takes_events_of_any_shape() -> None:
    """ADK's, ours, and objects that look like them."""
    service = from_adk(AdkInMemoryMemoryService())
    shaped = type("Shaped", (), {"id": "e-3", "author": "agent", "timestamp": MONDAY, "partial": None})()
    shaped.content = Content.of("kiln three", role="model")
    events = [event("kiln one"), said("kiln two"), shaped]
    report = await service.add_events(**USER, session_id="s-1", events=events)
    assert (report.received, report.accounted) == (3, 3)
    found = await service.search_memory(**USER, query="kiln")
    assert [memory.content.text for memory in found.memories] == ["kiln one", "kiln two", "kiln three"]


async def test_an_adopted_service_hands_a_session_on_as_a_session() -> None:
    """ADK's in-memory service replaces a session by its newer copy, and still does."""
    service = from_adk(AdkInMemoryMemoryService())
    for turns in ([event("kiln one"), event("kiln two")], [event("kiln three")]):
        await service.add_session_to_memory(AdkSession(id="s-1", events=turns, **USER))
    found = await service.search_memory(**USER, query="kiln")
    assert [memory.content.text for memory in found.memories] == ["kiln three"]


async def test_arguments_are_checked_before_an_adopted_service_sees_them(peer: PeerService) -> None:
    """An operator in place of an id would read everybody's memories."""
    await peer.add_events_to_memory(**USER, events=[event("kiln")])
    everybody: Any = {"$ne": None}
    assert len((await peer.search_memory(app_name="support", user_id=everybody, query="kiln")).memories) == 1
    with pytest.raises(InvalidTypeError, match="user_id must be str, got dict"):
        await from_adk(peer).search_memory(app_name="support", user_id=everybody, query="kiln")


@pytest.mark.parametrize("option", [{"limit": 1}, {"session_id": "s-1"}])
async def test_an_adopted_service_refuses_what_adk_cannot_say(option: dict[str, Any]) -> None:
    """Filters and lifetimes are not in ADK's interface."""
    service = from_adk(AdkInMemoryMemoryService())
    with pytest.raises(UnsupportedError):
        await service.search_memory(**USER, query="kiln", **option)
    with pytest.raises(UnsupportedError):
        await service.add_events(**USER, events=[event("kiln")], ttl=60)
    with pytest.raises(UnsupportedError):
        await service.add_memory(**USER, memories=[MemoryEntry(content=Content.of("kiln"))])


def test_the_analyzer_of_an_adopted_service_is_what_you_say() -> None:
    """ADK services do not tell how they split text."""
    with pytest.raises(UnsupportedError):
        _ = from_adk(AdkInMemoryMemoryService()).analyzer
    service = from_adk(AdkInMemoryMemoryService(), analyzer="classic", stop_words={"kiln"})
    assert service.analyzer.keywords("the kiln", cap=10).keywords == ("the",)


async def test_closing_an_adopted_service_closes_it(tmp_path: Any) -> None:
    """ADK's base class has no ``close``; where a service has one, it is called."""
    await from_adk(AdkInMemoryMemoryService()).close()
    sqlite = SqliteMemoryService(":memory:")
    async with from_adk(sqlite) as service:
        await service.add_events(**USER, events=[event("kiln")])
    assert sqlite._memory_conn is None
