"""Blocking work of a client on a thread of our own: asyncio's default executor belongs to the program."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


async def run_on_daemon_thread(work: Callable[[], None], *, seconds: float) -> None:
    """Run ``work`` and wait for its end, at most ``seconds``; a cancelled wait leaves it running."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def run() -> None:
        try:
            work()
        finally:
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(ended.set)

    start_daemon_thread(run)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await ended.wait()


def start_daemon_thread(work: Callable[[], None]) -> None:
    """Run ``work`` on a thread that does not keep the process from ending."""
    threading.Thread(target=work, name="mongorecall-close", daemon=True).start()
