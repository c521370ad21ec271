"""What a driver keeps for one event loop: client, collection, and the calls under way."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final, Literal

from bson.codec_options import CodecOptions, DatetimeConversion
from bson.raw_bson import RawBSONDocument
from pymongo import AsyncMongoClient, ReadPreference
from pymongo.write_concern import WriteConcern

from mongorecall.drivers._calls import Calls, TaskCalls, ThreadCalls

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Sequence

    from mongorecall.drivers._clients import Clients

_LAST_SECONDS = 0.3

# Whatever is stored can be decoded: broken UTF-8 and dates outside Python's range do not fail a search.
DECODED: Final[CodecOptions[Any]] = CodecOptions(
    document_class=dict,
    tz_aware=True,
    unicode_decode_error_handler="replace",
    datetime_conversion=DatetimeConversion.DATETIME_AUTO,
)
RAW: Final[CodecOptions[Any]] = CodecOptions(
    document_class=RawBSONDocument,
    tz_aware=True,
    unicode_decode_error_handler="replace",
    datetime_conversion=DatetimeConversion.DATETIME_AUTO,
)


class Binding:
    """One event loop's share of a driver."""

    def __init__(self, clients: Clients, database: str, collection: str, *, max_concurrency: int) -> None:
        self.loop = asyncio.get_running_loop()
        self._clients = clients
        self._client = clients.for_loop(self.loop)
        self._database = self._client.get_database(database, codec_options=DECODED)
        self.collection: Any = self._database.get_collection(
            collection,
            codec_options=DECODED,
            read_preference=ReadPreference.PRIMARY,
            write_concern=durable(clients.write_concern),
        )
        at_once = min(max_concurrency, clients.workers or max_concurrency)
        self._is_async = isinstance(self._client, AsyncMongoClient)
        self.calls: Calls = TaskCalls(at_once) if self._is_async else ThreadCalls(at_once)
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._give_back = _GiveBack(clients, self._client)
        self._guard: AsyncGenerator[None] | None = None

    def command(self, command: dict[str, Any], *, raw: bool = False) -> Awaitable[Any]:
        """Send one command to the primary, so that a caller reads what it wrote."""
        sent: Awaitable[Any] = self._database.command(command, codec_options=RAW if raw else DECODED)
        return sent

    def batch(self, name: Literal["insert", "update"], items: Sequence[Any]) -> Awaitable[Any]:
        """Send one unordered ``insert`` or ``update``, whose reply names each item that was refused.

        As a plain command: for one document PyMongo's bulk takes half as long again.
        """
        field = "documents" if name == "insert" else "updates"
        command = {name: self.collection.name, "ordered": False, field: items}
        concern = self.collection.write_concern.document
        return self.command({**command, "writeConcern": concern} if concern else command)

    async def drain(self, command: dict[str, Any], *, raw: bool = False) -> list[Any]:
        """All documents of a command that answers with a cursor, by as many round trips as it takes."""
        codec = RAW if raw else DECODED
        database = self._database.with_options(codec_options=codec)  # which later replies are read by
        cursor = await database.cursor_command(command, codec_options=codec)
        documents: list[Any] = await cursor.to_list(None)
        return documents

    def enter(self) -> None:
        """A call begins."""
        self._under_way += 1
        self._idle.clear()

    def leave(self) -> None:
        """A call ended."""
        self._under_way -= 1
        if not self._under_way:
            self._idle.set()

    async def close_with_loop(self) -> None:
        """Have the client released when the loop ends, or the driver is collected, without ``close()``.

        A loop closes its asynchronous generators when it ends: ``asyncio.run`` sees to that.
        """
        if self._clients.owned and self._is_async:
            self._guard = _at_end(self._give_back)
            await anext(self._guard)

    async def release(self, *, seconds: float) -> None:
        """Wait for the calls under way, at most ``seconds``, then give the client back."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._idle.wait()
                await self.calls.settle(seconds=seconds)
        await self._give_back()
        await self.calls.settle(seconds=_LAST_SECONDS)  # they end now that there is no client


class _GiveBack:
    """Gives a client back once, by whomever and however often it is asked."""

    def __init__(self, clients: Clients, client: Any) -> None:
        self._clients = clients
        self._client = client
        self._task: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Begin, or wait for what was begun; a cancelled wait leaves it going on."""
        if self._task is None or self._task.cancelled():
            self._task = asyncio.create_task(self._clients.release(self._client))
        await asyncio.wait((self._task,))


async def _at_end(give_back: _GiveBack) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await give_back()


def durable(stated: WriteConcern) -> WriteConcern:
    """Majority and journalled unless the caller stated otherwise.

    With ``w=1`` an acknowledged write can be lost when the server is killed, even on a standalone.
    """
    options = stated.document
    if "w" in options:
        return stated
    return WriteConcern(w="majority", j=options.get("j", True), wtimeout=options.get("wtimeout"))
