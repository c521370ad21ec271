"""Forget: what is stored becomes a marker that holds ids only, and what is on its way finds one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import InsertOne, UpdateMany

from mongorecall._documents import (
    forget_erased,
    forget_live,
    forgotten_by,
    id_range,
    live,
    marker,
    of_event,
    remember,
    scope_filter,
)
from mongorecall._operations.store import Store
from mongorecall.drivers import Operation
from mongorecall.models import ForgetReceipt, MemoryScope

BATCH = 1000
"""Documents in one update: about 50 ms of the server's time."""


@dataclass(frozen=True, slots=True)
class Target:
    """What to forget: a scope, one session of it, or one event of either."""

    scope: MemoryScope
    session_id: str | None = None
    event_id: str | None = None


async def forget(store: Store, target: Target, *, dry_run: bool) -> ForgetReceipt:
    """Forget what ``target`` names; see `BaseMemoryService.delete_memory`.

    Cost: one indexed read of ids, and two updates for each thousand of them. A deletion that ends by its
    deadline has forgotten a part; repeating it forgets the rest.
    """
    ticket = store.clock.ticket()
    async with store.driver.operation("forget", write=not dry_run) as operation:
        if dry_run:
            return await _receipt(store, operation, await _ids(store, operation, target), None)
        await store.ready(operation)
        await store.measured(operation)
        revision = store.clock.revision(ticket)
        await _stop_late_writes(store, operation, target, revision)
        ids = await _ids(store, operation, target)
        for start in range(0, len(ids), BATCH):
            await _forget_batch(operation, target, ids[start : start + BATCH], revision)
        return await _receipt(store, operation, ids, revision)


async def remember_again(store: Store, target: Target) -> int:
    """Lift markers of forgotten events; how many. One update."""
    ticket = store.clock.ticket()
    async with store.driver.operation("remember_again", write=True) as operation:
        await store.measured(operation)
        revision = store.clock.revision(ticket)
        lifted = 0
        ids = await _ids(store, operation, target)
        for start in range(0, len(ids), BATCH):
            where = _batch(target, ids[start : start + BATCH])
            lifted += (await operation.write([UpdateMany(*remember(where, revision))])).modified
        return lifted


async def _stop_late_writes(store: Store, operation: Operation, target: Target, revision: int) -> None:
    """Leave a marker for each write in doubt that has not landed: if it does later, it finds it."""
    doubtful = store.doubtful.within(target.scope, session_id=target.session_id, event_id=target.event_id)
    requests = [
        InsertOne(marker(target.scope, key[2], key[3], rev=revision, kind="forgotten")) for key in doubtful
    ]
    for start in range(0, len(requests), BATCH):
        # one that landed meanwhile is refused as a duplicate, and found among the stored ones next
        await operation.write(requests[start : start + BATCH])


async def _ids(store: Store, operation: Operation, target: Target) -> list[dict[str, Any]]:
    """The ``_id`` of everything under ``target``, markers included: an index scan, no document is read."""
    stages = of_event(target.event_id) if target.event_id is not None else [{"$project": {"_id": 1}}]
    pipeline = [{"$match": id_range(target.scope, target.session_id)}, *stages]
    rows = await operation.read(
        {"aggregate": store.driver.collection_name, "pipeline": pipeline, "cursor": {}}
    )
    return [row["_id"] for row in rows]


async def _forget_batch(
    operation: Operation, target: Target, ids: list[dict[str, Any]], revision: int
) -> None:
    where = _batch(target, ids)
    await operation.write([UpdateMany(*forget_live(where, revision))])
    await operation.write([UpdateMany(*forget_erased(where, revision))])


def _batch(target: Target, ids: list[dict[str, Any]]) -> dict[str, Any]:
    return {"_id": {"$in": ids}, **scope_filter(target.scope)}


async def _receipt(
    store: Store, operation: Operation, ids: list[dict[str, Any]], revision: int | None
) -> ForgetReceipt:
    """Count among ``ids``: what this deletion forgot, or, without a revision, what there is to forget."""
    forgotten = 0
    sessions: set[str] = set()
    for start in range(0, len(ids), BATCH):
        among: dict[str, Any] = {"_id": {"$in": ids[start : start + BATCH]}}
        where = {**among, **live(store.clock.now())} if revision is None else forgotten_by(among, revision)
        command = {
            "find": store.driver.collection_name,
            "filter": where,
            "projection": {"_id": 1},
        }
        rows = await operation.read(command)
        forgotten += len(rows)
        sessions.update(row["_id"]["session_id"] for row in rows)
    return ForgetReceipt(
        forgotten=forgotten,
        sessions=len(sessions),
        dry_run=revision is None,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
