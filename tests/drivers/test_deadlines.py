"""Every call ends by its deadline, whatever the server does and however many calls there are."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from pymongo import MongoClient, ReplaceOne

from mongorecall.drivers import deadline
from mongorecall.errors import DeadlineExceededError, InvalidInputError, RecallError, UnavailableError
from tests.drivers.faulty import failing, frozen
from tests.drivers.lag import LoopLag
from tests.drivers.proxy import Mode, Proxy

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from pymongo.collection import Collection

    from mongorecall.drivers import Driver
    from mongorecall.embedded import EmbeddedServer
    from tests.drivers.conftest import OpenDriver

OVERSHOOT = 0.2


async def read(driver: Driver) -> list[Any]:
    async with driver.operation("search") as op:
        return await op.read({"find": driver.collection_name, "limit": 1})


async def write(driver: Driver, number: int = 0) -> None:
    async with driver.operation("add", write=True) as op:
        await op.write([ReplaceOne({"_id": number}, {"x": number}, upsert=True)])


async def timed(call: Awaitable[object]) -> tuple[float, BaseException | None]:
    began = time.monotonic()
    try:
        await call
    except RecallError as error:
        return time.monotonic() - began, error
    return time.monotonic() - began, None


async def test_a_hundred_calls_on_a_frozen_server_each_end_by_their_deadline(
    open_one: OpenDriver, faulty: EmbeddedServer
) -> None:
    driver = await open_one()
    await asyncio.gather(*(write(driver, number) for number in range(30)))

    with frozen(faulty), deadline(1):
        async with LoopLag() as lag:
            ended = await asyncio.gather(
                *(timed(write(driver, n) if n % 2 else read(driver)) for n in range(100))
            )

    assert {type(error) for _, error in ended} == {DeadlineExceededError}
    assert max(seconds for seconds, _ in ended) < 1 + OVERSHOOT + lag.worst
    assert min(seconds for seconds, _ in ended) > 0.9
    outcomes = {error.outcome for _, error in ended if isinstance(error, RecallError)}
    assert outcomes == {"none", "unknown"}  # reads and writes that were never sent, and writes that were

    await write(driver)  # thawed: it works again


@pytest.mark.parametrize("mode", ["black_hole", "drip"])
async def test_a_connection_that_says_nothing_or_too_little(
    open_one: OpenDriver, faulty: EmbeddedServer, mode: Mode
) -> None:
    with Proxy(faulty) as proxy:
        driver = await open_one(connection_string=proxy.uri)
        await write(driver)
        proxy.fail(mode)

        with deadline(1):
            async with LoopLag() as lag:
                seconds, error = await timed(read(driver))

        assert isinstance(error, DeadlineExceededError)
        assert 0.9 < seconds < 1 + OVERSHOOT + lag.worst
        proxy.fail("pass")
        await driver.close()


async def test_a_server_that_never_greets_is_unavailable_by_the_deadline(
    open_one: OpenDriver, faulty: EmbeddedServer
) -> None:
    with Proxy(faulty) as proxy:
        proxy.fail("black_hole")
        driver = await open_one(connection_string=proxy.uri, operation_timeout=0.5)

        async with LoopLag() as lag:
            ended = await asyncio.gather(*(timed(read(driver)) for _ in range(50)))
            await driver.close()

    assert {type(error) for _, error in ended} == {UnavailableError}
    assert max(seconds for seconds, _ in ended) < 0.5 + OVERSHOOT + lag.worst


async def test_a_slow_write_is_ended_by_the_server_too(
    open_one: OpenDriver, stored: Collection[Any], faulty_admin: MongoClient[dict[str, Any]]
) -> None:
    driver = await open_one()
    await write(driver, 0)

    with failing(faulty_admin, ["update"], blockConnection=True, blockTimeMS=1000, appName="tested"):
        with deadline(0.5), pytest.raises(DeadlineExceededError) as caught:
            await write(driver, 1)
        await asyncio.sleep(1)

    assert caught.value.outcome == "unknown"
    assert stored.distinct("_id") == [0]  # the server gave up as well


async def test_a_server_that_thaws_in_time_answers(open_one: OpenDriver, faulty: EmbeddedServer) -> None:
    driver = await open_one()
    await write(driver)

    with frozen(faulty):
        task = asyncio.create_task(read(driver))
        await asyncio.sleep(0.5)
        assert not task.done()
    assert len(await task) == 1


async def test_a_caller_can_shorten_the_deadline(open_one: OpenDriver, faulty: EmbeddedServer) -> None:
    driver = await open_one()
    await write(driver)

    with frozen(faulty), deadline(30), deadline(0.3), deadline(20):
        async with LoopLag() as lag:
            seconds, error = await timed(read(driver))

    assert isinstance(error, DeadlineExceededError)
    assert 0.25 < seconds < 0.3 + OVERSHOOT + lag.worst


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), True, "1", 10**400])
def test_a_deadline_is_a_finite_number_above_zero(seconds: Any) -> None:
    with pytest.raises(InvalidInputError), deadline(seconds):
        pass


async def test_what_a_service_awaits_inside_an_operation_is_under_its_deadline(open_one: OpenDriver) -> None:
    driver = await open_one()
    await write(driver)

    with deadline(0.2), pytest.raises(DeadlineExceededError):
        async with driver.operation("add", write=True):
            await asyncio.Event().wait()
