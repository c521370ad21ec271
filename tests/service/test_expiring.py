"""Nothing outlasts its deadline."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from pymongo.collection import Collection

from mongorecall import InvalidInputError, InvalidTypeError, MongoDbMemoryService
from tests.servers.fixtures import MakeService
from tests.service.talk import IN_SESSION, SCOPE, Sent, ids, talk, turn


async def test_an_expired_memory_is_not_returned_before_the_sweep(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.add_events_to_memory(**IN_SESSION, events=[turn("short", "kiln")], ttl=0.4)
    await service.add_events_to_memory(
        **IN_SESSION, events=[turn("long", "kiln", at=1)], ttl=timedelta(hours=1)
    )
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["long", "short"]
    await asyncio.sleep(0.5)
    assert raw.count_documents({}) == 2
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["long"]
    assert await service.count_memories(**SCOPE) == 1
    assert [m.id for m in (await service.list_memories(**SCOPE)).memories] == ["long"]
    assert [s.memories for s in (await service.list_sessions(**SCOPE)).sessions] == [1]
    assert (await service.delete_user_memory(**SCOPE, dry_run=True)).forgotten == 1
    assert (await service.delete_user_memory(**SCOPE)).forgotten == 1
    assert "kiln" not in str(list(raw.find()))


async def test_expired_memories_take_no_place_on_a_page(
    watched: tuple[MongoDbMemoryService, Sent],
) -> None:
    service, sent = watched
    lasting = [turn(f"long-{n}", "kiln", at=n) for n in range(3)]
    fleeting = [turn(f"short-{n}", "kiln glaze", at=100 + n) for n in range(5)]
    await service.add_events_to_memory(**IN_SESSION, events=lasting)
    await service.add_events_to_memory(**IN_SESSION, events=fleeting, ttl=0.2)
    await asyncio.sleep(0.3)
    sent.commands.clear()
    for commands in (["aggregate"] * 2, ["aggregate"]):  # what was met once is left out by the server
        found = await service.search_memory(**SCOPE, query="kiln glaze", limit=2)
        assert (ids(found), found.more) == (["long-2", "long-1"], True)
        assert sent.names == commands
        sent.commands.clear()


async def test_the_server_removes_what_has_expired(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    service = await make_service(retention=timedelta(days=1))
    await service.add_session_to_memory(talk("kiln"))
    index = raw.index_information()["mongorecall_expiry"]
    assert (index["key"], index["expireAfterSeconds"]) == ([("mr.expires_at", 1)], 0)
    document = raw.find_one()
    assert document is not None
    lifetime = document["mr"]["expires_at"] - document["mr"]["expires_at"].now(
        document["mr"]["expires_at"].tzinfo
    )
    assert timedelta(hours=23, minutes=59) < lifetime < timedelta(days=1, seconds=5)


async def test_re_adding_does_not_put_the_deadline_off(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    service = await make_service(retention=60)

    def deadline() -> Any:
        document = raw.find_one()
        assert document is not None
        return document["mr"]["expires_at"]

    await service.add_session_to_memory(talk("kiln"))
    first = deadline()
    await asyncio.sleep(0.05)
    assert (await service.add_session(talk("kiln"))).unchanged == 1
    assert deadline() == first
    assert (await service.add_session(talk("kiln changed"))).replaced == 1
    assert deadline() > first


async def test_a_stated_ttl_is_meant(service: MongoDbMemoryService) -> None:
    events = [turn("e", "kiln")]
    await service.add_events_to_memory(**IN_SESSION, events=events, ttl=3600)
    assert (await service.add_events(**IN_SESSION, events=events, ttl=0.001)).replaced == 1
    await asyncio.sleep(0.01)
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == []
    assert (await service.add_events(**IN_SESSION, events=events)).stored == 1
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["e"]


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), 1e300, timedelta(0), timedelta.max], ids=repr)
async def test_a_bad_ttl_is_refused(
    service: MongoDbMemoryService, make_service: MakeService, ttl: Any
) -> None:
    with pytest.raises(InvalidInputError, match="ttl"):
        await service.add_events(**IN_SESSION, events=[turn("e", "kiln")], ttl=ttl)
    with pytest.raises(InvalidInputError, match="retention"):
        await make_service(retention=ttl)


@pytest.mark.parametrize("ttl", [True, "60"], ids=repr)
async def test_a_ttl_of_another_type_is_refused(service: MongoDbMemoryService, ttl: Any) -> None:
    with pytest.raises(InvalidTypeError, match="ttl must be a timedelta or a number of seconds"):
        await service.add_events(**IN_SESSION, events=[], ttl=ttl)
