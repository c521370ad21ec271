"""Reindexing mends what another analyzer wrote, while the service is in use."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from pymongo.collection import Collection

from mongorecall import InvalidInputError, MongoDbMemoryService
from mongorecall._documents import reindexing as documents
from mongorecall._operations import reindexing
from mongorecall.models import ReindexProgress
from tests.recall.talk import ids, recall, remember, turns
from tests.servers.fixtures import MakeService


async def reindex(service: MongoDbMemoryService, **options: Any) -> list[ReindexProgress]:
    return [progress async for progress in service.reindex(**options)]


async def test_turns_become_findable_and_keep_everything_else(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    await remember(await make_service(), turns("I painted the café", "hm hm", "kiln"))
    before = {row["_id"]["event_id"]: row for row in raw.find()}
    service = await make_service(analyzer="multilingual", ranking="context")
    assert await ids(service, "painting cafe") == []
    [done] = await reindex(service)
    assert (done.seen, done.changed, done.unreadable) == (3, 3, 0)
    assert (await ids(service, "painting cafe"))[0] == "e0"
    for row in raw.find():
        old = before[row["_id"]["event_id"]]
        assert row["mr"].pop("analyzer") == f"multilingual {service.analyzer.version}"
        assert {**row, "keywords": None} == {**old, "keywords": None}
        assert list(row) == list(old)


async def test_repeating_it_and_adding_the_same_turns_changes_nothing(make_service: MakeService) -> None:
    said = turns("I painted the café", "kiln")
    await remember(await make_service(), said)
    service = await make_service(analyzer="multilingual")
    await reindex(service)
    assert (await reindex(service))[-1].changed == 0
    report = await service.add_events(app_name="app", user_id="u", session_id="s1", events=said)
    assert report.unchanged == 2


async def test_an_interrupted_run_goes_on_at_its_cursor(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "BATCH", 4)
    await remember(await make_service(), turns(*[f"painted {n}" for n in range(11)]))
    service = await make_service(analyzer="multilingual")
    progress = await anext(service.reindex())
    assert progress.changed == 4
    rest = await reindex(service, cursor=progress.cursor)
    assert [one.changed for one in rest] == [4, 7]
    assert len(await ids(service, "painting")) == 11


async def test_one_user_is_reindexed_alone(make_service: MakeService) -> None:
    classic = await make_service()
    for user in ("u", "v"):
        await classic.add_events(app_name="app", user_id=user, session_id="s", events=turns("painted"))
    service = await make_service(analyzer="multilingual")
    assert (await reindex(service, app_name="app", user_id="u"))[-1].changed == 1
    assert (await reindex(service))[-1].changed == 1


async def test_collections_of_google_adk_are_reindexed_and_back(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    classic = await make_service()
    await remember(classic, turns("I painted the café"))
    raw.update_many({}, {"$unset": {"mr": ""}})
    before = raw.find_one()
    await reindex(await make_service(analyzer="multilingual"))
    assert raw.find_one() != before
    await reindex(classic)
    after = raw.find_one()
    assert after is not None
    assert after.pop("mr") == {"v": 1}
    assert after == before


async def test_what_is_written_meanwhile_is_left_alone(
    make_service: MakeService, raw: Collection[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    await remember(await make_service(), turns("I painted"))
    service = await make_service(analyzer="multilingual")
    original = documents.reindexed

    def overtaken(document: Any, *rest: Any) -> Any:
        raw.update_one({"_id": document["_id"]}, {"$set": {"keywords": ["newer"], "mr.rev": 2**50}})
        return original(document, *rest)

    monkeypatch.setattr(reindexing, "reindexed", overtaken)
    assert (await reindex(service))[-1].changed == 0
    assert raw.distinct("keywords") == ["newer"]


async def test_markers_strangers_and_unreadable_documents_stay(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    classic = await make_service()
    await remember(classic, turns("painted one", "painted two", "painted three"))
    await classic.delete_memory(app_name="app", user_id="u", memory_id="e0", session_id="s1")
    raw.update_one({"_id.event_id": "e1"}, {"$set": {"content": 5}})
    raw.update_one({"_id.event_id": "e2"}, {"$set": {"mr.v": 9}})
    raw.insert_many([{"_id": 7}, {"_id": {"a": 1}}])
    before = list(raw.find())
    [done] = await reindex(await make_service(analyzer="multilingual"))
    assert (done.seen, done.changed, done.unreadable) == (3, 0, 1)
    assert list(raw.find()) == before


async def test_arguments_are_checked_before_anything_is_read(make_service: MakeService) -> None:
    service = await make_service()
    with pytest.raises(InvalidInputError, match="both app_name and user_id"):
        service.reindex(app_name="app")
    with pytest.raises(InvalidInputError, match="cursor"):
        await reindex(service, cursor="nonsense")


@pytest.mark.parametrize("ranking", ["overlap", "context"])
async def test_a_search_that_meets_another_analyzers_turns_warns_once(
    make_service: MakeService, caplog: pytest.LogCaptureFixture, ranking: str
) -> None:
    await remember(await make_service(), turns("kiln", "kiln glaze"))
    service = await make_service(analyzer="multilingual", ranking=ranking)
    with caplog.at_level(logging.WARNING, "mongorecall"):
        await recall(service, "kiln")
        await recall(service, "kiln")
    [warning] = [record.message for record in caplog.records if "reindex" in record.message]
    assert "analyzer classic wrote, and this service uses multilingual 1-prefix" in warning
    caplog.clear()
    await reindex(service)
    await recall(await make_service(analyzer="multilingual", ranking=ranking), "kiln")
    assert not caplog.records
