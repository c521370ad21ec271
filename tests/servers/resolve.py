"""Which MongoDB the tests run on: one that is named, else a container, else a local mongod, else an error.

1. ``MONGORECALL_TEST_URI``: that server. It must answer; nothing else is tried.
2. Docker: a container of ``MONGO_IMAGE`` (default ``mongo:8``). An image that was named and cannot be had
   is an error; only when the default cannot be had does the run go on.
3. A mongod on this machine: ``MONGOD``, ``PATH``, or the wheel of ``mongorecall[embedded]``.

``MONGORECALL_TEST_SERVER=uri|docker|mongod`` allows one of these and no other. Without a server every test
that needs one fails: a suite without its database is a broken machine, not a pass.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pymongo.errors import PyMongoError

from mongorecall.embedded import EmbeddedServer, find_mongod, server_version
from mongorecall.errors import UnavailableError
from tests.servers.container import DEFAULT_IMAGE, CannotRunError, start_container

if TYPE_CHECKING:
    from contextlib import ExitStack

KINDS = ("auto", "uri", "docker", "mongod")


@dataclass(frozen=True, slots=True)
class Server:
    """The server of a test run.

    Attributes:
        uri: its connection string.
        kind: ``"uri"``, ``"docker"`` or ``"mongod"``.
        version: what the server says it is.
        how: for the last line of the run.
    """

    uri: str
    kind: str
    version: str
    how: str


class NoServerError(RuntimeError):
    """No MongoDB for the tests; says everything that was tried."""


def start_server(stack: ExitStack) -> Server:
    """The server by the rules above; what was started ends with ``stack``."""
    began = time.monotonic()
    only = os.environ.get("MONGORECALL_TEST_SERVER", "auto")
    if only not in KINDS:
        raise NoServerError(f"MONGORECALL_TEST_SERVER={only}: must be one of {', '.join(KINDS)}")
    uri, kind, how = _start(stack, only)
    version = _version(uri, kind)
    return Server(uri, kind, version, f"{version} by {how}, ready in {time.monotonic() - began:.1f} s")


def _start(stack: ExitStack, only: str) -> tuple[str, str, str]:
    named = os.environ.get("MONGORECALL_TEST_URI")
    if only == "uri" and not named:
        raise NoServerError("MONGORECALL_TEST_SERVER=uri, but MONGORECALL_TEST_URI is not set")
    if named and only in ("auto", "uri"):
        return named, "uri", "MONGORECALL_TEST_URI"
    refused = ""
    if only in ("auto", "docker"):
        image = os.environ.get("MONGO_IMAGE") or DEFAULT_IMAGE
        try:
            return start_container(stack, image), "docker", f"docker {image}"
        except CannotRunError as error:
            refused = f"docker ({image}): {error}"
            if only == "docker" or os.environ.get("MONGO_IMAGE"):
                raise NoServerError(f"no MongoDB for the tests; tried {refused}") from None
    return _start_mongod(stack, refused)


def _start_mongod(stack: ExitStack, refused: str) -> tuple[str, str, str]:
    try:
        found = find_mongod()
        server = stack.enter_context(EmbeddedServer(mongod=found.path))
    except UnavailableError as error:
        tried = "\n  ".join(filter(None, [refused, f"mongod: {error}"]))
        raise NoServerError(f"no MongoDB for the tests; tried\n  {tried}") from None
    return server.uri, "mongod", f"mongod from {found.found_by}" + (f" (not {refused})" if refused else "")


def _version(uri: str, kind: str) -> str:
    try:
        return server_version(uri)
    except PyMongoError as error:
        raise NoServerError(f"the server of {kind} does not answer: {type(error).__name__}") from None
