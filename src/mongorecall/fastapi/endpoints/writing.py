"""Adding turns and sessions."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from mongorecall.fastapi import requests as ask
from mongorecall.fastapi._call import call_of
from mongorecall.fastapi.replies import Reply
from mongorecall.models import IngestReport

if TYPE_CHECKING:
    from fastapi import APIRouter

    from mongorecall.fastapi.router import ServiceOf

_PARTLY: dict[int | str, dict[str, Any]] = {
    207: {"model": IngestReport, "description": "Some turns could not be stored: `failed` names them."}
}


def add_to(router: APIRouter, service_of: ServiceOf) -> None:
    """Add the endpoints."""

    @router.post("/events", summary="Remember turns", response_model=IngestReport, responses=_PARTLY)
    async def add_events(request: Request, body: ask.AddEvents) -> Reply:
        """Store the text turns among `events`. Sending them again is safe."""
        options: dict[str, Any] = {}
        if body.ttl_seconds is not None:
            options["ttl"] = timedelta(seconds=body.ttl_seconds)
        if body.custom_metadata is not None:
            options["custom_metadata"] = body.custom_metadata
        report = await service_of(request).add_events(
            **call_of(request, body).ids,
            events=[event.event() for event in body.events],
            session_id=body.session_id,
            **options,
        )
        return _reply(report)

    @router.post("/sessions", summary="Remember a session", response_model=IngestReport, responses=_PARTLY)
    async def add_session(request: Request, body: ask.AddSession) -> Reply:
        """Store the text turns of a whole session. Sending it again is safe."""
        session = body.session(call_of(request, body).scope)
        return _reply(await service_of(request).add_session(session))


def _reply(report: IngestReport) -> Reply:
    return Reply(report, 207 if report.failed else 200)
