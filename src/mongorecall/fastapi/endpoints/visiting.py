"""Coming in to the inspector, leaving it, and asking to see content."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from mongorecall.fastapi._call import principal_of
from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi._routes import guarded_route
from mongorecall.fastapi._turns import analyzer_of
from mongorecall.fastapi.guards._asgi import notes_of
from mongorecall.fastapi.guards.edge import hashed
from mongorecall.fastapi.guards.stack import Rules, known_guards, unknown_guards
from mongorecall.fastapi.replies import Reply, VisitReply
from mongorecall.fastapi.requests import Empty, Login, ShowContent
from mongorecall.fastapi.token import OPERATOR, TokenLogin, who_of

if TYPE_CHECKING:
    from mongorecall.fastapi._door import Door
    from mongorecall.fastapi.principal import Principal
    from mongorecall.fastapi.router import ServiceOf

log = logging.getLogger("mongorecall.web")


def visit_router(rules: Rules, door: Door, service_of: ServiceOf) -> APIRouter:
    """What somebody known may do about their visit."""
    router = APIRouter(route_class=guarded_route(partial(known_guards, rules)))

    @router.post("/visit")
    async def visit(request: Request, body: Empty) -> Reply:
        """Who is here, and what they may see."""
        host = await _host_principal(door, request)
        return Reply(_describe(door, service_of, request, host, shows=principal_of(request).content))

    @router.post("/content")
    async def content(request: Request, body: ShowContent) -> Reply:
        """Show memory text in this visit, or hide it again. That it was asked for is logged."""
        host = await _host_principal(door, request)
        if body.show and not host.content:
            raise Refusal(403, "content_hidden")
        who, request_id = hashed(host.app_name, host.user_id), notes_of(request.scope).request_id
        log.warning("web.show_content show=%s principal=%s id=%s", body.show, who, request_id)
        reply = Reply(_describe(door, service_of, request, host, shows=body.show))
        secure = request.url.scheme == "https"
        door.visits.end(reply, door.visits.read(request, who_of(host)))
        door.visits.begin(reply, who_of(host), content=body.show, secure=secure)
        return reply

    @router.post("/logout")
    async def logout(request: Request, body: Empty) -> Reply:
        """End this visit."""
        reply = Reply({"ok": True})
        host = await _host_principal(door, request)
        door.visits.end(reply, door.visits.read(request, who_of(host)))
        return reply

    return router


def login_router(rules: Rules, door: Door, login: TokenLogin, service_of: ServiceOf) -> APIRouter:
    """The way in with a token."""
    router = APIRouter(route_class=guarded_route(partial(unknown_guards, rules)))

    @router.post("/login")
    async def enter(request: Request, body: Login) -> Response:
        """Swap the token for a cookie that no script can read."""
        if not login.accepts(body.token):
            # The page sends an empty one to find out whether there is a token to ask for.
            if body.token:
                log.warning("web.login refused id=%s", notes_of(request.scope).request_id)
            raise Refusal(401)
        reply = Reply(_describe(door, service_of, request, OPERATOR, shows=False))
        secure = request.url.scheme == "https"
        door.visits.begin(reply, who_of(OPERATOR), content=False, secure=secure)
        return reply

    return router


async def _host_principal(door: Door, request: Request) -> Principal:
    host = await door.host_principal(request)
    if host is None:
        raise Refusal(401)
    return host


def _describe(
    door: Door, service_of: ServiceOf, request: Request, host: Principal, *, shows: bool
) -> VisitReply:
    service = service_of(request)
    rules = analyzer_of(service)
    return VisitReply(
        app_name=host.app_name,
        user_id=host.user_id,
        admin=host.admin,
        content=host.content and shows,
        may_show_content=host.content,
        leaves=door.login is not None,
        analyzer=f"{rules.name} {rules.version}" if rules else None,
        capabilities=sorted(service.capabilities),
    )
