"""The probe over documents that are held in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from mongorecall._documents import Failed, Prepared, Skipped, fields, is_live, prepare, stored_keywords
from mongorecall._documents import probing as reads
from mongorecall._documents.probing import Document, RawId, RawKey
from mongorecall.models import KeyPolicy, MemoryScope

if TYPE_CHECKING:
    from mongorecall.analysis import Analyzer


class DocumentsProbe:
    """The `Probe` of a store that keeps its documents in the process.

    Args:
        documents: yields every stored document, markers included.
        analyzer: the service's rules.
        policy: the service's key policy.
        clock: seconds since 1970.
        index_parts: the kinds of parts that the service indexes.
    """

    def __init__(
        self,
        documents: Callable[[], Iterable[Document]],
        *,
        analyzer: Analyzer,
        clock: Callable[[], float],
        policy: KeyPolicy = "exact",
        index_parts: frozenset[str] = frozenset({"text"}),
    ) -> None:
        self._documents = documents
        self._analyzer = analyzer
        self._clock = clock
        self._policy = policy
        self._index_parts = index_parts

    def scope(self, app_name: str, user_id: str) -> MemoryScope:
        """See `Probe.scope`."""
        return MemoryScope.of(app_name, user_id, policy=self._policy)

    def now(self) -> datetime:
        """See `Probe.now`."""
        return datetime.fromtimestamp(self._clock(), UTC)

    def prepare(self, event: Any, scope: MemoryScope, session_id: str) -> Prepared | Skipped | Failed:
        """See `Probe.prepare`."""
        return prepare(
            event,
            index=0,
            scope=scope,
            session_id=session_id,
            analyzer=self._analyzer,
            index_parts=self._index_parts,
        )

    async def census(self, scope: MemoryScope) -> list[Document]:
        """See `Probe.census`."""
        return list(islice(self._of(_key(scope)), reads.CENSUS_ROWS))

    async def sample(self, scope: MemoryScope, limit: int = reads.SAMPLED) -> list[Document]:
        """See `Probe.sample`."""
        return list(islice(self._of(_key(scope)), limit))

    async def frequencies(self, scope: MemoryScope, keywords: Sequence[str]) -> dict[str, int]:
        """See `Probe.frequencies`."""
        return {word: await self.count(_key(scope), [word]) for word in keywords}

    async def under(self, scope: MemoryScope, session_id: str, event_ids: Sequence[str]) -> list[Document]:
        """See `Probe.under`."""
        wanted = {(session_id, event_id) for event_id in event_ids}
        return [document for document in self._of(_key(scope)) if _place(document) in wanted]

    async def find(self, scope: MemoryScope, event_id: str) -> list[Document]:
        """See `Probe.find`."""
        found = (document for document in self._of(_key(scope)) if _place(document)[1] == event_id)
        return list(islice(found, 5))

    async def matching(
        self, scope: MemoryScope, keywords: Sequence[str], limit: int = reads.SAMPLED
    ) -> list[Document]:
        """See `Probe.matching`."""
        return list(islice(self._having(_key(scope), keywords), limit))

    async def stored_keywords(
        self, scope: MemoryScope, prefixes: Sequence[str], words: Sequence[str]
    ) -> set[str]:
        """See `Probe.stored_keywords`."""
        near: set[str] = set()
        for document in self._of(_key(scope)):
            if is_live(document, self.now()):
                near |= reads.only_near(stored_keywords(document), prefixes, words)
        return near

    async def apps(self) -> tuple[list[RawId], bool]:
        """See `Probe.apps`."""
        return _first(dict.fromkeys(key[0] for key in self._keys()), reads.LISTED_APPS)

    async def users(self, app_name: RawId) -> tuple[list[RawId], bool]:
        """See `Probe.users`."""
        users = dict.fromkeys(key[1] for key in self._keys() if key[0] == app_name)
        return _first(users, reads.LISTED_USERS)

    async def count(self, key: RawKey, keywords: Sequence[str] = ()) -> int:
        """See `Probe.count`."""
        found = self._having(key, keywords) if keywords else self._of(key)
        now = self.now()
        return sum(1 for _ in islice((one for one in found if is_live(one, now)), reads.COUNTED))

    async def locate(self, event_id: str, app_name: str) -> list[RawKey]:
        """See `Probe.locate`."""
        keys = dict.fromkeys(
            key
            for document in self._documents()
            if _place(document)[1] == event_id and (key := reads.key_of(document[fields.ID])) is not None
        )
        return sorted(keys, key=lambda key: key[0] != app_name)[:5]

    def _of(self, key: RawKey) -> Iterable[Document]:
        return (
            document
            for document in self._documents()
            if (document.get(fields.APP_NAME), document.get(fields.USER_ID)) == key
        )

    def _having(self, key: RawKey, keywords: Sequence[str]) -> Iterable[Document]:
        wanted = frozenset(keywords)
        return (one for one in self._of(key) if not wanted.isdisjoint(stored_keywords(one)))

    def _keys(self) -> Iterable[RawKey]:
        keys = (reads.key_of(document[fields.ID]) for document in self._documents())
        return (key for key in keys if key is not None)


def _key(scope: MemoryScope) -> RawKey:
    return scope.app_name, scope.user_id


def _place(document: Document) -> tuple[Any, Any]:
    identity = document[fields.ID]
    return identity.get(fields.SESSION_ID), identity.get(fields.EVENT_ID)


def _first(ids: dict[RawId, None], limit: int) -> tuple[list[RawId], bool]:
    return list(ids)[:limit], len(ids) <= limit
