"""Add: write what is new, replace what changed, leave what is unchanged, erase what lost its keywords.

Every write carries a revision, and no write replaces a document of a higher one or a marker of a
forgotten event. So repeating any add is safe, and an add that began earlier never overwrites one that
began later, however late it lands. A slice is one bulk; what met another writer is read again and decided
again until nothing is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bson.raw_bson import RawBSONDocument
from pymongo import InsertOne, ReplaceOne

from mongorecall._documents import (
    Prepared,
    Skipped,
    count_kept,
    count_skipped,
    document_id,
    expiry,
    is_erased,
    is_expired,
    is_forgotten,
    last_of_each_id,
    marker,
    replaceable,
    revision_of,
    same_but_revision,
    stored_under,
)
from mongorecall._operations.preparing import Addition, prepare_all
from mongorecall._operations.store import Store
from mongorecall._operations.unsettled import EventKey
from mongorecall.drivers import Operation
from mongorecall.errors import RecallError, UnavailableError
from mongorecall.models import FailedEvent, IngestReport

SLICE_EVENTS = 500
"""Most events in one bulk: encoding more would hold the event loop too long."""

SLICE_BYTES = 8_000_000
"""Most bytes in one bulk, well below the 48 MB of a message."""

DUPLICATE_KEY = 11000

MAX_ROUNDS = 20
"""How often a slice is decided again because other writers were quicker; each round one of them wins."""

Verb = Literal["insert", "replace", "erase"]
Target = Prepared | Skipped


async def ingest(store: Store, addition: Addition, events: Sequence[Any]) -> IngestReport:
    """Write the events of one call; see `BaseMemoryService.add_events`.

    Cost: one bulk for a single new event; for each further slice one indexed read and one bulk, or the
    read alone when everything is unchanged.
    """
    ticket = store.clock.ticket()
    report = IngestReport(received=len(events))
    retention = store.options.retention
    expiring = addition.ttl is not None or retention is not None
    async with store.driver.operation("add", write=True) as operation:
        if expiring:
            await store.measured(operation)
        expires_at = expiry(store.clock.now(), ttl=addition.ttl, retention=retention)
        outcomes = await prepare_all(store, addition, events, expires_at=expires_at)
        targets = last_of_each_id(outcomes, report)
        await store.ready(operation, expiring=expiring)
        if targets:
            await store.measured(operation)
            writer = _SliceWriter(store, operation, addition, store.clock.revision(ticket), report)
            await _write_slices(writer, targets)
    return report


async def _write_slices(writer: _SliceWriter, targets: Sequence[Target]) -> None:
    try:
        with writer.store.unsettled.under_way([writer.key(target) for target in targets]):
            for slice_ in _slices(targets):
                await writer.write(slice_)
    except RecallError as error:
        error.report = writer.report
        raise


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
    request: Any


@dataclass(slots=True)
class _SliceWriter:
    """Writes slices of one call and keeps its report."""

    store: Store
    operation: Operation
    addition: Addition
    revision: int
    report: IngestReport
    _begun: dict[str, Verb] = field(default_factory=dict)
    """The verb under which each event was last sent: it may have landed although no answer came."""

    async def write(self, targets: list[Target]) -> None:
        """Write one slice to the end."""
        pending = targets
        single = len(targets) == 1 and isinstance(targets[0], Prepared)
        for _ in range(MAX_ROUNDS):
            # a single event is mostly new: insert it unseen, and look only when it is there already
            found = {} if single else await self._read(pending)
            single = False
            steps = [
                step
                for target in pending
                if (step := self._decide(target, found.get(target.event_id))) is not None
            ]
            if not steps:
                return
            pending = await self._send(steps)
            if not pending:
                return
        raise UnavailableError(
            f"add: {len(pending)} events met other writers of the same ids {MAX_ROUNDS} times",
            retryable=True,
            outcome="partial",
        )

    async def _read(self, targets: Sequence[Target]) -> dict[str, RawBSONDocument]:
        """What is stored under the ids of ``targets``, undecoded, by event id."""
        ids = [target.event_id for target in targets]
        command = stored_under(
            self.store.driver.collection_name, self.addition.scope, self.addition.session_id, ids
        )
        rows = await self.operation.read(command, raw=True)
        wanted = frozenset(ids)
        found: dict[str, RawBSONDocument] = {}
        for row in rows:
            event_id = row["_id"]["event_id"]
            if event_id in wanted:
                found[event_id] = row
        return found

    def _decide(self, target: Target, stored: RawBSONDocument | None) -> _Step | None:
        """What to send for ``target``, or None when the report has it."""
        if stored is None:
            return self._decide_absent(target)
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

    def _decide_older(self, target: Target, stored: RawBSONDocument) -> _Step | None:
        """``stored`` began earlier, or was written by google-adk. An expired memory is one no more."""
        gone = is_erased(stored) or is_expired(stored, self.store.clock.now())
        if isinstance(target, Skipped):
            return self._decide_erasure(target, gone=gone, marked=is_erased(stored))
        raw = target.raw(self.revision)
        if gone or self.store.unsettled.others(self.key(target)) or not self._is_same(raw, stored):
            return self._step(target, "insert" if gone else "replace", ReplaceOne(self._filter(target), raw))
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
            return self._step(target, "insert", InsertOne(target.raw(self.revision)))
        if self.store.unsettled.others(self.key(target)):
            return self._step(target, "erase", InsertOne(self._marker(target)))
        count_skipped(self.report, target.reason)
        return None

    def _decide_erasure(self, target: Skipped, *, gone: bool, marked: bool) -> _Step | None:
        if marked and not self.store.unsettled.others(self.key(target)):
            count_skipped(self.report, target.reason)
            return None
        verb: Verb = "insert" if gone else "erase"
        return self._step(target, verb, ReplaceOne(self._filter(target), self._marker(target)))

    def _step(self, target: Target, verb: Verb, request: Any) -> _Step:
        self._begun[target.event_id] = verb
        return _Step(target, verb, request)

    async def _send(self, steps: list[_Step]) -> list[Target]:
        """Send one bulk; the targets that must be decided again."""
        outcome = await self.operation.write([step.request for step in steps])
        again: list[Target] = []
        done: list[_Step] = []
        replaces = 0
        for index, step in enumerate(steps):
            code = outcome.faults.get(index)
            if code is None:
                done.append(step)
                replaces += isinstance(step.request, ReplaceOne)
            elif code == DUPLICATE_KEY:
                again.append(step.target)
            else:
                self._fail(step.target, code)
        if outcome.matched < replaces:  # some met a newer document; the bulk does not say which
            again += [step.target for step in done if isinstance(step.request, ReplaceOne)]
            done = [step for step in done if not isinstance(step.request, ReplaceOne)]
        for step in done:
            self._landed(step.target)
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
        setattr(self.report, counter, getattr(self.report, counter) + 1)
        count_kept(self.report, target)

    def _fail(self, target: Target, code: int) -> None:
        self.report.failed.append(
            FailedEvent(
                index=target.index, event_id=target.event_id, reason=f"refused by the server: code {code}"
            )
        )

    def key(self, target: Target) -> EventKey:
        """The identity of its document."""
        scope = self.addition.scope
        return (scope.app_name, scope.user_id, self.addition.session_id, target.event_id)

    def _filter(self, target: Target) -> dict[str, Any]:
        scope, session_id = self.addition.scope, self.addition.session_id
        return replaceable(document_id(scope, session_id, target.event_id), self.revision)

    def _marker(self, target: Target) -> dict[str, Any]:
        return marker(
            self.addition.scope,
            self.addition.session_id,
            target.event_id,
            rev=self.revision,
            kind="erased",
        )
