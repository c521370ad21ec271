"""``mongorecall://`` URIs in google-adk's service registry, its web server and its command line."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from google.adk.cli.fast_api import get_fast_api_app
from google.adk.cli.service_registry import get_service_registry

from mongorecall.adk import MemoryServiceFromUri, register
from mongorecall.errors import InvalidInputError
from tests.adk.events import event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pymongo.collection import Collection

AGENT = '''
"""An agent with a scripted model: it answers with what its memory holds."""

from google.adk.agents import LlmAgent
from mongorecall.adk import load_memory
from tests.adk.scripted import ScriptedModel, answer_with_memory, call_load_memory

model = ScriptedModel(["Noted.", call_load_memory("coffee"), answer_with_memory])
root_agent = LlmAgent(name="barista", model=model, tools=[load_memory])
'''
SERVICES_PY = "import mongorecall.adk; mongorecall.adk.register()"
SERVICES_YAML = """
services:
  - scheme: mongorecall
    type: memory
    class: mongorecall.adk.MemoryServiceFromUri
"""
FACT = "My favourite coffee is a flat white."


@pytest.fixture
def _uri_in_the_environment(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGORECALL_URI", uri)


@pytest.fixture
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry, the module path and the modules of agents as in a new process."""
    monkeypatch.setattr("google.adk.cli.service_registry._service_registry_instance", None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for module in ("services", "barista", "barista.agent"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def agents_folder(folder: Path, services: str, content: str) -> Path:
    """A folder of one agent, with a file of services."""
    (folder / "barista").mkdir()
    (folder / "barista" / "__init__.py").write_text("from . import agent\n")
    (folder / "barista" / "agent.py").write_text(AGENT)
    (folder / services).write_text(content)
    return folder


# --- the URI -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_uri_in_the_environment", "_clean_registry")
async def test_a_registered_uri_makes_a_service(database: str, raw: Collection[dict[str, Any]]) -> None:
    """Database and collection are in the URI, the connection string is in the environment."""
    register()
    memory = get_service_registry().create_memory_service(
        f"mongorecall://{database}/memories?max_results=7&store_metadata=true", agents_dir="."
    )
    assert isinstance(memory, MemoryServiceFromUri)
    assert "metadata" in memory.service.capabilities
    async with memory:
        await memory.add_events_to_memory(app_name="a", user_id="u", events=[event("kiln")])
    assert raw.count_documents({}) == 1


@pytest.mark.usefixtures("_uri_in_the_environment")
def test_what_the_uri_leaves_out_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything may be left out."""
    monkeypatch.setenv("MONGORECALL_DATABASE", "shop")
    monkeypatch.setenv("MONGORECALL_COLLECTION", "notes")
    assert "shop.notes" in repr(MemoryServiceFromUri("mongorecall://"))
    assert "app.memories" in repr(MemoryServiceFromUri("mongorecall://app/memories"))


def test_another_variable_may_hold_the_connection_string(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``uri_env`` names it."""
    monkeypatch.delenv("MONGORECALL_URI", raising=False)
    monkeypatch.setenv("SHOP_MONGO", uri)
    MemoryServiceFromUri("mongorecall://app?uri_env=SHOP_MONGO")
    with pytest.raises(InvalidInputError, match="MONGORECALL_URI is not set"):
        MemoryServiceFromUri("mongorecall://app")


@pytest.mark.usefixtures("_uri_in_the_environment")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("mongorecall://ann:walnut@db.test/app", "names a database, not a host"),
        ("mongorecall://db.test:27017/app", "names a database, not a host"),
        ("mongorecall://app?uri=mongodb://ann:walnut@db.test", "no such option: uri"),
        ("mongorecall://app?max_result=5", "no such option: max_result"),
        ("mongorecall://app?max_results=walnut", "MONGORECALL_MAX_RESULTS"),
    ],
)
def test_a_uri_that_cannot_be_meant_is_refused_without_a_secret(given: str, told: str) -> None:
    """Command lines can be read by others, and errors end up in logs."""
    with pytest.raises(InvalidInputError, match=told) as caught:
        MemoryServiceFromUri(given)
    assert "walnut" not in str(caught.value)


# --- google-adk's server -----------------------------------------------------------------------------


@pytest.mark.usefixtures("_uri_in_the_environment", "_clean_registry")
@pytest.mark.filterwarnings("default::DeprecationWarning", "default:.*EXPERIMENTAL")
@pytest.mark.parametrize(
    ("services", "content"),
    [("services.py", SERVICES_PY), ("services.yaml", SERVICES_YAML)],
    ids=["services.py", "services.yaml"],
)
async def test_adks_server_takes_the_uri(tmp_path: Path, database: str, services: str, content: str) -> None:
    """Told in one session, stored by the memory route, recalled in the next."""
    app = get_fast_api_app(
        agents_dir=str(agents_folder(tmp_path, services, content)),
        memory_service_uri=f"mongorecall://{database}",
        session_service_uri="memory://",
        web=False,
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        assert await converse(client) == f"You said: {FACT}"


async def converse(client: httpx.AsyncClient) -> str:
    """Two sessions over HTTP; the last text of the second one."""
    answer = ""
    for session_id, text in (("s-1", FACT), ("s-2", "What coffee do I usually get?")):
        place = "/apps/barista/users/u-42"
        (await client.post(f"{place}/sessions", json={"session_id": session_id})).raise_for_status()
        names = {"app_name": "barista", "user_id": "u-42", "session_id": session_id}
        message = {"role": "user", "parts": [{"text": text}]}
        run = await client.post("/run", json={**names, "new_message": message})
        run.raise_for_status()
        stored = await client.patch(f"{place}/memory", json={"session_id": session_id})
        stored.raise_for_status()
        answer = run.json()[-1]["content"]["parts"][0]["text"]
    return answer


async def test_adk_web_takes_the_uri(tmp_path: Path, uri: str, database: str) -> None:
    """The command line as a user types it; the connection string is not part of it."""
    folder = agents_folder(tmp_path, "services.py", SERVICES_PY)
    with adk_web(folder, uri, f"mongorecall://{database}") as address:
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            assert await converse(client) == f"You said: {FACT}"


@contextmanager
def adk_web(folder: Path, uri: str, memory: str) -> Iterator[str]:
    """``adk web`` on a free port; its address once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--memory_service_uri={memory}", "--session_service_uri=memory://", f"--port={port}"]
    command = [str(Path(sys.executable).with_name("adk")), "web", *options, str(folder)]
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "MONGORECALL_URI": uri, "PYTHONPATH": root}
    log = (folder / "adk.log").open("w")
    with log, subprocess.Popen(command, env=environment, stdout=log, stderr=log) as server:
        try:
            yield wait_for(f"http://127.0.0.1:{port}", server, folder / "adk.log")
        finally:
            server.terminate()
            server.wait(10)


def wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> str:
    """The address, once ``/list-apps`` answers; an error with the log when the server ends or is silent."""
    deadline = time.monotonic() + 90
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/list-apps", timeout=5) as answer:
                json.load(answer)
                return address
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"adk web did not answer: {log.read_text()[-2000:]}")
