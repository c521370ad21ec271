"""Add: write what is new, replace what changed, leave what is unchanged, erase what lost its keywords.

Every write carries a revision, and no write replaces a document of a higher one or a marker of a
forgotten event. So repeating any add is safe, and an add that began earlier never overwrites one that
began later, however late it lands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import Any

from mongorecall._documents import expiry, last_of_each_id
from mongorecall._operations.preparing import Addition, Outcome, distinct_ids, prepare_all
from mongorecall._operations.store import Store
from mongorecall._operations.writing import SLICE_EVENTS, SliceWriter
from mongorecall.errors import RecallError
from mongorecall.models import IngestReport

FIRST_EVENTS = 100
"""Events in the first of several bulks of a new session: the server is at work while the others are
prepared."""

Prepare = Callable[..., Coroutine[Any, Any, list[Outcome]]]
"""`prepare_all` for one call: events and the place of the first → what became of each."""


async def ingest(store: Store, addition: Addition, events: Sequence[Any]) -> IngestReport:
    """Write the events of one call; see `BaseMemoryService.add_events`.

    Cost: one insert for each slice of a session that this process sees for the first time, and for a single
    event; else for each slice one indexed read, and an insert of what is new and an update of what changed.
    """
    ticket = store.clock.ticket()
    report = IngestReport(received=len(events))
    retention = store.options.retention
    expiring = addition.ttl is not None or retention is not None
    async with store.driver.operation("add", write=True) as operation:
        if expiring:
            await store.measured(operation)
        expires_at = expiry(store.clock.now(), ttl=addition.ttl, retention=retention)
        await store.ready(operation, expiring=expiring)
        writer = SliceWriter(store, operation, addition, ticket, report)
        try:
            await _write_all(writer, events, partial(prepare_all, store, addition, expires_at=expires_at))
        except RecallError as error:
            error.report = report
            if error.outcome == "none" and report.stored + report.replaced + report.erased:
                error.outcome = "partial"
            raise
        store.learner.policy.added(addition.scope, report.stored)
    return report


async def _write_all(writer: SliceWriter, events: Sequence[Any], prepare: Prepare) -> None:
    """Prepare and write. A slice is prepared while the one before it is on its way, where none of the
    events depends on a later one."""
    ids = distinct_ids(events)
    if ids is None:
        targets = last_of_each_id(await prepare(events), writer.report)
        with writer.under_way([target.event_id for target in targets]):
            await writer.write(targets)
        return
    with writer.under_way(ids):
        targets = []
        for begin, end in _places(len(events), new=writer.unseen):
            next_ones = prepare(events[begin:end], first=begin)
            outcomes = await (_while(writer.write(targets), next_ones) if targets else next_ones)
            targets = last_of_each_id(outcomes, writer.report)
        await writer.write(targets)


def _places(count: int, *, new: bool) -> Iterator[tuple[int, int]]:
    """Beginning and end of each slice."""
    begin, end = 0, FIRST_EVENTS if new and count > SLICE_EVENTS else SLICE_EVENTS
    while begin < count:
        yield begin, end
        begin, end = end, end + SLICE_EVENTS


async def _while(
    write: Coroutine[Any, Any, None], prepare: Coroutine[Any, Any, list[Outcome]]
) -> list[Outcome]:
    """What was prepared during a write; when one fails the other is ended too."""
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(write)
            prepared = group.create_task(prepare)
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return prepared.result()
