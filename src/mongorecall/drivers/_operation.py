"""One public call of a service: its deadline, its retries, and the errors that leave it."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar

from pymongo.errors import BulkWriteError

from mongorecall.drivers._calls import TurnTooLateError
from mongorecall.drivers._deadline import deadline_of_call
from mongorecall.drivers._faults import DRIVER_FAULTS, Fault, Kind, Scene, classify, classify_code, to_error
from mongorecall.drivers._outcome import WriteOutcome
from mongorecall.errors import RecallError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from mongorecall.drivers._binding import Binding
    from mongorecall.drivers._driver import Driver

T = TypeVar("T")

_GRACE_SECONDS = 0.05  # the driver ends a call at the deadline by itself; after this much more we cut it
_LAST_SECONDS = 0.02  # with less time left than this there is no use in sending
_BATCH: Final = 10_000  # documents in a reply; the server ends it at 16 MB anyway
_OF_THE_BATCH: Final = frozenset(
    {Kind.TRANSIENT, Kind.LATE, Kind.UNCONFIRMED, Kind.UNSUITABLE, Kind.FORBIDDEN}
)
_MAX_ATTEMPTS = 40
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


class Operation:
    """One public call, opened by `Driver.operation` and used inside ``async with``.

    Everything that leaves the block is a `RecallError` or ``asyncio.CancelledError``, and the block ends
    by the deadline. Reads and writes are sent again after a lost connection or primary, with pauses of
    full jitter, so every request must be safe to repeat.
    """

    __slots__ = (
        "_attempts",
        "_begun",
        "_binding",
        "_deadline",
        "_driver",
        "_last",
        "_sent_before",
        "_timeout",
        "_writes",
        "elapsed",
        "name",
    )

    def __init__(self, driver: Driver, name: str, *, write: bool) -> None:
        self._driver = driver
        self.name = name
        self._writes = write
        self._attempts = self._sent_before = 0
        self._last: Fault | None = None
        self.elapsed = 0.0
        """Seconds that the last read took on the wire: without the wait for its turn, without retries."""

    async def __aenter__(self) -> Self:
        self._begun = now = time.monotonic()
        self._deadline = deadline_of_call(now, self._driver.operation_timeout)
        self._binding: Binding = await self._driver.bind(self.name)
        self._binding.enter()
        self._timeout = asyncio.timeout(self._deadline - now + _GRACE_SECONDS)
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._binding.leave()
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            if error is not None:
                error.__context__ = None  # a driver's error may be behind the cancellation
            raise self._error(self._why_late()) from None

    @property
    def remaining(self) -> float:
        """Seconds until the deadline; negative when it passed."""
        return self._deadline - time.monotonic()

    # --- sending -----------------------------------------------------------------------------------

    async def read(self, command: Mapping[str, Any], *, raw: bool = False) -> list[Any]:
        """The documents of a command that answers with a cursor: aggregate, find, listIndexes, ….

        One round trip unless the reply is over 16 MB; with ``raw`` they are ``RawBSONDocument``.
        """
        return await self._send(lambda: self._read_once(_with_batch(command), raw=raw))

    async def count(self, command: Mapping[str, Any]) -> int:
        """The ``n`` of a ``count`` command, or of the only document of an aggregation; 0 without one."""
        if "aggregate" not in command:
            return int((await self.command(command))["n"])
        documents = await self.read(command)
        return int(documents[0]["n"]) if documents else 0

    async def command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """The reply of any other command."""
        reply: dict[str, Any] = await self._send(lambda: self._binding.command(dict(command)))
        return reply

    async def write(self, requests: Sequence[Any]) -> WriteOutcome:
        """Send one unordered batch; a request that the server refuses is a fault and stops no other.

        Raises:
            UnavailableError: also when the write concern was not met; ``outcome`` is "unknown".
        """
        begun = self._attempts
        result = await self._send(lambda: self._write_once(requests))
        return _outcome(result, attempts=self._attempts - begun)

    async def insert(self, documents: Sequence[Any]) -> WriteOutcome:
        """As `write` with an ``InsertOne`` for each document; each has its ``_id``. At most 48 MB."""
        begun = self._attempts
        reply = await self._send(lambda: self._batch_once("insert", documents))
        return WriteOutcome(
            inserted=reply["n"], faults=_faults_of_requests(reply), attempts=self._attempts - begun
        )

    async def update(self, updates: Sequence[Mapping[str, Any]]) -> WriteOutcome:
        """As `write` with an ``UpdateOne`` for each ``{q: filter, u: update}``. At most 48 MB."""
        begun = self._attempts
        reply = await self._send(lambda: self._batch_once("update", updates))
        return WriteOutcome(
            matched=reply["n"],
            modified=reply["nModified"],
            faults=_faults_of_requests(reply),
            attempts=self._attempts - begun,
        )

    async def clock_offset(self) -> float:
        """Seconds that the server's clock is ahead of ``time.time()``.

        One round trip at first and after a connection was lost, none otherwise.
        """
        offset = self._driver.known_clock_offset
        if offset is None:
            offset = self._driver.known_clock_offset = await self._measure_clock()
        return offset

    # --- how it is sent ----------------------------------------------------------------------------

    async def _send(self, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call of the driver until it succeeds, fails for good, or time is up."""
        self._sent_before = self._attempts
        while True:
            # The error is raised outside the handler: nothing of the driver's may hang on it as context.
            try:
                return await self._attempt(call)
            except RecallError:  # some of ours are also built-ins of the next line
                raise
            except _RefusedError as refused:
                fault = refused.fault
            except TurnTooLateError:
                fault = self._why_late()
            except DRIVER_FAULTS as error:
                fault = self._classify(error)
            if not fault.repeats or self._attempts >= _MAX_ATTEMPTS or self.remaining < _LAST_SECONDS:
                raise self._error(fault)
            self._last = fault
            self._driver.known_clock_offset = None
            await self._pause()

    async def _attempt(self, call: Callable[[], Awaitable[T]]) -> T:
        def sent() -> Awaitable[T]:
            self._check_login()
            self._attempts += 1
            return call()

        return await self._binding.calls.make(sent, self._seconds_to_send)

    def _check_login(self) -> None:
        """Fail at once while the servers refuse our login, which the driver would take for no server."""
        refused = self._driver.login_refused
        if refused is not None:
            if not self._server_known:
                raise _RefusedError(refused)
            self._driver.login_refused = None

    @property
    def _server_known(self) -> bool:
        return self._driver.clients.topology.has_writable_server()

    def _seconds_to_send(self) -> float:
        return self.remaining - _LAST_SECONDS

    async def _pause(self) -> None:
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(self._attempts, 10))
        pause = random.uniform(0, longest)  # noqa: S311 - jitter
        if pause + _LAST_SECONDS >= self.remaining:
            raise self._error(self._why_late())
        await asyncio.sleep(pause)

    async def _read_once(self, command: dict[str, Any], *, raw: bool) -> list[Any]:
        begun = time.perf_counter()
        reply = (await self._binding.command(dict(command), raw=raw))["cursor"]
        self.elapsed = time.perf_counter() - begun
        if not reply["id"]:
            documents: list[Any] = reply["firstBatch"]
            return documents
        # Too large for one reply. The driver's own cursor stays with the server that holds it, so begin
        # again with one; this costs two round trips more, on replies over 16 MB.
        collection = reply["ns"].partition(".")[2]
        await self._binding.command({"killCursors": collection, "cursors": [reply["id"]]})
        return await self._binding.drain(command, raw=raw)

    async def _write_once(self, requests: Sequence[Any]) -> Mapping[str, Any]:
        try:
            result = await self._binding.collection.bulk_write(requests, ordered=False)
        except BulkWriteError as error:
            reply: Mapping[str, Any] = error.details or {}
        else:
            reply = result.bulk_api_result
        return _not_refused(reply)

    async def _batch_once(self, name: Literal["insert", "update"], items: Sequence[Any]) -> Mapping[str, Any]:
        reply = await self._binding.batch(name, items)
        unmet = reply.get("writeConcernError")
        return _not_refused(
            {
                "n": reply["n"],
                "nModified": reply.get("nModified", 0),
                "writeErrors": reply.get("writeErrors", ()),
                "writeConcernErrors": (unmet,) if unmet else (),
            }
        )

    async def _measure_clock(self) -> float:
        before = time.time()
        reply = await self.command({"hello": 1})
        middle = (before + time.time()) / 2
        offset: float = reply["localTime"].timestamp() - middle
        return offset

    # --- what leaves -------------------------------------------------------------------------------

    def _classify(self, error: Exception) -> Fault:
        fault = classify(error)
        if self._driver.closed and fault.kind not in {Kind.FORBIDDEN, Kind.OTHER}:
            return Fault(Kind.CLOSED, fault.name)
        if fault.kind is Kind.UNAUTHENTICATED:
            self._driver.login_refused = fault
        if fault.repeats and self.remaining < _LAST_SECONDS:
            return self._why_late(fault)
        return fault

    def _why_late(self, met: Fault | None = None) -> Fault:
        """The fault of a call whose time is up: what it met before says more than that time is up."""
        if self._driver.closed:
            return Fault(Kind.CLOSED, "closed while waiting")
        refused = self._driver.login_refused
        if refused is not None and not self._server_known:
            return refused
        if self._last is not None:
            return self._last
        if met is not None and not met.timed_out:
            return met
        return Fault(Kind.LATE if self._server_known else Kind.UNREACHABLE, "no server found")

    def _error(self, fault: Fault) -> RecallError:
        seconds = time.monotonic() - self._begun
        driver = self._driver
        scene = Scene(
            self.name,
            driver.namespace,
            driver.servers,
            seconds,
            self._attempts,
            self._writes,
            repeated=self._attempts - self._sent_before > 1,
        )
        return to_error(fault, scene)


class _RefusedError(Exception):
    """A fault of a whole batch that arrived inside its reply."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.name)
        self.fault = fault


def _not_refused(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """The reply of a batch, unless the batch as a whole was refused."""
    for fault in _faults_of_batch(reply):
        raise _RefusedError(fault)
    return reply


def _faults_of_batch(reply: Mapping[str, Any]) -> Iterator[Fault]:
    """The faults in a reply that concern the batch rather than one of its requests."""
    for error in (*reply["writeErrors"], *reply["writeConcernErrors"]):
        fault = classify_code(int(error.get("code", 0)))
        if fault.kind in _OF_THE_BATCH:
            yield fault
    for error in reply["writeConcernErrors"]:
        yield Fault(Kind.UNCONFIRMED, "write concern error", error.get("code"))


def _outcome(reply: Mapping[str, Any], *, attempts: int) -> WriteOutcome:
    return WriteOutcome(
        inserted=reply["nInserted"],
        matched=reply["nMatched"],
        modified=reply["nModified"],
        upserted=reply["nUpserted"],
        deleted=reply["nRemoved"],
        upserted_at=frozenset(entry["index"] for entry in reply["upserted"]),
        faults=_faults_of_requests(reply),
        attempts=attempts,
    )


def _faults_of_requests(reply: Mapping[str, Any]) -> dict[int, int]:
    return {error["index"]: error["code"] for error in reply["writeErrors"]}


def _with_batch(command: Mapping[str, Any]) -> dict[str, Any]:
    """The command with a first reply large enough for all documents, unless it says otherwise."""
    if "find" in command:
        return {**command, "batchSize": command.get("batchSize", _BATCH)}
    cursor = command.get("cursor") or {}
    return {**command, "cursor": {"batchSize": _BATCH, **cursor}}
