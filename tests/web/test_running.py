"""S17 and S18: what a request may take, when it ends, what is logged. Each rule fails without its guard."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from typing import Any

import pytest

from mongorecall.drivers._deadline import deadline_of_call
from mongorecall.fastapi import Limits, serving
from mongorecall.fastapi.guards import edge, load
from mongorecall.fastapi.guards.body import BodyGuard
from mongorecall.fastapi.guards.deadline import DeadlineGuard
from mongorecall.fastapi.guards.disconnect import DisconnectGuard
from mongorecall.fastapi.guards.edge import Edge
from mongorecall.fastapi.guards.load import Load, LoadGuard
from mongorecall.in_memory import InMemoryMemoryService
from tests.web.support import Web, refused, replaced, scope_of, without_guard

SEARCH = {"query": "coffee"}
BODY = json.dumps(SEARCH).encode()


class Slow(InMemoryMemoryService):
    """A service whose searches end when they are let go; it notes what became of them."""

    def __init__(self) -> None:
        super().__init__()
        self.started = asyncio.Event()
        self.free = asyncio.Event()
        self.cancelled = 0
        self.seconds_left = 0.0

    async def search_memory(self, **arguments: Any) -> Any:
        self.started.set()
        self.seconds_left = deadline_of_call(0.0, 1e9)
        try:
            await self.free.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await super().search_memory(**arguments)


# --- rate and places -------------------------------------------------------------------------------


async def test_s17_a_principal_that_asks_too_often_is_slowed_down(web: Web) -> None:
    limited = Web(web.service, limits=Limits(rate=0.001, burst=3))

    async def check() -> None:
        limited._apps.clear()
        for _ in range(3):
            assert (await limited.send("/memory/search", SEARCH)).status_code == 200
        answer = await limited.send("/memory/search", SEARCH)
        refused(answer, 429, "too_many_requests")
        assert answer.headers["retry-after"] == "1"
        assert (await limited.send("/memory/search", SEARCH, user="bob")).status_code == 200

    await limited.holds(check, without=without_guard(LoadGuard))


def test_s17_the_bucket_fills_again_at_the_rate() -> None:
    now = 0.0
    places = Load(Limits(rate=2, burst=2), clock=lambda: now)
    who = ("shop", "ann")
    for _ in range(2):
        places.leave(places.enter(who))
    with pytest.raises(Exception, match="too_many"):
        places.enter(who)
    now = 0.5
    places.leave(places.enter(who))
    with pytest.raises(Exception, match="too_many"):
        places.enter(who)
    now = 1000.0
    for _ in range(2):
        places.leave(places.enter(who))


def test_s17_the_defaults_are_20_a_second_40_at_once_and_32_in_flight() -> None:
    limits = Limits()
    assert (limits.rate, limits.burst, limits.in_flight) == (20, 40, 32)


def test_s17_principals_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "MAX_BUCKETS", 10)
    places = Load(Limits())
    for number in range(100):
        places.leave(places.enter(("shop", f"u-{number}")))
    assert len(places._buckets) == 10


async def test_s17_requests_beyond_the_places_are_turned_away() -> None:
    async def check() -> None:
        service = Slow()
        web = Web(service, limits=Limits(in_flight=2, in_flight_total=3))
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(web.send("/memory/search", SEARCH)) for _ in range(2)]
            await service.started.wait()
            await asyncio.sleep(0.05)
            asyncio.get_running_loop().call_later(0.5, service.free.set)
            refusal = await web.send("/memory/search", SEARCH)
            other = group.create_task(web.send("/memory/search", SEARCH, user="bob"))
            await asyncio.sleep(0.05)
            full = await web.send("/memory/search", SEARCH, user="eve")
            service.free.set()
        assert [task.result().status_code for task in running] == [200, 200]
        assert other.result().status_code == 200
        refused(refusal, 503, "busy")
        assert refusal.headers["retry-after"] == "1"
        refused(full, 503, "busy")

    await Web().holds(check, without=without_guard(LoadGuard))


async def test_s17_every_place_is_given_back(web: Web) -> None:
    tight = Web(web.service, limits=Limits(in_flight=1, rate=1e6, burst=1000))
    for content in (BODY, b"{", b" " * 1_000_001, BODY):
        await tight.send("/memory/search", content=content)
    assert (await tight.send("/memory/search", SEARCH)).status_code == 200


# --- time ------------------------------------------------------------------------------------------


async def test_s17_a_body_that_trickles_in_is_refused_and_the_connection_closed(web: Web) -> None:
    hasty = Web(web.service, limits=Limits(body_seconds=0.1))

    async def trickle() -> Any:
        for byte in BODY:
            yield bytes([byte])
            await asyncio.sleep(0.03)

    async def check() -> None:
        answer = await hasty.send("/memory/search", content=trickle())
        refused(answer, 408, "body_timeout")
        assert answer.headers["connection"] == "close"

    await hasty.holds(check, without=without_guard(BodyGuard, DisconnectGuard))


async def test_s17_the_deadline_ends_the_call_and_is_known_to_the_service() -> None:
    service = Slow()
    web = Web(service, limits=Limits(deadline_seconds=0.2))

    async def check() -> None:
        web.app("/memory")
        asyncio.get_running_loop().call_later(2, service.free.set)
        answer = await web.send("/memory/search", SEARCH)
        refused(answer, 504, "deadline_exceeded")
        assert service.cancelled == 1
        assert service.seconds_left < 1e8

    await web.holds(check, without=without_guard(DeadlineGuard))


async def test_s17_a_client_that_leaves_ends_the_call() -> None:
    async def check() -> None:
        service = Slow()
        web = Web(service, limits=Limits())
        app: Any = web.app("/memory")
        asyncio.get_running_loop().call_later(2, service.free.set)
        messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        messages.put_nowait({"type": "http.request", "body": BODY, "more_body": False})
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        work = asyncio.create_task(app(scope_of("/memory/search"), messages.get, send))
        await service.started.wait()
        messages.put_nowait({"type": "http.disconnect"})
        await asyncio.wait_for(work, 5)
        assert service.cancelled == 1
        assert sent == []

    await Web().holds(check, without=without_guard(DisconnectGuard))


async def test_s17_a_client_that_leaves_while_sending_is_let_go(web: Web) -> None:
    messages = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])
    sent: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    await web.app("/memory")(scope_of("/memory/search"), receive, send)
    assert sent == []


async def test_s17_cancelling_the_server_task_is_no_disconnect() -> None:
    service = Slow()
    web = Web(service, limits=Limits())
    work = asyncio.create_task(web.send("/memory/search", SEARCH))
    await service.started.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert service.cancelled == 1


async def test_s17_headers_that_trickle_in_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEADER_SECONDS", 0.3)

    async def check() -> None:
        async with _Served() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST /memory/search HTTP/1.1\r\nHost: localhost\r\n")
            await writer.drain()
            try:
                assert await asyncio.wait_for(reader.read(), 2) == b""
            except TimeoutError:
                raise AssertionError("the connection was kept open") from None
            finally:
                writer.close()

    await Web().holds(check, without=replaced(serving.TimedProtocol, "_watch", lambda self: None))


async def test_s17_a_quick_client_is_served_on_one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEADER_SECONDS", 0.5)
    request = (
        b"POST /memory/search HTTP/1.1\r\nHost: localhost\r\nX-User: ann\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
    )
    async with _Served() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(3):
            writer.write(request)
            assert b" 200 OK" in await asyncio.wait_for(reader.readuntil(b"}"), 5)
            await asyncio.sleep(0.2)
        writer.close()


class _Served:
    """A real server on a free port for the length of the block."""

    async def __aenter__(self) -> int:
        listener: socket.socket = serving.bind("127.0.0.1", 0)
        ready = asyncio.Event()
        app = Web().app("/memory")
        self._task = asyncio.create_task(serving.serve(app, listener, started=ready.set))
        await ready.wait()
        return int(listener.getsockname()[1])

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


# --- S18 -------------------------------------------------------------------------------------------


async def test_s18_the_log_has_no_query_string_body_or_id(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        caplog.clear()
        with caplog.at_level(logging.DEBUG, "mongorecall"):
            await web.send("/memory/search?hickory=hickory", {"query": "hickory"}, user="u-hickory")
            await web.send("/inspector/login?hickory=hickory", {"token": "hickory"}, user="u-hickory")
            await web.send("/memory/search", {"query": 5, "hickory": "hickory"}, user="u-hickory")
            await web.send("/memory/search", content='{"hickory', user="u-hickory")
        logged = "\n".join(
            record.getMessage() for record in caplog.records if record.name.startswith("mongorecall")
        )
        assert "web.request op=search status=200 " in logged
        assert "hickory" not in logged

    def careless(self: Edge, notes: Any, status: int | None, started: float) -> None:
        edge.log.info("web.request op=search status=200 principal=%s", notes.principal)

    await web.holds(check, without=replaced(Edge, "_log", careless))


async def test_s18_ids_in_the_log_cannot_be_guessed(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        assert edge.hashed("shop", "ann") == edge.hashed("shop", "ann")
        assert edge.hashed("shop", "ann") != edge.hashed("sho", "pann")
        mine = edge.hashed("shop", "ann")
        with replaced(edge, "_HASH_KEY", b"the key of another process"):
            assert edge.hashed("shop", "ann") != mine

    import hashlib

    def bare(*ids: str) -> str:
        return hashlib.sha256("/".join(ids).encode()).hexdigest()[:10]

    await web.holds(check, without=replaced(edge, "hashed", bare))
