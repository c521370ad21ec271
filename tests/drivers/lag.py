"""How late the event loop itself is, so that a busy machine is not taken for a missed deadline."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

_BEAT_SECONDS = 0.01


class LoopLag:
    """``async with LoopLag() as lag:`` measures the longest time that the loop did nothing else."""

    def __init__(self) -> None:
        self.worst = 0.0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _beat(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(_BEAT_SECONDS)
            self.worst = max(self.worst, time.monotonic() - began - _BEAT_SECONDS)
