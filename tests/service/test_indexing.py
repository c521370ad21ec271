"""The index is made once, on first use, and what stands in its way is said clearly."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from pymongo.collection import Collection

from mongorecall import (
    IndexConflictError,
    MongoDbMemoryService,
    StoreError,
    UnsuitableCollectionError,
)
from tests.servers.fixtures import MakeService
from tests.servers.processes import AuthServer
from tests.service.talk import SCOPE, Sent, close_client, ids, talk, turn, watched_client

KEYS = {"app_name": 1, "user_id": 1, "keywords": 1}


def index_names(raw: Collection[dict[str, Any]]) -> set[str]:
    return set(raw.index_information()) - {"_id_"}


@pytest.mark.seed("R-056", "R-067", "R-068")
async def test_the_first_write_makes_the_index(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.add_session_to_memory(talk("kiln"))
    assert index_names(raw) == {"app_user_keywords"}
    assert dict(raw.index_information()["app_user_keywords"]["key"]) == KEYS


@pytest.mark.seed("R-069")
async def test_the_first_search_makes_the_index(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.search_memory(**SCOPE, query="kiln")
    assert index_names(raw) == {"app_user_keywords"}


async def test_a_hundred_first_calls_make_it_once(watched: tuple[MongoDbMemoryService, Sent]) -> None:
    service, sent = watched
    await asyncio.gather(*(service.search_memory(**SCOPE, query=f"kiln {n}") for n in range(100)))
    assert sent.names.count("createIndexes") == 1


async def test_twenty_services_of_one_client_make_it_once(
    make_service: MakeService, driver: str, uri: str
) -> None:
    client, sent = watched_client(driver, uri)
    for _ in range(20):
        service = await make_service(mongo_client=client)
        await service.search_memory(**SCOPE, query="kiln")
    assert sent.names.count("createIndexes") == 1
    await close_client(client)


@pytest.mark.seed("R-073")
async def test_ensure_indexes_false_sends_no_index_command(
    make_service: MakeService, driver: str, uri: str, raw: Collection[dict[str, Any]]
) -> None:
    client, sent = watched_client(driver, uri)
    service = await make_service(mongo_client=client, ensure_indexes=False)
    await service.add_session_to_memory(talk("kiln"))
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["e-0"]
    assert "createIndexes" not in sent.names
    assert index_names(raw) == set()
    await close_client(client)


@pytest.mark.seed("R-071")
async def test_without_the_privilege_one_warning_and_unindexed_reads(
    auth_server: AuthServer, driver: str, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    uri = auth_server.add_user(database, actions=["find", "insert", "update", "remove"])
    async with MongoDbMemoryService(connection_string=uri, database_name=database, driver=driver) as service:  # type: ignore[arg-type]
        with caplog.at_level(logging.WARNING, "mongorecall"):
            for _ in range(3):
                await service.add_session_to_memory(talk("kiln walnut"))
                assert ids(await service.search_memory(**SCOPE, query="walnut")) == ["e-0"]
        warnings = [record for record in caplog.records if record.name.startswith("mongorecall")]
        assert len(warnings) == 1
        assert "createIndex" in warnings[0].getMessage()
        assert "walnut" not in caplog.text
        assert (await service.health()).index == "unknown"


async def test_the_same_keys_under_another_name_count_as_indexed(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    raw.create_index(list(KEYS.items()), name="by_hand")
    await service.add_session_to_memory(talk("kiln"))
    assert index_names(raw) == {"by_hand"}
    assert (await service.health()).index == "present"


@pytest.mark.seed("R-072")
async def test_another_index_of_our_name_is_an_error_until_it_is_gone(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    raw.create_index([("author", 1)], name="app_user_keywords")
    for _ in range(2):
        with pytest.raises(IndexConflictError, match="drop the index app_user_keywords") as caught:
            await service.search_memory(**SCOPE, query="kiln")
        assert "{app_name: 1, user_id: 1, keywords: 1}" in str(caught.value)
    assert (await service.health()).index == "conflict"
    raw.drop_index("app_user_keywords")
    await service.search_memory(**SCOPE, query="kiln")
    assert dict(raw.index_information()["app_user_keywords"]["key"]) == KEYS


@pytest.mark.seed("R-072")
async def test_any_other_error_of_index_creation_is_raised_and_tried_again(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    for n in range(63):
        raw.create_index([(f"f{n}", 1)])
    with pytest.raises(StoreError, match="67"):
        await service.add_session_to_memory(talk("kiln"))
    raw.drop_indexes()
    await service.add_session_to_memory(talk("kiln"))
    assert index_names(raw) == {"app_user_keywords"}


async def test_the_recency_index_stands_in_for_the_default_one(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    service = await make_service(recency_index=True)
    await service.add_session_to_memory(talk("kiln", "kiln"))
    assert index_names(raw) == {"mongorecall_recency"}
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["e-1", "e-0"]
    health = await service.health()
    assert (health.ok, health.recency_index) == (True, "present")


async def test_health_says_what_is_wrong_with_the_index(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.add_session_to_memory(talk("kiln"))
    good = await service.health()
    assert (good.ok, good.index, good.recency_index, good.documents) == (True, "present", "off", 1)
    raw.database.command({"collMod": "memories", "index": {"name": "app_user_keywords", "hidden": True}})
    hidden = await service.health()
    assert (hidden.ok, hidden.index) == (False, "hidden")
    assert "hidden" in hidden.advice[0]
    raw.drop_index("app_user_keywords")
    missing = await service.health()
    assert (missing.ok, missing.index) == (False, "missing")
    raw.create_index(list(KEYS.items()), name="app_user_keywords")
    raw.create_index([*KEYS.items(), ("timestamp", -1)], name="mongorecall_recency")
    both = await service.health()
    assert (both.ok, both.recency_index) == (True, "present")
    assert "both there" in both.advice[0]


async def test_health_of_a_server_that_does_not_answer_is_an_answer(driver: Any) -> None:
    async with MongoDbMemoryService(
        connection_string="mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=300",
        database_name="none", driver=driver, operation_timeout=0.5,
    ) as service:  # fmt: skip
        health = await service.health()
    assert (health.ok, health.server, health.index) == (False, None, "unknown")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"collation": {"locale": "en", "strength": 1}}, "collation en/strength 1"),
        ({"capped": True, "size": 100_000}, "capped"),
        ({"timeseries": {"timeField": "t"}}, "time-series"),
        ({"viewOn": "other", "pipeline": []}, "view"),
    ],
    ids=["collation", "capped", "time-series", "view"],
)
async def test_an_unsuitable_collection_is_refused_at_first_use(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]], options: dict[str, Any], word: str
) -> None:
    raw.database.create_collection("memories", **options)
    with pytest.raises(UnsuitableCollectionError, match=word):
        await service.add_session_to_memory(talk("kiln"))
    with pytest.raises(UnsuitableCollectionError, match=word):
        await service.search_memory(**SCOPE, query="kiln")


async def test_a_validator_refuses_one_event_and_no_other(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    raw.database.create_collection("memories", validator={"author": {"$ne": "walnut"}})
    events = [turn(f"e-{n}", "kiln", author="walnut" if n == 5 else "user") for n in range(10)]
    report = await service.add_events(**SCOPE, session_id="s", events=events)
    assert report.stored == 9
    assert [(failed.index, failed.reason) for failed in report.failed] == [
        (5, "refused by the server: code 121")
    ]
