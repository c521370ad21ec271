"""Short conversations, and their recall by the twin in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mongorecall import Content, Event, InMemoryMemoryService
from mongorecall.base import BaseMemoryService
from mongorecall.models import MemoryEntry

BEGAN = 1_772_000_000.0


def turns(*texts: str | tuple[str, str], at: float = 0.0, prefix: str = "e") -> list[Event]:
    """Events ``e0``, ``e1``, … a minute apart; a text, or author and text."""
    spoken = [text if isinstance(text, tuple) else ("user", text) for text in texts]
    return [
        Event(id=f"{prefix}{n}", author=author, timestamp=BEGAN + at + 60 * n, content=Content.of(text))
        for n, (author, text) in enumerate(spoken)
    ]


def filler(count: int) -> list[Event]:
    """Turns of a session of their own that make the words of the others rare."""
    return turns(*(f"nothing of note {n}" for n in range(count)), prefix="f")


async def remember(
    service: BaseMemoryService, events: Sequence[Event], session_id: str | None = "s1"
) -> None:
    await service.add_events_to_memory(app_name="app", user_id="u", events=events, session_id=session_id)


async def recall(service: BaseMemoryService, query: str, **options: Any) -> list[MemoryEntry]:
    return (await service.search_memory(app_name="app", user_id="u", query=query, **options)).memories


async def ids(service: BaseMemoryService, query: str, **options: Any) -> list[str | None]:
    return [memory.id for memory in await recall(service, query, **options)]


def twin(**options: Any) -> InMemoryMemoryService:
    return InMemoryMemoryService(**{"analyzer": "multilingual", "ranking": "context", **options})
