"""Serves the inspector by itself: one process, one socket, quick to refuse slow clients."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from math import ceil
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from mongorecall.errors import InvalidInputError

if TYPE_CHECKING:
    from mongorecall.fastapi.guards._asgi import ASGIApp

HEADER_SECONDS = 5.0
"""Longest wait for the headers of a request, and for a next request on the same connection."""

GRACE_SECONDS = 2
"""Longest wait for running requests when the server is told to end."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one.

    Raises:
        InvalidInputError: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InvalidInputError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    return listener


async def serve(
    app: ASGIApp, listener: socket.socket, *, started: Callable[[], None], **options: Any
) -> None:
    """Serve until SIGINT, SIGTERM or a cancel; ``started`` is called once requests are answered.

    Args:
        app: the application.
        listener: as `bind` makes it; closed at the end.
        started: called when the first request can come.
        options: further options of ``uvicorn.Config``, such as ``ssl_certfile``.
    """
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        access_log=False,  # ours has no paths and ids in it
        server_header=False,
        timeout_keep_alive=ceil(HEADER_SECONDS),
        timeout_graceful_shutdown=GRACE_SECONDS,
        **{"proxy_headers": False, **options},
    )
    server = _Server(config, started)
    with listener:
        try:
            await server.serve(sockets=[listener])
        except asyncio.CancelledError:
            await server.shutdown(sockets=[listener])
            raise


class _Server(uvicorn.Server):
    """Ends in an orderly way on a signal, so that the memory service is closed too."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._say_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._say_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        handled = (signal.SIGINT, signal.SIGTERM)
        for number in handled:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in handled:
                loop.remove_signal_handler(number)


class TimedProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose request headers do not arrive in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
