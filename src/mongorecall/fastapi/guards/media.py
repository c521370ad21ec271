"""Takes JSON only, which no form of another site can send without being asked first."""

from __future__ import annotations

from email.message import Message as Header

from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards._asgi import ASGIApp, Receive, Scope, Send, headers_of


class JsonGuard:
    """415 unless the request is ``application/json`` in UTF-8 without a content encoding."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        if not _is_json(headers.get("content-type", "")) or headers.get("content-encoding"):
            raise Refusal(415)
        await self.app(scope, receive, send)


def _is_json(value: str) -> bool:
    header = Header()
    header["content-type"] = value or "none/none"
    charset = header.get_param("charset", "utf-8")
    return header.get_content_type() == "application/json" and str(charset).lower() == "utf-8"
