"""A driver: open or closed, with a client for each event loop that uses it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from mongorecall._checks import check_duration, check_int
from mongorecall.drivers._binding import Binding
from mongorecall.drivers._clients import MOTOR, Clients, open_clients
from mongorecall.drivers._names import check_collection_name, check_database_name
from mongorecall.drivers._operation import Operation
from mongorecall.errors import ClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from mongorecall.drivers._faults import Fault

DEFAULT_TIMEOUT: Final = timedelta(seconds=10)
DEFAULT_CONCURRENCY: Final = 24

_SHORTEST_TIMEOUT = timedelta(milliseconds=1)
_LONGEST_TIMEOUT = timedelta(days=1)
_SETTLE_SECONDS = 0.7  # that close() waits for calls under way
_RELEASE_SECONDS = 0.8  # that it then takes, at most, to give the clients back


def open_driver(
    *,
    connection_string: str | None = None,
    mongo_client: object = None,
    driver: str = MOTOR,
    database_name: str,
    collection_name: str,
    operation_timeout: timedelta | float = DEFAULT_TIMEOUT,
    max_concurrency: int = DEFAULT_CONCURRENCY,
) -> Driver:
    """A driver for one collection. Sends nothing, and needs no running event loop.

    Args:
        connection_string: a MongoDB URI; the driver opens a client of its own and closes it.
        mongo_client: instead, a ``pymongo.MongoClient``, ``AsyncIOMotorClient`` or
            ``pymongo.AsyncMongoClient`` of the caller's, which stays open.
        driver: what opens a connection string: ``"motor"`` or ``"pymongo"``.
        database_name: 1 to 63 bytes.
        collection_name: as MongoDB takes it.
        operation_timeout: by when every call ends, 1 ms to 1 day.
        max_concurrency: most calls of one event loop on the wire at once, 1 to 10,000; others wait in
            order. Motor's threads bound it further.

    Raises:
        InvalidInputError: an argument is out of bounds, the connection string cannot be parsed, or the
            write concern is ``w=0``.
        InvalidTypeError: an argument, or the client, has the wrong type.
    """
    options = {
        "connection_string": connection_string,
        "mongo_client": mongo_client,
        "driver": driver,
        "database_name": check_database_name(database_name),
        "collection_name": check_collection_name(database_name, collection_name),
        "operation_timeout": check_duration(
            "operation_timeout", operation_timeout, low=_SHORTEST_TIMEOUT, high=_LONGEST_TIMEOUT
        ),
        "max_concurrency": check_int("max_concurrency", max_concurrency, high=10_000),
    }
    clients = open_clients(connection_string=connection_string, mongo_client=mongo_client, driver=driver)
    return Driver(clients, options)


class Driver:
    """Motor or PyMongo Async on one collection, on any number of event loops. Made by `open_driver`.

    One that was made from a connection string can be pickled, and opens clients anew in a forked child
    and where it is unpickled.
    """

    def __init__(self, clients: Clients, options: dict[str, Any]) -> None:
        self.clients = clients
        self.database_name: str = options["database_name"]
        self.collection_name: str = options["collection_name"]
        self.operation_timeout: float = options["operation_timeout"].total_seconds()
        self.known_clock_offset: float | None = None
        self.login_refused: Fault | None = None
        self._options = options
        self._bindings: dict[asyncio.AbstractEventLoop, Binding] = {}
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._closed = False

    @property
    def description(self) -> str:
        """Name and version, such as ``"motor 3.7.1"``."""
        return self.clients.description

    @property
    def owns_client(self) -> bool:
        """Whether `close` closes the client."""
        return self.clients.owned

    @property
    def identity(self) -> object:
        """Equal for two drivers of one process behind which the same deployment stands: what one has seen
        of a collection holds for the other. A digest of the connection string, or the caller's client."""
        uri = self._options["connection_string"]
        if uri is not None:
            return hashlib.blake2b(str(uri).encode(), digest_size=16).digest()
        client = self._options["mongo_client"]
        return getattr(client, "delegate", client) if self.clients.workers else client

    @property
    def namespace(self) -> str:
        """``"database.collection"``."""
        return f"{self.database_name}.{self.collection_name}"

    @property
    def servers(self) -> str:
        """``host:port`` of at most three servers."""
        addresses = sorted(
            host if port is None else f"{host}:{port}"
            for host, port in self.clients.topology.server_descriptions()
        )
        more = f" and {len(addresses) - 3} more" if len(addresses) > 3 else ""
        return ", ".join(addresses[:3]) + more

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def operation(self, name: str, *, write: bool = False) -> Operation:
        """One public call: ``async with driver.operation("search") as op``; see `Operation`."""
        return Operation(self, name, write=write)

    async def bind(self, name: str) -> Binding:
        """What the running loop uses; made at its first call.

        Raises:
            ClosedError: after `close`.
            WrongLoopError: the caller's client is bound to another loop.
        """
        if self._closed:
            raise ClosedError(f"{name}: the service is closed")
        if os.getpid() != self._process:
            self._start_anew()
        loop = asyncio.get_running_loop()
        binding = self._bindings.get(loop)
        if binding is None:
            binding = self._make_binding()
            await binding.close_with_loop()
        return binding

    async def close(self) -> None:
        """Let the calls under way end, then close the client if it is ours. Within 2 seconds; repeatable."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            bindings = list(self._bindings.values())
            self._bindings.clear()
        if os.getpid() != self._process:
            return
        end = time.monotonic() + _SETTLE_SECONDS + _RELEASE_SECONDS
        try:
            await _wait_for_all([_start_release(binding) for binding in bindings], until=end)
        finally:
            await self.clients.close(seconds=max(0.1, end - time.monotonic()))

    def _make_binding(self) -> Binding:
        with self._lock:
            self._bindings = {loop: kept for loop, kept in self._bindings.items() if not loop.is_closed()}
            binding = Binding(
                self.clients,
                self.database_name,
                self.collection_name,
                max_concurrency=self._options["max_concurrency"],
            )
            self._bindings[binding.loop] = binding
        return binding

    def _start_anew(self) -> None:
        """In a forked child: forget the parent's loops, and leave its sockets alone."""
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._bindings = {}
        self.clients = self.clients.in_child()

    def __repr__(self) -> str:
        ownership = "own client" if self.owns_client else "caller's client"
        return f"<Driver {self.description} {self.namespace} at {self.servers}, {ownership}>"

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], Driver], tuple[dict[str, Any]]]:
        if not self.owns_client:
            raise TypeError(
                "a service with a caller's mongo_client cannot be pickled; build it from a connection_string"
            )
        return _reopen, (self._options,)


def _reopen(options: dict[str, Any]) -> Driver:
    return open_driver(**options)


def _start_release(binding: Binding) -> asyncio.Future[None] | None:
    """Have a loop release its share. A loop that does not run does so when it ends."""
    release: Coroutine[Any, Any, None]
    if binding.loop is asyncio.get_running_loop():
        return asyncio.ensure_future(binding.release(seconds=_SETTLE_SECONDS))
    if not binding.loop.is_running():
        return None
    release = binding.release(seconds=_SETTLE_SECONDS)
    try:
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(release, binding.loop))
    except RuntimeError:  # it was closed just now, and released its share
        release.close()
        return None


async def _wait_for_all(releases: list[asyncio.Future[None] | None], *, until: float) -> None:
    started = [release for release in releases if release is not None]
    if started:
        await asyncio.wait(started, timeout=max(0.0, until - time.monotonic()))
