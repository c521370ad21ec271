"""Who comes in to the inspector, and whether this visit shows content."""

from __future__ import annotations

import inspect
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mongorecall._checks import type_name
from mongorecall.errors import InvalidInputError, InvalidTypeError
from mongorecall.fastapi._cookies import Visits
from mongorecall.fastapi.token import TokenLogin, who_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from mongorecall.fastapi.principal import Authenticate, Principal

SHORTEST_SECRET = 32


@dataclass(frozen=True, slots=True)
class Door:
    """``authenticate`` of the inspector: the host's own, narrowed by what the visit asked to see."""

    authenticate: Authenticate
    visits: Visits

    @classmethod
    def of(cls, authenticate: Authenticate, secret: bytes | None) -> Door:
        """The door of an inspector; a `TokenLogin` brings its own cookie."""
        if not callable(authenticate):
            raise InvalidTypeError(f"authenticate must be callable, got {type_name(authenticate)}")
        if secret is not None and len(secret) < SHORTEST_SECRET:
            raise InvalidInputError(f"secret must have at least {SHORTEST_SECRET} bytes")
        if isinstance(authenticate, TokenLogin):
            return cls(authenticate, authenticate.visits)
        return cls(authenticate, Visits(secret or secrets.token_bytes(SHORTEST_SECRET)))

    @property
    def login(self) -> TokenLogin | None:
        """The token login, where the inspector lets people in by itself."""
        return self.authenticate if isinstance(self.authenticate, TokenLogin) else None

    async def host_principal(self, request: Request) -> Principal | None:
        """Who the host says it is, with all that they may see."""
        found = self.authenticate(request)
        return await found if inspect.isawaitable(found) else found

    async def __call__(self, request: Request) -> Principal | None:
        """The principal, with ``content`` only when this visit shows it."""
        principal = await self.host_principal(request)
        # Anything else is for the identity guard to refuse.
        if principal is None or not self._hides(request, principal):
            return principal
        return replace(principal, content=False)

    def _hides(self, request: Request, principal: Principal) -> bool:
        """A program with the token asks for content call by call; it has no page to click on."""
        if self.login is not None and "authorization" in request.headers:
            return False
        visit = self.visits.read(request, who_of(principal))
        return visit is None or not visit.content
