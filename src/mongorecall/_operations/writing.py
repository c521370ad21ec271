"""What is written of the events of one call: each is looked up, decided, sent, and decided again.

A slice is one insert of what is new, and one update of what changed. What met another writer is read again
and decided again until nothing is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import bson
from bson.raw_bson import RawBSONDocument

from mongorecall._documents import (
    Prepared,
    Skipped,
    count_kept,
    count_skipped,
    document_id,
    identity_of,
    is_erased,
    is_expired,
    is_forgotten,
    marker,
    replace_older,
    revision_of,
    same_but_revision,
    stored_between,
    stored_under,
)
from mongorecall._documents.fields import EXPIRES_AT, ID, MR
from mongorecall._operations.preparing import Addition
from mongorecall._operations.store import Store
from mongorecall._operations.unsettled import EventKey
from mongorecall.drivers import Operation, WriteOutcome
from mongorecall.errors import UnavailableError
from mongorecall.models import FailedEvent, IngestReport

SLICE_EVENTS = 500
"""Most events in one bulk: encoding more would hold the event loop too long."""

RANGE_EVENTS = 8
"""Events from which what is stored is read as one range of ids."""

SLICE_BYTES = 8_000_000
"""Most bytes in one bulk, well below the 48 MB of a message."""

DUPLICATE_KEY = 11000

MAX_ROUNDS = 20
"""How often a slice is decided again because other writers were quicker; each round one of them wins."""

Verb = Literal["insert", "replace", "erase"]
Target = Prepared | Skipped


def _slices(targets: Sequence[Target]) -> Iterator[list[Target]]:
    """The targets in slices by count and bytes."""
    held: list[Target] = []
    size = 0
    for target in targets:
        weight = target.size if isinstance(target, Prepared) else 200
        if held and (len(held) == SLICE_EVENTS or size + weight > SLICE_BYTES):
            yield held
            held, size = [], 0
        held.append(target)
        size += weight
    if held:
        yield held


@dataclass(slots=True)
class _Step:
    """One write to be sent for a target."""

    target: Target
    verb: Verb
    document: Any
    replaces: bool = False
    """Whether something stands there already, which is replaced where it is older."""


@dataclass(slots=True)
class SliceWriter:
    """Writes slices of one call and keeps its report."""

    store: Store
    operation: Operation
    addition: Addition
    ticket: int
    report: IngestReport
    revision: int = 0
    unseen: bool = False
    """Whether this process sees the session for the first time: its events most likely are new."""
    _kept: Counter[str] = field(default_factory=Counter)
    """Counts of the report that are not in it yet: a model is slow to change for every event."""
    _begun: dict[str, Verb] = field(default_factory=dict)
    """The verb under which each event was last sent: it may have landed although no answer came."""

    @contextmanager
    def under_way(self, event_ids: Sequence[str]) -> Iterator[None]:
        """Around the writes of these events."""
        store, scope, session_id = self.store, self.addition.scope, self.addition.session_id
        with store.unsettled.under_way([self._key(event_id) for event_id in event_ids]):
            self.unseen = not store.sessions_seen.add(scope, session_id)
            yield

    async def write(self, targets: list[Target]) -> None:
        """Write these events to the end."""
        if targets:
            await self.store.measured(self.operation)
            self.revision = self.store.clock.revision(self.ticket)
        try:
            for slice_ in _slices(targets):
                await self._write_slice(slice_)
        finally:
            self._report_kept()

    def _report_kept(self) -> None:
        for counter, number in self._kept.items():
            setattr(self.report, counter, getattr(self.report, counter) + number)
        self._kept.clear()

    async def _write_slice(self, targets: list[Target]) -> None:
        """Write one slice to the end.

        What is new is inserted without looking. What turns out to be there, and what there is nothing to
        store of, is looked up and decided.
        """
        pending = targets
        if self.unseen or len(targets) == 1:
            steps = [self._decide_absent(target) for target in targets if isinstance(target, Prepared)]
            pending = [target for target in targets if isinstance(target, Skipped)]
            pending += await self._send([step for step in steps if step is not None])
        for _ in range(MAX_ROUNDS):
            if not pending:
                return
            pending = await self._write_round(pending)
        raise UnavailableError(
            f"add: {len(pending)} events met other writers of the same ids {MAX_ROUNDS} times",
            retryable=True,
            outcome="partial",
        )

    async def _write_round(self, pending: list[Target]) -> list[Target]:
        """Look, decide and send; the targets that met another writer."""
        found = await self._read(pending)
        steps: list[_Step] = []
        for target in pending:
            step = self._decide(target, found.get(self._identity(target)) if found else None)
            if step is not None:
                steps.append(step)
        return await self._send(steps)

    async def _read(self, targets: Sequence[Target]) -> dict[bytes, RawBSONDocument]:
        """What is stored under the ids of ``targets``, undecoded, by ``_id``.

        Many ids are read as one range, which for a whole session is quickest. Other events may lie between
        them: the range is given up when there are too many, and the ids are looked up one by one.
        """
        ids = [target.event_id for target in targets]
        where = self.store.driver.collection_name, self.addition.scope, self.addition.session_id
        rows: list[RawBSONDocument] | None = None
        if len(ids) >= RANGE_EVENTS:
            limit = 2 * len(ids)
            rows = await self.operation.read(stored_between(*where, ids, limit=limit), raw=True)
            rows = rows if len(rows) < limit else None
        if rows is None:
            rows = await self.operation.read(stored_under(*where, ids), raw=True)
        return {identity_of(bytes(row.raw)): row for row in rows}

    def _identity(self, target: Target) -> bytes:
        if isinstance(target, Prepared):
            return target.identity_bytes
        return bson.encode(document_id(self.addition.scope, self.addition.session_id, target.event_id))

    def _decide(self, target: Target, stored: RawBSONDocument | None) -> _Step | None:
        """What to send for ``target``, or None when the report has it."""
        if stored is None:
            return self._decide_absent(target)
        if isinstance(target, Prepared) and self._is_settled(target, stored):
            self._count_kept(target, "unchanged")
            return None
        if is_forgotten(stored):
            count_skipped(self.report, "forgotten")
            return None
        revision = revision_of(stored)
        if revision is None or revision < self.revision:
            return self._decide_older(target, stored)
        if revision == self.revision:
            self._landed(target)  # ours: the answer to an earlier sending was lost
        else:
            self.report.unchanged += 1
        return None

    def _is_settled(self, target: Prepared, stored: RawBSONDocument) -> bool:
        """Whether the very same is stored by an earlier call, byte for byte: the usual case, told quickly.

        With a deadline it is not looked at here, since that may have passed.
        """
        revision = target.revision_in(stored)
        return (
            revision is not None
            and revision < self.revision
            and EXPIRES_AT not in target.body[MR]
            and not self._is_contested(target)
        )

    def _decide_older(self, target: Target, stored: RawBSONDocument) -> _Step | None:
        """``stored`` began earlier, or was written by google-adk. An expired memory is one no more."""
        gone = is_erased(stored) or is_expired(stored, self.store.clock.now())
        if isinstance(target, Skipped):
            return self._decide_erasure(target, stored, gone=gone)
        raw = target.raw(self.revision)
        if gone or self._is_contested(target) or not self._is_same(raw, stored):
            return self._step(target, "insert" if gone else "replace", raw, replaces=True)
        self._count_kept(target, "unchanged")
        return None

    def _is_same(self, raw: RawBSONDocument, stored: RawBSONDocument) -> bool:
        """Whether what is stored can stay as it is.

        Under ``retention`` a memory added again unchanged keeps the deadline it has: otherwise re-adding a
        session after each turn would put off the deadline of its first turn for ever. A ttl that the call
        states is meant.
        """
        return same_but_revision(raw, stored, keep_deadline=self.addition.ttl is None)

    def _decide_absent(self, target: Target) -> _Step | None:
        if isinstance(target, Prepared):
            return self._step(target, "insert", target.raw(self.revision))
        if self._is_contested(target):
            return self._step(target, "erase", self._marker(target))
        count_skipped(self.report, target.reason)
        return None

    def _decide_erasure(self, target: Skipped, stored: RawBSONDocument, *, gone: bool) -> _Step | None:
        if is_erased(stored) and not self._is_contested(target):
            count_skipped(self.report, target.reason)
            return None
        verb: Verb = "insert" if gone else "erase"
        return self._step(target, verb, self._marker(target), replaces=True)

    def _step(self, target: Target, verb: Verb, document: Any, *, replaces: bool = False) -> _Step:
        self._begun[target.event_id] = verb
        return _Step(target, verb, document, replaces)

    async def _send(self, steps: list[_Step]) -> list[Target]:
        """Send what is new, then what replaces; the targets that must be decided again."""
        again: list[Target] = []
        inserts = [step for step in steps if not step.replaces]
        if inserts:
            outcome = await self.operation.insert([step.document for step in inserts])
            again += self._settle(inserts, outcome)
        replacements = [step for step in steps if step.replaces]
        if replacements:
            outcome = await self.operation.update([self._replacement(step) for step in replacements])
            again += self._settle(replacements, outcome, whole=outcome.modified == len(replacements))
        return again

    def _replacement(self, step: _Step) -> dict[str, Any]:
        identity = document_id(self.addition.scope, self.addition.session_id, step.target.event_id)
        return {"q": {ID: identity}, "u": replace_older(step.document, self.revision)}

    def _settle(self, steps: list[_Step], outcome: WriteOutcome, *, whole: bool = True) -> list[Target]:
        """Count what landed; what must be decided again. Not ``whole``: some of it met a newer document, and
        the reply does not say which."""
        again: list[Target] = []
        for index, step in enumerate(steps):
            code = outcome.faults.get(index)
            if code == DUPLICATE_KEY or (code is None and not whole):
                again.append(step.target)
            elif code is None:
                self._landed(step.target)
            else:
                self._fail(step.target, code)
        return again

    def _landed(self, target: Target) -> None:
        verb = self._begun[target.event_id]
        if isinstance(target, Prepared):
            self._count_kept(target, "stored" if verb == "insert" else "replaced")
        elif verb == "erase":
            self.report.erased += 1
        else:
            count_skipped(self.report, target.reason)

    def _count_kept(self, target: Prepared, counter: Literal["stored", "replaced", "unchanged"]) -> None:
        self._kept[counter] += 1
        count_kept(self.report, target)

    def _fail(self, target: Target, code: int) -> None:
        self.report.failed.append(
            FailedEvent(
                index=target.index, event_id=target.event_id, reason=f"refused by the server: code {code}"
            )
        )

    def _is_contested(self, target: Target) -> bool:
        """Whether another add may still write this event."""
        return self.store.unsettled.others(self._key(target.event_id))

    def _key(self, event_id: str) -> EventKey:
        scope = self.addition.scope
        return (scope.app_name, scope.user_id, self.addition.session_id, event_id)

    def _marker(self, target: Target) -> dict[str, Any]:
        return marker(
            self.addition.scope,
            self.addition.session_id,
            target.event_id,
            rev=self.revision,
            kind="erased",
        )
