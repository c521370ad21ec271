"""Forget: what is stored becomes a marker that holds ids only, and what is on its way finds one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from pymongo import UpdateMany

from mongorecall._documents import (
    forget_gone,
    forget_live,
    forgotten_by,
    id_range,
    live,
    marker,
    of_event,
    remember,
    remembered_by,
    scope_filter,
)
from mongorecall._operations.store import Store
from mongorecall.drivers import Operation
from mongorecall.models import ForgetReceipt, MemoryScope

T = TypeVar("T")

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
            return await _receipt(store, operation, target, await _ids(store, operation, target), None)
        await store.ready(operation)
        await store.measured(operation)
        revision = store.clock.revision(ticket)
        await _stop_late_writes(store, operation, target, revision)
        ids = await _ids(store, operation, target)
        for batch in _batches(ids):
            where, now = _among(target, batch), store.clock.now()
            await operation.write([UpdateMany(*forget_live(where, revision, now))])
            await operation.write([UpdateMany(*forget_gone(where, revision, now))])
        return await _receipt(store, operation, target, ids, revision)


async def remember_again(store: Store, target: Target) -> int:
    """Lift markers of forgotten events; how many. One update."""
    ticket = store.clock.ticket()
    async with store.driver.operation("remember_again", write=True) as operation:
        await store.measured(operation)
        revision = store.clock.revision(ticket)
        lifted = 0
        for ids in _batches(await _ids(store, operation, target)):
            await operation.write([UpdateMany(*remember(_among(target, ids), revision))])
            lifted += len(await _found(store, operation, remembered_by(_among(target, ids), revision)))
        return lifted


async def _stop_late_writes(store: Store, operation: Operation, target: Target, revision: int) -> None:
    """Leave a marker for each unsettled write that has not landed: when it does, it finds it."""
    unsettled = store.unsettled.within(target.scope, session_id=target.session_id, event_id=target.event_id)
    for keys in _batches(unsettled):
        # first as an erased one, since no memory is forgotten where none is stored; one that landed
        # meanwhile is refused as a duplicate, and found among the stored ones next
        markers = [marker(target.scope, key[2], key[3], rev=revision, kind="erased") for key in keys]
        await operation.insert(markers)


async def _ids(store: Store, operation: Operation, target: Target) -> list[dict[str, Any]]:
    """The ``_id`` of everything under ``target``, markers included: an index scan, no document is read."""
    stages = of_event(target.event_id) if target.event_id is not None else [{"$project": {"_id": 1}}]
    pipeline = [{"$match": id_range(target.scope, target.session_id)}, *stages]
    rows = await operation.read(
        {"aggregate": store.driver.collection_name, "pipeline": pipeline, "cursor": {}}
    )
    return [row["_id"] for row in rows]


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def _among(target: Target, ids: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"_id": {"$in": list(ids)}, **scope_filter(target.scope)}


async def _found(store: Store, operation: Operation, where: dict[str, Any]) -> list[dict[str, Any]]:
    command = {"find": store.driver.collection_name, "filter": where, "projection": {"_id": 1}}
    return [row["_id"] for row in await operation.read(command)]


async def _receipt(
    store: Store, operation: Operation, target: Target, ids: list[dict[str, Any]], revision: int | None
) -> ForgetReceipt:
    """Count among ``ids``: what this deletion forgot, or, without a revision, what there is to forget."""
    counted: list[dict[str, Any]] = []
    for batch in _batches(ids):
        among = _among(target, batch)
        where = {**among, **live(store.clock.now())} if revision is None else forgotten_by(among, revision)
        counted += await _found(store, operation, where)
    return ForgetReceipt(
        forgotten=len(counted),
        sessions=len({identity["session_id"] for identity in counted}),
        dry_run=revision is None,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
