"""What is there at all: scopes and recent operations for admins, and health for everybody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from starlette.requests import Request

from mongorecall.errors import UnavailableError, UnsupportedError
from mongorecall.fastapi import requests as ask
from mongorecall.fastapi._call import check_admin, principal_of
from mongorecall.fastapi.replies import HealthReply, OperationPage, Reply, ScopePage, ScopeReply
from mongorecall.models import Health

if TYPE_CHECKING:
    from fastapi import APIRouter

    from mongorecall.base import BaseMemoryService
    from mongorecall.fastapi.router import ServiceOf
    from mongorecall.inspection import RingBuffer

RECENT = 200
"""Operations that are shown."""


def add_to(router: APIRouter, service_of: ServiceOf, history: RingBuffer | None) -> None:
    """Add the endpoints."""

    @router.post("/scopes", summary="List scopes", response_model=ScopePage)
    async def list_scopes(request: Request, body: ask.ListScopes) -> Reply:
        """The scopes that hold memories, in the order of their ids, counted up to 1,000. Admins only."""
        check_admin(request)
        found: list[ScopeReply] = []
        async for scope in _scopes(service_of(request)):
            found.append(scope)
            if len(found) == body.limit:
                break
        return Reply(ScopePage(scopes=found))

    @router.post("/operations", summary="Recent operations", response_model=OperationPage)
    async def operations(request: Request, body: ask.Empty) -> Reply:
        """The latest operations of this process, newest first: keys, counts and times. Admins only."""
        check_admin(request)
        records = [] if history is None else history.records()[-RECENT:]
        return Reply(OperationPage(operations=[record.to_dict() for record in reversed(records)]))

    @router.post("/health", summary="Does the store answer?", response_model=HealthReply)
    async def health(request: Request, body: ask.Empty) -> Reply:
        """Whether the store answers, else 503; versions, indexes and advice for admins only."""
        ask_health = getattr(service_of(request), "health", None)
        if ask_health is None:
            return Reply(HealthReply(ok=True))
        found: Health = await ask_health()
        if found.server is None:
            raise UnavailableError("the store does not answer")
        if not principal_of(request).admin:
            return Reply(HealthReply(ok=found.ok))
        return Reply(HealthReply(**found.model_dump()))


async def _scopes(service: BaseMemoryService) -> AsyncIterator[ScopeReply]:
    probe = getattr(service, "probe", None)
    if probe is None:
        raise UnsupportedError(f"{type(service).__name__} does not list scopes")
    for app_name in (await probe.apps())[0]:
        for user_id in (await probe.users(app_name))[0]:
            memories = await probe.count((app_name, user_id))
            if memories:
                yield ScopeReply(app_name=app_name, user_id=user_id, memories=memories)
