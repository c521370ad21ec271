"""Writes in doubt: sent, and never answered.

A cancelled or timed-out write may still land. Newest-wins revisions keep it from overwriting what is
stored, but where nothing is stored (an erasure of something never seen) or nothing needs writing (the
text is there already) the next add or deletion of the same event must write all the same. So the ids of
such writes are remembered for as long as a server may hold on to them.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mongorecall.models import MemoryScope

EventKey = tuple[str, str, str, str]
"""App, user, session and event id: the stored ``_id``."""

REMEMBER_SECONDS = 600.0
"""Longer than any server works on a command whose deadline has passed."""

MAX_REMEMBERED = 100_000
"""About 30 MB. Beyond it the oldest are forgotten: they are the likeliest to have landed."""


class DoubtfulWrites:
    """The ids of unanswered writes of this process."""

    def __init__(self) -> None:
        self._until: OrderedDict[EventKey, float] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def watch(self, keys: Iterable[EventKey]) -> Iterator[None]:
        """Around one write: when it ends by an exception, whatever it was, its ids are in doubt."""
        try:
            yield
        except BaseException:
            self.add(keys)
            raise

    def add(self, keys: Iterable[EventKey]) -> None:
        """Remember ``keys`` from now on."""
        until = time.monotonic() + REMEMBER_SECONDS
        with self._lock:
            for key in keys:
                self._until[key] = until
                self._until.move_to_end(key)
            while len(self._until) > MAX_REMEMBERED:
                self._until.popitem(last=False)

    def __contains__(self, key: EventKey) -> bool:
        until = self._until.get(key)
        return until is not None and until > time.monotonic()

    def __bool__(self) -> bool:
        return bool(self._until)

    def within(
        self, scope: MemoryScope, *, session_id: str | None = None, event_id: str | None = None
    ) -> list[EventKey]:
        """The ids in doubt of a scope, of one session or event of it."""
        now = time.monotonic()
        with self._lock:
            return [
                key
                for key, until in self._until.items()
                if until > now
                and key[:2] == (scope.app_name, scope.user_id)
                and session_id in (None, key[2])
                and event_id in (None, key[3])
            ]
