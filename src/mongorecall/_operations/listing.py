"""List, count and export what a scope holds, in pages that stay stable while others write."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

from mongorecall._documents import (
    MalformedDocument,
    as_json_ready,
    decode,
    format_time,
    id_range,
    live,
    pack_cursor,
    unpack_cursor,
)
from mongorecall._operations.store import Store
from mongorecall.drivers import Operation
from mongorecall.models import MemoryEntry, MemoryPage, MemoryScope, SessionPage, SessionSummary

_log = logging.getLogger("mongorecall")

EXPORT_PAGE = 500
"""Documents read at once by an export."""


Place = tuple[str, str | None]
"""Session and event id that a page comes after; without an event id, after the whole session."""


async def list_memories(
    store: Store, scope: MemoryScope, *, session_id: str | None, limit: int, cursor: str | None
) -> MemoryPage:
    """One page by ``_id``; one indexed read."""
    after = _after_memory(cursor)
    async with store.driver.operation("list") as operation:
        rows = await _page(
            store,
            operation,
            {**id_range(scope, session_id, after=after), **live(store.clock.now())},
            limit + 1,
        )
    last = rows[limit - 1]["_id"] if len(rows) > limit else None
    return MemoryPage(
        memories=_readable(rows[:limit], metadata=store.options.store_metadata),
        cursor=None if last is None else pack_cursor(last["session_id"], last["event_id"]),
    )


async def list_sessions(store: Store, scope: MemoryScope, *, limit: int, cursor: str | None) -> SessionPage:
    """One page of sessions by id. Reads every memory of the scope after the cursor on the server."""
    after = _after_session(cursor)
    pipeline: list[dict[str, Any]] = [
        {"$match": {**id_range(scope, after=after), **live(store.clock.now())}},
        {
            "$group": {
                "_id": "$_id.session_id",
                "memories": {"$sum": 1},
                "first": {"$min": "$timestamp"},
                "last": {"$max": "$timestamp"},
            }
        },
        {"$sort": {"_id": 1}},
        {"$limit": limit + 1},
    ]
    async with store.driver.operation("list") as operation:
        rows = await operation.read(
            {"aggregate": store.driver.collection_name, "pipeline": pipeline, "cursor": {}}
        )
    sessions = [
        SessionSummary(
            session_id=row["_id"],
            memories=row["memories"],
            first=format_time(row["first"]),
            last=format_time(row["last"]),
        )
        for row in rows[:limit]
    ]
    return SessionPage(
        sessions=sessions, cursor=pack_cursor(sessions[-1].session_id) if len(rows) > limit else None
    )


async def count_memories(store: Store, scope: MemoryScope, *, session_id: str | None) -> int:
    """How many memories; one command that reads each of them on the server."""
    pipeline = [{"$match": {**id_range(scope, session_id), **live(store.clock.now())}}, {"$count": "n"}]
    async with store.driver.operation("count") as operation:
        rows = await operation.read(
            {"aggregate": store.driver.collection_name, "pipeline": pipeline, "cursor": {}}
        )
    return int(rows[0]["n"]) if rows else 0


async def export_user(store: Store, scope: MemoryScope) -> AsyncIterator[dict[str, Any]]:
    """Every stored document of a scope, markers included; one operation for each 500."""
    after: Place | None = None
    while True:
        async with store.driver.operation("export") as operation:
            rows = await _page(store, operation, id_range(scope, after=after), EXPORT_PAGE)
        for row in rows:
            yield as_json_ready(row)
        if len(rows) < EXPORT_PAGE:
            return
        after = (rows[-1]["_id"]["session_id"], rows[-1]["_id"]["event_id"])


async def _page(store: Store, operation: Operation, where: dict[str, Any], size: int) -> list[dict[str, Any]]:
    return await operation.read(
        {"find": store.driver.collection_name, "filter": where, "sort": {"_id": 1}, "limit": size}
    )


def _readable(rows: list[dict[str, Any]], *, metadata: bool) -> list[MemoryEntry]:
    entries: list[MemoryEntry] = []
    for row in rows:
        try:
            entries.append(decode(row, metadata=metadata))
        except MalformedDocument as fault:
            _log.warning("memory.malformed kind=%s", fault.kind)
    return entries


def _after_memory(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    session_id, event_id = unpack_cursor(cursor, 2)
    return session_id, event_id


def _after_session(cursor: str | None) -> Place | None:
    return None if cursor is None else (unpack_cursor(cursor, 1)[0], None)
