"""Searching, listing and exporting."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from mongorecall.fastapi import requests as ask
from mongorecall.fastapi._call import call_of, check_content
from mongorecall.fastapi._turns import analyzer_of, found_turn_of, turn_of
from mongorecall.fastapi.replies import Reply, SearchReply, TurnPage
from mongorecall.models import SessionPage

if TYPE_CHECKING:
    from fastapi import APIRouter

    from mongorecall.fastapi.router import ServiceOf

_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One JSON object per line. A broken connection means that the export is not whole.",
        "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
    }
}


def add_to(router: APIRouter, service_of: ServiceOf) -> None:
    """Add the endpoints."""

    @router.post("/search", summary="Search", response_model=SearchReply)
    async def search(request: Request, body: ask.Search) -> Reply:
        """The turns that share keywords with the query, best first.

        Their text comes with `content`, how it was read with `reading`, and what their scores are the sums
        of with `score_parts`.
        """
        call, service = call_of(request, body), service_of(request)
        started = time.perf_counter()
        found = await service.search_memory(
            **call.ids, query=body.query, **body.options(service.capabilities)
        )
        elapsed = (time.perf_counter() - started) * 1000
        rules = analyzer_of(service) if body.reading else None
        hits = [
            found_turn_of(entry, rank, rules, content=call.content)
            for rank, entry in enumerate(found.memories, start=1)
        ]
        return Reply(
            SearchReply(
                hits=hits,
                query_keywords=found.query_keywords,
                reason=found.reason,
                more=found.more,
                skipped=found.skipped,
                elapsed_ms=round(elapsed, 2),
            )
        )

    @router.post("/sessions/list", summary="List sessions", response_model=SessionPage)
    async def list_sessions(request: Request, body: ask.ListSessions) -> Reply:
        """One page of sessions: how many memories, first and last time."""
        ids = call_of(request, body).ids
        return Reply(await service_of(request).list_sessions(**ids, limit=body.limit, cursor=body.cursor))

    @router.post("/memories/list", summary="List memories", response_model=TurnPage)
    async def list_memories(request: Request, body: ask.ListMemories) -> Reply:
        """One page of turns, of one session or of all; text with `content`, its words with `reading`."""
        call, service = call_of(request, body), service_of(request)
        page = await service.list_memories(
            **call.ids, session_id=body.session_id, limit=body.limit, cursor=body.cursor
        )
        rules = analyzer_of(service) if body.reading else None
        turns = [turn_of(entry, rules, content=call.content) for entry in page.memories]
        return Reply(TurnPage(turns=turns, cursor=page.cursor))

    @router.post("/export", summary="Export a user", responses=_LINES, response_class=StreamingResponse)
    async def export(request: Request, body: ask.Export) -> StreamingResponse:
        """Everything held about one user, markers of forgotten turns included."""
        call = call_of(request, body)
        check_content(call.principal, call.scope, call.request_id)
        rows = service_of(request).export_user(**call.ids)
        # The first row is fetched before the answer begins, so that a failing store is still a 503.
        first = await anext(rows, None)
        return StreamingResponse(_lines(first, rows), media_type="application/x-ndjson")


async def _lines(first: dict[str, Any] | None, rows: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    if first is None:
        return
    yield _line(first)
    async for row in rows:
        yield _line(row)


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"
