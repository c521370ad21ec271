"""One request that passed the guards: who asks, for which scope, and what it may see."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards._asgi import notes_of
from mongorecall.fastapi.guards.edge import hashed
from mongorecall.fastapi.requests import Scoped, Showing

if TYPE_CHECKING:
    from starlette.requests import Request

    from mongorecall.fastapi.principal import Principal
    from mongorecall.models import MemoryScope

log = logging.getLogger("mongorecall.web")


class Ids(TypedDict):
    """The two ids that every call of a service takes."""

    app_name: str
    user_id: str


@dataclass(frozen=True, slots=True)
class Call:
    """What an endpoint needs to know about its caller.

    Attributes:
        principal: who asks.
        scope: whose memories the call is about: the caller's own, or, for an admin, the one it named.
        content: whether the answer holds memory text.
        request_id: names the request in logs and answers.
    """

    principal: Principal
    scope: MemoryScope
    content: bool
    request_id: str

    @property
    def ids(self) -> Ids:
        """The scope as keyword arguments of a service."""
        return {"app_name": self.scope.app_name, "user_id": self.scope.user_id}


def call_of(request: Request, body: Scoped) -> Call:
    """The call of a request; reaching into another scope and showing content are logged.

    Raises:
        Refusal: 403 ``forbidden`` when another scope is named and the caller is no admin; 403
            ``content_hidden`` when content is asked for that the caller may not see.
    """
    notes = notes_of(request.scope)
    principal = principal_of(request)
    scope = principal.scope
    if body.scope is not None and body.scope.scope != scope:
        _check_admin(principal)
        scope = body.scope.scope
        _log("web.admin", principal, scope, notes.request_id)
    content = _wants_content(body)
    if content:
        check_content(principal, scope, notes.request_id)
    return Call(principal, scope, content, notes.request_id)


def principal_of(request: Request) -> Principal:
    """Who sent a request that passed the guards."""
    principal = notes_of(request.scope).principal
    assert principal is not None  # noqa: S101 - no endpoint is reached without IdentityGuard
    return principal


def check_admin(request: Request) -> Principal:
    """The principal, when it is an admin; 403 otherwise."""
    principal = principal_of(request)
    _check_admin(principal)
    return principal


def check_content(principal: Principal, scope: MemoryScope, request_id: str) -> None:
    """403 ``content_hidden`` unless the principal may see memory text; that it sees some is logged."""
    if not principal.content:
        raise Refusal(403, "content_hidden")
    _log("web.content", principal, scope, request_id)


def _wants_content(body: Scoped) -> bool:
    """Whether a request asks for memory text; only some can."""
    return isinstance(body, Showing) and body.content


def _check_admin(principal: Principal) -> None:
    if not principal.admin:
        raise Refusal(403)


def _log(event: str, principal: Principal, scope: MemoryScope, request_id: str) -> None:
    who = hashed(principal.app_name, principal.user_id)
    log.info("%s principal=%s key=%s id=%s", event, who, hashed(scope.app_name, scope.user_id), request_id)
