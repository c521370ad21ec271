"""The n-th answer of the server is lost, cut or garbled, for every n that a scenario has."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
from pymongo import MongoClient

from mongorecall import MongoDbMemoryService
from tests.drivers.proxy import Mode, Proxy
from tests.faults.scenario import expected, use
from tests.servers.fixtures import DATABASE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mongorecall.embedded import EmbeddedServer


@pytest.fixture
def database(standalone: EmbeddedServer) -> Iterator[str]:
    name = DATABASE_PREFIX + uuid.uuid4().hex[:16]
    yield name
    with MongoClient[dict[str, object]](standalone.uri) as client:
        client.drop_database(name)


@pytest.mark.parametrize(
    "mode",
    [
        "lost_answer",
        pytest.param("cut_answer", marks=pytest.mark.slow),
        pytest.param("garbled_answer", marks=pytest.mark.slow),
    ],
)
async def test_whichever_answer_is_damaged_the_outcome_is_the_same(
    standalone: EmbeddedServer, database: str, driver: str, mode: Mode
) -> None:
    wanted = await expected()
    hit = 0

    with Proxy(standalone) as proxy:
        for number in range(100):
            proxy.fail(mode, skip=number, times=1)
            async with MongoDbMemoryService(
                connection_string=proxy.uri,
                driver=driver,  # type: ignore[arg-type] # one of the two
                database_name=database,
                memories_collection=f"memories{number}",
            ) as service:
                assert await use(service) == wanted, f"answer {number}"
            if not proxy.hit:
                break
            hit += proxy.hit

    assert hit == number > 10
