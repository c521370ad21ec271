"""Lets in whoever knows the token of a stand-alone inspector: as a bearer, or swapped for a cookie."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from mongorecall._checks import as_str
from mongorecall.errors import InvalidInputError
from mongorecall.fastapi._cookies import Visits
from mongorecall.fastapi.principal import Principal

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

SHORTEST_TOKEN = 32

OPERATOR = Principal("mongorecall", "operator", admin=True)
"""Who holds the token: an admin. Its own scope holds nothing; it names the scope it looks at."""


def new_token() -> str:
    """A token of 256 random bits."""
    return secrets.token_urlsafe(32)


class TokenLogin:
    """``authenticate`` for `inspector_app`: the holder of the token is an admin.

    Raises:
        InvalidInputError: the token is shorter than 32 characters.
    """

    def __init__(self, token: str) -> None:
        if len(as_str("token", token)) < SHORTEST_TOKEN:
            raise InvalidInputError(f"token must have at least {SHORTEST_TOKEN} characters")
        self._token = token.encode()
        self.visits = Visits(hashlib.sha256(self._token).digest())

    def __repr__(self) -> str:
        return "TokenLogin(***)"

    def __call__(self, connection: HTTPConnection) -> Principal | None:
        """The operator, for a request with the token or with the cookie of a visit."""
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return OPERATOR if self.accepts(given.strip()) else None
        return OPERATOR if self.visits.read(connection, who_of(OPERATOR)) is not None else None

    def accepts(self, token: str) -> bool:
        """Whether this is the token; takes the same time for every wrong one."""
        return hmac.compare_digest(token.encode("utf-8", "surrogatepass"), self._token)


def who_of(principal: Principal) -> str:
    """A principal as the text that its cookie is bound to."""
    return f"{len(principal.app_name)}:{principal.app_name}{principal.user_id}"
