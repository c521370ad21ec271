"""Where the clients of the drivers come from: our own from a connection string, or the caller's."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import weakref
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Protocol

import pymongo
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, MongoClient
from pymongo.errors import PyMongoError

from mongorecall._checks import as_str, type_name
from mongorecall.drivers._threads import run_on_daemon_thread, start_daemon_thread
from mongorecall.errors import InvalidInputError, InvalidTypeError, WrongLoopError

if TYPE_CHECKING:
    from pymongo.topology_description import TopologyDescription
    from pymongo.write_concern import WriteConcern

MOTOR: Final = "motor"
PYMONGO: Final = "pymongo"
DRIVERS: Final = (MOTOR, PYMONGO)

_GOODBYE_SECONDS = 0.5  # for telling the server that our sessions end


class Clients(Protocol):
    """Gives each event loop a client that can be awaited there."""

    description: str
    owned: bool
    workers: int | None
    """How many calls the driver can run at once, or None when only its pool of connections limits it."""

    @property
    def write_concern(self) -> WriteConcern:
        """The write concern that the caller stated; an empty one when they stated none."""

    @property
    def topology(self) -> TopologyDescription:
        """What is known of the deployment; no I/O."""

    def for_loop(self, loop: asyncio.AbstractEventLoop) -> Any:
        """The client for a loop. `WrongLoopError` when it is bound to another one."""

    async def release(self, client: Any) -> None:
        """Give back what `for_loop` made, on its own loop."""

    async def close(self, *, seconds: float) -> None:
        """Give back what all loops share, within ``seconds``."""

    def in_child(self) -> Clients:
        """What a forked child uses instead: the parent's sockets are not the child's to use or to close."""


class MotorClients:
    """One pool of connections for all loops, under a Motor client for each."""

    workers: int | None

    def __init__(self, pool: MongoClient[Any], *, uri: str | None = None) -> None:
        self.description = f"motor {version('motor')}"
        self.owned = uri is not None
        self.workers = _motor_workers()
        self._pool = pool
        self._uri = uri
        if self.owned:
            closing = weakref.finalize(self, start_daemon_thread, _Closing(pool))
            closing.atexit = False  # the system takes the sockets back
            self._closing: Any = closing

    @classmethod
    def open(cls, uri: str) -> MotorClients:
        """Clients of our own. Nothing is sent yet, and no event loop is needed."""
        return cls(_open(AsyncIOMotorClient, uri).delegate, uri=uri)

    @property
    def write_concern(self) -> WriteConcern:
        return self._pool.write_concern

    @property
    def topology(self) -> TopologyDescription:
        return self._pool.topology_description

    def for_loop(self, loop: asyncio.AbstractEventLoop) -> Any:
        return _wrap(self._pool, loop)

    async def release(self, client: Any) -> None:
        """Nothing: the pool is shared."""

    async def close(self, *, seconds: float) -> None:
        if self.owned and self._closing.detach() is not None:
            await run_on_daemon_thread(_Closing(self._pool), seconds=seconds)

    def in_child(self) -> Clients:
        if self._uri is None:
            return self  # the driver gives a forked child fresh connections
        self._closing.detach()
        _INHERITED.append(self._pool)
        return MotorClients.open(self._uri)


class OwnAsyncClients:
    """A PyMongo Async client for each loop, since such a client is bound to one."""

    workers: int | None = None
    owned = True

    def __init__(self, uri: str) -> None:
        self.description = f"pymongo {pymongo.version}"
        self._uri = uri
        self._first: AsyncMongoClient[Any] | None = _open(AsyncMongoClient, uri)
        self._latest: AsyncMongoClient[Any] = self._first
        self._lock = threading.Lock()

    @property
    def write_concern(self) -> WriteConcern:
        return self._latest.write_concern

    @property
    def topology(self) -> TopologyDescription:
        return self._latest.topology_description

    def for_loop(self, loop: asyncio.AbstractEventLoop) -> Any:
        with self._lock:
            client, self._first = self._first, None
            self._latest = client if client is not None else _open(AsyncMongoClient, self._uri)
            return self._latest

    async def release(self, client: Any) -> None:
        with contextlib.suppress(PyMongoError), pymongo.timeout(_GOODBYE_SECONDS):
            await client.close()

    async def close(self, *, seconds: float) -> None:
        """Nothing: each loop has its own pool."""

    def in_child(self) -> Clients:
        _INHERITED.append(self._latest)
        return OwnAsyncClients(self._uri)


class CallersAsyncClient:
    """The caller's PyMongo Async client, on the one loop that it is bound to."""

    workers: int | None = None
    owned = False

    def __init__(self, client: AsyncMongoClient[Any]) -> None:
        self.description = f"pymongo {pymongo.version}"
        self._client = client
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None

    @property
    def write_concern(self) -> WriteConcern:
        return self._client.write_concern

    @property
    def topology(self) -> TopologyDescription:
        return self._client.topology_description

    def for_loop(self, loop: asyncio.AbstractEventLoop) -> Any:
        if self._loop is None:
            self._loop = weakref.ref(loop)
        if self._loop() is not loop:
            raise WrongLoopError(
                "mongo_client is an AsyncMongoClient, which is bound to the event loop of its first call",
                hint="make one service per event loop, or pass a MongoClient or a connection string",
            )
        return self._client

    async def release(self, client: Any) -> None:
        """Nothing: the caller closes it."""

    async def close(self, *, seconds: float) -> None:
        """Nothing: the caller closes it."""

    def in_child(self) -> Clients:
        return self


def open_clients(*, connection_string: object, mongo_client: object, driver: object) -> Clients:
    """The clients that a service was asked to use.

    Raises:
        InvalidInputError: not exactly one of the two was given, the connection string cannot be parsed,
            ``driver`` is unknown or does not fit the client, or the write concern is ``w=0``.
    """
    if driver not in DRIVERS:
        raise InvalidInputError(f"driver must be one of {', '.join(DRIVERS)}")
    if (connection_string is None) == (mongo_client is None):
        raise InvalidInputError("pass exactly one of connection_string and mongo_client")
    if connection_string is not None:
        uri = _check_uri(connection_string)
        clients: Clients = MotorClients.open(uri) if driver == MOTOR else OwnAsyncClients(uri)
    else:
        clients = _callers(mongo_client, driver)
    if not clients.write_concern.acknowledged:
        raise InvalidInputError("write concern w=0 cannot be used: a failed write would be lost silently")
    return clients


def _callers(client: object, driver: object) -> Clients:
    if isinstance(client, AsyncMongoClient):
        return CallersAsyncClient(client)
    pool = client.delegate if isinstance(client, AsyncIOMotorClient) else client
    if not isinstance(pool, MongoClient):
        raise InvalidTypeError(
            "mongo_client must be a pymongo.MongoClient, a motor.motor_asyncio.AsyncIOMotorClient or a "
            f"pymongo.AsyncMongoClient, got {type_name(client)}"
        )
    if driver == PYMONGO:
        raise InvalidInputError('driver="pymongo" needs a connection_string or a pymongo.AsyncMongoClient')
    return MotorClients(pool)


def _check_uri(value: object) -> str:
    uri = as_str("connection_string", value)
    if not uri.startswith(("mongodb://", "mongodb+srv://")):
        raise InvalidInputError("connection_string must begin with mongodb:// or mongodb+srv://")
    return uri


def _open(client_class: Any, uri: str) -> Any:
    """A client that has sent nothing. The driver's message is left out: it can quote the URI."""
    try:
        return client_class(uri, **_monitoring(uri))
    except (PyMongoError, ValueError, TypeError) as error:
        reason = type(error).__name__
    raise InvalidInputError(
        f"connection_string cannot be used ({reason})",
        hint="user name and password are percent-encoded; options have the values that MongoDB documents",
    )


def _monitoring(uri: str) -> dict[str, Any]:
    """Options by which our clients watch the servers, where the connection string does not say.

    Polling each second, and at once when a call met a fault: the default, streaming, hears of a lost
    primary or a repaired login on a standalone only after 10 s, and its second connection to each server
    can leak in PyMongo Async when the client is closed while it is being made.
    """
    stated = uri.lower()
    wanted = {"serverMonitoringMode": "poll", "heartbeatFrequencyMS": 1000}
    return {name: value for name, value in wanted.items() if f"{name.lower()}=" not in stated}


def _wrap(pool: MongoClient[Any], loop: asyncio.AbstractEventLoop) -> Any:
    """A Motor client for ``loop`` over connections that exist already."""

    made_from_pool = {"__delegate_class__": staticmethod(lambda *_, **__: pool)}
    shared: Any = type("SharedMotorClient", (AsyncIOMotorClient,), made_from_pool)
    return shared(io_loop=loop)


def _motor_workers() -> int:
    """How many threads Motor runs its calls on; it reads the same setting."""
    return int(os.environ.get("MOTOR_MAX_WORKERS") or (os.cpu_count() or 1) * 5)


class _Closing:
    """Closes a pool; blocks for at most about a second, and does nothing in a forked child."""

    def __init__(self, pool: MongoClient[Any]) -> None:
        self._pool = pool
        self._process = os.getpid()

    def __call__(self) -> None:
        if os.getpid() == self._process:
            with pymongo.timeout(_GOODBYE_SECONDS):
                self._pool.close()


_INHERITED: list[object] = []
"""Clients that a forked child must neither use nor close, kept so that they are not collected."""
