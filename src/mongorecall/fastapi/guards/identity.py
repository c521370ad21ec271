"""Finds out who is calling, before anything else of the request is read."""

from __future__ import annotations

import inspect

from starlette.requests import Request

from mongorecall._checks import type_name
from mongorecall.errors import InvalidTypeError
from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards._asgi import ASGIApp, Receive, Scope, Send, notes_of
from mongorecall.fastapi.principal import Authenticate, Principal


class IdentityGuard:
    """401 unless ``authenticate`` names a principal, which the notes of the request then hold."""

    def __init__(self, app: ASGIApp, *, authenticate: Authenticate) -> None:
        self.app = app
        self.authenticate = authenticate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The request has no receive: the body of somebody unknown is not read.
        found = self.authenticate(Request(scope))
        principal: object = await found if inspect.isawaitable(found) else found
        if principal is None:
            raise Refusal(401)
        if not isinstance(principal, Principal):
            raise InvalidTypeError(
                f"authenticate must return a Principal or None, got {type_name(principal)}"
            )
        notes_of(scope).principal = principal
        await self.app(scope, receive, send)
