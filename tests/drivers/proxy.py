"""A proxy between client and server that can lose, cut, garble, delay or drip what passes through it."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from typing import TYPE_CHECKING, Final, Literal, Self

if TYPE_CHECKING:
    from types import TracebackType

    from mongorecall.embedded import EmbeddedServer

Mode = Literal["pass", "black_hole", "lost_answer", "cut_answer", "garbled_answer", "drip", "slow", "refuse"]

_CHUNK: Final = 65536
_POLL_SECONDS: Final = 0.05
_DRIP_SECONDS: Final = 0.2
_SLOW_SECONDS: Final = 0.15
_HEADER_BYTES: Final = 16


class Proxy:
    """Listens on a loopback port and forwards to a server.

    Connections of the driver's monitors pass untouched unless the fault would hit them in real life too
    (``black_hole``, ``refuse``), since they are recognised by their ``hello``.

    Attributes:
        mode: what happens to data from now on; set it at any time.
        skip: how many answers still pass before the fault begins.
        left: how many answers the fault still hits; None for all.
        hit: how many it has hit.
    """

    def __init__(self, server: EmbeddedServer) -> None:
        self._target = ("127.0.0.1", server.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: set[socket.socket] = set()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self.mode: Mode = "pass"
        self.left: int | None = None
        self.skip = 0
        self.hit = 0
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def uri(self) -> str:
        """The connection string of the server through this proxy."""
        return f"mongodb://127.0.0.1:{self._listener.getsockname()[1]}/?directConnection=true"

    def fail(self, mode: Mode, *, skip: int = 0, times: int | None = None) -> None:
        """From now on do ``mode`` to answers: after ``skip`` more, to the next ``times`` of them or all."""
        with self._lock:
            self.skip, self.left, self.hit = skip, times, 0
            self.mode = mode

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(2)

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.mode == "refuse":
                client.close()
                continue
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            monitor = False
            while not self._stopped.is_set() and self.mode != "refuse":
                ready, _, _ = select.select((client, server), (), (), _POLL_SECONDS)
                if self.mode == "black_hole":
                    time.sleep(_POLL_SECONDS)
                    continue
                for source in ready:
                    data = _receive(source)
                    if not data:
                        return
                    if source is client:
                        # Operations name another command; only greetings and heartbeats say hello.
                        monitor = b"hello" in data or b"ismaster" in data.lower()
                        server.sendall(data)
                    elif not self._answer(client, data, monitor=monitor):
                        return

    def _answer(self, client: socket.socket, data: bytes, *, monitor: bool) -> bool:
        """Pass an answer on, or do the fault to it; whether the connection goes on."""
        with contextlib.suppress(OSError):
            if monitor or not self._take():
                client.sendall(data)
                return True
            return self._damage(client, data)
        return False

    def _take(self) -> bool:
        """Whether this answer is to be hit."""
        with self._lock:
            if self.mode == "pass" or self.left == 0:
                return False
            if self.skip:
                self.skip -= 1
                return False
            if self.left is not None:
                self.left -= 1
            self.hit += 1
            return True

    def _damage(self, client: socket.socket, data: bytes) -> bool:
        """Do the fault to one answer; ``lost_answer`` only drops it."""
        if self.mode == "cut_answer":
            client.sendall(data[: _HEADER_BYTES + 5])
        elif self.mode == "garbled_answer":
            client.sendall(data[:_HEADER_BYTES] + bytes(byte ^ 0xA5 for byte in data[_HEADER_BYTES:]))
        elif self.mode == "slow":
            time.sleep(_SLOW_SECONDS)
            client.sendall(data)
            return True
        elif self.mode == "drip":
            for place in range(len(data)):
                if self._stopped.wait(_DRIP_SECONDS):
                    return False
                client.sendall(data[place : place + 1])
            return True
        return False


def _receive(source: socket.socket) -> bytes:
    try:
        return source.recv(_CHUNK)
    except OSError:
        return b""
