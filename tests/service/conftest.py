"""A service whose commands can be looked at."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from mongorecall import MongoDbMemoryService
from tests.servers.fixtures import MakeService
from tests.service.talk import Sent, close_client, watched_client


@pytest_asyncio.fixture
async def watched(
    make_service: MakeService, driver: str, uri: str
) -> AsyncIterator[tuple[MongoDbMemoryService, Sent]]:
    """A service with default options on a caller's client, and the commands it sends."""
    client, sent = watched_client(driver, uri)
    yield await make_service(mongo_client=client), sent
    await close_client(client)
