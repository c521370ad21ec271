"""Refuses what another site's page sends through the visitor's browser."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mongorecall.errors import InvalidInputError
from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards._asgi import ASGIApp, Receive, Scope, Send, headers_of


def check_origins(origins: Iterable[str]) -> frozenset[str]:
    """The origins in lower case; `InvalidInputError` where one is not ``http(s)://host[:port]``."""
    named = [origins] if isinstance(origins, str) else list(origins)
    for origin in named:
        scheme, mark, host = origin.lower().partition("://") if isinstance(origin, str) else ("", "", "")
        if scheme not in {"http", "https"} or not mark or not host or set(host) & set("/*?# "):
            raise InvalidInputError("origins: each must be http://host[:port] or https://host[:port]")
    return frozenset(origin.lower() for origin in named)


class OriginGuard:
    """403 when Origin is not the router's own, or Sec-Fetch-Site says that another site asked.

    A client that is no browser sends neither header. No CORS header is ever sent.

    Args:
        app: what is guarded.
        origins: further origins that are the router's own, where a proxy changes scheme or host.
    """

    def __init__(self, app: ASGIApp, *, origins: Collection[str] = ()) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        origin = headers.get("origin")
        own = {f"{scope['scheme']}://{headers.get('host', '')}".lower(), *self.origins}
        if origin is not None and origin.lower() not in own:
            raise Refusal(403, "foreign_origin")
        if headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            raise Refusal(403, "foreign_origin")
        await self.app(scope, receive, send)
