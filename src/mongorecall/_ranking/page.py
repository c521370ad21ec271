"""Rows in order → one page: malformed ones skipped, duplicates removed, filled up to the limit."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mongorecall._documents import MalformedDocument, decode, duplicate_key, printed_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mongorecall._ranking._protocol import Ranked
    from mongorecall.models import EmptyReason, MemoryEntry

_log = logging.getLogger("mongorecall")


@dataclass(slots=True)
class PageBuilder:
    """Takes rows best first, one batch after the other, until the page is known.

    Attributes:
        limit: most memories of the page.
        metadata: whether custom metadata is returned.
        memories: the page so far.
        skipped: malformed documents that stand before the last memory of the page.
        more: whether a further memory comes after a full page.
    """

    limit: int
    metadata: bool = True
    memories: list[MemoryEntry] = field(default_factory=list)
    skipped: int = 0
    more: bool = False
    _alike: dict[tuple[str | None, str | None], list[MemoryEntry]] = field(default_factory=dict)

    @property
    def reason(self) -> EmptyReason | None:
        """``"malformed"`` for an empty page although something matched, else None: others tell why."""
        return "malformed" if self.skipped and not self.memories else None

    def take(self, rows: Iterable[Ranked]) -> None:
        """Add rows; those after the one that shows that there is more are not looked at."""
        for row in rows:
            if self.more:
                return
            self._take(row)

    def _take(self, row: Ranked) -> None:
        full = len(self.memories) >= self.limit
        try:
            entry = decode(
                row.document,
                metadata=self.metadata,
                score=row.score,
                matched=row.matched,
                lent=row.lent,
            )
        except MalformedDocument as fault:
            if not full:
                self._skip(row, fault)
            return
        if self._is_repeated(entry):
            return
        if full:
            self.more = True
            return
        self.memories.append(entry)

    def _is_repeated(self, entry: MemoryEntry) -> bool:
        """Whether an equal memory stands above; texts are looked at only where author and time are equal."""
        alike = self._alike.setdefault((entry.author, entry.timestamp), [])
        if alike and duplicate_key(entry) in map(duplicate_key, alike):
            return True
        alike.append(entry)
        return False

    def _skip(self, row: Ranked, fault: MalformedDocument) -> None:
        """Count a malformed document; the first of a page is logged, by key and kind and without content."""
        if not self.skipped:
            _log.warning("memory.malformed key=%r kind=%s", printed_key(row.document), fault.kind)
        self.skipped += 1
