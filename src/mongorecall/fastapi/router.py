"""`memory_router`: a memory service over HTTP, for callers that have been told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import HTTPConnection

from mongorecall._checks import type_name
from mongorecall.base import BaseMemoryService
from mongorecall.errors import InvalidTypeError
from mongorecall.fastapi._refusal import KINDS
from mongorecall.fastapi._routes import guarded_route
from mongorecall.fastapi.endpoints import forgetting, inspecting, overseeing, reading, writing
from mongorecall.fastapi.guards.stack import Rules, call_guards
from mongorecall.fastapi.limits import Limits
from mongorecall.fastapi.replies import ErrorReply

if TYPE_CHECKING:
    from mongorecall.fastapi.principal import Authenticate
    from mongorecall.inspection import RingBuffer

ServiceOf = Callable[[HTTPConnection], BaseMemoryService]
"""Finds the service for a request, such as `mongorecall.fastapi.get_memory`."""

_DESCRIBED = (401, 403, 408, 413, 415, 421, 422, 429, 500, 501, 503, 504)


def memory_router(
    service: BaseMemoryService | ServiceOf,
    *,
    authenticate: Authenticate,
    hosts: Iterable[str] = (),
    origins: Iterable[str] = (),
    limits: Limits | None = None,
    history: RingBuffer | None = None,
    include_in_schema: bool = False,
) -> APIRouter:
    """A router for ``app.include_router(memory_router(…), prefix="/memory")``.

    Every call is a POST of ``application/json``. App and user come from the principal, never from path
    or query string; an admin may name another scope in the body, which is logged. Answers hold memory
    text only where the request says ``"content": true``, which is logged too.

    Args:
        service: the memory service, or a function that finds it for a request (`get_memory`).
        authenticate: finds out who sent a request; see `Authenticate`. There is no default.
        hosts: names, with or without port, under which the router is reached beside the loopback ones.
            A request under any other name is refused with 421.
        origins: origins that are the router's own where a proxy changes scheme or host. Pages of any
            other origin are refused with 403; no CORS header is ever sent.
        limits: sizes, rates and times; the defaults of `Limits` when None.
        history: the ring buffer of the latest operations that ``/operations`` shows to admins; a hook of
            the `InspectingMemoryService` that ``service`` is.
        include_in_schema: show the router in the application's OpenAPI description.

    Raises:
        InvalidTypeError: ``service`` is neither, or ``authenticate`` is not callable.
        InvalidInputError: a host or an origin is none.

    Refusals and errors have the fixed body ``{"error": kind, "id": request id}``.
    """
    service_of = as_service_of(service)
    rules = Rules.of(authenticate=authenticate, hosts=hosts, origins=origins, limits=limits or Limits())
    router = APIRouter(
        route_class=guarded_route(partial(call_guards, rules)),
        include_in_schema=include_in_schema,
        tags=["memory"],
        responses={status: {"model": ErrorReply, "description": KINDS[status]} for status in _DESCRIBED},
    )
    writing.add_to(router, service_of)
    reading.add_to(router, service_of)
    forgetting.add_to(router, service_of)
    inspecting.add_to(router, service_of)
    overseeing.add_to(router, service_of, history)
    return router


def as_service_of(service: BaseMemoryService | ServiceOf) -> ServiceOf:
    """A function that finds the service for a request; `InvalidTypeError` when there is no telling how."""
    if isinstance(service, BaseMemoryService):
        found = service

        def service_of(connection: HTTPConnection) -> BaseMemoryService:
            return found

        return service_of
    if not callable(service):
        raise InvalidTypeError(f"service must be a memory service or find one, got {type_name(service)}")
    return service
