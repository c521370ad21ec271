"""The served inspector, the browser, and pages that note whatever goes wrong in them."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright
from pymongo import MongoClient

from tests.e2e.world import fill
from tests.servers.fixtures import DATABASE_PREFIX
from tests.servers.resolve import Server

ARTIFACTS = Path(__file__).parent / "artifacts"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Inspector:
    """A running ``mongorecall serve``."""

    url: str
    token: str
    database: str
    client: MongoClient[dict[str, Any]]


@pytest.fixture(scope="session")
def inspector(server: Server, admin: MongoClient[dict[str, Any]]) -> Iterator[Inspector]:
    """``mongorecall serve --port 0`` over a database with the sessions of the tests."""
    database = DATABASE_PREFIX + uuid.uuid4().hex[:16]
    # Playwright keeps a loop of its own in this thread.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, fill(server.uri, database)).result()
    with served(server, admin, database) as running:
        yield running
    admin.drop_database(database)


@pytest.fixture(scope="session")
def by_context(
    server: Server, admin: MongoClient[dict[str, Any]], inspector: Inspector
) -> Iterator[Inspector]:
    """The same sessions, searched by ``ranking="context"``."""
    with served(server, admin, inspector.database, MONGORECALL_RANKING="context") as running:
        yield running


@contextmanager
def served(
    server: Server, admin: MongoClient[dict[str, Any]], database: str, **settings: str
) -> Iterator[Inspector]:
    """``mongorecall serve`` over a database, with further settings."""
    environment = {**os.environ, "MONGORECALL_URI": server.uri, "MONGORECALL_DATABASE": database, **settings}
    command = [sys.executable, "-m", "mongorecall.cli", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().removeprefix("Inspector: ").strip()
            token = process.stdout.readline().removeprefix("Token: ").strip()
            assert url.startswith("http://127.0.0.1:"), url
            yield Inspector(url, token, database, admin)
        finally:
            process.terminate()
            assert process.wait(20) == 0
            rest = process.stdout.read()
    assert rest == "", "serve prints two lines and nothing more"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert found, "there is no chromium: run tests/e2e/browser.sh"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@dataclass
class Visit:
    """One page, and what went wrong in it."""

    page: Page
    inspector: Inspector
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def refuse(self, dialog: Dialog) -> None:
        """No page of ours opens one: close it, and hold it against the page."""
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def violations(self) -> list[str]:
        """Breaches of the content security policy so far."""
        found: list[str] = self.page.evaluate("window.__violations")
        return found

    def log_in(self) -> Visit:
        """Swap the token for a cookie, and wait for the sessions."""
        self.page.fill("#token", self.inspector.token)
        self.page.click("#login button")
        self.page.wait_for_selector("[data-session]")
        return self

    def open_scope(self, app: str, user: str) -> Visit:
        """Open a key, whether or not it holds anything."""
        self.page.fill("#open-key [name=app]", app)
        self.page.fill("#open-key [name=user]", user)
        self.page.click("#open-key button")
        self.page.wait_for_function(f"document.querySelector('#key').textContent === '{app}/{user}'")
        return self

    def show_content(self) -> Visit:
        """Ask to see memory text."""
        self.page.click("#show-content")
        self.page.wait_for_selector("#show-content[aria-pressed=true]")
        self.page.wait_for_selector(".turn-text")
        return self

    def ask(self, query: str) -> Visit:
        """Type a query, and wait for how it is read."""
        self.page.fill("#query", query)
        self.page.wait_for_selector("#results .results-head")
        return self

    def shoot(self, name: str) -> None:
        """Keep a screenshot."""
        ARTIFACTS.mkdir(exist_ok=True)
        self.page.evaluate("document.querySelector('.toast').classList.remove('on')")
        self.page.wait_for_timeout(250)
        self.page.screenshot(path=ARTIFACTS / f"{name}.png")


WATCH = """
window.__violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.__violations.push(event.violatedDirective);
});
"""


@pytest.fixture
def open_page(browser: Browser, inspector: Inspector) -> Iterator[Callable[..., Visit]]:
    """``open_page(viewport=PHONE)``: the inspector in a browser of its own; nothing may go wrong in it."""
    visits: list[Visit] = []

    def open_one(at: Inspector = inspector, **options: Any) -> Visit:
        context = browser.new_context(**({"viewport": DESKTOP} | options))
        context.set_default_timeout(20_000)
        page = context.new_page()
        visit = Visit(page, at)
        page.add_init_script(WATCH)
        page.on("pageerror", lambda error: visit.errors.append(str(error)))
        page.on("dialog", visit.refuse)
        page.on("request", lambda request: visit.requests.append(request.url))
        page.goto(at.url)
        page.wait_for_selector("#token")
        visits.append(visit)
        return visit

    yield open_one
    for visit in visits:
        assert visit.errors == []
        assert visit.violations() == []
        assert [url for url in visit.requests if not url.startswith(visit.inspector.url)] == []
        visit.page.context.close()
