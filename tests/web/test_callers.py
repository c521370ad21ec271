"""S11 and S12: who may come in, and whose memories they see. Each rule fails without its guard."""

from __future__ import annotations

import base64
import hmac
import logging
import secrets
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from starlette.requests import HTTPConnection
from starlette.responses import Response

from mongorecall.cli.commands.serve import _Door
from mongorecall.errors import InvalidInputError
from mongorecall.fastapi import Principal, TokenLogin, _call, memory_router, new_token, serving
from mongorecall.fastapi import requests as ask
from mongorecall.fastapi.guards.identity import IdentityGuard
from mongorecall.fastapi.token import OPERATOR
from tests.web.support import MONDAY, TOKEN, Web, by_header, loosened, refused, replaced, without_guard

SEARCH = {"query": "coffee"}
BOB = {"app_name": "shop", "user_id": "bob"}


# --- S11 -------------------------------------------------------------------------------------------


async def test_s11_there_is_no_default_for_authenticate(web: Web) -> None:
    async def check() -> None:
        try:
            memory_router(web.service)  # type: ignore[call-arg]
        except TypeError:
            return
        raise AssertionError("a router without authentication was made")

    defaults = (memory_router.__kwdefaults__ or {}) | {"authenticate": by_header}
    await web.holds(check, without=replaced(memory_router, "__kwdefaults__", defaults))


async def test_s11_nobody_unknown_is_let_in(web: Web) -> None:
    async def check() -> None:
        answer = await web.send("/memory/search", SEARCH, user=None)
        refused(answer, 401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"

    await web.holds(check, without=without_guard(IdentityGuard))


async def test_s11_the_body_of_somebody_unknown_is_not_read(web: Web) -> None:
    asked = 0

    async def body() -> Any:
        nonlocal asked
        asked += 1
        yield b"{"

    assert (await web.send("/memory/search", user=None, content=body())).status_code == 401
    assert asked == 0


async def test_s11_another_scope_needs_an_admin(web: Web) -> None:
    async def check() -> None:
        answer = await web.send("/memory/search", SEARCH | {"scope": BOB})
        refused(answer, 403, "forbidden")

    await web.holds(check, without=replaced(_call, "_check_admin", lambda principal: None))


async def test_s11_the_scope_of_a_call_is_the_principals(web: Web) -> None:
    async def check() -> None:
        await web.call("sessions", MONDAY, user="bob")
        assert (await web.call("search", SEARCH, user="bob"))["hits"]
        assert not (await web.call("search", SEARCH, user="ann"))["hits"]

    shared = property(lambda self: ask.ScopeBody(**BOB).scope)
    await web.holds(check, without=replaced(Principal, "scope", shared))


async def test_s11_ids_beside_the_scope_are_refused(web: Web) -> None:
    async def check() -> None:
        for extra in ({"user_id": "bob"}, {"app_name": "shop"}, {"key": "shop/bob"}):
            assert (await web.send("/memory/search", SEARCH | extra)).status_code == 422

    await web.holds(check, without=loosened(ask.Search, extra="ignore"))


async def test_s11_an_admin_in_another_scope_is_logged(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        caplog.clear()
        with caplog.at_level(logging.INFO, "mongorecall.web"):
            await web.call("search", SEARCH | {"scope": BOB}, user="root")
        assert "web.admin " in caplog.text
        assert "bob" not in caplog.text

    await web.holds(check, without=replaced(_call, "_log", lambda *_: None))


async def test_s11_an_admin_sees_the_scope_it_names(web: Web) -> None:
    await web.call("sessions", MONDAY, user="bob")
    assert (await web.call("search", SEARCH | {"scope": BOB}, user="root"))["hits"]
    assert not (await web.call("search", SEARCH, user="root"))["hits"]


async def test_what_authenticate_raises_keeps_its_status_and_loses_its_words() -> None:
    from fastapi import HTTPException

    def expired(request: HTTPConnection) -> Principal:
        raise HTTPException(401, "the session of ann@example.com is over")

    answer = await Web(authenticate=expired).send("/memory/search", SEARCH)
    assert answer.status_code == 401
    assert set(answer.json()) == {"error", "id"}
    assert "ann@" not in answer.text


async def test_authenticate_may_be_a_coroutine_and_must_return_a_principal() -> None:
    async def later(request: HTTPConnection) -> Principal:
        return Principal("shop", "ann")

    assert (await Web(authenticate=later).send("/memory/search", SEARCH)).status_code == 200
    wrong = Web(authenticate=lambda request: {"user": "ann"})
    answer = await wrong.send("/memory/search", SEARCH)
    assert "ann" not in answer.text
    assert answer.status_code >= 400


@pytest.mark.parametrize("user_id", ["", "a\nb", "x" * 513, 5])
def test_a_principal_has_ids_that_can_be_stored(user_id: Any) -> None:
    with pytest.raises(InvalidInputError):
        Principal("shop", user_id)


# --- S12 -------------------------------------------------------------------------------------------


def door(host: str = "127.0.0.1", **changes: Any) -> _Door:
    values = {"port": 0, "token": None, "names": (), "tls_cert": None, "tls_key": None, "behind_proxy": False}
    return _Door(host=host, **(values | changes))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.com"])
async def test_s12_others_reach_it_only_with_a_token_of_ones_own_and_tls(web: Web, host: str) -> None:
    pem = {"tls_cert": Path("c.pem"), "tls_key": Path("k.pem")}

    async def check() -> None:
        for lacking in ({}, {"token": TOKEN}, pem, {"behind_proxy": True}):
            try:
                door(host, **lacking).check()
            except InvalidInputError:
                continue
            raise AssertionError(f"{host} was opened with {sorted(lacking)}")

    await web.holds(check, without=replaced(serving, "is_loopback", lambda host: True))
    door(host, token=TOKEN, **pem).check()
    door(host, token=TOKEN, behind_proxy=True).check()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_s12_this_machine_needs_nothing(host: str) -> None:
    door(host).check()
    assert serving.is_loopback(host)


async def test_s12_the_token_has_256_random_bits(web: Web) -> None:
    async def check() -> None:
        tokens = {new_token() for _ in range(100)}
        assert len(tokens) == 100
        assert {len(base64.urlsafe_b64decode(token + "=")) for token in tokens} == {32}

    await web.holds(check, without=replaced(secrets, "token_urlsafe", lambda size: "x" * 43))


async def test_s12_the_token_is_compared_in_constant_time(web: Web) -> None:
    async def check() -> None:
        with mock.patch.object(hmac, "compare_digest", wraps=hmac.compare_digest) as compare:
            assert TokenLogin(TOKEN).accepts(TOKEN)
            assert not TokenLogin(TOKEN).accepts(TOKEN[:-1])
        assert compare.call_count == 2

    await web.holds(check, without=replaced(TokenLogin, "accepts", lambda self, given: given == TOKEN))


async def test_s12_the_token_is_swapped_for_a_cookie_that_no_script_and_no_other_site_has(web: Web) -> None:
    async def check() -> None:
        async with web.client("/inspector") as client:
            answer = await client.post("/inspector/login", json={"token": TOKEN})
            cookie = answer.headers["set-cookie"].lower()
            assert answer.status_code == 200
            for flag in ("httponly", "samesite=strict", "path=/;"):
                assert flag in cookie + ";", flag
            assert TOKEN.lower() not in cookie
            assert (await client.post("/inspector/visit", json={})).status_code == 200

    plain = Response.set_cookie

    def careless(self: Response, key: str, value: str = "", **options: Any) -> None:
        plain(self, key, value)

    await web.holds(check, without=replaced(Response, "set_cookie", careless))


async def test_s12_over_tls_the_cookie_stays_on_tls(web: Web) -> None:
    async with web.client("/inspector") as client:
        answer = await client.post("https://localhost/inspector/login", json={"token": TOKEN})
        assert "; secure" in answer.headers["set-cookie"].lower()


async def test_s12_the_token_is_not_taken_from_a_url(web: Web) -> None:
    async def check() -> None:
        answer = await web.send(f"/inspector/visit?token={TOKEN}&access_token={TOKEN}", user=None)
        assert answer.status_code == 401

    lenient = TokenLogin.__call__

    def from_url(self: TokenLogin, connection: HTTPConnection) -> Principal | None:
        return OPERATOR if connection.query_params.get("token") == TOKEN else lenient(self, connection)

    await web.holds(check, without=replaced(TokenLogin, "__call__", from_url))


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
async def test_s12_a_program_sends_the_token_as_a_bearer(web: Web, scheme: str) -> None:
    headers = {"authorization": f"{scheme} {TOKEN}"}
    answer = await web.send("/inspector/visit", user=None, headers=headers)
    assert (answer.status_code, answer.json()["admin"]) == (200, True)


@pytest.mark.parametrize(
    "value", ["", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer", f"Bearer é{TOKEN}"]
)
async def test_s12_no_other_header_lets_in(web: Web, value: str) -> None:
    headers = {"authorization": value.encode()}
    assert (await web.send("/inspector/visit", user=None, headers=headers)).status_code == 401


async def test_s12_a_cookie_cannot_be_made_up_or_changed(web: Web) -> None:
    async def check() -> None:
        async with web.client("/inspector") as client:
            await client.post("/inspector/login", json={"token": TOKEN})
            ((name, value),) = client.cookies.items()
        visit, expires, content, signature = value.split(".")
        for forged in (
            f"{visit}.{expires}.1.{signature}",
            f"{visit}.{int(expires) + 1}.{content}.{signature}",
            f"{visit}.{expires}.{content}.{'0' * 64}",
        ):
            answer = await web.send("/inspector/visit", user=None, headers={"cookie": f"{name}={forged}"})
            assert answer.status_code == 401

    await web.holds(check, without=replaced(hmac, "compare_digest", lambda one, other: True))


async def test_s12_a_visit_that_was_left_is_over(web: Web) -> None:
    async with web.client("/inspector") as client:
        await client.post("/inspector/login", json={"token": TOKEN})
        kept = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        assert (await client.post("/inspector/logout", json={})).status_code == 200
        assert not client.cookies
    assert (await web.send("/inspector/visit", user=None, headers={"cookie": kept})).status_code == 401


def test_s12_a_short_token_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least 32 characters"):
        TokenLogin("x" * 31)
    assert TOKEN not in repr(TokenLogin(TOKEN))
