"""`InspectingMemoryService`: any memory service, with a record of every call."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from mongorecall.base import AddOptions, BaseMemoryService, SearchOptions
from mongorecall.inspection._explaining import explain_for
from mongorecall.inspection._hooks import LoggingHook
from mongorecall.inspection._recorder import Draft, Recorder

if TYPE_CHECKING:
    from mongorecall.analysis import Analyzer
    from mongorecall.inspection._journal import KeyJournal
    from mongorecall.inspection._records import InspectionHook
    from mongorecall.inspection._reports import QueryExplanation
    from mongorecall.models import (
        ForgetReceipt,
        IngestReport,
        MemoryPage,
        Metadata,
        SearchMemoryResponse,
        SessionPage,
    )


class InspectingMemoryService(BaseMemoryService):
    """Passes every call on to ``delegate``, unchanged, and gives a record of it to the hooks.

    Records hold keys, counts and times, never text. Attributes that this class does not have, such as
    ``health``, are the delegate's. Closing it closes the delegate.

    Args:
        delegate: any service, also a google-adk one through ``mongorecall.adk.from_adk``.
        hooks: what takes the records; one `LoggingHook` when None.
        log_content: also put the query and the texts into the records. For development: they often
            hold personal data.
        key_hash: a secret under which keys and session ids are hashed in the records, for logs that
            must not hold ids; None leaves them as they are, so that two sides can be compared by eye.

    Cost: a few microseconds a call beside the hooks; no round trip.
    """

    def __init__(
        self,
        delegate: BaseMemoryService,
        *,
        hooks: Sequence[InspectionHook] | None = None,
        log_content: bool = False,
        key_hash: bytes | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._delegate = delegate
        self._recorder = Recorder(
            delegate,
            hooks=[LoggingHook()] if hooks is None else hooks,
            log_content=log_content,
            key_hash=key_hash,
            clock=clock,
        )
        self.capabilities = delegate.capabilities

    def __repr__(self) -> str:
        return f"InspectingMemoryService({self._delegate!r})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # also ends the search for _delegate while unpickling
            raise AttributeError(name)
        return getattr(self._delegate, name)

    @property
    def delegate(self) -> BaseMemoryService:
        """The service that is inspected."""
        return self._delegate

    @property
    def journal(self) -> KeyJournal:
        """Which keys went through, and what was counted under them."""
        return self._recorder.journal

    @property
    def analyzer(self) -> Analyzer:
        """The delegate's rules."""
        return self._delegate.analyzer

    def explain(self, query: str) -> QueryExplanation:
        """How the delegate reads ``query``, by its own rules; the classic ones when it does not tell them."""
        return explain_for(self._delegate, query)

    # --- writing ---------------------------------------------------------------------------------

    async def add_session_to_memory(self, session: Any) -> None:
        """See `BaseMemoryService.add_session_to_memory`."""
        if not _overrides(self._delegate, "add_session_to_memory"):
            return await super().add_session_to_memory(session)
        with self._recorder.draft("write", *_key_of(session), session=getattr(session, "id", None)) as draft:
            await self._delegate.add_session_to_memory(session)
            draft.count_events(getattr(session, "events", ()))
        return None

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Iterable[Any],
        session_id: str | None = None,
        **options: Unpack[AddOptions],
    ) -> None:
        """See `BaseMemoryService.add_events_to_memory`."""
        if not _overrides(self._delegate, "add_events_to_memory"):
            return await super().add_events_to_memory(
                app_name=app_name, user_id=user_id, events=events, session_id=session_id, **options
            )
        with self._recorder.draft("write", app_name, user_id, session=session_id) as draft:
            kept = _reusable(events)
            await self._delegate.add_events_to_memory(
                app_name=app_name, user_id=user_id, events=kept, session_id=session_id, **options
            )
            draft.count_events(kept)
        return None

    async def add_events(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Iterable[Any],
        session_id: str | None = None,
        **options: Unpack[AddOptions],
    ) -> IngestReport:
        """See `BaseMemoryService.add_events`."""
        with self._recorder.draft("write", app_name, user_id, session=session_id) as draft:
            kept = _reusable(events)
            report = await self._delegate.add_events(
                app_name=app_name, user_id=user_id, events=kept, session_id=session_id, **options
            )
            draft.count_report(report, kept)
            return report

    async def add_session(self, session: Any, **options: Unpack[AddOptions]) -> IngestReport:
        """See `BaseMemoryService.add_session`."""
        with self._recorder.draft("write", *_key_of(session), session=getattr(session, "id", None)) as draft:
            report = await self._delegate.add_session(session, **options)
            draft.count_report(report, getattr(session, "events", ()))
            return report

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Iterable[Any], custom_metadata: Metadata | None = None
    ) -> None:
        """See `BaseMemoryService.add_memory`."""
        with self._recorder.draft("write", app_name, user_id) as draft:
            kept = _reusable(memories)
            await self._delegate.add_memory(
                app_name=app_name, user_id=user_id, memories=kept, custom_metadata=custom_metadata
            )
            draft.count_events(kept)

    # --- reading -----------------------------------------------------------------------------------

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> SearchMemoryResponse:
        """See `BaseMemoryService.search_memory`."""
        with self._recorder.draft("search", app_name, user_id) as draft:
            draft.add_query(query)
            response = await self._delegate.search_memory(
                app_name=app_name, user_id=user_id, query=query, **options
            )
            if response.query_keywords or "report" in self.capabilities:
                draft.counts["keywords"] = len(response.query_keywords)
            draft.counts["hits"] = len(response.memories)
            draft.add_texts(response.memories)
            return response

    async def list_memories(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """See `BaseMemoryService.list_memories`."""
        with self._recorder.draft("list", app_name, user_id, session=session_id) as draft:
            page = await self._delegate.list_memories(
                app_name=app_name, user_id=user_id, session_id=session_id, limit=limit, cursor=cursor
            )
            draft.counts["memories"] = len(page.memories)
            return page

    async def list_sessions(
        self, *, app_name: str, user_id: str, limit: int = 100, cursor: str | None = None
    ) -> SessionPage:
        """See `BaseMemoryService.list_sessions`."""
        with self._recorder.draft("list", app_name, user_id) as draft:
            page = await self._delegate.list_sessions(
                app_name=app_name, user_id=user_id, limit=limit, cursor=cursor
            )
            draft.counts["memories"] = sum(session.memories for session in page.sessions)
            return page

    async def count_memories(self, *, app_name: str, user_id: str, session_id: str | None = None) -> int:
        """See `BaseMemoryService.count_memories`."""
        with self._recorder.draft("count", app_name, user_id, session=session_id) as draft:
            count = await self._delegate.count_memories(
                app_name=app_name, user_id=user_id, session_id=session_id
            )
            draft.counts["memories"] = count
            return count

    def export_user(self, *, app_name: str, user_id: str) -> AsyncIterator[dict[str, Any]]:
        """See `BaseMemoryService.export_user`; recorded when the export ends."""
        return self._exporting(
            self._delegate.export_user(app_name=app_name, user_id=user_id), app_name, user_id
        )

    async def _exporting(
        self, rows: AsyncIterator[dict[str, Any]], app_name: str, user_id: str
    ) -> AsyncIterator[dict[str, Any]]:
        with self._recorder.draft("export", app_name, user_id) as draft:
            draft.counts["memories"] = 0
            async for row in rows:
                draft.counts["memories"] += 1
                yield row

    # --- forgetting --------------------------------------------------------------------------------

    async def delete_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memory_id: str | None = None,
        session_id: str | None = None,
        dry_run: bool = False,
    ) -> ForgetReceipt:
        """See `BaseMemoryService.delete_memory`."""
        with self._recorder.draft("delete", app_name, user_id, session=session_id) as draft:
            receipt = await self._delegate.delete_memory(
                app_name=app_name,
                user_id=user_id,
                memory_id=memory_id,
                session_id=session_id,
                dry_run=dry_run,
            )
            return _count_receipt(draft, receipt)

    async def delete_session_memory(
        self, *, app_name: str, user_id: str, session_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """See `BaseMemoryService.delete_session_memory`."""
        with self._recorder.draft("delete", app_name, user_id, session=session_id) as draft:
            receipt = await self._delegate.delete_session_memory(
                app_name=app_name, user_id=user_id, session_id=session_id, dry_run=dry_run
            )
            return _count_receipt(draft, receipt)

    async def delete_user_memory(
        self, *, app_name: str, user_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """See `BaseMemoryService.delete_user_memory`."""
        with self._recorder.draft("delete", app_name, user_id) as draft:
            receipt = await self._delegate.delete_user_memory(
                app_name=app_name, user_id=user_id, dry_run=dry_run
            )
            return _count_receipt(draft, receipt)

    async def remember_again(
        self, *, app_name: str, user_id: str, memory_id: str | None = None, session_id: str | None = None
    ) -> int:
        """See `BaseMemoryService.remember_again`."""
        with self._recorder.draft("restore", app_name, user_id, session=session_id) as draft:
            count = await self._delegate.remember_again(
                app_name=app_name, user_id=user_id, memory_id=memory_id, session_id=session_id
            )
            draft.counts["memories"] = count
            return count

    async def close(self) -> None:
        """Close the delegate."""
        await self._delegate.close()


def _overrides(service: BaseMemoryService, method: str) -> bool:
    return getattr(type(service), method) is not getattr(BaseMemoryService, method)


def _reusable(events: Iterable[Any]) -> Iterable[Any]:
    """A one-way iterable as a list, so that it can be counted; anything else untouched."""
    return list(events) if isinstance(events, Iterable) and not isinstance(events, Sequence) else events


def _key_of(session: object) -> tuple[object, object]:
    return getattr(session, "app_name", None), getattr(session, "user_id", None)


def _count_receipt(draft: Draft, receipt: ForgetReceipt) -> ForgetReceipt:
    draft.counts["memories"] = 0 if receipt.dry_run else receipt.forgotten
    return receipt
