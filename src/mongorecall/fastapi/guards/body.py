"""Reads the body whole, within a size and a time, whatever the headers say about it."""

from __future__ import annotations

import asyncio

from mongorecall.fastapi._refusal import CLOSE, Refusal
from mongorecall.fastapi.guards._asgi import ASGIApp, Message, Receive, Scope, Send, headers_of


class _GoneError(Exception):
    """The client left while sending."""


class BodyGuard:
    """413 over ``limit`` bytes, chunked or not; 408 when sending takes over ``seconds``. Both close."""

    def __init__(self, app: ASGIApp, *, limit: int, seconds: float) -> None:
        self.app = app
        self.limit = limit
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        announced = headers_of(scope).get("content-length", "0")
        if announced.isdigit() and int(announced[:20]) > self.limit:
            raise Refusal(413, headers=CLOSE)
        try:
            async with asyncio.timeout(self.seconds):
                body = await self._read(receive)
        except TimeoutError:
            raise Refusal(408, headers=CLOSE) from None
        except _GoneError:
            return
        await self.app(scope, _replay(body, receive), send)

    async def _read(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _GoneError
            body += message.get("body", b"")
            if len(body) > self.limit:
                raise Refusal(413, headers=CLOSE)
            if not message.get("more_body", False):
                return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def replay() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replay
