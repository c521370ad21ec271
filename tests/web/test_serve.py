"""``mongorecall serve`` as a process: two lines, one page, an orderly end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import httpx
import pytest
from typer.testing import CliRunner

from mongorecall.cli.app import build

COMMAND = [sys.executable, "-m", "mongorecall.cli", "serve", "--port", "0"]


def environment(uri: str, database: str, **more: str) -> dict[str, str]:
    """The environment of a process that serves a database."""
    return {**os.environ, "MONGORECALL_URI": uri, "MONGORECALL_DATABASE": database, **more}


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM], ids=lambda end: end.name)
def test_it_prints_the_address_and_the_token_and_ends_when_it_is_told(
    uri: str, database: str, end: signal.Signals
) -> None:
    with subprocess.Popen(
        COMMAND, env=environment(uri, database), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first, second = process.stdout.readline(), process.stdout.readline()
        address = re.fullmatch(r"Inspector: (http://127\.0\.0\.1:\d+/)\n", first)
        token = re.fullmatch(r"Token: ([\w-]{43})\n", second)
        assert address
        assert token
        with httpx.Client(base_url=address[1]) as client:
            assert "<!doctype html>" in client.get("").text
            assert "server" not in client.get("").headers
            assert client.post("visit", json={}).status_code == 401
            assert client.post("login", json={"token": token[1]}).json()["admin"] is True
            assert client.post("api/health", json={}).json()["ok"] is True
            assert client.get("", headers={"host": "evil.example"}).status_code == 421
        process.send_signal(end)
        out, errors = process.communicate(timeout=20)
        assert process.returncode == 0
        assert out == ""
        assert token[1] not in errors
        assert "Traceback" not in errors


def test_a_token_of_ones_own_is_not_printed(uri: str, database: str) -> None:
    own = "own-token-0123456789-0123456789-0123456789"
    settings = environment(uri, database, MONGORECALL_TOKEN=own)
    with subprocess.Popen(COMMAND, env=settings, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("Inspector: ").strip()
        assert process.stdout.readline() == "Token: as given\n"
        answer = httpx.post(f"{address}login", json={"token": own})
        assert answer.status_code == 200
        process.terminate()
        assert process.wait(20) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--host", "0.0.0.0"], "needs a token of your own and TLS"),
        (["--token", "short"], "at least 32 characters"),
        (["--tls-cert", "c.pem"], "go together"),
        (["--host", "203.0.113.1", "--behind-proxy", "--token", "x" * 32], "cannot listen on"),
    ],
)
def test_what_is_not_safe_is_refused(uri: str, database: str, arguments: list[str], sentence: str) -> None:
    given = {"MONGORECALL_URI": uri, "MONGORECALL_DATABASE": database}
    done = CliRunner().invoke(build(), ["serve", "--port", "0", *arguments], env=given)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert done.stdout == ""
