"""Documents held in memory, in the order of ``_id``: the collection behind `InMemoryMemoryService`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import bson
from bson.raw_bson import RawBSONDocument

from mongorecall._documents.markers import MarkerKind, is_expired, is_marker, marker
from mongorecall.models import MemoryScope

HeldKey = tuple[str, str, str, str]
"""App, user, session and event id. Tuples of text sort as MongoDB sorts ``_id``."""


@dataclass(frozen=True, slots=True)
class Held:
    """A document as bytes, to be compared, and as it comes back from them, to be read."""

    raw: bytes
    document: dict[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Held:
        """Hold a copy of ``document``."""
        raw = bytes(document.raw) if isinstance(document, RawBSONDocument) else bson.encode(document)
        return cls(raw, bson.decode(raw))


class HeldDocuments:
    """A collection in memory. Reading makes copies of its lists, so that writing meanwhile is safe."""

    def __init__(self) -> None:
        self._held: dict[HeldKey, Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: HeldKey) -> Held | None:
        """What is stored under ``key``, a marker too."""
        return self._held.get(key)

    def put(self, key: HeldKey, document: Mapping[str, Any]) -> None:
        """Store ``document``, in the place of what is there."""
        self._held[key] = Held.of(document)

    def mark(self, key: HeldKey, kind: MarkerKind, *, rev: int) -> None:
        """Put a marker in the place of what is there."""
        scope = MemoryScope.model_construct(app_name=key[0], user_id=key[1])
        self.put(key, marker(scope, key[2], key[3], rev=rev, kind=kind))

    def sweep(self, now: datetime) -> None:
        """Remove what has expired, as the server's TTL index does."""
        for key, held in list(self._held.items()):
            if is_expired(held.document, now):
                self._held.pop(key, None)

    def clear(self) -> None:
        """Remove everything."""
        self._held.clear()

    def all(self) -> list[dict[str, Any]]:
        """Every document of every scope."""
        return [held.document for _, held in sorted(self._held.items(), key=_by_key)]

    def under(
        self, scope: MemoryScope, session_id: str | None = None, event_id: str | None = None
    ) -> list[tuple[HeldKey, dict[str, Any]]]:
        """The documents of a scope, or of a session or event of it; markers included."""
        rows = [
            (key, held)
            for key, held in list(self._held.items())
            if key[:2] == (scope.app_name, scope.user_id)
            and session_id in (None, key[2])
            and event_id in (None, key[3])
        ]
        return [(key, held.document) for key, held in sorted(rows, key=_by_key)]

    def live(self, scope: MemoryScope, session_id: str | None = None) -> list[tuple[HeldKey, dict[str, Any]]]:
        """The memories of a scope or of one session of it."""
        return [row for row in self.under(scope, session_id) if not is_marker(row[1])]


def _by_key(item: tuple[HeldKey, Held]) -> HeldKey:
    return item[0]
