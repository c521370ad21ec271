"""Fixtures of the web tests."""

from __future__ import annotations

import pytest
import pytest_asyncio

from mongorecall import MongoDbMemoryService
from tests.web.support import MONDAY, Web


@pytest.fixture
def web() -> Web:
    """An application over the in-memory twin: for what stands in front of a service."""
    return Web()


@pytest_asyncio.fixture
async def monday(service: MongoDbMemoryService) -> Web:
    """An application over a real MongoDB, on both drivers, that remembers one turn of ann's."""
    web = Web(service)
    await web.call("sessions", MONDAY)
    return web
