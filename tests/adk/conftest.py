"""Fixtures of the google-adk tests."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import pytest_asyncio
from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService

from mongorecall.adk import MongoDbMemoryService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class MakeDropIn(Protocol):
    """Makes a drop-in service on the test's database and driver; options as of the constructor."""

    async def __call__(self, **options: Any) -> MongoDbMemoryService: ...


class MakePeer(Protocol):
    """Makes google-adk's own service on the test's database; options as of its constructor."""

    def __call__(self, **options: Any) -> PeerService: ...


@pytest_asyncio.fixture
async def make_drop_in(uri: str, database: str, driver: str) -> AsyncIterator[MakeDropIn]:
    """``await make_drop_in(max_results=3)``; every service is closed after the test."""
    async with AsyncExitStack() as stack:

        async def make(**options: Any) -> MongoDbMemoryService:
            defaults: dict[str, Any] = {"database_name": database}
            if "mongo_client" not in options:
                defaults |= {"connection_string": uri, "driver": driver}
            return await stack.enter_async_context(MongoDbMemoryService(**(defaults | options)))

        yield make


@pytest_asyncio.fixture
async def memory(make_drop_in: MakeDropIn) -> MongoDbMemoryService:
    """The drop-in service with default options."""
    return await make_drop_in()


@pytest_asyncio.fixture
async def make_peer(uri: str, database: str) -> AsyncIterator[MakePeer]:
    """google-adk's own service on the same database, closed after the test."""
    async with AsyncExitStack() as stack:

        def make(**options: Any) -> PeerService:
            service = PeerService(database_name=database, connection_string=uri, **options)
            stack.push_async_callback(service.close)
            return service

        yield make


@pytest.fixture
def peer(make_peer: MakePeer) -> PeerService:
    """google-adk's own service with default options."""
    return make_peer()
