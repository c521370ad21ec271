"""What a diagnosis reads from MongoDB: every read is capped in documents and in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mongorecall._documents import (
    Failed,
    Prepared,
    Skipped,
    fields,
    id_range,
    live,
    prepare,
    scope_filter,
    search_filter,
    stored_keywords,
    stored_under,
)
from mongorecall._documents import probing as reads
from mongorecall._documents.probing import Document, RawId, RawKey
from mongorecall._operations.store import Store
from mongorecall.drivers import deadline
from mongorecall.errors import DeadlineExceededError
from mongorecall.models import KeyPolicy, MemoryScope, SearchFilters

READ_SECONDS = 2.0
"""The longest that one read may take, on the server too."""

FIND_SECONDS = 5.0
"""Longest search for an event whose session is not known."""

FOUND_IDS = 10_000_000
"""Ids of one scope that it looks through: more than it has the time for."""

_IDS_AT_ONCE = 500
_KEYWORD_READS = 64
"""Most keywords that are counted: a query of more words is not made clearer by more counts."""


class MongoProbe:
    """The `Probe` of a MongoDB collection."""

    def __init__(self, store: Store, *, policy: KeyPolicy = "exact") -> None:
        self._store = store
        self._policy = policy

    def scope(self, app_name: str, user_id: str) -> MemoryScope:
        """See `Probe.scope`."""
        return MemoryScope.of(app_name, user_id, policy=self._policy)

    def now(self) -> datetime:
        """See `Probe.now`."""
        return self._store.clock.now()

    def prepare(self, event: Any, scope: MemoryScope, session_id: str) -> Prepared | Skipped | Failed:
        """See `Probe.prepare`."""
        return prepare(
            event,
            index=0,
            scope=scope,
            session_id=session_id,
            analyzer=self._store.analyzer,
            index_parts=self._store.options.index_parts,
        )

    async def census(self, scope: MemoryScope) -> list[Document]:
        """See `Probe.census`. One read; a second one by ``_id`` when no index serves the first in time."""
        return await self._whole_scope(scope, reads.CENSUS_ROWS, {"$project": reads.census_row()})

    async def sample(self, scope: MemoryScope, limit: int = reads.SAMPLED) -> list[Document]:
        """See `Probe.sample`."""
        return await self._whole_scope(scope, limit)

    async def frequencies(self, scope: MemoryScope, keywords: Sequence[str]) -> dict[str, int]:
        """See `Probe.frequencies`; of more than 64 keywords the first are counted. One read."""
        counted = list(keywords[:_KEYWORD_READS])
        if not counted:
            return {}
        branches = [
            [*self._matching(scope, [word]), {"$limit": reads.COUNTED}, {"$count": "n"}, {"$set": {"at": at}}]
            for at, word in enumerate(counted)
        ]
        rows = await self._aggregate(self._union(branches))
        return dict.fromkeys(counted, 0) | {counted[row["at"]]: row["n"] for row in rows}

    async def under(self, scope: MemoryScope, session_id: str, event_ids: Sequence[str]) -> list[Document]:
        """See `Probe.under`. One read of exact ids."""
        return await self._read(
            stored_under(self._store.driver.collection_name, scope, session_id, event_ids)
        )

    async def find(self, scope: MemoryScope, event_id: str) -> list[Document]:
        """See `Probe.find`. Two reads, the first of all ids of the scope: about 3 s for a million."""
        ids = await self._ids_of_event(id_range(scope), event_id, most=FOUND_IDS, seconds=FIND_SECONDS)
        if not ids:
            return []
        return await self._find({**scope_filter(scope), fields.ID: {"$in": ids}}, limit=len(ids))

    async def matching(
        self, scope: MemoryScope, keywords: Sequence[str], limit: int = reads.SAMPLED
    ) -> list[Document]:
        """See `Probe.matching`. One read of the search's index."""
        return await self._find(
            {**scope_filter(scope), fields.KEYWORDS: {"$in": list(keywords)}}, limit=limit
        )

    async def stored_keywords(
        self, scope: MemoryScope, prefixes: Sequence[str], words: Sequence[str]
    ) -> set[str]:
        """See `Probe.stored_keywords`. One read; up to `SAMPLED` memories for each prefix."""
        wheres = [reads.keyword_range(prefix) for prefix in prefixes]
        if words:
            wheres.append({fields.KEYWORDS: {"$in": list(words)}})
        if not wheres:
            return set()
        branches: list[list[Mapping[str, Any]]] = [
            [
                {"$match": {**scope_filter(scope), **where, **live(self.now())}},
                {"$limit": reads.SAMPLED},
                {"$project": {fields.ID: 0, fields.KEYWORDS: 1}},
            ]
            for where in wheres
        ]
        near: set[str] = set()
        for row in await self._aggregate(self._union(branches)):
            near |= reads.only_near(stored_keywords(row), prefixes, words)
        return near

    async def apps(self) -> tuple[list[RawId], bool]:
        """See `Probe.apps`. One seek of the ``_id`` index for each app."""
        found: list[RawId] = []
        while len(found) < reads.LISTED_APPS:
            rows = await self._ids(reads.beyond_app(found[-1] if found else None), limit=1)
            key = reads.key_of(rows[0][fields.ID]) if rows else None
            if key is None:
                return found, True
            found.append(key[0])
        return found, False

    async def users(self, app_name: RawId) -> tuple[list[RawId], bool]:
        """See `Probe.users`. One seek of the ``_id`` index for each user with many memories."""
        found: dict[RawId, None] = {}
        last: RawId | None = None
        while len(found) < reads.LISTED_USERS:
            rows = await self._ids(reads.beyond_user(app_name, last), limit=_IDS_AT_ONCE)
            keys = [key for row in rows if (key := reads.key_of(row[fields.ID])) is not None]
            if not keys:
                return list(found), True
            found.update(dict.fromkeys(user_id for _, user_id in keys))
            last = keys[-1][1]
        return list(found), False

    async def count(self, key: RawKey, keywords: Sequence[str] = ()) -> int:
        """See `Probe.count`. One read."""
        where = {**reads.key_filter(key), **live(self.now())}
        if keywords:
            where[fields.KEYWORDS] = {"$in": list(keywords)}
        rows = await self._aggregate([{"$match": where}, {"$limit": reads.COUNTED}, {"$count": "n"}])
        return int(rows[0]["n"]) if rows else 0

    async def locate(self, event_id: str, app_name: str) -> list[RawKey]:
        """See `Probe.locate`. Up to two reads of the ``_id`` index."""
        ids = await self._ids_of_event(reads.beyond_user(app_name, None), event_id)
        ids = ids or await self._ids_of_event(reads.all_ids(), event_id)
        return [key for identity in ids if (key := reads.key_of(identity)) is not None]

    # --- reads -------------------------------------------------------------------------------------

    async def _whole_scope(
        self, scope: MemoryScope, limit: int, *stages: Mapping[str, Any]
    ) -> list[Document]:
        """Documents of a scope: by its fields, as a search sees them; by ``_id`` when that takes too long."""
        rest = [{"$limit": limit}, *stages]
        try:
            return await self._aggregate([{"$match": scope_filter(scope)}, *rest])
        except DeadlineExceededError:
            return await self._aggregate([{"$match": id_range(scope)}, *rest])

    def _matching(self, scope: MemoryScope, keywords: Sequence[str]) -> list[dict[str, Any]]:
        """The same clauses as a search without filters."""
        return [{"$match": search_filter(scope, keywords, SearchFilters(), self.now())}]

    def _union(self, branches: Sequence[Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
        """Several small pipelines over the collection as one command."""
        collection = self._store.driver.collection_name
        first, *others = branches
        return [*first, *({"$unionWith": {"coll": collection, "pipeline": branch}} for branch in others)]

    async def _ids(self, where: dict[str, Any], *, limit: int) -> list[Document]:
        return await self._find(where, limit=limit, projection={fields.ID: 1}, sort={fields.ID: 1})

    async def _ids_of_event(
        self,
        where: dict[str, Any],
        event_id: str,
        *,
        most: int = reads.LOCATED_IDS,
        seconds: float = READ_SECONDS,
    ) -> list[Any]:
        rows = await self._aggregate(
            [
                {"$match": where},
                {"$project": {fields.ID: 1}},
                {"$limit": most},  # also keeps the server from comparing before, for which it reads documents
                {"$match": reads.id_of_event(event_id)},
                {"$limit": 5},
            ],
            seconds=seconds,
            hint={fields.ID: 1},
        )
        return [row[fields.ID] for row in rows]

    async def _find(self, where: dict[str, Any], **options: Any) -> list[Document]:
        return await self._read({"find": self._store.driver.collection_name, "filter": where, **options})

    async def _aggregate(
        self, pipeline: Sequence[Mapping[str, Any]], *, seconds: float = READ_SECONDS, **options: Any
    ) -> list[Document]:
        return await self._read(
            {
                "aggregate": self._store.driver.collection_name,
                "pipeline": pipeline,
                "cursor": {"batchSize": reads.CENSUS_ROWS},
                **options,
            },
            seconds=seconds,
        )

    async def _read(self, command: Mapping[str, Any], *, seconds: float = READ_SECONDS) -> list[Document]:
        with deadline(seconds):
            async with self._store.driver.operation("diagnose") as operation:
                return await operation.read(command)
