"""Learn about a scope in the background: take its sample when its searches are slow."""

from __future__ import annotations

import asyncio
import logging
import time
from contextvars import Context
from functools import partial
from random import Random

from mongorecall._planning import (
    LEARNING_SECONDS,
    LearningPolicy,
    ScopeTable,
    ends_pipeline,
    sample_pipeline,
    session_ids,
    table_of,
)
from mongorecall.drivers import Driver, Operation, deadline
from mongorecall.errors import RecallError
from mongorecall.models import MemoryScope

_log = logging.getLogger("mongorecall")


class Learner:
    """Takes the samples that a `LearningPolicy` asks for, never on the path of a search.

    A sample that cannot be taken is logged and changes nothing, since a table only decides what is read.
    """

    def __init__(self, driver: Driver) -> None:
        self.policy = LearningPolicy()
        self._driver = driver
        self._random = Random()  # noqa: S311 - where to look
        self._tasks: set[asyncio.Task[ScopeTable | None]] = set()
        self.at_once = 0
        """Searches under way: what one of them takes is not its own work alone."""

    def searched(self, scope: MemoryScope, seconds: float) -> None:
        """A search took ``seconds`` on the wire; begins to learn about its scope when that is worth it."""
        at_once = self.at_once + 1
        if self.policy.searched(scope, seconds, at_once=at_once, now=time.monotonic()):
            # In a context of its own: the deadline of the caller is not the sample's.
            task = asyncio.get_running_loop().create_task(self._learn(scope), context=Context())
            self._tasks.add(task)
            task.add_done_callback(partial(self._learned, scope))

    async def settle(self) -> None:
        """Wait for the samples that this loop is taking."""
        loop = asyncio.get_running_loop()
        mine = [task for task in self._tasks if task.get_loop() is loop]
        await asyncio.gather(*mine, return_exceptions=True)

    def stop(self) -> None:
        """Give up the samples under way, on whatever loop."""
        for task in list(self._tasks):
            loop = task.get_loop()
            if loop.is_running():
                loop.call_soon_threadsafe(task.cancel)

    async def _learn(self, scope: MemoryScope) -> ScopeTable | None:
        try:
            with deadline(LEARNING_SECONDS):
                async with self._driver.operation("learn") as operation:
                    return await self._sample(operation, scope)
        except RecallError as error:
            _log.info("memory.learn key=%s failed kind=%s", scope.key, error.kind)
            return None

    async def _sample(self, operation: Operation, scope: MemoryScope) -> ScopeTable | None:
        name = self._driver.collection_name
        ends = session_ids(await operation.read(_aggregate(name, ends_pipeline(name, scope))))
        if not ends:
            return None
        return table_of(
            await operation.read(_aggregate(name, sample_pipeline(name, scope, ends, self._random)))
        )

    def _learned(self, scope: MemoryScope, task: asyncio.Task[ScopeTable | None]) -> None:
        self._tasks.discard(task)
        table = None if task.cancelled() else task.result()
        self.policy.learned(scope, table, now=time.monotonic())


def _aggregate(name: str, pipeline: list[dict[str, object]]) -> dict[str, object]:
    return {"aggregate": name, "pipeline": pipeline, "cursor": {}}
