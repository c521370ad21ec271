"""Servers that can be made to fail, and the scenario that every fault is thrown at."""

from __future__ import annotations

import uuid
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from pymongo import MongoClient

from mongorecall import MongoDbMemoryService
from mongorecall.embedded import EmbeddedServer
from tests.drivers.faulty import TEST_COMMANDS, failing, thaw
from tests.servers.fixtures import DATABASE_PREFIX
from tests.servers.processes import ReplicaSet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.servers.fixtures import MakeService

Admin = MongoClient[dict[str, Any]]


@pytest.fixture(scope="session")
def standalone() -> Iterator[EmbeddedServer]:
    """One mongod that takes fail points."""
    with EmbeddedServer(arguments=TEST_COMMANDS) as server:
        yield server


@pytest.fixture(scope="session")
def one_member() -> Iterator[ReplicaSet]:
    """A replica set of one member that takes fail points: the driver's own retries are on."""
    with ReplicaSet(1, arguments=TEST_COMMANDS) as members:
        yield members


@pytest.fixture(scope="module")
def three_members() -> Iterator[ReplicaSet]:
    """A replica set whose primary the test may kill, freeze or make step down."""
    with ReplicaSet(3, arguments=TEST_COMMANDS) as members:
        yield members


@pytest.fixture(params=["standalone", "replica set"])
def failing_uri(request: pytest.FixtureRequest) -> str:
    """The connection string of a deployment with fail points, of either topology."""
    if request.param == "standalone":
        server: EmbeddedServer = request.getfixturevalue("standalone")
        return server.uri
    members: ReplicaSet = request.getfixturevalue("one_member")
    return members.uri


@pytest.fixture
def failing_admin(failing_uri: str) -> Iterator[Admin]:
    """A synchronous client of that deployment; its fail point is off afterwards."""
    client: Admin = MongoClient(failing_uri, appName="admin")
    with client:
        yield client
        with failing(client, ["ping"]):
            pass


@pytest.fixture
def failing_database(failing_admin: Admin) -> Iterator[str]:
    """A database on that deployment, dropped afterwards."""
    name = DATABASE_PREFIX + uuid.uuid4().hex[:16]
    yield name
    failing_admin.drop_database(name)


@pytest_asyncio.fixture
async def open_service(failing_uri: str, failing_database: str, driver: str) -> AsyncIterator[MakeService]:
    """``await open_service(operation_timeout=2)`` on that deployment, with appName ``tested``."""
    async with AsyncExitStack() as stack:

        async def make(**options: Any) -> MongoDbMemoryService:
            defaults: dict[str, Any] = {
                "connection_string": f"{failing_uri}&appName=tested",
                "driver": driver,
                "database_name": failing_database,
            }
            return await stack.enter_async_context(MongoDbMemoryService(**(defaults | options)))

        yield make


@pytest.fixture
def thawed(three_members: ReplicaSet) -> Iterator[ReplicaSet]:
    """`three_members`, each of which runs again afterwards."""
    yield three_members
    for member in three_members.members:
        thaw(member)
        member.start()
    three_members.wait_until_whole()
