"""`InspectingMemoryService`: any memory service, with a record of every call."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack

from mongorecall._checks import type_name
from mongorecall.base import AddOptions, BaseMemoryService, SearchOptions
from mongorecall.errors import InvalidInputError, RecallError
from mongorecall.inspection._events import count_text_events, text_of
from mongorecall.inspection._explaining import explain_for
from mongorecall.inspection._hooks import LoggingHook
from mongorecall.inspection._journal import KeyJournal
from mongorecall.inspection._records import Operation, OperationRecord, hash_id

if TYPE_CHECKING:
    from types import TracebackType

    from mongorecall._documents.probing import Probe
    from mongorecall.analysis import Analyzer
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

_log = logging.getLogger("mongorecall.inspection")


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
        if key_hash is not None and len(key_hash) < _SHORTEST_SECRET:
            raise InvalidInputError(f"key_hash must be at least {_SHORTEST_SECRET} bytes")
        self._delegate = delegate
        self._hooks = tuple([LoggingHook()] if hooks is None else hooks)
        self._log_content = log_content
        self._key_hash = key_hash
        self._clock = clock
        self.journal = KeyJournal()
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
        with self._draft("write", *_key_of(session), session=getattr(session, "id", None)) as draft:
            await self._delegate.add_session_to_memory(session)
            self._count_events(draft, getattr(session, "events", ()))
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
        with self._draft("write", app_name, user_id, session=session_id) as draft:
            kept = _reusable(events)
            await self._delegate.add_events_to_memory(
                app_name=app_name, user_id=user_id, events=kept, session_id=session_id, **options
            )
            self._count_events(draft, kept)
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
        with self._draft("write", app_name, user_id, session=session_id) as draft:
            kept = _reusable(events)
            report = await self._delegate.add_events(
                app_name=app_name, user_id=user_id, events=kept, session_id=session_id, **options
            )
            self._count_report(draft, report, kept)
            return report

    async def add_session(self, session: Any, **options: Unpack[AddOptions]) -> IngestReport:
        """See `BaseMemoryService.add_session`."""
        with self._draft("write", *_key_of(session), session=getattr(session, "id", None)) as draft:
            report = await self._delegate.add_session(session, **options)
            self._count_report(draft, report, getattr(session, "events", ()))
            return report

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Iterable[Any], custom_metadata: Metadata | None = None
    ) -> None:
        """See `BaseMemoryService.add_memory`."""
        with self._draft("write", app_name, user_id) as draft:
            kept = _reusable(memories)
            await self._delegate.add_memory(
                app_name=app_name, user_id=user_id, memories=kept, custom_metadata=custom_metadata
            )
            self._count_events(draft, kept)

    # --- reading -----------------------------------------------------------------------------------

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> SearchMemoryResponse:
        """See `BaseMemoryService.search_memory`."""
        with self._draft("search", app_name, user_id) as draft:
            if isinstance(query, str):
                draft.counts["tokens"] = len(query.split())
            if self._log_content:
                draft.counts["query"] = query
            response = await self._delegate.search_memory(
                app_name=app_name, user_id=user_id, query=query, **options
            )
            if response.query_keywords or "report" in self.capabilities:
                draft.counts["keywords"] = len(response.query_keywords)
            draft.counts["hits"] = len(response.memories)
            if self._log_content:
                draft.counts["texts"] = tuple(text_of(entry) for entry in response.memories)
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
        with self._draft("list", app_name, user_id, session=session_id) as draft:
            page = await self._delegate.list_memories(
                app_name=app_name, user_id=user_id, session_id=session_id, limit=limit, cursor=cursor
            )
            draft.counts["memories"] = len(page.memories)
            return page

    async def list_sessions(
        self, *, app_name: str, user_id: str, limit: int = 100, cursor: str | None = None
    ) -> SessionPage:
        """See `BaseMemoryService.list_sessions`."""
        with self._draft("list", app_name, user_id) as draft:
            page = await self._delegate.list_sessions(
                app_name=app_name, user_id=user_id, limit=limit, cursor=cursor
            )
            draft.counts["memories"] = sum(session.memories for session in page.sessions)
            return page

    async def count_memories(self, *, app_name: str, user_id: str, session_id: str | None = None) -> int:
        """See `BaseMemoryService.count_memories`."""
        with self._draft("count", app_name, user_id, session=session_id) as draft:
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
        with self._draft("export", app_name, user_id) as draft:
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
        with self._draft("delete", app_name, user_id, session=session_id) as draft:
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
        with self._draft("delete", app_name, user_id, session=session_id) as draft:
            receipt = await self._delegate.delete_session_memory(
                app_name=app_name, user_id=user_id, session_id=session_id, dry_run=dry_run
            )
            return _count_receipt(draft, receipt)

    async def delete_user_memory(
        self, *, app_name: str, user_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """See `BaseMemoryService.delete_user_memory`."""
        with self._draft("delete", app_name, user_id) as draft:
            receipt = await self._delegate.delete_user_memory(
                app_name=app_name, user_id=user_id, dry_run=dry_run
            )
            return _count_receipt(draft, receipt)

    async def remember_again(
        self, *, app_name: str, user_id: str, memory_id: str | None = None, session_id: str | None = None
    ) -> int:
        """See `BaseMemoryService.remember_again`."""
        with self._draft("restore", app_name, user_id, session=session_id) as draft:
            count = await self._delegate.remember_again(
                app_name=app_name, user_id=user_id, memory_id=memory_id, session_id=session_id
            )
            draft.counts["memories"] = count
            return count

    async def close(self) -> None:
        """Close the delegate."""
        await self._delegate.close()

    # --- records -----------------------------------------------------------------------------------

    def _draft(self, operation: Operation, app_name: object, user_id: object, **ids: object) -> _Draft:
        draft = _Draft(self, operation, self._scope_of(app_name, user_id))
        for name, value in ids.items():
            if isinstance(value, str):
                draft.counts[name] = value if self._key_hash is None else hash_id(self._key_hash, value)
        return draft

    def _scope_of(self, app_name: object, user_id: object) -> tuple[str, str]:
        """App and user as the store keys them, so that both sides of a mismatch show; as given otherwise."""
        probe: Probe | None = getattr(self._delegate, "probe", None)
        if probe is not None and isinstance(app_name, str) and isinstance(user_id, str):
            try:
                scope = probe.scope(app_name, user_id)
            except InvalidInputError:
                pass  # the call itself says what is wrong
            else:
                return scope.app_name, scope.user_id
        return _shown(app_name), _shown(user_id)

    def _count_report(self, draft: _Draft, report: IngestReport, events: Any) -> None:
        """By the store's own report; by the events where it is not told what became of each."""
        if "report" in self.capabilities:
            draft.counts["events"] = report.received
            draft.counts["text_events"] = report.received - sum(report.skipped.values()) - report.erased
            draft.counts["stored"] = report.stored + report.replaced + report.unchanged
            self._add_texts(draft, events)
        else:
            self._count_events(draft, events)

    def _count_events(self, draft: _Draft, events: Any) -> None:
        if isinstance(events, Sequence):
            draft.counts["events"] = len(events)
            draft.counts["text_events"] = count_text_events(events)
        self._add_texts(draft, events)

    def _add_texts(self, draft: _Draft, events: Any) -> None:
        if self._log_content and isinstance(events, Sequence):
            draft.counts["texts"] = tuple(text_of(event) for event in events)

    def _emit(self, draft: _Draft, error: str | None, ms: float) -> None:
        key = "/".join(draft.scope)
        if self._key_hash is not None:
            key = hash_id(self._key_hash, key)
        record = OperationRecord(draft.operation, key, self._clock() - ms / 1000, ms, error, **draft.counts)
        self.journal.note(draft.scope, record)
        for hook in self._hooks:
            try:
                hook(record)
            except Exception as fault:  # noqa: BLE001 - hooks are the user's; what is inspected goes on
                _log.warning("inspection hook %s raised %s", type_name(hook), type_name(fault))


class _Draft:
    """A record in the making; leaving the block sends it off."""

    __slots__ = ("_begun", "_owner", "counts", "operation", "scope")

    def __init__(self, owner: InspectingMemoryService, operation: Operation, scope: tuple[str, str]) -> None:
        self._owner = owner
        self.operation = operation
        self.scope = scope
        self.counts: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self._begun = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ms = (time.perf_counter() - self._begun) * 1000
        self._owner._emit(self, None if error is None else _error_name(error), ms)  # noqa: SLF001


_SHORTEST_SECRET = 16
"""Bytes: a shorter secret could be guessed, and the ids with it."""


def _error_name(error: BaseException) -> str:
    if isinstance(error, RecallError):
        return error.kind
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return type_name(error)


def _overrides(service: BaseMemoryService, method: str) -> bool:
    return getattr(type(service), method) is not getattr(BaseMemoryService, method)


def _reusable(events: Iterable[Any]) -> Iterable[Any]:
    """A one-way iterable as a list, so that it can be counted; anything else untouched."""
    return list(events) if isinstance(events, Iterable) and not isinstance(events, Sequence) else events


def _key_of(session: object) -> tuple[object, object]:
    return getattr(session, "app_name", None), getattr(session, "user_id", None)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else f"<{type_name(value)}>"


def _count_receipt(draft: _Draft, receipt: ForgetReceipt) -> ForgetReceipt:
    draft.counts["memories"] = 0 if receipt.dry_run else receipt.forgotten
    return receipt
