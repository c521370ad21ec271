"""Events that were prepared before: a session that is added again after each turn is prepared once.

Preparing is pure, so an equal event gives an equal document. What is stored is read and compared all the
same: nothing here says what the store holds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Final

from mongorecall._documents.preparing import Failed, PlainEvent, Prepared, Skipped, prepare_plain
from mongorecall.analysis import Analyzer
from mongorecall.models import MemoryScope

MAX_EVENTS: Final = 4_000
"""About 20 MB of usual turns; the longest unused are forgotten."""

MAX_BYTES: Final = 16_384
"""Larger documents are not kept."""

Outcome = Prepared | Skipped | Failed

_Key = tuple[str, str, str, PlainEvent]
"""App, user and session id, and the event."""


class PreparedEvents:
    """Remembers the latest prepared events of one service, and so of one analyzer and set of options."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._kept: OrderedDict[_Key, Prepared] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, event: PlainEvent, *, index: int, scope: MemoryScope, session_id: str) -> Outcome | None:
        """What `prepare_plain` says or said of it."""
        key = (scope.app_name, scope.user_id, session_id, event)
        known = self._known(key)
        if known is not None:
            return known if known.index == index else replace(known, index=index)
        outcome = prepare_plain(
            event, index=index, scope=scope, session_id=session_id, analyzer=self._analyzer
        )
        if isinstance(outcome, Prepared) and outcome.size <= MAX_BYTES:
            self._keep(key, outcome)
        return outcome

    def forget(self, scope: MemoryScope) -> None:
        """Drop all of a scope: what is forgotten in the store is not kept here."""
        ids = (scope.app_name, scope.user_id)
        with self._lock:
            for key in [key for key in self._kept if key[:2] == ids]:
                del self._kept[key]

    def _known(self, key: _Key) -> Prepared | None:
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
        return known

    def _keep(self, key: _Key, outcome: Prepared) -> None:
        with self._lock:
            self._kept[key] = outcome
            if len(self._kept) > MAX_EVENTS:
                self._kept.popitem(last=False)
