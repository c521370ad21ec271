"""Stops working for a client that has left."""

from __future__ import annotations

import asyncio

from mongorecall.fastapi.guards._asgi import ASGIApp, Message, Receive, Scope, Send


class DisconnectGuard:
    """Cancels the work when the client disconnects. Stands inside `BodyGuard`: the body is one message."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = _Line(await receive(), receive, send)
        work = asyncio.ensure_future(self.app(scope, line.receive, line.send))
        watch = asyncio.ensure_future(line.watch(work))
        try:
            await work
        except asyncio.CancelledError:
            # Ours only when the client left and nobody cancels this task itself.
            task = asyncio.current_task()
            if not line.gone.is_set() or (task is not None and task.cancelling()):
                raise
        finally:
            watch.cancel()


class _Line:
    """The two directions of one request, watched."""

    def __init__(self, body: Message, receive: Receive, send: Send) -> None:
        self.gone = asyncio.Event()
        self._body: Message | None = body
        self._receive = receive
        self._send = send
        self._complete = False

    async def watch(self, work: asyncio.Future[None]) -> None:
        """Cancel ``work`` when the client leaves before its answer is complete."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        if not self._complete:
            self.gone.set()
            work.cancel()

    async def receive(self) -> Message:
        """The body, then the news that the client left, when it does."""
        if self._body is not None:
            body, self._body = self._body, None
            return body
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Pass a message on, and remember the last one."""
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._complete = True
        await self._send(message)
