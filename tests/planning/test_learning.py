"""The service learns beside its searches, and answers the same whatever it knows."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.collection import Collection
from pymongo.monitoring import CommandListener

from mongorecall import MongoDbMemoryService
from mongorecall._planning import _policy
from tests.servers.fixtures import MakeService

WORDS = ("kiln", "glaze", "clay", "wheel", "slip", "bisque")
TURNS = 3_000


@pytest.fixture
def history(raw: Collection[dict[str, Any]]) -> Collection[dict[str, Any]]:
    """A long history; each word stands in half as many turns as the one before."""
    ids = [
        {
            "app_name": "studio",
            "user_id": "ann",
            "session_id": f"s{number // 50:04d}",
            "event_id": f"e{number:05d}",
        }
        for number in range(TURNS)
    ]
    raw.insert_many(
        {
            "_id": identity,
            **{name: identity[name] for name in ("app_name", "user_id", "session_id")},
            "author": "user",
            "keywords": sorted(
                {WORDS[0], *(word for place, word in enumerate(WORDS) if number % 2**place == 0)}
            ),
            "content": {"parts": [{"text": f"turn {number}"}], "role": "user"},
            "timestamp": 1.7e9 + number,
        }
        for number, identity in enumerate(ids)
    )
    return raw


async def found(service: MongoDbMemoryService) -> list[str | None]:
    answer = await service.search_memory(app_name="studio", user_id="ann", query=" ".join(WORDS))
    return [memory.id for memory in answer.memories]


@pytest.mark.usefixtures("history")
async def test_a_scope_with_slow_searches_is_learned_beside_them(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_policy, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(_policy, "EARNED_SECONDS", 0.0)
    for options in ({}, {"recency_index": True}):
        service = await make_service(**options)
        learner = service._store.learner
        before = await found(service)
        await found(service)
        await learner.settle()
        known = learner.policy.table(service._scope("studio", "ann"))
        assert known is not None
        assert known.turns == TURNS
        assert known.having["kiln"].bit_count() == known.sampled
        assert await found(service) == before


@pytest.mark.usefixtures("history")
async def test_a_sample_that_cannot_be_taken_changes_nothing(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_policy, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(_policy, "EARNED_SECONDS", 0.0)
    monkeypatch.setattr("mongorecall._operations.learning.LEARNING_SECONDS", 0.001)
    service = await make_service()
    before = await found(service)
    await found(service)
    await service._store.learner.settle()
    assert service._store.learner.policy.table(service._scope("studio", "ann")) is None
    assert await found(service) == before


async def test_a_search_is_one_command_when_its_scope_was_learned(
    history: Collection[dict[str, Any]], uri: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pymongo import AsyncMongoClient

    monkeypatch.setattr(_policy, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(_policy, "EARNED_SECONDS", 0.0)
    sent = Sent()
    async with (
        AsyncMongoClient[dict[str, Any]](uri, event_listeners=[sent]) as client,
        MongoDbMemoryService(database_name=database, mongo_client=client) as service,
    ):
        before = await found(service)
        await found(service)
        await service._store.learner.settle()
        sent.names.clear()
        assert await found(service) == before
        assert sent.names == ["aggregate"]


class Sent(CommandListener):
    """The names of the commands that were sent."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def started(self, event: Any) -> None:
        self.names.append(event.command_name)

    def succeeded(self, event: Any) -> None:
        pass

    def failed(self, event: Any) -> None:
        pass
