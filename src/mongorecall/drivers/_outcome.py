"""What a batch of writes did."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WriteOutcome:
    """What an unordered batch of writes did, confirmed by the write concern.

    Attributes:
        inserted: documents that ``InsertOne`` made.
        matched: documents that an update or replacement found.
        modified: documents that an update or replacement changed.
        upserted: documents that an upsert made.
        deleted: documents removed.
        upserted_at: indexes into the batch of the upserts that made their document.
        faults: index into the batch -> the server's error code, for each request that it refused.
        attempts: how often the batch was sent. Above 1 the counts are those of the last attempt, and
            an earlier one may have been applied: what it upserted now counts as matched, what it
            deleted counts as nothing, and its inserts are faults of code 11000.
    """

    inserted: int = 0
    matched: int = 0
    modified: int = 0
    upserted: int = 0
    deleted: int = 0
    upserted_at: frozenset[int] = frozenset()
    faults: dict[int, int] = field(default_factory=dict)
    attempts: int = 1
