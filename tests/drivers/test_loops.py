"""Event loops one after the other and side by side, without a loop, and in threads."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import threading
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, MongoClient, ReplaceOne

from mongorecall.drivers import Driver, open_driver
from mongorecall.errors import WrongLoopError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pymongo.collection import Collection

    from mongorecall.embedded import EmbeddedServer

Client = MongoClient[dict[str, Any]]


async def use(driver: Driver, number: int = 0) -> int:
    async with driver.operation("add", write=True) as op:
        await op.write([ReplaceOne({"_id": number}, {"x": number}, upsert=True)])
        return len(await op.read({"find": driver.collection_name}))


@pytest.fixture(params=["motor string", "pymongo string", "MongoClient", "motor client"])
def shared(
    request: pytest.FixtureRequest, faulty: EmbeddedServer, stored: Collection[Any]
) -> Iterator[Driver]:
    """A driver made without a running loop, from what may be used on several."""
    names: dict[str, Any] = {"database_name": stored.database.name, "collection_name": stored.name}
    if request.param.endswith("string"):
        kind = request.param.removesuffix(" string")
        driver = open_driver(connection_string=faulty.uri, driver=kind, **names)
        yield driver
        asyncio.run(driver.close())
    else:
        client: Any = Client(faulty.uri) if request.param == "MongoClient" else AsyncIOMotorClient(faulty.uri)
        yield open_driver(mongo_client=client, **names)
        client.close()


def test_loops_one_after_the_other(shared: Driver) -> None:
    for number in range(4):
        assert asyncio.run(use(shared, number)) == number + 1


def test_loops_side_by_side_in_threads(shared: Driver) -> None:
    async def many() -> list[int]:
        return await asyncio.gather(*(use(shared, number % 3) for number in range(20)))

    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        ended = [threads.submit(asyncio.run, many()) for _ in range(3)]
        results = [future.result(30) for future in ended]

    assert all(result[-1] == 3 for result in results)


def test_a_loop_that_ends_takes_nothing_from_the_others(shared: Driver) -> None:
    async def outer() -> list[int]:
        before = await use(shared, 1)
        await asyncio.get_running_loop().run_in_executor(None, asyncio.run, use(shared, 2))
        return [before, await use(shared, 3)]

    assert asyncio.run(outer()) == [1, 3]


def test_closed_from_another_loop_while_one_waits(shared: Driver) -> None:
    opened, closed = threading.Event(), threading.Event()

    async def first() -> None:
        await use(shared)
        opened.set()
        while not closed.is_set():  # noqa: ASYNC110 - set from another thread
            await asyncio.sleep(0.01)

    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(asyncio.run, first())
        opened.wait(10)
        asyncio.run(asyncio.wait_for(shared.close(), 2))
        closed.set()
        waiting.result(5)
    assert shared.closed


def test_a_loop_that_ended_is_forgotten(shared: Driver) -> None:
    for number in range(5):
        asyncio.run(use(shared, number))

    assert len(shared._bindings) == 1


@pytest.mark.parametrize("kind", ["motor", "pymongo"])
def test_one_that_is_dropped_without_closing_leaves_no_socket(
    faulty: EmbeddedServer, stored: Collection[Any], kind: str
) -> None:
    async def drop() -> None:
        for number in range(3):
            driver = open_driver(
                connection_string=faulty.uri,
                driver=kind,
                database_name=stored.database.name,
                collection_name=stored.name,
            )
            await use(driver, number)
            del driver
            gc.collect()
            await asyncio.sleep(0.2)

    gc.collect()  # what earlier tests left
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        asyncio.run(drop())
        gc.collect()
    assert [str(warning.message) for warning in caught if warning.category is ResourceWarning] == []


def test_a_callers_async_client_works_on_its_loop_alone(
    faulty: EmbeddedServer, stored: Collection[Any]
) -> None:
    client: AsyncMongoClient[dict[str, Any]] = AsyncMongoClient(faulty.uri)
    driver = open_driver(mongo_client=client, database_name=stored.database.name, collection_name=stored.name)
    with asyncio.Runner() as runner:
        assert runner.run(use(driver)) == 1
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            other = threads.submit(asyncio.run, use(driver))
            with pytest.raises(WrongLoopError, match="one service per event loop"):
                other.result(10)
        assert runner.run(use(driver)) == 1
        runner.run(client.close())


def test_a_callers_async_client_that_was_bound_before(
    faulty: EmbeddedServer, stored: Collection[Any]
) -> None:
    client: AsyncMongoClient[dict[str, Any]] = AsyncMongoClient(faulty.uri)
    driver = open_driver(mongo_client=client, database_name=stored.database.name, collection_name=stored.name)
    with asyncio.Runner() as runner:
        runner.run(client.admin.command("ping"))
        with (
            concurrent.futures.ThreadPoolExecutor(1) as threads,
            pytest.raises(WrongLoopError),
        ):
            threads.submit(asyncio.run, use(driver)).result(10)
        runner.run(client.close())
