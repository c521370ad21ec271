"""Waiting for a usable server, in one task for all callers of a loop.

PyMongo Async waits for a server under a lock of its topology. When many callers wait there and are
cancelled, that lock can be left locked on Python 3.11 and the loop then hangs at shutdown. So one task
waits, and callers wait for the task, which none of them cancels.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pymongo
from pymongo.errors import ServerSelectionTimeoutError

if TYPE_CHECKING:
    from pymongo import AsyncMongoClient

_ROUND_SECONDS = 1.0  # how long the task can outlive the last caller that waits for it


class ServerSelection:
    """Finds a writable server for the callers of one event loop."""

    __slots__ = ("_client", "_task")

    def __init__(self, client: AsyncMongoClient[Any]) -> None:
        self._client = client
        self._task: asyncio.Task[None] | None = None

    @property
    def done(self) -> bool:
        """Whether a server is known, so that a call finds it without waiting."""
        return self._client.topology_description.has_writable_server()

    async def wait(self, seconds: float) -> None:
        """Wait for a server, or raise what PyMongo raises when none is found in ``seconds``."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not self.done:
            left = end - loop.time()
            if left <= 0:
                raise ServerSelectionTimeoutError
            if self._task is None or self._task.done():
                self._task = loop.create_task(self._select(min(left, _ROUND_SECONDS)))
            task = self._task
            await asyncio.wait((task,), timeout=left)
            if task.done() and not task.cancelled():
                _raise_unless_timeout(task)

    async def _select(self, seconds: float) -> None:
        with pymongo.timeout(seconds):
            await self._client.is_primary


def _raise_unless_timeout(task: asyncio.Task[None]) -> None:
    error = task.exception()
    if error is not None and not isinstance(error, ServerSelectionTimeoutError):
        raise error
