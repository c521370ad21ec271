"""Revisions and times by the server's clock, monotone in a process.

A revision orders writes of one event: the add that began later has the higher one. It is the server's
time in nanoseconds at the moment the add began. The local clock is read once, when the service is made;
from then on time passes by the monotonic clock, so a stepped local clock changes nothing, and the offset
to the server's clock is measured once, on the first write, and kept.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(slots=True)
class RevisionClock:
    """Hands out tickets when a call begins, and turns them into revisions when the offset is known."""

    _origin_ns: int = field(default_factory=lambda: time.time_ns() - time.monotonic_ns())
    _last_ns: int = 0
    _offset_ns: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ticket(self) -> int:
        """A number higher than every earlier one of this process, near the local time in nanoseconds."""
        with self._lock:
            self._last_ns = max(self._last_ns + 1, self._origin_ns + time.monotonic_ns())
            return self._last_ns

    @property
    def measured(self) -> bool:
        """Whether the offset to the server is known."""
        return self._offset_ns is not None

    def set_offset(self, seconds: float) -> None:
        """Server time minus local time; only the first measurement counts."""
        with self._lock:
            if self._offset_ns is None:
                self._offset_ns = round(seconds * 1e9)

    def revision(self, ticket: int) -> int:
        """The revision of a call that drew ``ticket`` when it began."""
        return ticket + (self._offset_ns or 0)

    def now(self) -> datetime:
        """The present by the server's clock as far as it is known, in UTC, to the millisecond of BSON."""
        nanoseconds = self._origin_ns + time.monotonic_ns() + (self._offset_ns or 0)
        return datetime.fromtimestamp(nanoseconds // 1_000_000 / 1000, UTC)
