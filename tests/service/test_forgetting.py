"""What is forgotten is gone, stays gone, and nothing else is touched."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bson import ObjectId
from pymongo.collection import Collection

from mongorecall import InvalidInputError, InvalidTypeError, MongoDbMemoryService
from tests.servers.fixtures import MakeService
from tests.service.talk import SCOPE, Scope, ids, talk, turn

OTHER: Scope = {"app_name": "support", "user_id": "u-43"}


async def fill(service: MongoDbMemoryService) -> None:
    """Two sessions of three turns for u-42, one turn for u-43."""
    for session_id in ("s-1", "s-2"):
        await service.add_session_to_memory(
            talk("walnut one", "walnut two", "walnut three", session_id=session_id)
        )
    await service.add_events_to_memory(**OTHER, session_id="s-1", events=[turn("e-0", "walnut other")])


async def test_a_forgotten_event_is_gone_and_does_not_come_back(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await fill(service)
    receipt = await service.delete_memory(**SCOPE, memory_id="e-1", session_id="s-1")
    assert (receipt.forgotten, receipt.sessions, receipt.dry_run) == (1, 1, False)
    assert (await service.delete_memory(**SCOPE, memory_id="e-1", session_id="s-1")).forgotten == 0
    report = await service.add_session(talk("walnut one", "walnut two", "walnut three"))
    assert (report.unchanged, report.skipped) == (2, {"forgotten": 1})
    assert await service.count_memories(**SCOPE) == 5
    assert await service.count_memories(**OTHER) == 1
    marker = raw.find_one({"_id.session_id": "s-1", "_id.event_id": "e-1", "_id.user_id": "u-42"})
    assert marker is not None
    assert marker.keys() == {"_id", "app_name", "user_id", "session_id", "mr"}


async def test_without_a_session_every_event_of_that_id_is_forgotten(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await fill(service)
    raw.database.command({"profile": 2})
    receipt = await service.delete_memory(**SCOPE, memory_id="e-1")
    raw.database.command({"profile": 0})
    assert (receipt.forgotten, receipt.sessions) == (2, 2)
    assert await service.count_memories(**SCOPE) == 4
    (found,) = raw.database["system.profile"].find({"command.aggregate": "memories"})
    assert found["planSummary"] == "IXSCAN { _id: 1 }"
    assert found["docsExamined"] == 0


async def test_a_session_and_a_user_are_forgotten(service: MongoDbMemoryService) -> None:
    await fill(service)
    assert (await service.delete_session_memory(**SCOPE, session_id="s-1", dry_run=True)).forgotten == 3
    assert await service.count_memories(**SCOPE) == 6
    receipt = await service.delete_session_memory(**SCOPE, session_id="s-1")
    assert (receipt.forgotten, receipt.sessions) == (3, 1)
    receipt = await service.delete_user_memory(**SCOPE)
    assert (receipt.forgotten, receipt.sessions) == (3, 1)
    assert (await service.delete_user_memory(**SCOPE)).forgotten == 0
    assert ids(await service.search_memory(**SCOPE, query="walnut")) == []
    assert ids(await service.search_memory(**OTHER, query="walnut")) == ["e-0"]
    assert (await service.search_memory(**SCOPE, query="walnut")).reason == "nothing_stored"


async def test_no_text_of_what_was_forgotten_is_left(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await fill(service)
    await service.delete_user_memory(**SCOPE)
    await service.delete_user_memory(**OTHER)
    assert "walnut" not in str(list(raw.find()))


async def test_remembering_again_lets_it_come_back(service: MongoDbMemoryService) -> None:
    await fill(service)
    await service.delete_session_memory(**SCOPE, session_id="s-1")
    assert await service.remember_again(**SCOPE, memory_id="e-0", session_id="s-1") == 1
    report = await service.add_session(talk("walnut one", "walnut two", "walnut three"))
    assert (report.stored + report.replaced, report.skipped) == (1, {"forgotten": 2})
    assert await service.remember_again(**SCOPE) == 2


async def test_an_erased_event_of_a_forgotten_session_stays_forgotten(service: MongoDbMemoryService) -> None:
    await fill(service)
    await service.add_events(**SCOPE, session_id="s-1", events=[turn("e-0", "the")])
    receipt = await service.delete_session_memory(**SCOPE, session_id="s-1")
    assert receipt.forgotten == 2
    report = await service.add_events(**SCOPE, session_id="s-1", events=[turn("e-0", "walnut again")])
    assert report.skipped == {"forgotten": 1}


async def test_a_cancelled_add_cannot_land_after_a_deletion(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.search_memory(**SCOPE, query="walnut")
    for n in range(20):
        late = asyncio.create_task(
            service.add_events(**SCOPE, session_id="s", events=[turn(f"e-{n}", "walnut")])
        )
        await asyncio.sleep(0.0005 * (n % 7))
        late.cancel()
        await asyncio.wait([late])
        await service.delete_user_memory(**SCOPE)
    await asyncio.sleep(0.3)
    assert "walnut" not in str(list(raw.find()))


async def test_deletion_leaves_foreign_documents_alone(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    foreign: list[dict[str, Any]] = [
        {"_id": ObjectId(), **SCOPE, "keywords": ["walnut"], "content": {"parts": []}},
        {"_id": "plain", **SCOPE},
        {"_id": {"app_name": "support", "user_id": "u-420", "session_id": "s", "event_id": "e"}},
    ]
    raw.insert_many(foreign)
    await fill(service)
    await service.delete_user_memory(**SCOPE)
    kept = list(raw.find({"_id": {"$in": [document["_id"] for document in foreign]}}))
    assert sorted(kept, key=str) == sorted(foreign, key=str)


async def test_deletion_needs_proper_ids(service: MongoDbMemoryService) -> None:
    with pytest.raises(InvalidTypeError, match="memory_id must be str"):
        await service.delete_memory(**SCOPE)
    with pytest.raises(InvalidInputError, match="user_id must not be empty"):
        await service.delete_user_memory(app_name="support", user_id="")
    with pytest.raises(InvalidTypeError, match="session_id must be str"):
        await service.delete_session_memory(**SCOPE, session_id=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidTypeError, match="dry_run must be bool"):
        await service.delete_user_memory(**SCOPE, dry_run="no")  # type: ignore[arg-type]


async def test_what_google_adk_wrote_can_be_forgotten(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    key = {**SCOPE, "session_id": "s", "event_id": "e"}
    raw.insert_one({"_id": key, **SCOPE, "session_id": "s", "author": "user", "keywords": ["walnut"],
                    "content": {"parts": [{"text": "walnut"}]}, "timestamp": 1.0})  # fmt: skip
    assert (await service.delete_memory(**SCOPE, memory_id="e")).forgotten == 1
    assert "walnut" not in str(list(raw.find()))


async def test_pages_are_stable_to_the_end(service: MongoDbMemoryService) -> None:
    for number in range(9):
        await service.add_session_to_memory(talk(*["kiln"] * 5, session_id=f"s-{number}"))
    seen: list[tuple[str | None, str | None]] = []
    cursor: str | None = None
    while True:
        page = await service.list_memories(**SCOPE, limit=20, cursor=cursor)
        seen += [(memory.session_id, memory.id) for memory in page.memories]
        if (cursor := page.cursor) is None:
            break
        await service.add_events_to_memory(**SCOPE, session_id="s-0", events=[turn("a-late", "kiln")])
    assert seen == [(f"s-{s}", f"e-{e}") for s in range(9) for e in range(5)]
    assert await service.count_memories(**SCOPE, session_id="s-0") == 6
    only = await service.list_memories(**SCOPE, session_id="s-8")
    assert (len(only.memories), only.cursor) == (5, None)


async def test_sessions_are_listed_in_pages(service: MongoDbMemoryService) -> None:
    for number in range(5):
        await service.add_session_to_memory(talk("kiln", "kiln", session_id=f"s-{number}"))
    first = await service.list_sessions(**SCOPE, limit=3)
    rest = await service.list_sessions(**SCOPE, limit=3, cursor=first.cursor)
    assert [s.session_id for s in first.sessions + rest.sessions] == [f"s-{n}" for n in range(5)]
    assert rest.cursor is None
    assert first.sessions[0].memories == 2
    assert first.sessions[0].first == "2026-02-25T06:13:20+00:00"
    assert first.sessions[0].last == "2026-02-25T06:13:21+00:00"


@pytest.mark.parametrize("cursor", ["", "?", "bm9uc2Vuc2U=", "WzEsMl0=", "e30="])
async def test_a_made_up_cursor_is_refused(service: MongoDbMemoryService, cursor: str) -> None:
    for listing in (service.list_memories, service.list_sessions):
        with pytest.raises(InvalidInputError, match="cursor"):
            await listing(**SCOPE, cursor=cursor)


async def test_an_export_holds_everything_of_one_user(make_service: MakeService) -> None:
    service = await make_service(store_metadata=True)
    await fill(service)
    await service.delete_memory(**SCOPE, memory_id="e-0", session_id="s-1")
    exported = [document async for document in service.export_user(**SCOPE)]
    assert len(exported) == 6
    assert {document["_id"]["user_id"] for document in exported} == {"u-42"}
    assert sum("content" not in document for document in exported) == 1
