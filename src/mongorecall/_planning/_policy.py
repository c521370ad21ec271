"""When a scope is worth a sample: a decision from how long its searches took."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from mongorecall._planning._table import ScopeTable
from mongorecall.models import MemoryScope

SLOW_SECONDS: Final = 0.003
"""Server time below which a search is not worth planning."""

EARNED_SECONDS: Final = 0.010
"""Server time that the slow searches of a scope must have cost before it is sampled: what a sample costs."""

STALE_SECONDS: Final = 600.0
"""Age from which a table is renewed, if the scope's searches still are slow."""

LEARNING_SECONDS: Final = 5.0
"""By when a sample must be there."""

PAUSE_SECONDS: Final = 60.0
"""How long a scope is left alone after its sample failed."""

ROUND_TRIP_SECONDS: Final = 60.0
"""How long the quickest command stands for the round trip, at least; at most twice as long."""

GROWN: Final = 1.5
"""Growth of a scope, by what this service added to it, from which its table is renewed."""

MAX_SCOPES: Final = 512
"""Scopes of which something is remembered; the longest unused is forgotten."""

MAX_TABLES: Final = 64
"""Scopes of which a table is kept, 0.3 to 0.6 MiB each."""


@dataclass(slots=True)
class _Known:
    """What is known of one scope."""

    spent: float = 0.0
    table: ScopeTable | None = None
    until: float = 0.0
    added: int = 0
    tied: bool = False


class _RoundTrip:
    """The least time that a command took lately: what is not the server's work."""

    def __init__(self) -> None:
        self._earlier = self._latest = math.inf
        self._since = -math.inf

    def note(self, seconds: float, now: float) -> None:
        """A command took ``seconds``."""
        if now - self._since > ROUND_TRIP_SECONDS:
            self._earlier, self._latest, self._since = self._latest, seconds, now
        self._latest = min(self._latest, seconds)

    @property
    def seconds(self) -> float:
        """The least of this and the last minute."""
        return min(self._earlier, self._latest)


class LearningPolicy:
    """Decides which scopes are sampled, and keeps what was learned. No clock: the present is an argument.

    A scope whose searches are fast is never sampled, and one sample is taken at a time.
    """

    def __init__(self) -> None:
        self._scopes: OrderedDict[MemoryScope, _Known] = OrderedDict()
        self._tables = 0
        self._busy_until = -math.inf
        self._round_trip = _RoundTrip()

    def table(self, scope: MemoryScope) -> ScopeTable | None:
        """What is believed about a scope."""
        known = self._scopes.get(scope)
        return known.table if known is not None else None

    def is_tied(self, scope: MemoryScope) -> bool:
        """Whether a page of this scope was seen to end among many turns of one time."""
        known = self._scopes.get(scope)
        return known is not None and known.tied

    def tied(self, scope: MemoryScope) -> None:
        """A page ended among more turns of one score and time than could be put in order."""
        self._of(scope).tied = True

    def searched(self, scope: MemoryScope, seconds: float, *, at_once: int, now: float) -> bool:
        """Take note of a search; whether to sample its scope now, which then counts as begun.

        Args:
            scope: what was searched.
            seconds: how long its command took on the wire.
            at_once: how many searches shared the server with it, itself included.
            now: the monotonic clock.
        """
        self._round_trip.note(seconds, now)
        took = (seconds - self._round_trip.seconds) / at_once
        if took < SLOW_SECONDS:
            return False
        known = self._of(scope)
        known.spent += took
        if now < self._busy_until or now < known.until or known.spent < EARNED_SECONDS:
            return False
        self._busy_until = now + LEARNING_SECONDS
        return True

    def added(self, scope: MemoryScope, turns: int) -> None:
        """This service stored new turns: a table of a much smaller scope is not believed for long."""
        known = self._scopes.get(scope)
        if known is None or known.table is None:
            return
        known.added += turns
        if known.added > (GROWN - 1) * known.table.turns:
            known.until = 0.0

    def learned(self, scope: MemoryScope, table: ScopeTable | None, *, now: float) -> None:
        """The sample of a scope is there; None when it could not be taken or held nothing."""
        known = self._of(scope)
        self._busy_until = -math.inf
        known.spent = 0.0
        known.until = now + (PAUSE_SECONDS if table is None else STALE_SECONDS)
        if table is None:
            return
        self._tables += known.table is None
        known.table, known.added, known.tied = table, 0, False
        if self._tables > MAX_TABLES:
            self._drop_oldest_table()

    def _of(self, scope: MemoryScope) -> _Known:
        known = self._scopes.get(scope)
        if known is None:
            known = self._scopes[scope] = _Known()
            if len(self._scopes) > MAX_SCOPES:
                _, dropped = self._scopes.popitem(last=False)
                self._tables -= dropped.table is not None
        else:
            self._scopes.move_to_end(scope)
        return known

    def _drop_oldest_table(self) -> None:
        oldest = next(known for known in self._scopes.values() if known.table is not None)
        oldest.table = None
        oldest.until = 0.0
        self._tables -= 1
