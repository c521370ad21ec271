"""One memory service for the life of an application, handed to its handlers; and the example application."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, WebSocket
from starlette.requests import Request

from mongorecall.errors import InvalidTypeError
from mongorecall.fastapi import MemoryDep, get_memory, memory_lifespan, memory_router
from mongorecall.in_memory import InMemoryMemoryService
from tests.web.support import MONDAY, by_header


class Closing(InMemoryMemoryService):
    """Notes that it was closed."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


def application(**options: Any) -> FastAPI:
    """An application whose handlers take the memory."""
    app = FastAPI(lifespan=memory_lifespan(**options))
    app.include_router(memory_router(get_memory, authenticate=by_header), prefix="/memory")

    @app.get("/kind")
    async def kind(memory: MemoryDep) -> str:
        return type(memory).__name__

    @app.get("/own")
    async def own(request: Request) -> int:
        return int(request.state.own)

    @app.websocket("/socket")
    async def socket(websocket: WebSocket, memory: MemoryDep) -> None:
        await websocket.accept()
        await websocket.send_text(type(memory).__name__)

    return app


def raise_oserror() -> None:
    """An application that cannot start."""
    raise OSError("no disk")


@asynccontextmanager
async def started(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """The application between its start and its end, as a server runs it."""
    async with app.router.lifespan_context(app) as state:

        async def with_state(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "state": dict(state or {})}, receive, send)

        transport = httpx.ASGITransport(with_state)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


async def test_handlers_are_given_the_service_and_it_is_closed_once() -> None:
    service = Closing()
    async with started(application(source=service)) as client:
        assert (await client.get("/kind")).json() == "Closing"
        stored = await client.post("/memory/sessions", json=MONDAY, headers={"x-user": "ann"})
        assert stored.status_code == 200
        assert service.closed == 0
    assert service.closed == 1


async def test_websockets_are_given_the_service_too() -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    service = Closing()
    scope = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "path": "/socket",
        "raw_path": b"/socket",
        "query_string": b"",
        "root_path": "",
        "scheme": "ws",
        "headers": [],
        "subprotocols": [],
        "state": {"mongorecall": service},
    }
    await application(source=service)(scope, receive, send)
    assert {"type": "websocket.send", "text": "Closing"} in sent


async def test_a_function_makes_a_service_for_each_start() -> None:
    made: list[Closing] = []

    def make() -> Closing:
        made.append(Closing())
        return made[-1]

    app = application(source=make)
    for starts in (1, 2):
        async with started(app) as client:
            assert (await client.get("/kind")).status_code == 200
        assert [service.closed for service in made] == [1] * starts


async def test_the_applications_own_lifespan_runs_inside_and_keeps_its_state() -> None:
    seen: list[str] = []
    service = Closing()

    @asynccontextmanager
    async def inner(app: FastAPI) -> AsyncIterator[Mapping[str, Any]]:
        yield {"own": 5}
        seen.append(f"ended, closed {service.closed} times")

    async with started(application(source=service, inner=inner)) as client:
        assert (await client.get("/own")).json() == 5
    assert seen == ["ended, closed 0 times"]
    assert service.closed == 1


async def test_the_service_is_closed_when_the_applications_own_start_fails() -> None:
    service = Closing()

    @asynccontextmanager
    async def inner(app: FastAPI) -> AsyncIterator[None]:
        raise_oserror()
        yield

    with pytest.raises(OSError, match="no disk"):
        async with started(application(source=service, inner=inner)):
            pass
    assert service.closed == 1


async def test_what_is_missing_is_said() -> None:
    transport = httpx.ASGITransport(application(source=Closing()))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        with pytest.raises(RuntimeError, match="lifespan=memory_lifespan"):
            await client.get("/kind")
    with pytest.raises(InvalidTypeError, match="source must be"):
        memory_lifespan("mongodb://localhost")  # type: ignore[arg-type]


@pytest.fixture
def example(uri: str, database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example, as it is in the repository."""
    monkeypatch.setenv("MONGORECALL_URI", uri)
    monkeypatch.setenv("MONGORECALL_DATABASE", database)
    path = Path(__file__).parents[2] / "examples" / "fastapi_app.py"
    spec = importlib.util.spec_from_file_location("fastapi_app", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


async def test_the_example_remembers_and_recalls(example: ModuleType) -> None:
    ann, bob = ({"Authorization": f"Bearer {name}-secret"} for name in ("ann", "bob"))
    told = {"session": "monday", "text": "My favourite coffee is a flat white."}
    asked = {"session": "thursday", "text": "What coffee do I usually get?"}
    async with started(example.app) as client:
        assert (await client.post("/chat", json=told)).status_code == 401
        assert (await client.post("/chat", json=told, headers=ann)).json()["recalled"] == []
        answer = (await client.post("/chat", json=asked, headers=ann)).json()
        assert answer["recalled"] == ["user: My favourite coffee is a flat white."]
        assert (await client.post("/chat", json=asked, headers=bob)).json()["recalled"] == []
        found = (await client.post("/memory/search", json={"query": "coffee"}, headers=ann)).json()
        assert "monday" in {hit["session_id"] for hit in found["hits"]}
        assert (await client.get("/inspector/")).status_code == 200
        visit = await client.post("/inspector/visit", json={}, headers=ann)
        assert visit.json()["admin"] is False
