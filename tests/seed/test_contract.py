"""The promises about the contract and about production, on a real MongoDB."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from mongorecall import Content, Event, MongoDbMemoryService, Session

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from tests.servers.fixtures import MakeService

SUPPORT: dict[str, Any] = {"app_name": "support-bot", "user_id": "u-42"}


def session(*texts: str) -> Session:
    """A session of one turn for each text."""
    events = [
        Event(id=f"e-{number}", author="user", content=Content.of(text), timestamp=1772442725.0 + number)
        for number, text in enumerate(texts)
    ]
    return Session(id="monday", events=events, **SUPPORT)


@pytest.mark.seed("I-001", "I-012")
async def test_a_session_may_be_added_many_times(service: MongoDbMemoryService) -> None:
    for _ in range(3):
        await service.add_session_to_memory(session("a flat white", "with oat milk"))

    assert await service.count_memories(**SUPPORT) == 2


@pytest.mark.seed("I-006")
async def test_a_memory_has_content_author_and_an_iso_time(service: MongoDbMemoryService) -> None:
    await service.add_session_to_memory(session("a flat white"))

    (memory,) = (await service.search_memory(**SUPPORT, query="white")).memories

    assert memory.content.text == "a flat white"
    assert memory.author == "user"
    assert memory.timestamp is not None
    assert datetime.fromisoformat(memory.timestamp).timestamp() == 1772442725.0


@pytest.mark.seed("I-014")
@pytest.mark.parametrize("other", [{"app_name": "support_bot"}, {"user_id": "U-42"}, {"user_id": "42"}])
async def test_a_key_that_only_looks_alike_sees_nothing(
    service: MongoDbMemoryService, other: dict[str, str]
) -> None:
    await service.add_session_to_memory(session("a flat white"))

    response = await service.search_memory(**(SUPPORT | other), query="white")

    assert (response.memories, response.reason) == ([], "nothing_stored")


@pytest.mark.seed("I-019")
async def test_a_broad_query_returns_a_ranked_page_and_not_the_history(make_service: MakeService) -> None:
    service = await make_service(max_results=5)
    turns = [f"coffee number {number}" for number in range(60)]
    await service.add_session_to_memory(session(*turns, "coffee, flat white"))

    response = await service.search_memory(**SUPPORT, query="coffee flat white")

    assert [memory.id for memory in response.memories] == ["e-60", "e-59", "e-58", "e-57", "e-56"]
    assert response.more


@pytest.mark.seed("I-065")
def test_what_one_process_writes_another_finds(uri: str, database: str) -> None:
    def run(code: str) -> str:
        program = (
            "import asyncio; from mongorecall import *\n"
            f"options = dict(connection_string={uri!r}, database_name={database!r})\n"
            "async def main():\n"
            "    async with MongoDbMemoryService(**options) as m:\n"
            f"        {code}\n"
            "asyncio.run(main())"
        )
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    event = "Event(content=Content.of('a flat white'))"
    run(f"await m.add_events_to_memory(app_name='a', user_id='u', events=[{event}])")

    assert run("print(len((await m.search_memory(app_name='a', user_id='u', query='flat')).memories))") == "1"


@pytest.mark.seed("I-066")
async def test_memories_expire_and_can_be_forgotten(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    service = await make_service(retention=timedelta(days=30))
    await service.add_events(**SUPPORT, events=session("soon gone").events, ttl=timedelta(milliseconds=1))
    await service.add_session_to_memory(session("a flat white"))

    assert await service.count_memories(**SUPPORT) == 1
    assert any("expireAfterSeconds" in index for index in raw.list_indexes())

    receipt = await service.delete_user_memory(**SUPPORT)

    assert receipt.forgotten == 1
    assert await service.count_memories(**SUPPORT) == 0
