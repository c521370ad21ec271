"""Answers only under the names it is meant to be reached by, which ends DNS rebinding."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from starlette.datastructures import Headers

from mongorecall.errors import InvalidInputError
from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards._asgi import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


def check_hosts(hosts: Iterable[str]) -> frozenset[str]:
    """The loopback names and ``hosts``, in lower case.

    A name without a port stands for every port; with one, for that port only.

    Raises:
        InvalidInputError: an entry is no host name, such as ``"*"`` or a URL.
    """
    named = [hosts] if isinstance(hosts, str) else list(hosts)
    for host in named:
        if not isinstance(host, str) or not _HOST.fullmatch(host.lower()):
            raise InvalidInputError("hosts: each must be a host name, with or without :port")
    return LOOPBACK | {host.lower() for host in named}


class HostGuard:
    """421 unless the one Host header names one of ``hosts``."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).getlist("host")
        parts = _HOST.fullmatch(given[0].lower()) if len(given) == 1 else None
        if parts is None or not {parts[0], parts[1]} & set(self.hosts):
            raise Refusal(421)
        await self.app(scope, receive, send)
