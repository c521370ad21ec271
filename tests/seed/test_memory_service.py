"""The promises of the memory service, seen from outside: what goes in, what comes out, what is stored."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, MongoClient

from mongorecall import Event, MongoDbMemoryService

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from tests.servers.fixtures import MakeService
    from tests.servers.resolve import Server

    Raw = Collection[dict[str, Any]]

SCOPE: dict[str, Any] = {"app_name": "concierge", "user_id": "u-42"}


def event(*parts: str | dict[str, Any], **fields: Any) -> Event:
    """An event of text parts, and of any others as they are."""
    whole = [{"text": part} if isinstance(part, str) else part for part in parts]
    return Event.model_validate({"id": "e-1", "author": "user", "content": {"parts": whole}} | fields)


async def keywords_of(service: MongoDbMemoryService, raw: Raw, *parts: str | dict[str, Any]) -> list[str]:
    """What an event of these parts is stored under."""
    await service.add_events_to_memory(**SCOPE, events=[event(*parts)])
    stored = raw.find_one()
    return [] if stored is None else list(stored["keywords"])


async def found(service: MongoDbMemoryService, query: str, **options: Any) -> list[str | None]:
    """The ids of what a search finds."""
    response = await service.search_memory(**(SCOPE | options), query=query)
    return [memory.id for memory in response.memories]


@pytest.mark.seed("R-003")
async def test_a_plain_standalone_server_is_enough(server: Server, service: MongoDbMemoryService) -> None:
    client: MongoClient[dict[str, Any]] = MongoClient(server.uri)
    with client:
        hello = client.admin.command("hello")

    await service.add_events_to_memory(**SCOPE, events=[event("flat white")])

    assert "setName" not in hello
    assert await found(service, "flat white") == ["e-1"]


@pytest.mark.seed("R-010")
async def test_the_text_of_an_event_is_its_parts_without_thoughts(
    service: MongoDbMemoryService, raw: Raw
) -> None:
    parts: list[str | dict[str, Any]] = [
        "flat",
        {"text": "praline", "thought": True},
        {"inline_data": {"data": "AAAA"}},
        "white",
    ]

    assert await keywords_of(service, raw, *parts) == ["flat", "white"]


@pytest.mark.seed("R-011")
async def test_text_and_query_are_normalized_to_nfc(service: MongoDbMemoryService, raw: Raw) -> None:
    decomposed, composed = "cafe\N{COMBINING ACUTE ACCENT}", "caf\N{LATIN SMALL LETTER E WITH ACUTE}"

    assert await keywords_of(service, raw, decomposed) == [composed]
    assert await found(service, decomposed) == await found(service, composed) == ["e-1"]


@pytest.mark.seed("R-012", "R-013", "I-018")
async def test_keywords_are_the_lower_case_words_without_stop_words(
    service: MongoDbMemoryService, raw: Raw
) -> None:
    words = await keywords_of(service, raw, "The order #4417 of Zoë_K: SHIPPED, and it is on its way!")

    assert words == ["4417", "order", "shipped", "way", "zoë_k"]
    assert await found(service, "Where's order 4417?") == ["e-1"]


@pytest.mark.seed("R-014")
async def test_a_word_of_two_scripts_is_found_by_each(service: MongoDbMemoryService, raw: Raw) -> None:
    words = await keywords_of(service, raw, "使用MongoDB存储")

    assert words == sorted(["使用mongodb存储", "使用", "mongodb", "存储"])
    assert await found(service, "mongodb") == ["e-1"]


@pytest.mark.seed("R-093")
async def test_text_without_spaces_is_split_only_where_latin_meets_another_script(
    service: MongoDbMemoryService,
) -> None:
    await service.add_events_to_memory(**SCOPE, events=[event("私は紅茶が好きです")])

    assert await found(service, "紅茶") == []
    assert await found(service, "私は紅茶が好きです") == ["e-1"]


@pytest.mark.seed("R-051", "R-060")
async def test_a_connection_string_makes_a_client_that_connects_on_first_use_and_is_closed(
    admin: MongoClient[dict[str, Any]], make_service: MakeService, uri: str
) -> None:
    name = f"mongorecall-{uuid.uuid4().hex}"
    service = await make_service(connection_string=f"{uri}{'&' if '?' in uri else '?'}appName={name}")
    assert connections(admin, name) == 0

    await service.add_events_to_memory(**SCOPE, events=[event("flat white")])
    assert connections(admin, name) > 0

    await service.close()
    assert all_gone(admin, name, within=5)


def all_gone(admin: MongoClient[dict[str, Any]], name: str, *, within: float) -> bool:
    """Whether the server has lost every connection of this name after so many seconds."""
    deadline = time.monotonic() + within
    while connections(admin, name) and time.monotonic() < deadline:
        time.sleep(0.02)
    return connections(admin, name) == 0


def connections(admin: MongoClient[dict[str, Any]], name: str) -> int:
    """How many connections of this name the server has."""
    everything = {"$currentOp": {"allUsers": True, "idleConnections": True}}
    return len(list(admin.admin.aggregate([everything, {"$match": {"appName": name}}])))


@pytest.mark.seed("R-052", "R-061")
@pytest.mark.parametrize("kind", [MongoClient, AsyncIOMotorClient, AsyncMongoClient])
async def test_a_callers_client_is_used_and_left_open(
    kind: Any, uri: str, database: str, make_service: MakeService
) -> None:
    client = kind(uri)
    service = await make_service(mongo_client=client)
    await service.add_events_to_memory(**SCOPE, events=[event("flat white")])

    await service.close()

    other = await make_service(mongo_client=client)
    assert await found(other, "flat") == ["e-1"]
    closed = client.close()
    if closed is not None:
        await closed


@pytest.mark.seed("R-063")
async def test_common_english_words_find_nothing_by_default(service: MongoDbMemoryService) -> None:
    await service.add_events_to_memory(**SCOPE, events=[event("The cup and the saucer, is it?")])

    response = await service.search_memory(**SCOPE, query="the and is")

    assert (response.memories, response.query_keywords) == ([], [])
    assert await found(service, "the saucer") == ["e-1"]


@pytest.mark.seed("R-082")
async def test_custom_stop_words_take_the_place_of_the_list(make_service: MakeService) -> None:
    service = await make_service(stop_words={"a", "an", "the", "ticket", "account", "Support"})
    await service.add_events_to_memory(**SCOPE, events=[event("The support ticket is about an invoice")])

    assert await found(service, "support ticket") == []
    assert await found(service, "is") == ["e-1"]
    assert await found(service, "invoice") == ["e-1"]


@pytest.mark.seed("R-096", "I-020", "I-022")
async def test_parts_without_text_are_stored_with_their_event_and_not_searched(
    service: MongoDbMemoryService, raw: Raw
) -> None:
    call = {"function_call": {"name": "order_status", "args": {"order": "walnut"}}}
    events = [
        event("Looking it up", call),
        event(id="e-2", content=None),
        event(id="e-3", content={"parts": []}),
    ]
    session = type("Session", (), {"id": "s", "state": {"seat": "window"}, "events": events, **SCOPE})()

    report = await service.add_session(session)

    assert report.skipped == {"no_content": 2}
    stored = raw.find_one()
    assert stored is not None
    assert stored["content"]["parts"][1]["function_call"]["args"] == {"order": "walnut"}
    assert await found(service, "walnut order_status window") == []
    assert await found(service, "looking") == ["e-1"]
