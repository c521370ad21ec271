"""The inspector's cookie: signed, so that the server needs to keep nothing, and readable by no script."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import HTTPConnection
from starlette.responses import Response

LIFETIME_SECONDS = 12 * 3600


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit of one principal to the page; ``content`` is whether it asked to see memory text."""

    id: str
    expires: int
    content: bool


class Visits:
    """Makes and reads the cookie of a visit.

    Args:
        secret: at least 32 bytes; the same in every process that shall read the cookie.
        clock: the time in seconds since 1970.
    """

    def __init__(self, secret: bytes, *, clock: Callable[[], float] = time.time) -> None:
        self._key = hashlib.blake2b(b"visit", key=secret[:64], digest_size=32).digest()
        self._clock = clock
        self._ended: dict[str, int] = {}
        # Cookies do not tell ports apart: two inspectors on one host must not share a name.
        self.name = "mongorecall_" + hashlib.blake2b(self._key, digest_size=4).hexdigest()

    def begin(self, response: Response, who: str, *, content: bool, secure: bool) -> Visit:
        """Start a visit of ``who``, and put its cookie on the response."""
        visit = Visit(secrets.token_hex(16), int(self._clock()) + LIFETIME_SECONDS, content)
        body = f"{visit.id}.{visit.expires}.{int(content)}"
        response.set_cookie(
            self.name,
            f"{body}.{self._sign(body, who)}",
            max_age=LIFETIME_SECONDS,
            path="/",
            httponly=True,
            samesite="strict",
            secure=secure,
        )
        return visit

    def read(self, connection: HTTPConnection, who: str) -> Visit | None:
        """The visit of ``who`` that a request carries; None without a valid cookie."""
        body, _, signature = connection.cookies.get(self.name, "").rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(body, who).encode()):
            return None
        visit_id, expires, content = body.split(".")
        visit = Visit(visit_id, int(expires), content == "1")
        return visit if self._clock() < visit.expires and visit.id not in self._ended else None

    def end(self, response: Response, visit: Visit | None) -> None:
        """End a visit: take the cookie away, and refuse it in this process from now on."""
        now = int(self._clock())
        self._ended = {name: expires for name, expires in self._ended.items() if expires > now}
        if visit is not None:
            self._ended[visit.id] = visit.expires
        response.delete_cookie(self.name, path="/", httponly=True, samesite="strict")

    def _sign(self, body: str, who: str) -> str:
        return hmac.new(self._key, f"{body}\0{who}".encode(), hashlib.sha256).hexdigest()
