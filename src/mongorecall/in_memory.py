"""`InMemoryMemoryService`: the readable twin of `MongoDbMemoryService`, and the reference for it.

The same documents in a dict, the same answers in the same order; everything is gone with the process.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Unpack

from bson.raw_bson import RawBSONDocument

from mongorecall import _arguments as arguments
from mongorecall import _checks as checks
from mongorecall import _documents as documents
from mongorecall._documents import Prepared, Skipped
from mongorecall._documents.held import Held, HeldDocuments, HeldKey
from mongorecall._documents.memory_probe import DocumentsProbe
from mongorecall._ranking import PageBuilder, Ranking, resolve_ranking
from mongorecall._ranking.whole_scope import fill_from_scope
from mongorecall.analysis import MAX_QUERY_KEYWORDS, Analyzer, resolve_analyzer
from mongorecall.base import AddOptions, BaseMemoryService, SearchOptions, settle
from mongorecall.errors import ClosedError, InvalidTypeError
from mongorecall.models import (
    EmptyReason,
    ForgetReceipt,
    IngestReport,
    KeyPolicy,
    MemoryPage,
    MemoryScope,
    Metadata,
    SearchFilters,
    SearchMemoryResponse,
    SessionPage,
    SessionSummary,
)


@dataclass(frozen=True, slots=True)
class _Addition:
    """The arguments of one add, checked."""

    scope: MemoryScope
    session_id: str
    metadata: dict[str, Any] | None
    ttl: timedelta | None = None


class InMemoryMemoryService(BaseMemoryService):
    """Long-term recall for tests, demos and single processes.

    Every method looks at each memory of its scope, at once and without awaiting anything. Options mean
    what they mean for `MongoDbMemoryService`.

    Args:
        stop_words: words to ignore, in place of the analyzer's list; any letter case.
        max_results: most memories a search returns unless it says ``limit``; an int of at least 1.
        analyzer: ``"classic"``, ``"multilingual"`` or an `mongorecall.analysis.Analyzer`.
        ranking: ``"overlap"``, ``"idf"``, ``"context"`` or a ranking object.
        store_metadata: keep ``custom_metadata`` and return it with the memory.
        direct_memories: let `add_memory` store memory entries.
        retention: how long a memory lives from when it was stored; a timedelta or seconds.
        key_policy: how ids become keys, see `MemoryScope.of`.
        index_parts: what is searched: ``{"text"}``, or also ``"function_response"``.
        clock: seconds since 1970; decides what has expired and which add is newer.

    Raises:
        InvalidInputError: (a ``ValueError``) an option is out of bounds.
    """

    def __init__(
        self,
        *,
        stop_words: Collection[str] | None = None,
        max_results: int = 50,
        analyzer: str | Analyzer = "classic",
        ranking: str | Ranking = "overlap",
        store_metadata: bool = False,
        direct_memories: bool = False,
        retention: timedelta | float | None = None,
        key_policy: KeyPolicy = "exact",
        index_parts: Iterable[str] = ("text",),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._max_results = checks.check_int("max_results", max_results)
        self._analyzer = resolve_analyzer(analyzer, stop_words)
        self._ranking = resolve_ranking(ranking)
        self._store_metadata = checks.check_bool("store_metadata", store_metadata)
        self._direct_memories = checks.check_bool("direct_memories", direct_memories)
        self._retention = arguments.check_lifetime("retention", retention)
        self._key_policy = key_policy
        self._index_parts = arguments.check_index_parts(index_parts)
        self._clock = clock
        self.capabilities = arguments.capabilities_of(
            store_metadata=store_metadata, direct_memories=direct_memories
        )
        self._held = HeldDocuments()
        self._revision = 0
        self._closed = False

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer that splits text and queries."""
        return self._analyzer

    @property
    def probe(self) -> DocumentsProbe:
        """What `mongorecall.inspection` reads to explain and diagnose."""
        return DocumentsProbe(
            self._held.all,
            analyzer=self._analyzer,
            clock=self._clock,
            policy=self._key_policy,
            index_parts=self._index_parts,
        )

    # --- writing ---------------------------------------------------------------------------------

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
        addition = _Addition(
            scope=self._scope(app_name, user_id),
            session_id=checks.check_session_for_add(session_id),
            metadata=self._metadata(options.get("custom_metadata")),
            ttl=arguments.check_lifetime("ttl", options.get("ttl")),
        )
        if isinstance(events, str | bytes) or not isinstance(events, Iterable):
            raise InvalidTypeError(f"events must be an iterable of events, got {checks.type_name(events)}")
        return self._add(addition, list(events))

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Iterable[Any], custom_metadata: Metadata | None = None
    ) -> None:
        """See `BaseMemoryService.add_memory`; `UnsupportedError` without ``direct_memories=True``."""
        if not self._direct_memories:
            await super().add_memory(app_name=app_name, user_id=user_id, memories=memories)
        addition = _Addition(
            scope=self._scope(app_name, user_id),
            session_id=checks.UNKNOWN_SESSION_ID,
            metadata=self._metadata(custom_metadata),
        )
        settle(self._add(addition, arguments.direct_events(memories, now=self._now())))

    def _add(self, addition: _Addition, events: list[Any]) -> IngestReport:
        self._open()
        now = self._now()
        self._revision = max(self._revision + 1, round(now.timestamp() * 1e9))
        expires_at = documents.expiry(now, ttl=addition.ttl, retention=self._retention)
        report = IngestReport(received=len(events))
        outcomes = [
            documents.prepare(
                event,
                index=index,
                scope=addition.scope,
                session_id=addition.session_id,
                analyzer=self._analyzer,
                metadata=addition.metadata,
                expires_at=expires_at,
                index_parts=self._index_parts,
            )
            for index, event in enumerate(events)
        ]
        for event in documents.last_of_each_id(outcomes, report):
            self._write(addition, event, report)
        return report

    def _write(self, addition: _Addition, event: Prepared | Skipped, report: IngestReport) -> None:
        """Store, replace, keep or erase one event, by what is stored under its id."""
        scope = addition.scope
        key = (scope.app_name, scope.user_id, addition.session_id, event.event_id)
        held = self._held.get(key)
        there = held is not None and not documents.is_marker(held.document)
        if held is not None and documents.is_forgotten(held.document):
            documents.count_skipped(report, "forgotten")
        elif isinstance(event, Prepared):
            self._keep(key, event, held if there else None, report, keep_deadline=addition.ttl is None)
        elif there:
            self._held.mark(key, "erased", rev=self._revision)
            report.erased += 1
        else:
            documents.count_skipped(report, event.reason)

    def _keep(
        self, key: HeldKey, event: Prepared, held: Held | None, report: IngestReport, *, keep_deadline: bool
    ) -> None:
        new = event.raw(self._revision)
        documents.count_kept(report, event)
        if held is None:
            report.stored += 1
        elif documents.same_but_revision(new, RawBSONDocument(held.raw), keep_deadline=keep_deadline):
            report.unchanged += 1
            return
        else:
            report.replaced += 1
        self._held.put(key, new)

    # --- reading ---------------------------------------------------------------------------------

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> SearchMemoryResponse:
        """See `BaseMemoryService.search_memory`; options are those of `SearchFilters`."""
        scope = self._scope(app_name, user_id)
        text, filters = checks.check_query(query), arguments.check_filters(options)
        self._open()
        keywords = self._analyzer.keywords(text, cap=MAX_QUERY_KEYWORDS).keywords
        if not keywords:
            return SearchMemoryResponse(reason="no_searchable_words")
        page = PageBuilder(filters.limit or self._max_results, metadata=self._store_metadata)
        fill_from_scope(page, self._ranking, self._live(scope), keywords, query=text, filters=filters)
        return SearchMemoryResponse(
            memories=page.memories,
            query_keywords=list(keywords),
            reason=None if page.memories else page.reason or self._why_empty(scope, text, keywords, filters),
            skipped=page.skipped,
            more=page.more,
        )

    def _live(self, scope: MemoryScope) -> list[dict[str, Any]]:
        return [document for _, document in self._held.live(scope)]

    def _why_empty(
        self, scope: MemoryScope, query: str, keywords: tuple[str, ...], filters: SearchFilters
    ) -> EmptyReason:
        live = self._live(scope)
        if not live:
            return "nothing_stored"
        if filters.narrows and self._ranking.rank(live, keywords, query=query):
            return "filtered"
        return "no_shared_keyword"

    async def list_memories(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """See `BaseMemoryService.list_memories`; ``limit`` is at most 1,000."""
        scope = self._scope(app_name, user_id)
        session = checks.check_optional_id("session_id", session_id)
        checks.check_int("limit", limit, high=documents.MAX_PAGE)
        after = _place_of(cursor, 2)
        self._open()
        rows = [row for row in self._held.live(scope, session) if row[0][2:] > after]
        entries = [documents.decode(row[1], metadata=self._store_metadata) for row in rows[:limit]]
        last = rows[limit - 1][0] if len(rows) > limit else None
        return MemoryPage(memories=entries, cursor=last and documents.pack_cursor(*last[2:]))

    async def list_sessions(
        self, *, app_name: str, user_id: str, limit: int = 100, cursor: str | None = None
    ) -> SessionPage:
        """See `BaseMemoryService.list_sessions`; ``limit`` is at most 1,000."""
        scope = self._scope(app_name, user_id)
        checks.check_int("limit", limit, high=documents.MAX_PAGE)
        after = _place_of(cursor, 1)
        self._open()
        sessions: dict[str, list[dict[str, Any]]] = {}
        for key, document in self._held.live(scope):
            if key[2:3] > after:
                sessions.setdefault(key[2], []).append(document)
        page = [_summary(session, memories) for session, memories in list(sessions.items())[:limit]]
        more = len(sessions) > limit
        return SessionPage(sessions=page, cursor=documents.pack_cursor(page[-1].session_id) if more else None)

    async def count_memories(self, *, app_name: str, user_id: str, session_id: str | None = None) -> int:
        """See `BaseMemoryService.count_memories`."""
        scope = self._scope(app_name, user_id)
        session = checks.check_optional_id("session_id", session_id)
        self._open()
        return len(self._held.live(scope, session))

    def export_user(self, *, app_name: str, user_id: str) -> AsyncIterator[dict[str, Any]]:
        """See `BaseMemoryService.export_user`."""
        return self._export(self._scope(app_name, user_id))

    async def _export(self, scope: MemoryScope) -> AsyncIterator[dict[str, Any]]:
        self._open()
        for _, document in self._held.under(scope):
            yield documents.as_json_ready(document)

    # --- forgetting ------------------------------------------------------------------------------

    async def delete_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memory_id: str | None = None,
        session_id: str | None = None,
        dry_run: bool = False,
    ) -> ForgetReceipt:
        """See `BaseMemoryService.delete_memory`; without ``session_id``, every event with that id."""
        event_id = checks.check_id("memory_id", memory_id)
        session = checks.check_optional_id("session_id", session_id)
        return self._forget(self._scope(app_name, user_id), session, event_id, dry_run=dry_run)

    async def delete_session_memory(
        self, *, app_name: str, user_id: str, session_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """See `BaseMemoryService.delete_session_memory`."""
        session = checks.check_id("session_id", session_id)
        return self._forget(self._scope(app_name, user_id), session, None, dry_run=dry_run)

    async def delete_user_memory(
        self, *, app_name: str, user_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """See `BaseMemoryService.delete_user_memory`."""
        return self._forget(self._scope(app_name, user_id), None, None, dry_run=dry_run)

    async def remember_again(
        self, *, app_name: str, user_id: str, memory_id: str | None = None, session_id: str | None = None
    ) -> int:
        """See `BaseMemoryService.remember_again`."""
        scope = self._scope(app_name, user_id)
        event_id = checks.check_optional_id("memory_id", memory_id)
        session = checks.check_optional_id("session_id", session_id)
        self._open()
        rows = self._held.under(scope, session, event_id)
        lifted = [key for key, document in rows if documents.is_forgotten(document)]
        for key in lifted:
            self._held.mark(key, "erased", rev=self._revision)
        return len(lifted)

    def _forget(
        self, scope: MemoryScope, session_id: str | None, event_id: str | None, *, dry_run: bool
    ) -> ForgetReceipt:
        """Everything under the target becomes a marker, erased events too; memories are what is counted."""
        checks.check_bool("dry_run", dry_run)
        self._open()
        target = self._held.under(scope, session_id, event_id)
        memories = [key for key, document in target if not documents.is_marker(document)]
        for key, _ in [] if dry_run else target:
            self._held.mark(key, "forgotten", rev=self._revision)
        return ForgetReceipt(
            forgotten=len(memories),
            sessions=len({key[2] for key in memories}),
            dry_run=dry_run,
            at=self._now().isoformat(timespec="seconds"),
        )

    # --- life ------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Forget everything; twice is harmless; any other call then raises `ClosedError`."""
        self._closed = True
        self._held.clear()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._held)} documents)"

    def _open(self) -> None:
        """The service is open, and what has expired is gone."""
        if self._closed:
            raise ClosedError("the service is closed")
        self._held.sweep(self._now())

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)

    def _scope(self, app_name: str, user_id: str) -> MemoryScope:
        return MemoryScope.of(app_name, user_id, policy=self._key_policy)

    def _metadata(self, given: Metadata | None) -> dict[str, Any] | None:
        """What is stored: nothing unless the service keeps metadata."""
        metadata = documents.check_metadata(given)
        return metadata or {} if self._store_metadata else None


def _place_of(cursor: object, length: int) -> tuple[str, ...]:
    """What a page comes after; the empty tuple, which everything comes after, for the first page."""
    return () if cursor is None else documents.unpack_cursor(checks.as_str("cursor", cursor), length)


def _summary(session_id: str, memories: list[dict[str, Any]]) -> SessionSummary:
    first, last = documents.time_span(memories)
    return SessionSummary(session_id=session_id, memories=len(memories), first=first, last=last)
