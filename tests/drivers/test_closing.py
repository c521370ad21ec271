"""Closing: soon, repeatable, and it leaves a caller's client open."""

from __future__ import annotations

import asyncio
import gc
import time
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, MongoClient, ReplaceOne

from mongorecall.drivers import deadline, open_driver
from mongorecall.errors import ClosedError, RecallError
from tests.drivers.faulty import frozen
from tests.drivers.proxy import Proxy

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from mongorecall.drivers import Driver
    from mongorecall.embedded import EmbeddedServer
    from tests.drivers.conftest import OpenDriver


async def write(driver: Driver, number: int = 0) -> None:
    async with driver.operation("add", write=True) as op:
        await op.write([ReplaceOne({"_id": number}, {"x": number}, upsert=True)])


async def test_a_closed_driver_says_so_and_closes_twice(open_one: OpenDriver) -> None:
    driver = await open_one()
    await write(driver)

    await driver.close()
    await driver.close()

    assert driver.closed
    with pytest.raises(ClosedError, match="add: the service is closed"):
        await write(driver)


async def test_one_that_was_never_used_can_be_closed(open_one: OpenDriver) -> None:
    driver = await open_one()
    await driver.close()
    assert driver.closed


async def test_calls_under_way_end_or_say_closed(open_one: OpenDriver, stored: Collection[Any]) -> None:
    driver = await open_one()
    await write(driver)
    calls = [asyncio.create_task(write(driver, number)) for number in range(50)]
    await asyncio.sleep(0.005)

    await driver.close()
    ended = await asyncio.gather(*calls, return_exceptions=True)

    assert {type(error) for error in ended} <= {type(None), ClosedError}
    acknowledged = {number for number, error in enumerate(ended) if error is None}
    assert acknowledged <= set(stored.distinct("_id"))


async def test_closing_on_a_frozen_server_takes_less_than_two_seconds(
    open_one: OpenDriver, faulty: EmbeddedServer
) -> None:
    driver = await open_one()
    await asyncio.gather(*(write(driver, number) for number in range(30)))

    with frozen(faulty), deadline(3):
        calls = [asyncio.create_task(write(driver, number)) for number in range(50)]
        await asyncio.sleep(0.1)
        began = time.monotonic()
        await asyncio.gather(driver.close(), driver.close())
        took = time.monotonic() - began
        ended = await asyncio.gather(*calls, return_exceptions=True)

    assert took < 2
    assert {type(error) for error in ended} == {ClosedError}


async def test_closing_while_nothing_is_reachable(open_one: OpenDriver, faulty: EmbeddedServer) -> None:
    with Proxy(faulty) as proxy:
        driver = await open_one(connection_string=proxy.uri, operation_timeout=0.3)
        await asyncio.wait_for(write(await open_one()), 10)
        proxy.fail("black_hole")
        with pytest.raises(RecallError):
            await write(driver)
        began = time.monotonic()

        await driver.close()

    assert time.monotonic() - began < 2


async def test_a_callers_client_stays_open(faulty: EmbeddedServer, open_one: OpenDriver) -> None:
    synchronous: MongoClient[dict[str, Any]] = MongoClient(faulty.uri)
    motor: AsyncIOMotorClient[dict[str, Any]] = AsyncIOMotorClient(faulty.uri)
    asynchronous: AsyncMongoClient[dict[str, Any]] = AsyncMongoClient(faulty.uri)
    for client in (synchronous, motor, asynchronous):
        driver = await open_one(mongo_client=client)
        await write(driver)
        await driver.close()

    assert synchronous.admin.command("ping")["ok"] == 1
    assert (await motor.admin.command("ping"))["ok"] == 1
    assert (await asynchronous.admin.command("ping"))["ok"] == 1
    synchronous.close()
    motor.close()
    await asynchronous.close()


async def test_a_callers_client_that_the_caller_closed(faulty: EmbeddedServer, open_one: OpenDriver) -> None:
    client: MongoClient[dict[str, Any]] = MongoClient(faulty.uri)
    driver = await open_one(mongo_client=client)
    await write(driver)
    client.close()

    with pytest.raises(ClosedError, match="client was closed"):
        await write(driver)


async def test_one_after_the_other_leaves_no_socket_open(open_one: OpenDriver) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(12):
            driver = await open_one()
            await write(driver)
            await driver.close()
        gc.collect()

    assert not [warning for warning in caught if issubclass(warning.category, ResourceWarning)]


def test_a_close_that_is_cancelled_twice_at_the_loops_end_still_closes(
    faulty: EmbeddedServer, stored: Collection[Any], driver: str, caplog: pytest.LogCaptureFixture
) -> None:
    made = open_driver(
        connection_string=faulty.uri,
        driver=driver,
        database_name=stored.database.name,
        collection_name=stored.name,
    )

    async def main() -> None:
        await write(made)
        closing = asyncio.create_task(made.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait([closing])

    gc.collect()  # what earlier tests left
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        asyncio.run(main())
        gc.collect()

    assert not [warning for warning in caught if issubclass(warning.category, ResourceWarning)]
    assert caplog.records == []
