"""`inspector_app`: the page that shows what a memory holds, and why a search misses."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from mongorecall.base import BaseMemoryService
from mongorecall.fastapi._door import Door
from mongorecall.fastapi._routes import guarded_route, refuse_unknown
from mongorecall.fastapi.endpoints import visiting
from mongorecall.fastapi.guards.headers import PAGE_POLICY, PROTECTIVE, HeaderGuard
from mongorecall.fastapi.guards.stack import Rules, page_guards
from mongorecall.fastapi.limits import Limits
from mongorecall.fastapi.page import PAGE, file_response
from mongorecall.fastapi.router import ServiceOf, as_service_of, memory_router
from mongorecall.inspection import InspectingMemoryService, RingBuffer

if TYPE_CHECKING:
    from mongorecall.fastapi.guards._asgi import ASGIApp
    from mongorecall.fastapi.principal import Authenticate

PAGE_LIMITS = Limits(rate=40, burst=120)
"""The page asks several things at once while somebody types."""


def inspector_app(
    service: BaseMemoryService | ServiceOf,
    *,
    authenticate: Authenticate,
    hosts: Iterable[str] = (),
    origins: Iterable[str] = (),
    limits: Limits = PAGE_LIMITS,
    history: RingBuffer | None = None,
    secret: bytes | None = None,
) -> ASGIApp:
    """The inspector as an application, for ``app.mount("/inspector", inspector_app(…))``.

    One page and its files by GET, without any address of a third party; everything else as in
    `memory_router`, under ``api/``. Somebody who is an admin sees every scope, anybody else their own.
    Memory text is shown only after a click on "show content", which is logged, and never to a principal
    whose ``content`` is False.

    Args:
        service: as in `memory_router`. A service that is not inspected yet is wrapped, so that the page
            has a timeline of what it did itself; give ``history`` to show more.
        authenticate: as in `memory_router`; a `TokenLogin` adds the form that asks for its token.
        hosts: as in `memory_router`.
        origins: as in `memory_router`.
        limits: as in `memory_router`, with room for a page that answers while somebody types.
        history: the ring buffer that is a hook of ``service``.
        secret: at least 32 bytes that sign the cookie; give the same to every worker process. Random
            when None.
    """
    if history is None and isinstance(service, BaseMemoryService):
        history = RingBuffer()
        service = InspectingMemoryService(service, hooks=[history])
    door = Door.of(authenticate, secret)
    rules = Rules.of(authenticate=door, hosts=hosts, origins=origins, limits=limits)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    refuse_unknown(app)
    app.include_router(_page(rules))
    service_of = as_service_of(service)
    app.include_router(visiting.visit_router(rules, door, service_of))
    if door.login is not None:
        app.include_router(visiting.login_router(rules, door, door.login, service_of))
    api = memory_router(
        service, authenticate=door, hosts=hosts, origins=origins, limits=limits, history=history
    )
    app.include_router(api, prefix="/api")
    return HeaderGuard(app, headers={**PROTECTIVE, "content-security-policy": PAGE_POLICY})


def _page(rules: Rules) -> APIRouter:
    """The page and its files: all that is there to GET."""
    router = APIRouter(route_class=guarded_route(partial(page_guards, rules)))

    @router.get("/")
    async def page() -> Response:
        return file_response(PAGE)

    @router.get("/static/{name}")
    async def static(name: str) -> Response:
        return file_response(name)

    return router
