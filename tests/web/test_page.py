"""S19 to S21: what the page may load and run, and what it shows. Each rule fails without its guard."""

from __future__ import annotations

import json
import logging
import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest

from mongorecall.fastapi import _call, page
from mongorecall.fastapi.endpoints import inspecting
from mongorecall.fastapi.guards.headers import HeaderGuard
from tests.web.support import COFFEE, MONDAY, TOKEN, Web, refused, replaced

FILES = {file.name: file.read_text() for file in (files("mongorecall.fastapi") / "static").iterdir()}
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
}
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


# --- S19 -------------------------------------------------------------------------------------------


async def test_s19_every_answer_of_the_inspector_has_the_policy(web: Web) -> None:
    async def check() -> None:
        for path, method in (
            ("/inspector/", "GET"),
            ("/inspector/static/app.js", "GET"),
            ("/inspector/nothing", "GET"),
            ("/inspector/visit", "POST"),
            ("/inspector/api/search", "POST"),
        ):
            answer = await web.send(path, method=method)
            given = answer.headers.get("content-security-policy", "")
            assert set(given.split("; ")) == POLICY, path
            assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS, path

    def bare(self: HeaderGuard, app: Any, *, headers: Any) -> None:
        self.app, self.headers = app, []

    await web.holds(check, without=replaced(HeaderGuard, "__init__", bare))


async def test_s19_the_answers_of_the_router_are_protected_too(web: Web) -> None:
    for body in ({"query": "x"}, {"query": 5}):
        answer = await web.send("/memory/search", body)
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


class _Page(HTMLParser):
    """Collects what could load or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.loads += [value or "" for name, value in attributes if name in {"src", "href"}]
        self.faults += [f"{tag} {name}" for name in given if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.faults.append(f"inline {tag}")


def faults_of_html(text: str) -> list[str]:
    """What the page may not have: inline code, addresses that are not its own."""
    parser = _Page()
    parser.feed(text)
    return parser.faults + [
        address for address in parser.loads if not re.fullmatch(r"static/[\w.]+|#\w+", address)
    ]


ADDRESS = re.compile(r"(?:https?:)?//[a-zA-Z0-9]|@import|(?<![a-zA-Z])url\(")
NAMESPACES = ('const SVG = "http://www.w3.org/2000/svg";', 'xmlns="http://www.w3.org/2000/svg"')


def addresses_in(text: str) -> list[str]:
    """Addresses that a file could load something from."""
    for namespace in NAMESPACES:
        text = text.replace(namespace, "")
    return ADDRESS.findall(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))


def test_s19_the_page_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert faults_of_html(FILES["index.html"]) == []
    for name, text in FILES.items():
        assert addresses_in(text) == [], name
    assert len(faults_of_html('<p onclick="x()" style="a"><script>x</script><img src="//evil/x">')) == 4
    assert addresses_in('fetch("https://evil.example")')


async def test_s19_everything_the_page_loads_is_there(web: Web) -> None:
    loaded = re.findall(r'(?:src|href)="(static/[^"]+)"', FILES["index.html"])
    assert len(loaded) >= 5
    imported = {name for text in FILES.values() for name in re.findall(r'from "\./([^"]+)"', text)}
    for path in [*loaded, *(f"static/{name}" for name in imported)]:
        answer = await web.send(f"/inspector/{path}", method="GET", user=None)
        assert answer.status_code == 200, path
        assert answer.headers["content-type"].split(";")[0] in {
            "text/javascript",
            "text/css",
            "image/svg+xml",
        }


@pytest.mark.parametrize(
    "name", ["../page.py", "..%2fpage.py", "%2e%2e/page.py", "__init__.py", "index.html%00", "", "app.js/x"]
)
async def test_s19_no_other_file_can_be_asked_for(web: Web, name: str) -> None:
    answer = await web.send(f"/inspector/static/{name}", method="GET")
    assert answer.status_code in {404, 307}


def test_the_files_are_packed_and_readable() -> None:
    assert set(page.static_files()) == set(FILES)
    assert sum(map(len, FILES.values())) < 120_000
    for name, text in FILES.items():
        assert len(text.splitlines()) < 400, name


# --- S20 -------------------------------------------------------------------------------------------

FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bFunction\(|srcdoc|DOMParser"
    r"|createContextualFragment|setTimeout\(\s*[\"'`]|javascript:|\.href\s*=|createElement\(\"(?:a|img|iframe|script)\""
    r"|h\(\"(?:a|img|iframe|script|object|embed)[.\"]|trustedTypes|importScripts|setHTML"
)


def test_s20_text_enters_the_page_only_as_text() -> None:
    for name, text in FILES.items():
        if name.endswith(".js"):
            assert FORBIDDEN.findall(text) == [], name
    for sink in ("x.innerHTML = y", 'h("a", {href: y})', 'h("img", {})', "eval(y)", "document.write(y)"):
        assert FORBIDDEN.findall(sink), sink


def test_s20_only_one_place_makes_nodes_of_text() -> None:
    makers = {name for name, text in FILES.items() if "createTextNode" in text or "createElement(" in text}
    assert makers == {"dom.js"}


# --- S21 -------------------------------------------------------------------------------------------

WORDS = ("favourite", "coffee", "flat white", str(COFFEE["text"]))


async def test_s21_counts_and_keys_come_without_text(web: Web) -> None:
    await web.call("sessions", MONDAY)

    async def check() -> None:
        calls: tuple[tuple[str, dict[str, Any]], ...] = (
            ("search", {"query": "white", "reading": True}),
            ("memories/list", {"reading": True}),
            ("explain", {"query": "favourites whites", "expect": "e-1"}),
            ("diagnose", {"query": "favourites"}),
            ("sessions/list", {}),
        )
        for name, body in calls:
            shown = json.dumps(await web.call(name, body)).replace("favourites", "")
            for word in WORDS:
                assert word not in shown, (name, word)

    await web.holds(check, without=replaced(_call, "_wants_content", lambda body: True))


async def test_s21_stored_words_near_the_query_are_masked(web: Web) -> None:
    await web.call("sessions", MONDAY)

    async def check() -> None:
        explained = await web.call("explain", {"query": "whites", "expect": "e-1"})
        assert explained["keywords"][0]["near"] == [{"keyword": "•••••", "kind": "plural"}]
        assert "white" not in json.dumps(explained).replace("whites", "")

    await web.holds(check, without=replaced(inspecting, "masked", lambda value, content: value))


async def test_s21_showing_content_is_logged(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        caplog.clear()
        with caplog.at_level(logging.INFO, "mongorecall.web"):
            await web.call("search", {"query": "coffee", "content": True})
        assert "web.content principal=" in caplog.text

    await web.holds(check, without=replaced(_call, "_log", lambda *_: None))


async def test_s21_a_principal_that_may_not_see_content_does_not(web: Web) -> None:
    await web.call("sessions", MONDAY, user="blind")

    async def check() -> None:
        for name, body in (("search", {"query": "coffee", "content": True}), ("export", {})):
            refused(await web.send(f"/memory/{name}", body, user="blind"), 403, "content_hidden")

    await web.holds(check, without=replaced(_call, "check_content", lambda *_: None))


async def test_s21_the_inspector_shows_content_after_a_click_that_is_logged(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    await web.call("sessions", MONDAY)
    asked = {"query": "coffee", "content": True, "scope": {"app_name": "shop", "user_id": "ann"}}

    async def check() -> None:
        caplog.clear()
        async with web.client("/inspector") as client:
            await client.post("/inspector/login", json={"token": TOKEN})
            refused(await client.post("/inspector/api/search", json=asked), 403, "content_hidden")
            shown = await client.post("/inspector/content", json={"show": True})
            assert shown.json()["content"] is True
            found = await client.post("/inspector/api/search", json=asked)
            assert found.json()["hits"][0]["text"] == COFFEE["text"]
            await client.post("/inspector/content", json={"show": False})
            refused(await client.post("/inspector/api/search", json=asked), 403, "content_hidden")
        assert "web.show_content show=True principal=" in caplog.text

    from mongorecall.fastapi._door import Door

    await web.holds(check, without=replaced(Door, "_hides", lambda self, request, principal: False))


async def test_s21_a_host_decides_who_may_see_content_in_its_inspector(web: Web) -> None:
    for user, status in (("ann", 200), ("blind", 403)):
        async with web.client("/own", headers={"x-user": user}) as client:
            assert (await client.post("/own/content", json={"show": True})).status_code == status
    async with web.client("/own", headers={"x-user": "ann"}) as client:
        await client.post("/own/content", json={"show": True})
        stolen = {"x-user": "eve"}
        seen = await client.post("/own/visit", json={}, headers=stolen)
        assert seen.json()["content"] is False
        assert (await client.post("/own/login", json={"token": TOKEN})).status_code == 404


async def test_s21_forgetting_needs_the_typed_user_id(web: Web) -> None:
    await web.call("sessions", MONDAY)

    async def check() -> None:
        for typed in (None, "Ann", "ann ", "bob"):
            body = {"what": "user", "dry_run": False, "expected": 1} | ({"confirm": typed} if typed else {})
            refused(await web.send("/memory/forget", body), 422, "not_confirmed")
        assert (await web.call("search", {"query": "coffee"}))["hits"]

    from mongorecall.fastapi.endpoints import forgetting

    await web.holds(check, without=replaced(forgetting, "_check_confirmed", lambda *_: None))


async def test_s21_forgetting_is_a_dry_run_unless_it_says_otherwise(web: Web) -> None:
    await web.call("sessions", MONDAY)
    counted = await web.call("forget", {"what": "user", "expected": 1, "confirm": "ann"})
    assert (counted["dry_run"], counted["forgotten"]) == (True, 1)
    assert (await web.call("search", {"query": "coffee"}))["hits"]
