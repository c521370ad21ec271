"""An application with the router and the inspector, callers for it, and ways to take a guard out."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar
from unittest import mock

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request

from mongorecall.base import BaseMemoryService
from mongorecall.fastapi import Limits, Principal, TokenLogin, _routes, inspector_app, memory_router
from mongorecall.fastapi.guards import stack
from mongorecall.in_memory import InMemoryMemoryService

APP = "shop"
TOKEN = "a-token-of-the-tests-0123456789-abcdef"
COFFEE = {"id": "e-1", "author": "user", "text": "My favourite coffee is a flat white.", "timestamp": 1.0}
MONDAY = {"id": "monday", "events": [COFFEE]}
PLENTY = Limits(rate=1e6, burst=1_000_000)

Removal = AbstractContextManager[object]


def by_header(request: Request) -> Principal | None:
    """``X-User: ann`` is ann; ``root`` is an admin; ``blind`` sees no content."""
    user = request.headers.get("x-user")
    return None if user is None else Principal(APP, user, admin=user == "root", content=user != "blind")


class Web:
    """Three applications over one service: the router under /memory, an inspector of the application's own
    under /own, and one with a token under /inspector. Each is built when it is first asked.

    Applications with default options are built once for all tests: they find the service by the request.
    """

    _shared: ClassVar[dict[str, FastAPI]] = {}
    _serving: ClassVar[BaseMemoryService]

    def __init__(self, service: BaseMemoryService | None = None, **options: Any) -> None:
        self.service = service or InMemoryMemoryService()
        self._options = options
        self._apps: dict[str, FastAPI] = {} if options else self._shared

    def app(self, path: str) -> FastAPI:
        """The application that answers under a path."""
        name = path.split("/")[1]
        Web._serving = self.service
        if name not in self._apps:
            self._apps[name] = self._build(name)
        return self._apps[name]

    def _build(self, name: str) -> FastAPI:
        app = FastAPI(openapi_url=None)
        options: dict[str, Any] = {"limits": PLENTY, "authenticate": by_header} | self._options
        if name == "memory":
            app.include_router(memory_router(lambda _: Web._serving, **options), prefix="/memory")
            return app
        if name == "inspector":
            options["authenticate"] = TokenLogin(TOKEN)
        app.mount(f"/{name}", inspector_app(lambda _: Web._serving, **options))
        return app

    def client(self, path: str = "/memory", **options: Any) -> httpx.AsyncClient:
        """A client with its own cookies, of the application under a path."""
        transport = httpx.ASGITransport(self.app(path), raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url="http://localhost", **options)

    async def send(
        self, path: str, body: Any = None, *, user: str | None = "ann", method: str = "POST", **options: Any
    ) -> httpx.Response:
        """One request; ``body`` is JSON unless ``content`` is given."""
        headers = {"x-user": user} if user else {}
        if "content" not in options and method == "POST":
            options["json"] = {} if body is None else body
        elif method == "POST":
            headers["content-type"] = "application/json"
        headers |= options.pop("headers", {})
        async with self.client(path) as client:
            return await client.request(method, path, headers=headers, **options)

    async def call(self, name: str, body: Any = None, *, user: str | None = "ann", **options: Any) -> Any:
        """The JSON of a call of the router that must succeed."""
        answer = await self.send(f"/memory/{name}", body, user=user, **options)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()

    async def holds(self, check: Callable[[], Awaitable[None]], *, without: Removal) -> None:
        """The rule holds, and the very same check fails once its guard is gone."""
        await check()
        before, self._apps = self._apps, {}
        with without, pytest.raises(AssertionError):
            await check()
        self._apps = before


def refused(answer: httpx.Response, status: int, kind: str) -> None:
    """It was refused, with the fixed body."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    body = answer.json()
    assert set(body) == {"error", "id"}
    assert body["error"] == kind


# --- taking a guard out ----------------------------------------------------------------------------


def replaced(owner: object, name: str, value: object) -> Removal:
    """Something else in the place of one attribute."""
    return mock.patch.object(owner, name, value)


def without_guard(*kinds: type) -> Removal:
    """Every route built inside has the guards but these."""

    def guarded(app: Any, guards: list[Any]) -> Any:
        kept = [guard for guard in guards if _kind(guard) not in kinds]
        return stack.guarded(app, kept)

    return replaced(_routes, "guarded", guarded)


def _kind(guard: Any) -> Any:
    return guard.func if isinstance(guard, functools.partial) else guard


@contextmanager
def loosened(model: Any, **config: Any) -> Iterator[None]:
    """A request model with other settings."""
    before = dict(model.model_config)
    try:
        model.model_config.update(config)
        model.model_rebuild(force=True)
        yield
    finally:
        model.model_config.clear()
        model.model_config.update(before)
        model.model_rebuild(force=True)


# --- below HTTP ------------------------------------------------------------------------------------


def scope_of(path: str, *, user: str = "ann", headers: dict[str, str] | None = None) -> dict[str, Any]:
    """The ASGI scope of a POST of JSON."""
    sent = {"host": "localhost", "content-type": "application/json", "x-user": user, **(headers or {})}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "state": {},
    }


async def chunks(size: int, count: int) -> AsyncIterator[bytes]:
    """A body without an announced length."""
    for _ in range(count):
        yield b" " * size
