"""What the contract tests speak with: turns, and one app and user with the verbs of a service."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from mongorecall.models import Content, Event, MemoryScope, SearchMemoryResponse, Session

if TYPE_CHECKING:
    from mongorecall.base import BaseMemoryService

MONDAY = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
"""When the conversations of the contract begin."""


def said(text: str, *, id: str | None = None, minute: float = 0, author: str = "user") -> Event:  # noqa: A002
    """A turn of the contract: text at so many minutes after Monday morning."""
    return Event(
        id=id or uuid.uuid4().hex,
        author=author,
        timestamp=(MONDAY + timedelta(minutes=minute)).timestamp(),
        content=Content.of(text, role="user" if author == "user" else "model"),
    )


def texts(response: SearchMemoryResponse) -> list[str]:
    """The texts found, in order."""
    return [memory.content.text for memory in response.memories]


class Corner:
    """One app and user, with the verbs of a service under them."""

    def __init__(self, service: BaseMemoryService, scope: MemoryScope) -> None:
        self.service = service
        self.scope = scope

    @classmethod
    def new(cls, service: BaseMemoryService) -> Self:
        """An app and a user that nobody has used."""
        mark = uuid.uuid4().hex[:12]
        return cls(service, MemoryScope(app_name=f"app-{mark}", user_id=f"user-{mark}"))

    def beside(self, *, app_name: str | None = None, user_id: str | None = None) -> Self:
        """The same service under another app or user."""
        scope = MemoryScope(app_name=app_name or self.scope.app_name, user_id=user_id or self.scope.user_id)
        return type(self)(self.service, scope)

    @property
    def names(self) -> dict[str, Any]:
        """``app_name`` and ``user_id`` as keyword arguments."""
        return {"app_name": self.scope.app_name, "user_id": self.scope.user_id}

    async def add(self, *events: Event, session_id: str = "s-1", **options: Any) -> None:
        """Add a part of a session."""
        await self.service.add_events_to_memory(
            **self.names, events=list(events), session_id=session_id, **options
        )

    async def add_session(self, *events: Event, session_id: str = "s-1") -> None:
        """Add a whole session."""
        await self.service.add_session_to_memory(Session(id=session_id, events=list(events), **self.names))

    async def search(self, query: str, **options: Any) -> SearchMemoryResponse:
        """What the service answers."""
        return await self.service.search_memory(**self.names, query=query, **options)

    async def finds(self, query: str, **options: Any) -> list[str]:
        """The texts that a search finds, in order."""
        return texts(await self.search(query, **options))
