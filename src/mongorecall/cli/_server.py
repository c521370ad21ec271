"""A MongoDB for a command that brings its own: the one that is named, else a local mongod, else Docker."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pymongo.errors import PyMongoError

from mongorecall.embedded import EmbeddedServer, find_mongod, server_version
from mongorecall.errors import UnavailableError
from mongorecall.settings import Settings, masked

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_IMAGE = "mongo:8"
CONTAINER_SECONDS = 60.0
"""Longest wait for a container to answer, once its image is there."""

_NONE = "there is no MongoDB to use; tried MONGORECALL_URI (not set)"


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that answers.

    Attributes:
        settings: the settings, with its connection string.
        version: what it says it is.
        kind: ``"named"``, ``"embedded"`` or ``"docker"``.
        shown: for people: where it is or where it came from.
    """

    settings: Settings
    version: str
    kind: str
    shown: str


@contextmanager
def running_server(settings: Settings) -> Iterator[RunningServer]:
    """The server of ``MONGORECALL_URI``; without one, a mongod or a container that ends with the block.

    Raises:
        UnavailableError: the named server does not answer, or there is neither a mongod nor Docker; the
            message lists what was tried.
    """
    if settings.uri:
        yield RunningServer(settings, _answering(settings.uri), "named", masked(settings.uri))
        return
    try:
        found = find_mongod()
    except UnavailableError as error:
        without_mongod = error.message
    else:
        shown = {"wheel": "the embedded mongod", "PATH": "the mongod of this machine"}
        with EmbeddedServer(mongod=found.path) as server:
            own = settings.with_changes(uri=server.uri)
            yield RunningServer(own, server.version or "?", "embedded", shown.get(found.found_by, found.path))
        return
    image = os.environ.get("MONGO_IMAGE") or DEFAULT_IMAGE
    with _container(image, without_mongod) as (uri, version):
        yield RunningServer(settings.with_changes(uri=uri), version, "docker", f"a container of {image}")


def _answering(uri: str) -> str:
    try:
        return server_version(uri)
    except PyMongoError as error:
        raise UnavailableError(
            f"{masked(uri)} does not answer: {type(error).__name__}", hint="see MONGORECALL_URI"
        ) from None


@contextmanager
def _container(image: str, without_mongod: str) -> Iterator[tuple[str, str]]:
    program = shutil.which("docker")
    if program is None:
        raise UnavailableError(
            f"{_NONE}; {without_mongod}; Docker (not there)",
            hint="pip install 'mongorecall[embedded]', or start one and set MONGORECALL_URI",
        )
    started = _docker(program, "run", "--detach", "--rm", "--publish", "127.0.0.1::27017", image)
    if started.returncode:
        raise UnavailableError(f"{_NONE}; {without_mongod}; Docker with {image}: {_reason(started.stderr)}")
    name = started.stdout.strip()
    try:
        address = _docker(program, "port", name, "27017/tcp").stdout.split()[0]
        uri = f"mongodb://{address}/?directConnection=true"
        yield uri, _wait(uri, image)
    finally:
        _docker(program, "rm", "--force", "--volumes", name)


def _reason(output: str) -> str:
    """The line of Docker's output that says what went wrong; advice on usage stands around it."""
    lines = [line for line in output.splitlines() if line.strip()] or ["no message"]
    return next((line for line in lines if line.startswith("docker: ")), lines[0])


def _docker(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)  # noqa: S603


def _wait(uri: str, image: str) -> str:
    deadline = time.monotonic() + CONTAINER_SECONDS
    while True:
        try:
            return server_version(uri, timeout_ms=500)
        except PyMongoError:
            if time.monotonic() > deadline:
                raise UnavailableError(
                    f"the container of {image} does not answer after {CONTAINER_SECONDS:.0f} s"
                ) from None
