"""A lost connection, primary or answer is made up for inside the deadline, on a standalone too."""

from __future__ import annotations

import asyncio
import gc
import time
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from pymongo import InsertOne, MongoClient, ReplaceOne

from mongorecall.drivers import deadline
from mongorecall.embedded import free_port
from mongorecall.errors import (
    DeadlineExceededError,
    PermissionDeniedError,
    RecallError,
    StoreError,
    UnavailableError,
)
from tests.drivers.faulty import failing
from tests.drivers.proxy import Mode, Proxy

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from mongorecall.drivers import Driver, WriteOutcome
    from mongorecall.embedded import EmbeddedServer
    from tests.drivers.conftest import OpenDriver
    from tests.servers.processes import AuthServer

Admin = MongoClient[dict[str, Any]]


async def store(driver: Driver, count: int = 20) -> WriteOutcome:
    async with driver.operation("add", write=True) as op:
        return await op.write([ReplaceOne({"_id": i}, {"x": i}, upsert=True) for i in range(count)])


async def find(driver: Driver) -> list[Any]:
    async with driver.operation("search") as op:
        return await op.read({"find": driver.collection_name})


@pytest.mark.parametrize("times", [1, 3])
async def test_a_closed_connection_is_survived_by_writes(
    open_one: OpenDriver, stored: Collection[Any], faulty_admin: Admin, times: int
) -> None:
    driver = await open_one()

    with failing(faulty_admin, ["update"], times=times, closeConnection=True, appName="tested"):
        outcome = await store(driver)

    assert outcome.attempts == times + 1
    assert stored.count_documents({}) == 20


@pytest.mark.parametrize("command", ["find", "aggregate", "count", "getMore", "createIndexes"])
async def test_a_closed_connection_is_survived_by_everything_else(
    open_one: OpenDriver, stored: Collection[Any], faulty_admin: Admin, command: str
) -> None:
    stored.insert_many([{"_id": i} for i in range(250)])
    driver = await open_one()
    indexes = [{"key": {"x": 1}, "name": "x"}]

    with failing(faulty_admin, [command], times=1, closeConnection=True, appName="tested"):
        async with driver.operation("any") as op:
            assert len(await op.read({"find": stored.name, "batchSize": 100})) == 250
            assert len(await op.read({"aggregate": stored.name, "pipeline": []})) == 250
            assert await op.count({"count": stored.name}) == 250
            await op.command({"createIndexes": stored.name, "indexes": indexes})


@pytest.mark.parametrize("code", [91, 10107])  # all of them: tests/faults
async def test_a_lost_primary_is_survived(
    open_one: OpenDriver, stored: Collection[Any], faulty_admin: Admin, code: int
) -> None:
    driver = await open_one()

    with failing(faulty_admin, ["update", "find"], times=2, errorCode=code, appName="tested"):
        await store(driver)
        assert len(await find(driver)) == 20


@pytest.mark.parametrize(
    ("code", "error"),
    [(13, PermissionDeniedError), (18, PermissionDeniedError), (8000, StoreError), (2, StoreError)],
)
async def test_what_repeating_cannot_help_fails_at_once(
    open_one: OpenDriver, faulty_admin: Admin, code: int, error: type[RecallError]
) -> None:
    driver = await open_one()
    await store(driver, 1)
    began = time.monotonic()

    with failing(faulty_admin, ["update", "find"], errorCode=code, appName="tested"):
        with pytest.raises(error) as writing:
            await store(driver)
        with pytest.raises(error) as reading:
            await find(driver)

    assert time.monotonic() - began < 3
    assert writing.value.code == reading.value.code == code
    assert reading.value.outcome == "none"


@pytest.mark.parametrize("code", [64, 100])
async def test_a_write_that_is_not_confirmed_is_not_acknowledged(
    open_one: OpenDriver, stored: Collection[Any], faulty_admin: Admin, code: int
) -> None:
    driver = await open_one()
    concern = {"code": code, "errmsg": "canary"}

    with (
        failing(faulty_admin, ["update"], times=1, writeConcernError=concern, appName="tested"),
        pytest.raises(UnavailableError, match="not confirmed") as caught,
    ):
        await store(driver)

    assert caught.value.outcome == "unknown"
    assert "canary" not in str(caught.value)
    assert stored.count_documents({}) == 20


async def test_a_write_concern_error_of_a_lost_primary_is_repeated(
    open_one: OpenDriver, faulty_admin: Admin
) -> None:
    driver = await open_one()

    with failing(
        faulty_admin, ["update"], times=1, writeConcernError={"code": 91, "errmsg": ""}, appName="tested"
    ):
        outcome = await store(driver)

    assert (outcome.attempts, outcome.matched) == (2, 20)  # the first attempt had been applied


async def test_a_fault_that_stays_is_told_at_the_deadline(open_one: OpenDriver, faulty_admin: Admin) -> None:
    driver = await open_one()
    await store(driver, 1)
    began = time.monotonic()

    with (
        failing(faulty_admin, ["update"], closeConnection=True, appName="tested"),
        deadline(2),
        pytest.raises((UnavailableError, DeadlineExceededError), match=r"^add: ") as caught,
    ):
        await store(driver)

    assert time.monotonic() - began < 3
    assert caught.value.outcome == "unknown"
    assert caught.value.retryable


@pytest.mark.parametrize("mode", ["lost_answer", "cut_answer", "garbled_answer"])
async def test_an_answer_that_is_lost_on_the_way_is_asked_for_again(
    open_one: OpenDriver, faulty: EmbeddedServer, stored: Collection[Any], mode: Mode
) -> None:
    with Proxy(faulty) as proxy:
        driver = await open_one(connection_string=proxy.uri)
        await store(driver, 1)

        proxy.fail(mode, times=1)
        await store(driver)
        assert proxy.hit == 1
        proxy.fail(mode, times=1)
        found = await find(driver)
        assert proxy.hit == 1
        await driver.close()

    assert sorted(document["_id"] for document in found) == list(range(20))
    assert stored.count_documents({}) == 20


async def test_an_insert_whose_answer_is_lost_shows_as_a_duplicate_of_itself(
    open_one: OpenDriver, faulty: EmbeddedServer, stored: Collection[Any]
) -> None:
    with Proxy(faulty) as proxy:
        driver = await open_one(connection_string=proxy.uri)
        await store(driver, 1)
        proxy.fail("lost_answer", times=1)

        async with driver.operation("add", write=True) as op:
            outcome = await op.write([InsertOne({"_id": "once"})])
        await driver.close()

    assert (outcome.attempts, outcome.faults) == (2, {0: 11000})
    assert stored.count_documents({"_id": "once"}) == 1


async def test_nobody_listening_is_told_by_the_deadline(open_one: OpenDriver) -> None:
    driver = await open_one(connection_string=f"mongodb://127.0.0.1:{free_port()}", operation_timeout=1)
    began = time.monotonic()

    with pytest.raises(UnavailableError, match="cannot reach MongoDB at 127") as caught:
        await find(driver)

    assert 0.9 < time.monotonic() - began < 2
    assert caught.value.outcome == "none"


async def test_refused_connections_are_survived_once_they_are_taken_again(
    open_one: OpenDriver, faulty: EmbeddedServer
) -> None:
    with Proxy(faulty) as proxy:
        proxy.fail("refuse")
        driver = await open_one(connection_string=proxy.uri)
        with deadline(0.5), pytest.raises(UnavailableError):
            await find(driver)
        proxy.fail("pass")
        await store(driver)
        await driver.close()

    # PyMongo Async's monitor leaves a socket to the collector when it meets a connection that is taken
    # and dropped at once; whose sockets are ours to close, tests/drivers/test_closing.py looks at.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


async def test_a_slow_server_is_not_a_fault(open_one: OpenDriver, faulty: EmbeddedServer) -> None:
    with Proxy(faulty) as proxy:
        proxy.fail("slow")
        driver = await open_one(connection_string=proxy.uri)

        outcome = await store(driver)
        await driver.close()

    assert outcome.attempts == 1


async def test_a_call_the_server_gives_up_is_late(open_one: OpenDriver, faulty_admin: Admin) -> None:
    driver = await open_one()

    with (
        failing(faulty_admin, ["update", "find"], errorCode=50, appName="tested"),
        pytest.raises(DeadlineExceededError) as caught,
    ):
        await store(driver)

    assert caught.value.code == 50


async def test_a_refused_login_is_told_at_once_and_each_time(
    open_one: OpenDriver, auth_server: AuthServer
) -> None:
    uri = auth_server.uri_for("admin", "wrong", "admin")
    driver = await open_one(connection_string=uri, operation_timeout=8)
    began = time.monotonic()

    for _ in range(3):
        with pytest.raises(PermissionDeniedError, match="authentication failed at"):
            await find(driver)

    assert time.monotonic() - began < 2


async def test_calls_at_once_are_all_told_of_a_refused_login(
    open_one: OpenDriver, auth_server: AuthServer
) -> None:
    uri = auth_server.uri_for("admin", "wrong", "admin")
    driver = await open_one(connection_string=uri, operation_timeout=1)

    ended = await asyncio.gather(*(find(driver) for _ in range(8)), return_exceptions=True)

    assert {type(error) for error in ended} == {PermissionDeniedError}
