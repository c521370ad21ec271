"""`MongoDbMemoryService`: the operations of `_operations/` behind one constructor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from datetime import timedelta
from typing import Any, Literal, Unpack

from mongorecall import _checks as checks
from mongorecall._arguments import (
    capabilities_of,
    check_filters,
    check_index_parts,
    check_lifetime,
    direct_events,
)
from mongorecall._documents import MAX_PAGE, check_metadata
from mongorecall._features import MONGODB_MEMORY_SERVICE, check_feature
from mongorecall._operations import forgetting, listing
from mongorecall._operations.health import health
from mongorecall._operations.ingesting import ingest
from mongorecall._operations.making import make_indexes
from mongorecall._operations.preparing import Addition, as_list
from mongorecall._operations.probing import MongoProbe
from mongorecall._operations.reindexing import reindex
from mongorecall._operations.searching import search
from mongorecall._operations.store import Store, StoreOptions
from mongorecall._operations.weighing import with_parts
from mongorecall._ranking import Ranking, resolve_ranking
from mongorecall.analysis import Analyzer, resolve_analyzer
from mongorecall.base import AddOptions, BaseMemoryService, SearchOptions, settle
from mongorecall.drivers import Driver, open_driver
from mongorecall.errors import InvalidInputError
from mongorecall.models import (
    ForgetReceipt,
    Health,
    IngestReport,
    KeyPolicy,
    MemoryPage,
    MemoryScope,
    Metadata,
    ReindexProgress,
    SearchMemoryResponse,
    SessionPage,
)

DEFAULT_TIMEOUT = timedelta(seconds=10)
"""Deadline of a call, the wait for a connection included."""


class MongoDbMemoryService(BaseMemoryService):
    """Long-term recall on any MongoDB.

    Finished turns are stored as documents with their keywords; a search returns the turns of the same app
    and user that share keywords with the query, the best first. With default options it reads and writes
    what google-adk's ``MongoDbMemoryService`` does. Construction does no I/O and touches no event loop;
    one service may be used from several loops. Use it with ``async with``, or call `close`.

    Args:
        database_name: database that holds the collection.
        connection_string: MongoDB URI; the service opens a client with it and closes it.
        mongo_client: a ``pymongo.MongoClient``, ``AsyncIOMotorClient`` or ``pymongo.AsyncMongoClient`` that
            stays the caller's. Exactly one of this and ``connection_string``.
        memories_collection: collection of the memory documents.
        stop_words: words to ignore, in place of the analyzer's list; any letter case.
        max_results: most memories a search returns unless it says ``limit``; an int of at least 1.
        ensure_indexes: make the index ``app_user_keywords`` on first use.
        driver: ``"motor"`` or ``"pymongo"``: the client that ``connection_string`` opens.
        analyzer: ``"classic"``, ``"multilingual"`` or an `mongorecall.analysis.Analyzer`.
        ranking: ``"overlap"``, ``"idf"``, ``"context"`` or a ranking object.
        recency_index: make the index of `mongorecall._indexes.RECENCY` in place of the default one.
        store_metadata: keep ``custom_metadata`` and return it with the memory.
        direct_memories: let `add_memory` store memory entries.
        retention: how long a memory lives from when it was stored; a timedelta or seconds.
        operation_timeout: deadline of every call; a timedelta or seconds, 10 s by default.
        key_policy: how ids become keys, see `MemoryScope.of`.
        index_parts: what is searched: ``{"text"}``, or also ``"function_response"``.

    Raises:
        InvalidInputError: (a ``ValueError``) an option is out of bounds, both or neither of client and URI,
            a client with write concern ``w=0``.
        FeatureDisabledError: (a ``RuntimeError``) the experimental feature is disabled.
    """

    def __init__(
        self,
        *,
        database_name: str,
        connection_string: str | None = None,
        mongo_client: Any = None,
        memories_collection: str = "memories",
        stop_words: Collection[str] | None = None,
        max_results: int = 50,
        ensure_indexes: bool = True,
        driver: Literal["motor", "pymongo"] = "motor",
        analyzer: str | Analyzer = "classic",
        ranking: str | Ranking = "overlap",
        recency_index: bool = False,
        store_metadata: bool = False,
        direct_memories: bool = False,
        retention: timedelta | float | None = None,
        operation_timeout: timedelta | float = DEFAULT_TIMEOUT,
        key_policy: KeyPolicy = "exact",
        index_parts: Iterable[str] = ("text",),
    ) -> None:
        check_feature(MONGODB_MEMORY_SERVICE, stacklevel=2)
        options = StoreOptions(
            max_results=checks.check_int("max_results", max_results),
            ensure_indexes=checks.check_bool("ensure_indexes", ensure_indexes),
            recency_index=checks.check_bool("recency_index", recency_index),
            store_metadata=checks.check_bool("store_metadata", store_metadata),
            direct_memories=checks.check_bool("direct_memories", direct_memories),
            retention=check_lifetime("retention", retention),
            index_parts=check_index_parts(index_parts),
        )
        opened = open_driver(
            connection_string=connection_string,
            mongo_client=mongo_client,
            driver=driver,
            database_name=database_name,
            collection_name=memories_collection,
            operation_timeout=checks.check_duration(
                "operation_timeout",
                operation_timeout,
                low=timedelta(milliseconds=1),
                high=timedelta(days=1),
            ),
        )
        rules = resolve_analyzer(analyzer, stop_words), resolve_ranking(ranking)
        self._assemble(Store.of(opened, *rules, options), key_policy)

    def _assemble(self, store: Store, key_policy: KeyPolicy) -> None:
        self._key_policy = key_policy
        self._store = store
        options = store.options
        self.capabilities = capabilities_of(
            store_metadata=options.store_metadata, direct_memories=options.direct_memories
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without sockets and opened anew; `TypeError` with a caller's client."""
        store = self._store
        parts = store.driver, store.analyzer, store.ranking, store.options
        return _rebuild, (type(self), parts, self._key_policy)

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer that splits text and queries."""
        return self._store.analyzer

    @property
    def probe(self) -> MongoProbe:
        """What `mongorecall.inspection` reads to explain and diagnose."""
        return MongoProbe(self._store, policy=self._key_policy)

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
        """See `BaseMemoryService.add_events`.

        Cost: one bulk for one new event; for more, one indexed read and one bulk a slice of 500 events or
        8 MB, and the read alone when nothing changed. A cancelled or timed-out call may have stored a part;
        repeating it is safe, and it can never overwrite what a later call wrote.
        """
        addition = Addition(
            scope=self._scope(app_name, user_id),
            session_id=checks.check_session_for_add(session_id),
            metadata=self._metadata(check_metadata(options.get("custom_metadata"))),
            ttl=check_lifetime("ttl", options.get("ttl")),
        )
        with self._store.counts.changing(addition.scope):
            return await ingest(self._store, addition, as_list(events))

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Iterable[Any], custom_metadata: Metadata | None = None
    ) -> None:
        """Store memory entries that no event stands behind, outside any session.

        Raises:
            UnsupportedError: (a ``NotImplementedError``) without ``direct_memories=True``.
            PartialWriteError: some entries could not be stored.
        """
        if not self._store.options.direct_memories:
            await super().add_memory(app_name=app_name, user_id=user_id, memories=memories)
        addition = Addition(
            scope=self._scope(app_name, user_id),
            session_id=checks.UNKNOWN_SESSION_ID,
            metadata=self._metadata(check_metadata(custom_metadata) or {}),
        )
        events = direct_events(memories, now=self._store.clock.now())
        with self._store.counts.changing(addition.scope):
            settle(await ingest(self._store, addition, events))

    # --- reading -----------------------------------------------------------------------------------

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> SearchMemoryResponse:
        """The turns that share keywords with ``query``, best first; options are those of `SearchFilters`.

        Order: score, then time (newest first), then ``_id``. Equal turns (author, text, time) appear once.

        Cost: one command; none when the query has no keyword; a second one when the page is empty and
        nothing is known of the scope, or when unreadable, equal or expired documents left it short.

        Raises:
            InvalidInputError: an argument is out of bounds; nothing was sent.
            RecallError: as `mongorecall.errors` lists. Never because of what is stored.
        """
        scope = self._scope(app_name, user_id)
        text, filters = checks.check_query(query), check_filters(options)
        found = await search(self._store, scope, text, filters)
        return with_parts(self._store.ranking, found) if filters.score_parts else found

    async def list_memories(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """See `BaseMemoryService.list_memories`. One indexed read; ``limit`` is at most 1,000."""
        return await listing.list_memories(
            self._store,
            self._scope(app_name, user_id),
            session_id=checks.check_optional_id("session_id", session_id),
            limit=checks.check_int("limit", limit, high=MAX_PAGE),
            cursor=_cursor(cursor),
        )

    async def list_sessions(
        self, *, app_name: str, user_id: str, limit: int = 100, cursor: str | None = None
    ) -> SessionPage:
        """See `BaseMemoryService.list_sessions`. Reads the memories after the cursor on the server."""
        return await listing.list_sessions(
            self._store,
            self._scope(app_name, user_id),
            limit=checks.check_int("limit", limit, high=MAX_PAGE),
            cursor=_cursor(cursor),
        )

    async def count_memories(self, *, app_name: str, user_id: str, session_id: str | None = None) -> int:
        """See `BaseMemoryService.count_memories`. One command."""
        return await listing.count_memories(
            self._store,
            self._scope(app_name, user_id),
            session_id=checks.check_optional_id("session_id", session_id),
        )

    def export_user(self, *, app_name: str, user_id: str) -> AsyncIterator[dict[str, Any]]:
        """See `BaseMemoryService.export_user`. One read for each 500 documents, each with its deadline."""
        return listing.export_user(self._store, self._scope(app_name, user_id))

    async def create_indexes(self) -> list[str]:
        """Make the indexes of this service's options now, also with ``ensure_indexes=False``; their names.

        For administrators of services whose own user may not. One command for each index.

        Raises:
            PermissionDeniedError: the database user lacks the privilege createIndex.
            IndexConflictError: a name of ours belongs to an index on other keys.
        """
        return await make_indexes(self._store)

    def reindex(
        self,
        *,
        app_name: str | None = None,
        user_id: str | None = None,
        cursor: str | None = None,
        pause: timedelta | float = 0.0,
    ) -> AsyncIterator[ReindexProgress]:
        """Recompute the keywords of stored turns by this service's analyzer, stop words and index parts.

        For after a change of any of them, also over what google-adk wrote. Of one user, or of the whole
        collection when ``app_name`` and ``user_id`` are left out. Runs while the service is in use: a turn
        that is written meanwhile is left as its writer made it. Content and order of time stay.

        Cost: one read and at most one bulk for each 200 documents, each batch with its own deadline, and
        ``pause`` between them. Yields after each batch; to resume, pass the last ``cursor``. Repeating it
        changes nothing.

        Raises:
            InvalidInputError: only one of app and user; or a cursor that no progress gave.
        """
        if (app_name is None) != (user_id is None):
            raise InvalidInputError("reindex takes both app_name and user_id, or neither for all users")
        scope = None if app_name is None or user_id is None else self._scope(app_name, user_id)
        between = checks.check_duration("pause", pause, low=timedelta(0), high=timedelta(hours=1))
        return reindex(self._store, scope, cursor=_cursor(cursor), pause=between)

    async def health(self) -> Health:
        """The state of server, driver and indexes, with advice. Four commands; an unreachable server is an
        answer, not an error."""
        return await health(self._store)

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
        """Forget one event for good; without ``session_id``, every event of the scope with that id.

        What was written under it and what is still on its way is gone, and re-adding it stores nothing
        until `remember_again`. An unknown id is no error: the receipt says 0.

        Raises:
            InvalidInputError: ``memory_id`` is missing or an id is bad.
        """
        if memory_id is None:
            checks.check_id("memory_id", memory_id)
        return await self._forget(app_name, user_id, session_id, memory_id, dry_run)

    async def delete_session_memory(
        self, *, app_name: str, user_id: str, session_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """Forget every memory of a session for good; see `delete_memory`."""
        checks.check_id("session_id", session_id)
        return await self._forget(app_name, user_id, session_id, None, dry_run)

    async def delete_user_memory(
        self, *, app_name: str, user_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """Forget every memory of an app and user for good; see `delete_memory`."""
        return await self._forget(app_name, user_id, None, None, dry_run)

    async def remember_again(
        self, *, app_name: str, user_id: str, memory_id: str | None = None, session_id: str | None = None
    ) -> int:
        """Lift the markers of forgotten events: of one event, one session or all; how many."""
        return await forgetting.remember_again(
            self._store, self._target(app_name, user_id, session_id, memory_id)
        )

    async def _forget(
        self, app_name: str, user_id: str, session_id: str | None, memory_id: str | None, dry_run: bool
    ) -> ForgetReceipt:
        target = self._target(app_name, user_id, session_id, memory_id)
        self._store.known_scopes.discard(target.scope)
        self._store.prepared.forget(target.scope)
        with self._store.counts.changing(target.scope):
            return await forgetting.forget(self._store, target, dry_run=checks.check_bool("dry_run", dry_run))

    def _target(
        self, app_name: str, user_id: str, session_id: str | None, memory_id: str | None
    ) -> forgetting.Target:
        return forgetting.Target(
            scope=self._scope(app_name, user_id),
            session_id=checks.check_optional_id("session_id", session_id),
            event_id=checks.check_optional_id("memory_id", memory_id),
        )

    # --- life --------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Close the client that ``connection_string`` opened; a caller's stays open. Ends within 2 seconds
        whatever the server does; twice is harmless; any other call then raises `ClosedError`."""
        self._store.learner.stop()
        await self._store.driver.close()

    def _scope(self, app_name: str, user_id: str) -> MemoryScope:
        return MemoryScope.of(app_name, user_id, policy=self._key_policy)

    def _metadata(self, given: Metadata | None) -> Metadata | None:
        """What is stored: nothing unless the service keeps metadata."""
        return (given or {}) if self._store.options.store_metadata else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._store.driver!r})"


def _rebuild(
    cls: type[MongoDbMemoryService],
    parts: tuple[Driver, Analyzer, Ranking, StoreOptions],
    key_policy: KeyPolicy,
) -> MongoDbMemoryService:
    service = cls.__new__(cls)
    service._assemble(Store.of(*parts), key_policy)  # noqa: SLF001 - the other half of __init__
    return service


def _cursor(cursor: object) -> str | None:
    return None if cursor is None else checks.as_str("cursor", cursor)
