"""Reindex: recompute the keywords of stored turns, batch after batch, while the service is in use."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from pymongo import UpdateOne

from mongorecall._documents import MalformedDocument, fields, is_marker, revision_of
from mongorecall._documents.cursors import pack_cursor
from mongorecall._documents.markers import FOREVER
from mongorecall._documents.reindexing import after_cursor, reindexed
from mongorecall.models import MemoryScope, ReindexProgress

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from datetime import timedelta

    from mongorecall._operations.store import Store
    from mongorecall.drivers import Operation

BATCH: Final = 200
"""Documents of one batch: read, split and written in about 30 ms."""


async def reindex(
    store: Store, scope: MemoryScope | None, *, cursor: str | None, pause: timedelta
) -> AsyncIterator[ReindexProgress]:
    """Yield the sums after each batch; see `MongoDbMemoryService.reindex`."""
    progress = ReindexProgress(seen=0, changed=0, unreadable=0, cursor=cursor)
    while True:
        async with store.driver.operation("reindex", write=True) as operation:
            await store.ready(operation)
            rows = await operation.read(
                {
                    "find": store.driver.collection_name,
                    "filter": after_cursor(scope, progress.cursor),
                    "sort": {fields.ID: 1},
                    "limit": BATCH,
                }
            )
            progress = await _write_batch(store, operation, rows, progress)
        yield progress
        if len(rows) < BATCH:
            return
        await asyncio.sleep(pause.total_seconds())


async def _write_batch(
    store: Store, operation: Operation, rows: Sequence[Mapping[str, Any]], before: ReindexProgress
) -> ReindexProgress:
    requests, unreadable = [], 0
    for row in rows:
        if is_marker(row) or revision_of(row) == FOREVER:
            continue
        try:
            update = reindexed(row, store.analyzer, store.options.index_parts)
        except MalformedDocument:
            unreadable += 1
            continue
        if update is not None:
            requests.append(UpdateOne(*update))
    with ExitStack() as stack:
        for scope in {_scope_of(row) for row in rows}:
            stack.enter_context(store.counts.changing(scope))
        changed = (await operation.write(requests)).matched if requests else 0
    last = rows[-1][fields.ID] if rows else None
    return ReindexProgress(
        seen=before.seen + len(rows),
        changed=before.changed + changed,
        unreadable=before.unreadable + unreadable,
        cursor=before.cursor if last is None else pack_cursor(*_ids(last)),
    )


def _ids(identity: Mapping[str, str]) -> tuple[str, ...]:
    names = (fields.APP_NAME, fields.USER_ID, fields.SESSION_ID, fields.EVENT_ID)
    return tuple(identity[name] for name in names)


def _scope_of(row: Mapping[str, Any]) -> MemoryScope:
    identity = row[fields.ID]
    return MemoryScope.model_construct(app_name=identity[fields.APP_NAME], user_id=identity[fields.USER_ID])
