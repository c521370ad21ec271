"""Who is measured: google-adk's service and ours, through the same two calls."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Protocol, Self

from google.adk.events import Event
from google.genai.types import Content, Part
from pymongo import MongoClient

from mongorecall import MongoDbMemoryService
from tests.benchmarks.corpus import APP, RECALL_COLLECTION, RECENCY_COLLECTION, words


class Contender(Protocol):
    """A service under measurement."""

    name: str

    async def search(self, user: str, query: str) -> list[str | None]:
        """The ids of the answer, with everything done that a caller pays for."""

    async def add(self, user: str, session: str, events: Sequence[Event]) -> None:
        """Store events."""

    async def settle(self) -> None:
        """Let work in the background end."""

    async def close(self) -> None:
        """Give the client back."""


class Peer:
    """google-adk's service on PyMongo."""

    name = "google-adk"

    def __init__(self, uri: str, database: str, collection: str = RECALL_COLLECTION) -> None:
        from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService

        self._client: MongoClient[dict[str, Any]] = MongoClient(uri)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._service = PeerService(
                database_name=database, mongo_client=self._client, memories_collection=collection
            )

    async def search(self, user: str, query: str) -> list[str | None]:
        answer = await self._service.search_memory(app_name=APP, user_id=user, query=query)
        return [memory.id for memory in answer.memories]

    async def add(self, user: str, session: str, events: Sequence[Event]) -> None:
        await self._service.add_events_to_memory(
            app_name=APP, user_id=user, events=events, session_id=session
        )

    async def settle(self) -> None:
        """It does nothing in the background."""

    async def close(self) -> None:
        self._client.close()


class Ours:
    """`MongoDbMemoryService` of this library."""

    def __init__(self, service: MongoDbMemoryService, name: str) -> None:
        self.name = name
        self._service = service

    @classmethod
    def open(
        cls, uri: str, database: str, *, driver: str = "pymongo", recency: bool = False, collection: str = ""
    ) -> Self:
        """On a driver of its own."""
        options: dict[str, Any] = {"connection_string": uri, "driver": driver}
        return cls._made(
            database,
            options,
            name=f"{driver}, recency" if recency else driver,
            recency=recency,
            collection=collection,
        )

    @classmethod
    def fresh(cls, client: object, database: str, *, recency: bool = False) -> Self:
        """On a client that is connected, knowing nothing of any scope."""
        return cls._made(database, {"mongo_client": client}, name="cold", recency=recency, collection="")

    @classmethod
    def _made(
        cls, database: str, options: dict[str, Any], *, name: str, recency: bool, collection: str
    ) -> Self:
        stored = collection or (RECENCY_COLLECTION if recency else RECALL_COLLECTION)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            service = MongoDbMemoryService(
                database_name=database, memories_collection=stored, recency_index=recency, **options
            )
        return cls(service, name)

    async def search(self, user: str, query: str) -> list[str | None]:
        answer = await self._service.search_memory(app_name=APP, user_id=user, query=query)
        return [memory.id for memory in answer.memories]

    async def add(self, user: str, session: str, events: Sequence[Event]) -> None:
        await self._service.add_events_to_memory(
            app_name=APP, user_id=user, events=events, session_id=session
        )

    async def settle(self) -> None:
        await self._service._store.learner.settle()

    async def close(self) -> None:
        await self._service.close()


def events(random: Any, count: int, start: int = 0) -> list[Event]:
    """Turns as google-adk's session service hands them over."""
    return [
        Event(
            id=f"e{number:06d}",
            invocation_id="i",
            author="user",
            timestamp=1.7e9 + number,
            content=Content(role="user", parts=[Part(text=" ".join(words(random, 25)))]),
        )
        for number in range(start, start + count)
    ]
