"""Ways to make a real server fail: fail points, a frozen process, and a proxy on the way to it."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mongorecall.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pymongo import MongoClient

TEST_COMMANDS = ("--setParameter", "enableTestCommands=1")
"""Arguments of a mongod whose fail points can be set."""


@contextmanager
def failing(
    admin: MongoClient[dict[str, Any]],
    commands: Sequence[str],
    *,
    times: int | None = None,
    **fault: Any,
) -> Iterator[None]:
    """Let ``commands`` fail, the first ``times`` or always, inside the block.

    ``fault`` is what the server's ``failCommand`` takes: ``closeConnection``, ``errorCode``,
    ``errorLabels``, ``blockConnection`` with ``blockTimeMS``, ``writeConcernError``, ``appName``.
    """
    admin.admin.command(
        {
            "configureFailPoint": "failCommand",
            "mode": "alwaysOn" if times is None else {"times": times},
            "data": {"failCommands": list(commands), **fault},
        }
    )
    try:
        yield
    finally:
        admin.admin.command({"configureFailPoint": "failCommand", "mode": "off"})


def freeze(server: EmbeddedServer) -> None:
    """Stop the server's process where it stands: connections stay open and nothing answers."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    while not all(_is_stopped(stat) for stat in Path(f"/proc/{server.pid}/task").glob("*/stat")):
        time.sleep(0.001)  # on a busy machine a thread can answer for a moment longer


def thaw(server: EmbeddedServer) -> None:
    """Let it go on."""
    if server.pid is not None:
        os.kill(server.pid, signal.SIGCONT)


@contextmanager
def frozen(server: EmbeddedServer) -> Iterator[None]:
    """A frozen server inside the block."""
    freeze(server)
    try:
        yield
    finally:
        thaw(server)


def _is_stopped(stat: Path) -> bool:
    """Whether a thread's state, the field after its name in brackets, is "stopped"."""
    return stat.read_text().rpartition(")")[2].split()[0] == "T"
