"""Conversations for the tests, and a look at the commands that were sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from mongorecall import Content, Event, Part, Session


class Scope(TypedDict):
    """The arguments that name an app and a user."""

    app_name: str
    user_id: str


class InSession(Scope):
    """The arguments that also name a session."""

    session_id: str


SCOPE: Scope = {"app_name": "support", "user_id": "u-42"}
IN_SESSION: InSession = {**SCOPE, "session_id": "s-1"}
BEGAN = 1_772_000_000.0
"""2026-02-25T06:13:20Z."""


def turn(event_id: str, text: str, *, at: float = 0.0, author: str = "user") -> Event:
    """An event of one text, ``at`` seconds after `BEGAN`."""
    return Event(id=event_id, author=author, timestamp=BEGAN + at, content=Content(parts=[Part(text=text)]))


def talk(*texts: str, session_id: str = "s-1") -> Session:
    """A session whose turns are ``e-0``, ``e-1``, …, one second apart."""
    turns = [turn(f"e-{n}", text, at=float(n)) for n, text in enumerate(texts)]
    return Session(id=session_id, events=turns, **SCOPE)


class Sent(CommandListener):
    """The commands a client sent, but for what drivers send by themselves."""

    def __init__(self) -> None:
        self.commands: list[Mapping[str, Any]] = []

    def started(self, event: CommandStartedEvent) -> None:
        if event.command_name not in {"hello", "isMaster", "endSessions", "ping"}:
            self.commands.append(dict(event.command))

    def succeeded(self, event: CommandSucceededEvent) -> None: ...

    def failed(self, event: CommandFailedEvent) -> None: ...

    @property
    def names(self) -> list[str]:
        """``["listCollections", "createIndexes", "aggregate"]``."""
        return [next(iter(command)) for command in self.commands]


def watched_client(driver: str, uri: str) -> tuple[Any, Sent]:
    """A caller's client of this driver, and what it sends."""
    sent = Sent()
    kind: Any = AsyncIOMotorClient if driver == "motor" else AsyncMongoClient
    return kind(uri, event_listeners=[sent]), sent


async def close_client(client: Any) -> None:
    """Motor closes at once, PyMongo Async when awaited."""
    closing = client.close()
    if closing is not None:
        await closing


def ids(response: Any) -> list[str | None]:
    """The event ids of a page."""
    return [memory.id for memory in response.memories]
