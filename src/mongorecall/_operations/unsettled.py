"""Writes that are not settled: under way, or sent and never answered.

An older write may land after a newer call looked. Revisions keep it from overwriting what the newer call
wrote, but where that call writes nothing (the text is there already, or there is nothing to erase) it must
write all the same. So a process knows the ids of its adds under way, and remembers those of adds that were
cancelled or timed out for as long as a server may hold on to them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mongorecall.errors import RecallError
from mongorecall.models import MemoryScope

EventKey = tuple[str, str, str, str]
"""App, user, session and event id: the stored ``_id``."""

REMEMBER_SECONDS = 600.0
"""Longer than any server works on a command whose deadline has passed."""

MAX_REMEMBERED = 100_000
"""About 30 MB. Beyond it the oldest are forgotten: they are the likeliest to have landed."""


class UnsettledWrites:
    """The ids of adds of this process that are under way or in doubt."""

    def __init__(self) -> None:
        self._under_way: Counter[EventKey] = Counter()
        self._doubtful: OrderedDict[EventKey, float] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def under_way(self, keys: Sequence[EventKey]) -> Iterator[None]:
        """Around the writes of one add: when they end by an exception they are in doubt, unless it says
        that nothing is."""
        with self._lock:
            self._under_way.update(keys)
        try:
            yield
        except BaseException as error:
            if not (isinstance(error, RecallError) and error.outcome == "none"):
                self._doubt(keys)
            raise
        finally:
            self._settle(keys)

    def _settle(self, keys: Sequence[EventKey]) -> None:
        with self._lock:
            for key in keys:
                self._under_way[key] -= 1
                if not self._under_way[key]:
                    del self._under_way[key]

    def _doubt(self, keys: Sequence[EventKey]) -> None:
        until = time.monotonic() + REMEMBER_SECONDS
        with self._lock:
            for key in keys:
                self._doubtful[key] = until
                self._doubtful.move_to_end(key)
            while len(self._doubtful) > MAX_REMEMBERED:
                self._doubtful.popitem(last=False)

    def others(self, key: EventKey) -> bool:
        """Whether an add other than the asker's, which is under way itself, may still write this event."""
        return self._under_way[key] > 1 or self._doubtful.get(key, 0.0) > time.monotonic()

    def within(
        self, scope: MemoryScope, *, session_id: str | None = None, event_id: str | None = None
    ) -> list[EventKey]:
        """The unsettled ids of a scope, of one session or event of it."""
        now = time.monotonic()
        with self._lock:
            doubtful = [key for key, until in self._doubtful.items() if until > now]
            unsettled = dict.fromkeys([*self._under_way, *doubtful])
        return [
            key
            for key in unsettled
            if key[:2] == (scope.app_name, scope.user_id)
            and session_id in (None, key[2])
            and event_id in (None, key[3])
        ]
