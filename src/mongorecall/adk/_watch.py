"""An ADK memory service that passes every call on, for a subclass to watch some of them."""

from __future__ import annotations

from typing import Any

from google.adk.memory.base_memory_service import BaseMemoryService as AdkBaseMemoryService


class WatchedMemoryService(AdkBaseMemoryService):
    """Passes everything on as it comes, attributes beyond ADK's interface included."""

    def __init__(self, watched: AdkBaseMemoryService) -> None:
        self.watched = watched

    async def add_session_to_memory(self, session: Any) -> None:
        """Passed on."""
        await self.watched.add_session_to_memory(session)

    async def add_events_to_memory(self, **arguments: Any) -> None:
        """Passed on."""
        await self.watched.add_events_to_memory(**arguments)

    async def add_memory(self, **arguments: Any) -> None:
        """Passed on."""
        await self.watched.add_memory(**arguments)

    async def search_memory(self, **arguments: Any) -> Any:
        """Passed on."""
        return await self.watched.search_memory(**arguments)

    async def delete_memory(self, **arguments: Any) -> None:
        """Passed on."""
        await self.watched.delete_memory(**arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.watched, name)
