"""One database for a module, emptied after each test: fast, and nobody sees anybody."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from pymongo import MongoClient

from mongorecall import MongoDbMemoryService
from tests.inspection.world import World
from tests.servers.fixtures import DATABASE_PREFIX


@pytest.fixture(scope="module")
def shared_database(admin: MongoClient[dict[str, Any]]) -> Iterator[str]:
    """A database for the tests of one module."""
    name = DATABASE_PREFIX + uuid.uuid4().hex[:16]
    yield name
    admin.drop_database(name)


@pytest_asyncio.fixture
async def world(
    admin: MongoClient[dict[str, Any]], uri: str, shared_database: str, driver: str
) -> AsyncIterator[World]:
    """An empty collection."""
    collection = "memories"

    def open_service(**options: Any) -> MongoDbMemoryService:
        return MongoDbMemoryService(
            database_name=shared_database,
            connection_string=uri,
            memories_collection=collection,
            driver=driver,  # type: ignore[arg-type]  # one of the two, by the fixture
            **options,
        )

    raw = admin[shared_database][collection]
    raw.create_index([("app_name", 1), ("user_id", 1), ("keywords", 1)], name="app_user_keywords")
    async with AsyncExitStack() as stack:
        yield World(raw, open_service, stack)
    raw.delete_many({})
