"""The pytest plugin: fixtures with a real MongoDB and a scope that nobody else has.

Installed with the package; it does nothing until a test asks for one of its fixtures.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mongorecall.models import MemoryScope
    from mongorecall.mongodb import MongoDbMemoryService

pytest.register_assert_rewrite("mongorecall.testing.contract", "mongorecall.testing.inspection")

TEST_URI = "MONGORECALL_TEST_URI"
"""The environment variable that names the server for tests."""


@pytest.fixture(scope="session")
def mongorecall_uri() -> Iterator[str]:
    """A server for the whole run: the one of ``MONGORECALL_TEST_URI``, else a local mongod.

    The local one keeps nothing and ends with the run; it comes with the extra ``embedded``.
    """
    given = os.environ.get(TEST_URI)
    if given:
        yield given
        return
    from mongorecall.embedded import EmbeddedServer

    with EmbeddedServer() as server:
        yield server.uri


@pytest.fixture(scope="session")
def mongorecall_database(mongorecall_uri: str) -> Iterator[str]:
    """The name of a database of this run, dropped at its end."""
    from pymongo import MongoClient

    name = f"mongorecall_test_{uuid.uuid4().hex[:16]}"
    yield name
    client: MongoClient[dict[str, Any]] = MongoClient(mongorecall_uri)
    with client:
        client.drop_database(name)


@pytest.fixture
def mongorecall_service(mongorecall_uri: str, mongorecall_database: str) -> Iterator[MongoDbMemoryService]:
    """A service with default options; use it in the test's own event loop."""
    from mongorecall.mongodb import MongoDbMemoryService

    service = MongoDbMemoryService(connection_string=mongorecall_uri, database_name=mongorecall_database)
    yield service
    asyncio.run(service.close())


@pytest.fixture
def mongorecall_scope() -> MemoryScope:
    """An app and a user that no other test has, so that it starts empty."""
    from mongorecall.models import MemoryScope

    return MemoryScope(app_name="test", user_id=f"user-{uuid.uuid4().hex[:16]}")
