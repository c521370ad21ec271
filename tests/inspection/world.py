"""A small world for one scenario: a collection of its own on the real server, and a service on it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from pymongo.collection import Collection

from mongorecall import Event, MongoDbMemoryService
from mongorecall.inspection import Diagnosis, diagnose
from mongorecall.models import Session
from mongorecall.testing.factories import make_session

APP, USER = "support", "u-42"
COFFEE = "My favourite coffee is a flat white."


@dataclass
class World:
    """What a scenario works with."""

    raw: Collection[dict[str, Any]]
    open_service: Callable[..., MongoDbMemoryService]
    stack: AsyncExitStack
    services: dict[str, MongoDbMemoryService] = field(default_factory=dict)

    async def service(self, **options: Any) -> MongoDbMemoryService:
        """A service with these options, one for each set of them."""
        name = repr(sorted(options.items(), key=lambda item: item[0]))
        if name not in self.services:
            self.services[name] = await self.stack.enter_async_context(self.open_service(**options))
        return self.services[name]

    async def write(
        self,
        *turns: str | Event,
        app_name: str = APP,
        user_id: str = USER,
        session_id: str = "s-1",
        ttl: float | None = None,
        **options: Any,
    ) -> Session:
        """Add a session as its writer would, by a service with ``options``."""
        session = make_session(*turns, app_name=app_name, user_id=user_id, session_id=session_id)
        writer = await self.service(**options)
        await writer.add_session(session, ttl=ttl)
        return session

    async def ask(self, query: str, *, options: dict[str, Any] | None = None, **arguments: Any) -> Diagnosis:
        """Diagnose a query of the usual user, by a service with ``options``."""
        asked = {"app_name": APP, "user_id": USER, "query": query} | arguments
        return await diagnose(await self.service(**(options or {})), **asked)


Ask = Callable[[World], Awaitable[Diagnosis]]


@dataclass(frozen=True)
class Scenario:
    """One fault, built for real, and what must be named as its cause."""

    name: str
    cause: str | None
    run: Ask


class Scenarios:
    """A list that functions join by decoration."""

    def __init__(self) -> None:
        self.all: list[Scenario] = []

    def __call__(self, cause: str | None) -> Callable[[Ask], Ask]:
        """Register a coroutine; its name is the scenario's, its cause is ``cause``."""

        def register(run: Ask) -> Ask:
            self.all.append(Scenario(run.__name__, cause, run))
            return run

        return register
