"""A cancelled call leaves the driver usable and, after its deadline, nothing behind."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from pymongo import MongoClient, ReplaceOne

from mongorecall.drivers import deadline
from tests.drivers.faulty import failing, frozen

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from mongorecall.drivers import Driver
    from mongorecall.embedded import EmbeddedServer
    from tests.drivers.conftest import OpenDriver


async def read(driver: Driver) -> int:
    async with driver.operation("search") as op:
        return len(await op.read({"find": driver.collection_name}))


async def write(driver: Driver, number: int) -> None:
    async with driver.operation("add", write=True) as op:
        await op.write([ReplaceOne({"_id": number}, {"x": number}, upsert=True)])


def sockets() -> int:
    gc.collect()
    links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
    return sum(os.readlink(link).startswith("socket:") for link in links if os.path.lexists(link))


async def test_a_storm_of_cancelled_calls_leaves_a_driver_that_answers_right(
    open_one: OpenDriver, stored: Collection[Any]
) -> None:
    driver = await open_one()
    for number in range(5):
        await write(driver, number)

    for round_ in range(30):
        calls = [
            asyncio.create_task(write(driver, number % 5) if number % 2 else _forget(read(driver)))
            for number in range(20)
        ]
        await asyncio.sleep(0.0005 * round_)
        for call in calls:
            call.cancel()
        if round_ % 3 == 0:  # a second cancellation meets the first
            await asyncio.sleep(0)
            for call in calls:
                call.cancel()
        await asyncio.wait(calls)

    assert await asyncio.gather(*(read(driver) for _ in range(50))) == [5] * 50


async def _forget(call: Any) -> None:
    await call


async def test_cancelled_before_the_first_connection_exists(open_one: OpenDriver) -> None:
    driver = await open_one()

    for pause in range(8):
        calls = [asyncio.create_task(read(driver)) for _ in range(10)]
        await asyncio.sleep(0.001 * pause)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)

    assert await read(driver) == 0


async def test_a_cancelled_call_ends_at_once(open_one: OpenDriver, faulty: EmbeddedServer) -> None:
    driver = await open_one()
    await write(driver, 1)

    with frozen(faulty):
        call = asyncio.create_task(read(driver))
        await asyncio.sleep(0.2)
        began = time.monotonic()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert time.monotonic() - began < 0.5


async def test_after_the_deadline_of_cancelled_calls_nothing_is_left(
    open_one: OpenDriver, faulty: EmbeddedServer
) -> None:
    before = sockets(), threading.active_count(), len(asyncio.all_tasks())
    driver = await open_one()
    await asyncio.gather(*(write(driver, number) for number in range(30)))

    with frozen(faulty), deadline(0.5):
        calls = [asyncio.create_task(read(driver)) for _ in range(100)]
        await asyncio.sleep(0.1)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        await asyncio.sleep(0.6)
    await driver.close()
    await asyncio.sleep(0.3)

    assert sockets() <= before[0] + 2
    # Motor's threads are the process's: they wait for the next call.
    kept = sum(thread.name.startswith("ThreadPoolExecutor") for thread in threading.enumerate())
    assert threading.active_count() - kept <= before[1] + 2
    assert len(asyncio.all_tasks()) <= before[2]


async def test_a_timeout_of_the_callers_own_is_theirs(
    open_one: OpenDriver, faulty_admin: MongoClient[dict[str, Any]]
) -> None:
    driver = await open_one()
    await write(driver, 1)

    with (
        failing(faulty_admin, ["find"], blockConnection=True, blockTimeMS=1500, appName="tested"),
        pytest.raises(TimeoutError) as caught,
    ):
        async with asyncio.timeout(0.2):
            await read(driver)
    assert type(caught.value) is TimeoutError

    assert await read(driver) == 1


async def test_calls_wait_for_their_turn_in_order(
    open_one: OpenDriver, faulty_admin: MongoClient[dict[str, Any]]
) -> None:
    driver = await open_one(max_concurrency=1)
    await write(driver, 1)
    ended: list[int] = []

    async def call(number: int) -> None:
        await read(driver)
        ended.append(number)

    with failing(faulty_admin, ["find"], times=1, blockConnection=True, blockTimeMS=300, appName="tested"):
        await asyncio.gather(*(call(number) for number in range(30)))

    assert ended == list(range(30))
