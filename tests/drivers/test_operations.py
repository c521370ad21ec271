"""Reads, writes and commands as they are meant to go."""

from __future__ import annotations

import datetime
import time
from typing import TYPE_CHECKING, Any

import pytest
from bson.raw_bson import RawBSONDocument
from pymongo import DeleteOne, InsertOne, MongoClient, ReplaceOne, UpdateMany, UpdateOne
from pymongo.write_concern import WriteConcern

from mongorecall.drivers import deadline, open_driver
from mongorecall.drivers._binding import durable
from mongorecall.errors import (
    DeadlineExceededError,
    IndexConflictError,
    RecallError,
    StoreError,
    UnsuitableCollectionError,
)

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from mongorecall.embedded import EmbeddedServer
    from tests.drivers.conftest import OpenDriver


async def test_a_batch_says_what_it_did_and_what_was_refused(
    open_one: OpenDriver, stored: Collection[Any]
) -> None:
    stored.insert_many([{"_id": 1, "x": 1}, {"_id": 2, "x": 1}, {"_id": 3, "x": 1}])
    driver = await open_one()

    async with driver.operation("add", write=True) as op:
        outcome = await op.write(
            [
                InsertOne({"_id": 1}),
                InsertOne({"_id": 4, "x": 4}),
                ReplaceOne({"_id": 2}, {"x": 2}, upsert=True),
                ReplaceOne({"_id": 5}, {"x": 5}, upsert=True),
                UpdateMany({"x": 1}, {"$set": {"y": 1}}),
                UpdateOne({"_id": 3}, {"$push": {"x": 1}}),
                DeleteOne({"_id": 4}),
            ]
        )

    assert outcome.faults == {0: 11000, 5: 2}
    assert (outcome.inserted, outcome.upserted, outcome.deleted, outcome.attempts) == (1, 1, 1, 1)
    assert (outcome.matched, outcome.modified) == (3, 3)
    assert outcome.upserted_at == {3}
    assert sorted(stored.distinct("_id")) == [1, 2, 3, 5]


async def test_a_validator_refuses_one_document_and_no_other(
    open_one: OpenDriver, stored: Collection[Any]
) -> None:
    stored.database.create_collection(stored.name, validator={"x": {"$type": "int"}})
    driver = await open_one()

    async with driver.operation("add", write=True) as op:
        outcome = await op.write([InsertOne({"_id": i, "x": "text" if i == 7 else i}) for i in range(20)])

    assert outcome.faults == {7: 121}
    assert stored.count_documents({}) == 19


@pytest.mark.parametrize("raw", [False, True])
async def test_a_read_returns_all_documents_however_many_replies_it_takes(
    open_one: OpenDriver, stored: Collection[Any], raw: bool
) -> None:
    stored.insert_many([{"_id": i, "text": "x" * 300_000} for i in range(120)])  # 36 MB
    driver = await open_one(operation_timeout=30)

    async with driver.operation("search") as op:
        found = await op.read({"find": stored.name, "sort": {"_id": 1}}, raw=raw)

    assert [document["_id"] for document in found] == list(range(120))
    assert {type(document) for document in found} == {RawBSONDocument if raw else dict}


async def test_a_small_read_is_one_command(
    open_one: OpenDriver, stored: Collection[Any], faulty_admin: MongoClient[dict[str, Any]]
) -> None:
    stored.insert_many([{"_id": i} for i in range(500)])  # more than the server's first reply by default
    driver = await open_one()

    async with driver.operation("search") as op:
        await op.command({"ping": 1})
        before = faulty_admin.admin.command("serverStatus")["metrics"]["commands"]
        found = await op.read({"aggregate": stored.name, "pipeline": []})
        listed = await op.read({"find": stored.name, "filter": {"_id": {"$lt": 400}}})
        after = faulty_admin.admin.command("serverStatus")["metrics"]["commands"]

    assert (len(found), len(listed)) == (500, 400)
    for command, sent in {"aggregate": 1, "find": 1, "getMore": 0}.items():
        assert after[command]["total"] - before[command]["total"] == sent, command


async def test_counts_and_lists_of_indexes(open_one: OpenDriver, stored: Collection[Any]) -> None:
    stored.insert_many([{"_id": i, "x": i % 2} for i in range(10)])
    driver = await open_one()

    async with driver.operation("count") as op:
        assert await op.count({"count": stored.name, "query": {"x": 1}}) == 5
        count = [{"$match": {"x": 1}}, {"$count": "n"}]
        assert await op.count({"aggregate": stored.name, "pipeline": count}) == 5
        assert await op.count({"aggregate": stored.name, "pipeline": [{"$match": {"x": 7}}, *count[1:]]}) == 0
        assert [index["name"] for index in await op.read({"listIndexes": stored.name})] == ["_id_"]


async def test_what_python_cannot_hold_does_not_fail_a_read(
    open_one: OpenDriver, stored: Collection[Any]
) -> None:
    number = b"\x10_id\0" + b"%c\0\0\0"
    far = number % 1 + b"\x09d\0" + b"\xff" * 7 + b"\x7f"  # a date in the year 292,278,994
    broken = number % 2 + b"\x02s\0" + b"\2\0\0\0" + b"\xff\0"  # text that is not UTF-8
    stored.insert_many([_document(far), _document(broken)])
    driver = await open_one()

    async with driver.operation("search") as op:
        found = await op.read({"find": stored.name, "sort": {"_id": 1}})

    assert found[1] == {"_id": 2, "s": "\ufffd"}


async def test_dates_come_back_aware(open_one: OpenDriver, stored: Collection[Any]) -> None:
    at = datetime.datetime(2026, 5, 14, 12, tzinfo=datetime.UTC)
    stored.insert_one({"_id": 1, "at": at})
    driver = await open_one()

    async with driver.operation("search") as op:
        assert (await op.read({"find": stored.name}))[0]["at"] == at


async def test_errors_of_the_server_are_ours_and_quote_nothing(
    open_one: OpenDriver, stored: Collection[Any]
) -> None:
    driver = await open_one()
    stored.create_index("x", name="i")
    stored.database.create_collection("v", viewOn=stored.name, pipeline=[])
    clashing = {"createIndexes": stored.name, "indexes": [{"key": {"canary": 1}, "name": "i"}]}
    commands: list[tuple[dict[str, Any], type[RecallError], int | None]] = [
        ({"aggregate": stored.name, "pipeline": [{"$canary": 1}], "cursor": {}}, StoreError, 40324),
        (clashing, IndexConflictError, 86),
        (clashing | {"createIndexes": "v"}, UnsuitableCollectionError, 166),
        ({"canary": 1}, StoreError, 59),
        ({"find": stored.name, "filter": {"x": "canary\ud800"}}, StoreError, None),
        ({"find": stored.name, "filter": {"canary": 2**70}}, StoreError, None),
        ({"find": stored.name, "filter": {"canary\0": 1}}, StoreError, None),
        ({"find": stored.name, "filter": {"canary": object()}}, StoreError, None),
    ]

    for command, error, code in commands:
        with pytest.raises(error) as caught:
            async with driver.operation("search") as op:
                await op.command(command)
        assert caught.value.code == code
        assert "canary" not in repr(caught.value)
        assert caught.value.__context__ is None
        assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("stated", "used"),
    [
        ({}, {"w": "majority", "j": True}),
        ({"j": False}, {"w": "majority", "j": False}),
        ({"wtimeout": 500}, {"w": "majority", "j": True, "wtimeout": 500}),
        ({"w": 1}, {"w": 1}),
        ({"w": 2, "j": True}, {"w": 2, "j": True}),
    ],
)
def test_writes_are_majority_and_journalled_unless_the_caller_stated_otherwise(
    stated: dict[str, Any], used: dict[str, Any]
) -> None:
    assert durable(WriteConcern(**stated)).document == used


async def test_the_write_concern_reaches_the_server(
    driver: str, faulty: EmbeddedServer, stored: Collection[Any]
) -> None:
    stored.database.command("profile", 2)
    for uri in (faulty.uri, f"{faulty.uri}&w=1"):
        made = open_driver(
            connection_string=uri,
            driver=driver,
            database_name=stored.database.name,
            collection_name=stored.name,
        )
        async with made.operation("add", write=True) as op:
            await op.write([InsertOne({})])
        await made.close()
    stored.database.command("profile", 0)

    sent = stored.database["system.profile"].find({"command.insert": stored.name}).sort("ts")
    concerns = [entry["command"].get("writeConcern") for entry in sent] or [
        entry.get("writeConcern") for entry in sent
    ]
    assert [concern["w"] for concern in concerns] == ["majority", 1]
    assert concerns[0]["j"] is True


async def test_the_clock_of_the_server_is_asked_once(
    open_one: OpenDriver, faulty_admin: MongoClient[dict[str, Any]]
) -> None:
    driver = await open_one()

    async with driver.operation("add", write=True) as op:
        first = await op.clock_offset()
        began = time.monotonic()
        again = [await op.clock_offset() for _ in range(100)]

    assert abs(first) < 0.1  # the same machine
    assert set(again) == {first}
    assert time.monotonic() - began < 0.05


async def test_nothing_is_sent_after_the_deadline(open_one: OpenDriver) -> None:
    driver = await open_one()
    async with driver.operation("search") as op:
        await op.command({"ping": 1})

    with deadline(0.05):
        async with driver.operation("search") as op:
            time.sleep(0.06)  # noqa: ASYNC251 - work that cannot be interrupted

            with pytest.raises(DeadlineExceededError) as caught:
                await op.command({"ping": 1})
    assert caught.value.outcome == "none"


async def test_writing_to_a_view_is_refused_as_a_whole(open_one: OpenDriver, stored: Collection[Any]) -> None:
    stored.database.create_collection("v", viewOn=stored.name, pipeline=[])
    driver = await open_one(collection_name="v")

    with pytest.raises(UnsuitableCollectionError, match=r"\.v is a view"):
        async with driver.operation("add", write=True) as op:
            await op.write([InsertOne({"_id": 1})])


def _document(elements: bytes) -> RawBSONDocument:
    return RawBSONDocument((len(elements) + 5).to_bytes(4, "little") + elements + b"\0")
