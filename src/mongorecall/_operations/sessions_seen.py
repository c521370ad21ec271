"""Which sessions this process has added to: what it has not seen is most likely new."""

from __future__ import annotations

from collections import OrderedDict

from mongorecall.models import MemoryScope

MAX_SESSIONS = 10_000
"""About 4 MB; the longest unused are forgotten."""


class SessionsSeen:
    """The latest sessions that were added to. A guess: it decides what is tried first, never the outcome."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str, str], None] = OrderedDict()

    def add(self, scope: MemoryScope, session_id: str) -> bool:
        """Take note of a session; whether it was seen before."""
        key = (scope.app_name, scope.user_id, session_id)
        seen = key in self._seen
        self._seen[key] = None
        self._seen.move_to_end(key)
        if len(self._seen) > MAX_SESSIONS:
            self._seen.popitem(last=False)
        return seen
