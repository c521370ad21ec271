"""The fixtures: `server`, `uri`, `driver`, `database`, `raw`, `make_service`, `service`.

Only the server lives for the whole run, and it belongs to no event loop: services are made inside each
test's own loop and closed in it.
"""

from __future__ import annotations

import uuid
from contextlib import AsyncExitStack, ExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import pytest_asyncio
from pymongo import MongoClient

from tests.servers.processes import AuthServer, ReplicaSet
from tests.servers.resolve import Server, start_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pymongo.collection import Collection

    from mongorecall import MongoDbMemoryService

DATABASE_PREFIX = "mongorecall_test_"
"""Tests write to databases of this name and a random end, and to no other."""

_server_key = pytest.StashKey[Server]()


class MakeService(Protocol):
    """Makes a service on the test's database and driver; options as of the constructor."""

    async def __call__(self, **options: Any) -> MongoDbMemoryService: ...


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The MongoDB of this run; see `tests.servers.resolve`."""
    with ExitStack() as stack:
        found = start_server(stack)
        request.config.stash[_server_key] = found
        yield found


@pytest.fixture(scope="session")
def admin(server: Server) -> Iterator[MongoClient[dict[str, Any]]]:
    """A synchronous client, for looking at what is stored and for dropping databases."""
    client: MongoClient[dict[str, Any]] = MongoClient(server.uri, tz_aware=True)
    with client:
        yield client


@pytest.fixture
def uri(server: Server) -> str:
    """The connection string of the server."""
    return server.uri


@pytest.fixture(params=["motor", "pymongo"])
def driver(request: pytest.FixtureRequest) -> str:
    """Each test that asks for it runs on Motor and on PyMongo Async."""
    return str(request.param)


@pytest.fixture
def database(admin: MongoClient[dict[str, Any]]) -> Iterator[str]:
    """The name of a database of this test's own, dropped afterwards."""
    name = DATABASE_PREFIX + uuid.uuid4().hex[:16]
    yield name
    admin.drop_database(name)


@pytest.fixture
def raw(admin: MongoClient[dict[str, Any]], database: str) -> Collection[dict[str, Any]]:
    """The collection ``memories`` of this test's database, past the library."""
    return admin[database]["memories"]


@pytest_asyncio.fixture
async def make_service(uri: str, database: str, driver: str) -> AsyncIterator[MakeService]:
    """``await make_service(max_results=3)``; every service is closed after the test."""
    from mongorecall import MongoDbMemoryService

    async with AsyncExitStack() as stack:

        async def make(**options: Any) -> MongoDbMemoryService:
            defaults: dict[str, Any] = {"database_name": database}
            if "mongo_client" not in options:
                defaults |= {"connection_string": uri, "driver": driver}
            return await stack.enter_async_context(MongoDbMemoryService(**(defaults | options)))

        yield make


@pytest_asyncio.fixture
async def service(make_service: MakeService) -> MongoDbMemoryService:
    """A service with default options."""
    return await make_service()


@pytest.fixture(scope="module")
def replica_set() -> Iterator[ReplicaSet]:
    """Three local mongod processes; the test may kill them."""
    with ReplicaSet(3) as members:
        yield members


@pytest.fixture(scope="module")
def auth_server() -> Iterator[AuthServer]:
    """A local mongod with users; `AuthServer.add_user` makes one with the privileges it is given."""
    with AuthServer() as found:
        yield found


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say which server it was."""
    found = config.stash.get(_server_key, None)
    if found is not None:
        terminalreporter.write_line(f"mongo: {found.how}")
