"""Any google-adk memory service as one of ours, for inspection, diagnosis and the contract tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from google.adk.memory.base_memory_service import BaseMemoryService as AdkBaseMemoryService

from mongorecall._checks import check_id, check_query, check_session_for_add
from mongorecall.adk._convert import from_adk_entry, to_adk_entry, to_adk_events, to_adk_session
from mongorecall.adk._service import AdkMemoryService
from mongorecall.analysis import resolve_analyzer
from mongorecall.base import AddOptions, BaseMemoryService, Capability, SearchOptions
from mongorecall.errors import UnsupportedError
from mongorecall.models import IngestReport, MemoryEntry, SearchMemoryResponse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mongorecall.analysis import Analyzer
    from mongorecall.models import Metadata


class AdoptedMemoryService(BaseMemoryService):
    """Calls an ADK service; see `from_adk`.

    Arguments are checked as ours are, before the ADK service sees them. Its errors come through as it
    raises them. ADK's interface has no filters, lists or receipts, so these raise `UnsupportedError`.
    """

    def __init__(self, adopted: AdkBaseMemoryService, *, analyzer: Analyzer | None = None) -> None:
        self.adopted = adopted
        self._analyzer = analyzer
        self.capabilities = _capabilities(adopted)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self.adopted).__name__})"

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer given to `from_adk`. `UnsupportedError` when none was."""
        return self._analyzer if self._analyzer is not None else super().analyzer

    async def add_events(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Iterable[Any],
        session_id: str | None = None,
        **options: Unpack[AddOptions],
    ) -> IngestReport:
        """Hand the events on.

        The report counts every event as stored: what an ADK service did with each, it does not say.
        """
        if options.get("ttl") is not None:
            raise UnsupportedError(f"{type(self.adopted).__name__} takes no ttl")
        check_session_for_add(session_id)
        converted = to_adk_events(events)
        await self.adopted.add_events_to_memory(
            app_name=check_id("app_name", app_name),
            user_id=check_id("user_id", user_id),
            events=converted,
            session_id=session_id,
            custom_metadata=options.get("custom_metadata"),
        )
        return IngestReport(received=len(converted), stored=len(converted))

    async def add_session(self, session: Any, **options: Unpack[AddOptions]) -> IngestReport:
        """Hand the session on as a session, which some services treat otherwise than its events."""
        if any(value is not None for value in options.values()):
            raise UnsupportedError(f"{type(self.adopted).__name__} takes no options with a session")
        converted = to_adk_session(session)
        check_id("app_name", converted.app_name)
        check_id("user_id", converted.user_id)
        check_session_for_add(converted.id)
        await self.adopted.add_session_to_memory(converted)
        return IngestReport(received=len(converted.events), stored=len(converted.events))

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Iterable[Any], custom_metadata: Metadata | None = None
    ) -> None:
        """Hand the entries on, ours as ADK's."""
        if "add_memory" not in self.capabilities:
            raise UnsupportedError(f"{type(self.adopted).__name__} does not implement add_memory")
        await self.adopted.add_memory(
            app_name=check_id("app_name", app_name),
            user_id=check_id("user_id", user_id),
            memories=[to_adk_entry(each) if isinstance(each, MemoryEntry) else each for each in memories],
            custom_metadata=custom_metadata,
        )

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> SearchMemoryResponse:
        """What the ADK service finds, in its order.

        ``query_keywords`` and the entries' ``matched_keywords`` stay empty and an empty answer has no
        reason: ADK services do not tell them.
        """
        given = sorted(name for name, value in options.items() if value is not None)
        if given:
            raise UnsupportedError(f"{type(self.adopted).__name__} takes no filters: {', '.join(given)}")
        found = await self.adopted.search_memory(
            app_name=check_id("app_name", app_name),
            user_id=check_id("user_id", user_id),
            query=check_query(query),
        )
        return SearchMemoryResponse(memories=[from_adk_entry(entry) for entry in found.memories])

    async def close(self) -> None:
        """Close the ADK service, where it can be closed; ADK's base class has no ``close``."""
        close = getattr(self.adopted, "close", None)
        if close is not None:
            await close()


def from_adk(
    service: AdkBaseMemoryService,
    *,
    analyzer: str | Analyzer | None = None,
    stop_words: set[str] | None = None,
) -> BaseMemoryService:
    """Make any ``google.adk.memory.BaseMemoryService`` one of ours.

    A service that came from `to_adk` gives back the service inside it.

    Args:
        service: an ADK memory service.
        analyzer: how the service splits text, where you know it: ``"classic"`` is the rule of ADK's
            ``MongoDbMemoryService``. ``explain`` and ``diagnose`` need it.
        stop_words: the words it leaves out, with ``analyzer="classic"``.
    """
    if isinstance(service, AdkMemoryService):
        return service.service
    known = resolve_analyzer(analyzer, stop_words) if analyzer is not None else None
    return AdoptedMemoryService(service, analyzer=known)


def _capabilities(service: AdkBaseMemoryService) -> frozenset[Capability]:
    """What the class overrides; ``"delete"`` stands for more methods than ADK's interface has."""
    can_add = type(service).add_memory is not AdkBaseMemoryService.add_memory
    return frozenset({"add_memory"} if can_add else ())
