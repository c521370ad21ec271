"""What every operation works with: one collection, its rules, its clock and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from mongorecall._documents.remembered import PreparedEvents
from mongorecall._indexes import EXPIRY, RECALL, RECENCY, SESSIONS, IndexSpec
from mongorecall._operations.clock import RevisionClock
from mongorecall._operations.counting import ScopeCounts
from mongorecall._operations.indexing import IndexKeeper
from mongorecall._operations.known_scopes import KnownScopes
from mongorecall._operations.learning import Learner
from mongorecall._operations.sessions_seen import SessionsSeen
from mongorecall._operations.shared import shared_by
from mongorecall._operations.strangers import Strangers
from mongorecall._operations.unsettled import UnsettledWrites
from mongorecall._ranking import ContextRanking, Ranking
from mongorecall.analysis import Analyzer
from mongorecall.drivers import Driver, Operation

LONG_SESSIONS_SECONDS = 600.0
"""How long a scope that had long sessions is taken to have them still."""

EXPIRING_SECONDS = 600.0
"""How long a scope in which something had expired is searched with the clause that leaves such out."""


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """The options of a service that its operations need."""

    max_results: int = 50
    ensure_indexes: bool = True
    recency_index: bool = False
    store_metadata: bool = False
    direct_memories: bool = False
    retention: timedelta | None = None
    index_parts: frozenset[str] = frozenset({"text"})


@dataclass(frozen=True, slots=True)
class Store:
    """One collection of memories behind one driver."""

    driver: Driver
    analyzer: Analyzer
    ranking: Ranking
    options: StoreOptions
    indexes: IndexKeeper
    clock: RevisionClock
    unsettled: UnsettledWrites
    known_scopes: KnownScopes = field(default_factory=KnownScopes)
    counts: ScopeCounts = field(default_factory=ScopeCounts)
    long_sessions: KnownScopes = field(default_factory=lambda: KnownScopes(seconds=LONG_SESSIONS_SECONDS))
    expiring: KnownScopes = field(default_factory=lambda: KnownScopes(seconds=EXPIRING_SECONDS))
    sessions_seen: SessionsSeen = field(default_factory=SessionsSeen)
    prepared: PreparedEvents = field(init=False)
    learner: Learner = field(init=False)
    strangers: Strangers = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prepared", PreparedEvents(self.analyzer))
        object.__setattr__(self, "learner", Learner(self.driver))
        object.__setattr__(self, "strangers", Strangers(self.analyzer))

    @classmethod
    def of(cls, driver: Driver, analyzer: Analyzer, ranking: Ranking, options: StoreOptions) -> Store:
        """A store that knows what other services of the process know of the collection."""
        shared = shared_by(driver)
        keeper = IndexKeeper(driver, shared.indexes_seen, create=options.ensure_indexes)
        return cls(driver, analyzer, ranking, options, keeper, shared.clock, shared.unsettled)

    async def ready(self, operation: Operation, *, expiring: bool = False) -> None:
        """The collection is suitable and indexed; nothing is sent when that is known."""
        await self.indexes.ensure(operation, self.index_specs(expiring=expiring))

    async def measured(self, operation: Operation) -> None:
        """The clock knows its offset to the server; one round trip in the life of the process."""
        if not self.clock.measured:
            self.clock.set_offset(await operation.clock_offset())

    def index_specs(self, *, expiring: bool = False) -> tuple[IndexSpec, ...]:
        """The indexes that this service's options ask for.

        The recency index begins with the keys of the recall index and serves all it serves, so there is
        never a need for both.
        """
        specs = [RECENCY if self.options.recency_index else RECALL]
        if isinstance(self.ranking, ContextRanking):
            specs.append(SESSIONS)
        if expiring or self.options.retention:
            specs.append(EXPIRY)
        return tuple(specs)
