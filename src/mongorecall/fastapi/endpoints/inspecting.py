"""Explaining and diagnosing a search, and comparing a session with what is stored of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from mongorecall.errors import UnsupportedError
from mongorecall.fastapi import requests as ask
from mongorecall.fastapi._call import call_of
from mongorecall.fastapi._masking import masked
from mongorecall.fastapi.replies import Comparison, EventFate, Reply
from mongorecall.inspection import Diagnosis, SearchExplanation, diagnose, explain_search
from mongorecall.inspection._asking import session_facts
from mongorecall.inspection._inquiry import open_inquiry

if TYPE_CHECKING:
    from fastapi import APIRouter

    from mongorecall.fastapi.router import ServiceOf


def add_to(router: APIRouter, service_of: ServiceOf) -> None:
    """Add the endpoints."""

    @router.post("/explain", summary="Take a search apart", response_model=SearchExplanation)
    async def explain(request: Request, body: ask.Explain) -> Reply:
        """How the query is read, how common each keyword is in the scope, and what came of it.

        With `expect`, the first stage that lost that turn. Stored words that come near one of the query
        are masked without `content`; keys of other users are named to admins only.
        """
        call = call_of(request, body)
        explanation = await explain_search(
            service_of(request),
            **call.ids,
            query=body.query,
            expect=body.expect,
            session_id=body.session_id,
            limit=body.limit,
            allow_key_listing=call.principal.admin,
        )
        return Reply(masked(explanation.to_dict(), content=call.content))

    @router.post("/diagnose", summary="Why does this search miss?", response_model=Diagnosis)
    async def diagnose_search(request: Request, body: ask.Diagnose) -> Reply:
        """The four checks in order, each with its evidence and the next step.

        Keys of other users are looked at for admins only.
        """
        call = call_of(request, body)
        diagnosis = await diagnose(
            service_of(request),
            **call.ids,
            query=body.query,
            session=body.session.session(call.scope) if body.session else None,
            expect=body.expect,
            allow_key_listing=call.principal.admin,
        )
        return Reply(masked(diagnosis.to_dict(), content=call.content))

    @router.post("/sessions/compare", summary="What became of each event?", response_model=Comparison)
    async def compare(request: Request, body: ask.CompareSession) -> Reply:
        """A session as the caller knows it beside what is stored of it: stored, skipped and why, missing."""
        scope = call_of(request, body).scope
        inquiry = open_inquiry(service_of(request), scope.app_name, scope.user_id, "", {})
        facts = await session_facts(inquiry, body.session(scope))
        if facts is None:
            raise UnsupportedError("this service cannot be looked into")
        fates = [
            EventFate(event_id=event.event_id, state=event.state, reason=event.reason)
            for event in facts.events
        ]
        return Reply(Comparison(session_id=facts.session_id, events=fates))
