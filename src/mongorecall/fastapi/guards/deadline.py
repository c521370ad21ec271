"""Ends a request whose answer takes too long, and lets the service know the deadline."""

from __future__ import annotations

import asyncio

from mongorecall.drivers import deadline
from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards._asgi import ASGIApp, Receive, Scope, Send


class DeadlineGuard:
    """504 after ``seconds``. The service is told the same deadline, so that the server stops working too."""

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self.app = app
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self.seconds) as limit:
                with deadline(self.seconds):
                    await self.app(scope, receive, send)
        except TimeoutError:
            if not limit.expired():
                raise
            raise Refusal(504) from None
