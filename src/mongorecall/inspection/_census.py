"""What lies under a key, counted: the evidence of the first check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mongorecall._documents import (
    analyzer_stamp,
    fields,
    format_time,
    is_erased,
    is_expired,
    is_forgotten,
    revision_of,
    stored_analyzer,
    stored_keywords,
)
from mongorecall._documents.probing import CENSUS_ROWS
from mongorecall.errors import UnsupportedError

if TYPE_CHECKING:
    from mongorecall._documents.probing import Document, Probe
    from mongorecall.analysis import Analyzer
    from mongorecall.base import BaseMemoryService
    from mongorecall.models import MemoryScope

_FIRST_YEAR_NS = 946_684_800 * 10**9
_LAST_YEAR_NS = 253_402_300_799 * 10**9


@dataclass(frozen=True, slots=True)
class Census:
    """Documents under one key.

    Attributes:
        live: memories that a search can return.
        expired: memories whose time is over, not yet removed.
        forgotten: markers of events deleted on request.
        erased: markers of events whose newest version has no searchable text.
        other_rules: live memories written by another analyzer or version than the service's.
        unindexed: live memories without a single keyword.
        complete: False when there are more documents than were looked at.
        last_write: when the latest of them was written, as ISO 8601; None when none says.
        newest: time of the newest event among them, as ISO 8601; None when none says.
    """

    live: int = 0
    expired: int = 0
    forgotten: int = 0
    erased: int = 0
    other_rules: int = 0
    unindexed: int = 0
    complete: bool = True
    last_write: str | None = None
    newest: str | None = None

    def evidence(self) -> dict[str, Any]:
        """The counts that are not 0, and the times."""
        counts = {
            name: getattr(self, name)
            for name in ("expired", "forgotten", "erased", "other_rules", "unindexed")
            if getattr(self, name)
        }
        times = {"last_write": self.last_write, "newest": self.newest} if self.live else {}
        more = {} if self.complete else {"looked_at": CENSUS_ROWS}
        return {"memories": self.live, **counts, **times, **more}


async def take_census(service: BaseMemoryService, *, app_name: str, user_id: str) -> Census:
    """Count what lies under a key, what cannot be searched included. One read of up to 5,000 documents.

    Raises:
        UnsupportedError: the service cannot be looked into.
        RecallError: as `mongorecall.errors` lists.
    """
    probe: Probe | None = getattr(service, "probe", None)
    if probe is None:
        raise UnsupportedError(f"{type(service).__name__} cannot be looked into")
    return await census_of(probe, probe.scope(app_name, user_id), service.analyzer)


async def census_of(probe: Probe, scope: MemoryScope, analyzer: Analyzer) -> Census:
    """The census of a scope, by the rules of ``analyzer``."""
    return count_rows(await probe.census(scope), rules=analyzer_stamp(analyzer), now=probe.now())


def count_rows(rows: Iterable[Document], *, rules: str | None, now: datetime) -> Census:
    """Count the rows of `Probe.census`; ``rules`` is the stamp of documents that the service writes."""
    kept = list(rows)
    states = Counter(_state(row, now) for row in kept)
    live = [row for row in kept if _state(row, now) == "live"]
    return Census(
        live=len(live),
        expired=states["expired"],
        forgotten=states["forgotten"],
        erased=states["erased"],
        other_rules=sum(stored_analyzer(row) != rules for row in live),
        unindexed=sum(not stored_keywords(row) for row in live),
        complete=len(kept) < CENSUS_ROWS,
        last_write=_last_write(kept),
        newest=_newest(live),
    )


def _state(row: Document, now: datetime) -> str:
    if is_forgotten(row):
        return "forgotten"
    if is_erased(row):
        return "erased"
    return "expired" if is_expired(row, now) else "live"


def _last_write(rows: list[Document]) -> str | None:
    """A revision is the server's time of the write in nanoseconds."""
    revisions = [
        revision
        for row in rows
        if (revision := revision_of(row)) is not None and _FIRST_YEAR_NS <= revision <= _LAST_YEAR_NS
    ]
    if not revisions:
        return None
    return datetime.fromtimestamp(max(revisions) // 10**9, UTC).isoformat()


def _newest(rows: list[Document]) -> str | None:
    times = [row.get(fields.TIMESTAMP) for row in rows]
    numbers = [time for time in times if isinstance(time, int | float) and format_time(time) is not None]
    return format_time(max(numbers)) if numbers else None
