"""Any mongorecall service as a google-adk memory service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, Unpack

from google.adk.memory.base_memory_service import BaseMemoryService as AdkBaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse as AdkResponse
from pydantic import PrivateAttr

from mongorecall.adk._convert import to_adk_entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from google.adk.events.event import Event as AdkEvent
    from google.adk.memory.memory_entry import MemoryEntry as AdkMemoryEntry
    from google.adk.sessions.session import Session as AdkSession

    from mongorecall.base import BaseMemoryService, SearchOptions
    from mongorecall.models import EmptyReason, ForgetReceipt, SearchMemoryResponse


class AdkSearchMemoryResponse(AdkResponse):
    """ADK's response; `found` holds what ADK has no field for.

    It dumps as ADK's own response does, and equals one with the same memories.
    """

    _found: SearchMemoryResponse | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, found: SearchMemoryResponse, *, include_details: bool) -> Self:
        """The answer of one of our services, with its entries as ADK's."""
        entries = [to_adk_entry(entry, include_details=include_details) for entry in found.memories]
        response = cls(memories=entries)
        response._found = found
        return response

    @property
    def found(self) -> SearchMemoryResponse | None:
        """Our own response: query keywords, scores, matched keywords, whether there is more."""
        return self._found

    @property
    def reason(self) -> EmptyReason | None:
        """Why there is no memory, None when there is one."""
        return self._found.reason if self._found else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AdkResponse) and self.memories == other.memories

    __hash__ = None  # type: ignore[assignment]  # as every pydantic model that can change


class AdkMemoryService(AdkBaseMemoryService):
    """Gives ADK's ``Runner``, tools and ``Context`` a mongorecall service; see `to_adk`.

    ADK's events and sessions go to the service as they are. Errors are the service's own; all of them are
    `mongorecall.RecallError`. Methods that the service does not support raise ``NotImplementedError``.
    """

    def __init__(self, service: BaseMemoryService, *, include_details: bool = False) -> None:
        self.service = service
        """The mongorecall service: reports, filters, lists, receipts and diagnosis are its methods."""
        self.include_details = include_details

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.service!r})"

    async def add_session_to_memory(self, session: AdkSession) -> None:
        """Store the text turns of a session. Repeating it is safe."""
        await self.service.add_session_to_memory(session)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[AdkEvent],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store the text turns among ``events``, for a part of a session."""
        await self.service.add_events_to_memory(
            app_name=app_name,
            user_id=user_id,
            events=events,
            session_id=session_id,
            custom_metadata=custom_metadata,
        )

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[AdkMemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store memory entries; ``NotImplementedError`` unless the service takes direct memories."""
        await self.service.add_memory(
            app_name=app_name, user_id=user_id, memories=memories, custom_metadata=custom_metadata
        )

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> AdkSearchMemoryResponse:
        """The turns of this app and user that share keywords with ``query``, best first.

        ``options`` are the filters of `mongorecall.BaseMemoryService.search_memory`; ADK gives none.
        """
        found = await self.service.search_memory(app_name=app_name, user_id=user_id, query=query, **options)
        return AdkSearchMemoryResponse.of(found, include_details=self.include_details)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget the memory with the ``id`` that search returned, for good.

        ``self.service.delete_memory`` does the same, and returns the receipt.
        """
        await self.service.delete_memory(app_name=app_name, user_id=user_id, memory_id=memory_id)

    async def delete_session_memory(self, *, app_name: str, user_id: str, session_id: str) -> ForgetReceipt:
        """Forget every memory of a session for good; how many that were."""
        return await self.service.delete_session_memory(
            app_name=app_name, user_id=user_id, session_id=session_id
        )

    async def delete_user_memory(self, *, app_name: str, user_id: str) -> ForgetReceipt:
        """Forget every memory of an app and user for good; how many that were."""
        return await self.service.delete_user_memory(app_name=app_name, user_id=user_id)

    async def close(self) -> None:
        """Close the service, which closes only what it opened. Closing twice is harmless."""
        await self.service.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def to_adk(service: BaseMemoryService, *, include_details: bool = False) -> AdkMemoryService:
    """Make a mongorecall service a ``google.adk.memory.BaseMemoryService``.

    Args:
        service: ours, in memory, inspecting, or your own.
        include_details: add ``score``, ``session_id`` and ``matched_keywords`` to the
            ``custom_metadata`` of each entry found.
    """
    return AdkMemoryService(service, include_details=include_details)
