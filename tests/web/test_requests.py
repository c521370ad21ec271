"""S13 to S16: what a request and a refusal look like. Each rule fails without its guard."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi import APIRouter

from mongorecall import errors
from mongorecall.fastapi import _routes, memory_router
from mongorecall.fastapi import requests as ask
from mongorecall.fastapi.guards.body import BodyGuard
from mongorecall.fastapi.guards.disconnect import DisconnectGuard
from mongorecall.fastapi.guards.edge import Edge
from mongorecall.fastapi.guards.host import HostGuard
from mongorecall.fastapi.guards.media import JsonGuard
from mongorecall.fastapi.guards.origin import OriginGuard
from mongorecall.in_memory import InMemoryMemoryService
from tests.web.support import Web, chunks, loosened, refused, replaced, without_guard

SEARCH = {"query": "coffee"}


# --- S13 -------------------------------------------------------------------------------------------


async def test_s13_another_name_is_misdirected(web: Web) -> None:
    async def check() -> None:
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "[::2]", "a b"):
            headers = {"host": host}
            refused(await web.send("/memory/search", SEARCH, headers=headers), 421, "misdirected")
            refused(await web.send("/inspector/login", headers=headers), 421, "misdirected")
            refused(await web.send("/inspector/", method="GET", headers=headers), 421, "misdirected")

    await web.holds(check, without=without_guard(HostGuard))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "[::1]", "[::1]:8000", "LOCALHOST"]
)
async def test_s13_this_machine_is_known_by_its_names(web: Web, host: str) -> None:
    assert (await web.send("/memory/search", SEARCH, headers={"host": host})).status_code == 200


async def test_s13_further_names_are_given() -> None:
    web = Web(hosts=["memory.example.com", "other.example:8443"])
    for host, status in {
        "memory.example.com": 200,
        "memory.example.com:443": 200,
        "other.example:8443": 200,
        "other.example": 421,
        "other.example:80": 421,
    }.items():
        assert (await web.send("/memory/search", SEARCH, headers={"host": host})).status_code == status, host


@pytest.mark.parametrize("hosts", [["*"], ["https://x"], ["a/b"], [5]])
def test_s13_a_name_is_a_host_name(hosts: Any) -> None:
    with pytest.raises(errors.InvalidInputError):
        Web(hosts=hosts).app("/memory")


async def test_s13_a_page_of_another_origin_is_refused(web: Web) -> None:
    async def check() -> None:
        for origin in ("http://evil.example", "null", "https://localhost", "http://localhost:81", ""):
            answer = await web.send("/memory/search", SEARCH, headers={"origin": origin})
            refused(answer, 403, "foreign_origin")

    await web.holds(check, without=without_guard(OriginGuard))


async def test_s13_another_site_is_refused(web: Web) -> None:
    async def check() -> None:
        for site in ("cross-site", "same-site", "anything"):
            answer = await web.send("/memory/search", SEARCH, headers={"sec-fetch-site": site})
            refused(answer, 403, "foreign_origin")

    await web.holds(check, without=without_guard(OriginGuard))


async def test_s13_its_own_page_is_let_through(web: Web) -> None:
    own = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
    assert (await web.send("/memory/search", SEARCH, headers=own)).status_code == 200
    proxied = Web(origins=["https://app.example"])
    answer = await proxied.send("/memory/search", SEARCH, headers={"origin": "https://app.example"})
    assert answer.status_code == 200


async def test_s13_no_answer_opens_it_to_other_origins(web: Web) -> None:
    async def check() -> None:
        preflight = {"origin": "http://evil.example", "access-control-request-method": "POST"}
        for method, headers in (
            ("OPTIONS", preflight),
            ("POST", {}),
            ("POST", {"origin": "http://evil.example"}),
        ):
            answer = await web.send("/memory/search", method=method, headers=headers)
            assert not [name for name in answer.headers if name.startswith("access-control-")]

    from fastapi.middleware.cors import CORSMiddleware

    build = Web._build

    def open_to_all(self: Web, name: str) -> Any:
        app = build(self, name)
        app.add_middleware(CORSMiddleware, allow_origins=["*"])
        return app

    await web.holds(check, without=replaced(Web, "_build", open_to_all))


# --- S14 -------------------------------------------------------------------------------------------


async def test_s14_only_json_is_taken(web: Web) -> None:
    async def check() -> None:
        for content_type in (
            "",
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/json; charset=utf-16",
            "application/jsonp",
            "text/json",
        ):
            headers = {"content-type": content_type}
            answer = await web.send("/memory/search", content=json.dumps(SEARCH), headers=headers)
            refused(answer, 415, "unsupported_media_type")

    await web.holds(check, without=without_guard(JsonGuard))


async def test_s14_a_packed_body_is_not_unpacked(web: Web) -> None:
    headers = {"content-encoding": "gzip"}
    assert (await web.send("/memory/search", SEARCH, headers=headers)).status_code == 415


async def test_s14_nothing_is_there_to_get_but_the_page_and_its_files(web: Web) -> None:
    async def check() -> None:
        names = [route.path for route in _router(web).routes]
        assert len(names) > 10
        for name in names:
            for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
                answer = await web.send(f"/memory{name}", method=method)
                assert answer.status_code == 405, (method, name)
        for path in ("/inspector/visit", "/inspector/login", "/inspector/content", "/inspector/api/health"):
            assert (await web.send(path, method="GET")).status_code == 405

    def lenient(self: APIRouter, path: str, **options: Any) -> Any:
        return self.api_route(path, methods=["GET", "POST"], **options)

    await web.holds(check, without=replaced(APIRouter, "post", lenient))


def _router(web: Web) -> Any:
    return memory_router(web.service, authenticate=lambda request: None)


# --- S15 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [{"query": 5}, {"query": "x", "limit": "5"}, {"query": "x", "limit": 5.0}, {"query": None}, [], "x", 5],
)
async def test_s15_types_are_not_guessed(web: Web, body: Any) -> None:
    assert (await web.send("/memory/search", body)).status_code == 422


async def test_s15_strictness_is_what_refuses_them(web: Web) -> None:
    async def check() -> None:
        assert (await web.send("/memory/search", {"query": "x", "limit": "5"})).status_code == 422

    await web.holds(check, without=loosened(ask.Search, strict=False))


HOSTILE = {
    "deeper than 32": '{"query":"x","scope":' + "[" * 32 + "]" * 32 + "}",
    "very deep": "[" * 400_000,
    "a key twice": '{"query":"x","query":"y"}',
    "a key twice, below": '{"events":[{"id":"a","id":"b"}]}',
    "NaN": '{"query":"x","min_score":NaN}',
    "Infinity": '{"query":"x","min_score":-Infinity}',
    "too large for a float": '{"query":"x","min_score":1e999}',
    "21 digits": '{"query":"x","limit":' + "1" * 21 + "}",
    "100,000 digits": '{"query":"x","limit":' + "1" * 100_000 + "}",
    "half a surrogate pair": '{"query":"\\ud83d"}',
    "two JSON texts": '{"query":"x"}{"query":"y"}',
    "a trailing comma": '{"query":"x",}',
    "a comment": '{"query":"x"/**/}',
    "a byte order mark": '\ufeff{"query":"x"}',
    "nothing": "",
    "quotes without end": '{"query":"' + '\\"' * 200_000,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_s15_hostile_json_is_refused(web: Web, name: str) -> None:
    answer = await web.send("/memory/search", content=HOSTILE[name])
    assert answer.status_code == 422
    assert answer.json()["error"] in {"invalid_json", "invalid_input"}


async def test_s15_latin1_is_not_json(web: Web) -> None:
    assert (await web.send("/memory/search", content='{"query":"café"}'.encode("latin-1"))).status_code == 422


@pytest.mark.parametrize(
    "name", ["a key twice", "NaN", "21 digits", "half a surrogate pair", "deeper than 32"]
)
async def test_s15_the_strict_reader_is_what_refuses_it(web: Web, name: str) -> None:
    async def check() -> None:
        refused(await web.send("/memory/search", content=HOSTILE[name]), 422, "invalid_json")

    await web.holds(check, without=replaced(_routes, "read_json", json.loads))


async def test_s15_json_up_to_the_bounds_is_read(web: Web) -> None:
    deep: Any = "x"
    for _ in range(25):
        deep = [deep]
    arguments = {"args": deep, "number": 9223372036854775807, "emoji": "😀", "brackets": "[[[]]]"}
    call = {"function_call": arguments}
    body = {"events": [{"id": "e", "content": {"parts": [call, {"text": 'a "quoted" \\ text'}]}}]}
    assert (await web.call("events", body))["stored"] == 1


async def test_s15_a_large_body_is_refused_and_the_connection_closed(web: Web) -> None:
    async def check() -> None:
        answer = await web.send("/memory/search", content=b" " * 1_000_001)
        refused(answer, 413, "body_too_large")
        assert answer.headers["connection"] == "close"

    await web.holds(check, without=without_guard(BodyGuard, DisconnectGuard))


async def test_s15_a_large_body_without_announced_length_is_refused_too(web: Web) -> None:
    async def check() -> None:
        refused(await web.send("/memory/search", content=chunks(100_000, 11)), 413, "body_too_large")

    await web.holds(check, without=without_guard(BodyGuard, DisconnectGuard))


async def test_s15_reading_stops_at_the_limit(web: Web) -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        while sent < 100:
            sent += 1
            yield b" " * 100_000

    assert (await web.send("/memory/search", content=endless())).status_code == 413
    assert sent <= 12


async def test_s15_a_body_at_the_limit_is_read(web: Web) -> None:
    body = json.dumps(SEARCH).encode()
    assert (
        await web.send("/memory/search", content=body + b" " * (1_000_000 - len(body)))
    ).status_code == 200


# --- S16 -------------------------------------------------------------------------------------------

SECRET = "mongodb://ann:walnut@10.0.0.1 said /srv/app.py motor 3.7.1"

FAILURES = {
    errors.InvalidInputError(SECRET): 422,
    errors.DeadlineExceededError(SECRET): 504,
    errors.UnavailableError(SECRET): 503,
    errors.ClosedError(SECRET): 503,
    errors.UnsupportedError(SECRET): 501,
    errors.PermissionDeniedError(SECRET, code=13): 500,
    errors.StoreError(SECRET, code=8000): 500,
    ValueError(SECRET): 500,
    RuntimeError(SECRET): 500,
}


class Failing(InMemoryMemoryService):
    """A service whose every search fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def search_memory(self, **arguments: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
async def test_s16_an_error_is_a_status_and_a_kind(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    web = Web(Failing(error))

    async def check() -> None:
        caplog.clear()
        answer = await web.send("/memory/search", SEARCH)
        assert answer.status_code == FAILURES[error]
        assert answer.headers.get("content-type") == "application/json"
        assert set(answer.json()) == {"error", "id"}
        assert answer.json()["id"] == answer.headers["x-request-id"]
        assert ("retry-after" in answer.headers) == (answer.status_code == 503)
        for word in ("walnut", "10.0.0.1", "app.py", "motor"):
            assert word not in answer.text
            assert word not in caplog.text

    await web.holds(check, without=without_guard(Edge))


async def test_s16_every_refusal_has_the_fixed_body(web: Web) -> None:
    for options, status in (
        ({"user": None}, 401),
        ({"path": "/memory/scopes"}, 403),
        ({"content": b" " * 1_000_001}, 413),
        ({"headers": {"content-type": "text/plain"}}, 415),
        ({"headers": {"host": "evil.example"}}, 421),
        ({"content": "{"}, 422),
        ({"path": "/inspector/nothing", "method": "GET"}, 404),
        ({"path": "/inspector/visit", "method": "GET"}, 405),
    ):
        answer = await web.send(**({"path": "/memory/search"} | options))
        assert answer.status_code == status
        assert set(answer.json()) == {"error", "id"}


async def test_s16_the_description_is_off_unless_asked_for(web: Web) -> None:
    async def check() -> None:
        for path in ("/docs", "/redoc", "/openapi.json"):
            for under in ("/inspector", "/own", "/inspector/api"):
                assert (await web.send(under + path, method="GET")).status_code == 404
        from fastapi import FastAPI

        app = FastAPI()
        app.include_router(memory_router(web.service, authenticate=lambda request: None))
        assert app.openapi()["paths"] == {}

    defaults = (memory_router.__kwdefaults__ or {}) | {"include_in_schema": True}
    await web.holds(check, without=replaced(memory_router, "__kwdefaults__", defaults))
