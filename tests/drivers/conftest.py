"""A server whose fail points can be set, and drivers that are closed after each test."""

from __future__ import annotations

import uuid
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import pytest_asyncio
from pymongo import MongoClient

from mongorecall.drivers import Driver, open_driver
from mongorecall.embedded import EmbeddedServer
from tests.drivers.faulty import TEST_COMMANDS, thaw
from tests.servers.fixtures import DATABASE_PREFIX

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pymongo.collection import Collection


class OpenDriver(Protocol):
    """Opens a driver on the faulty server and the test's driver; options as of `open_driver`."""

    async def __call__(self, **options: Any) -> Driver: ...


@pytest.fixture(scope="session")
def faulty() -> Iterator[EmbeddedServer]:
    """A mongod that takes fail points, and that a test may freeze."""
    with EmbeddedServer(arguments=TEST_COMMANDS) as server:
        yield server


@pytest.fixture(scope="session")
def faulty_admin(faulty: EmbeddedServer) -> Iterator[MongoClient[dict[str, Any]]]:
    """A synchronous client of the faulty server."""
    client: MongoClient[dict[str, Any]] = MongoClient(faulty.uri, appName="admin")
    with client:
        yield client


@pytest.fixture
def stored(faulty: EmbeddedServer, faulty_admin: MongoClient[dict[str, Any]]) -> Iterator[Collection[Any]]:
    """The collection that the test's drivers use, past the drivers; the server is thawed afterwards."""
    name = DATABASE_PREFIX + uuid.uuid4().hex[:16]
    yield faulty_admin[name]["memories"]
    thaw(faulty)
    faulty_admin.drop_database(name)


@pytest_asyncio.fixture
async def open_one(faulty: EmbeddedServer, stored: Collection[Any], driver: str) -> AsyncIterator[OpenDriver]:
    """``await open_one(operation_timeout=1)``."""
    async with AsyncExitStack() as stack:

        async def make(**options: Any) -> Driver:
            defaults: dict[str, Any] = {
                "database_name": stored.database.name,
                "collection_name": stored.name,
            }
            if "mongo_client" not in options:
                uri = f"{faulty.uri}&appName=tested"
                defaults |= {"connection_string": uri, "driver": driver}
            made = open_driver(**(defaults | options))
            stack.push_async_callback(made.close)
            return made

        yield make
