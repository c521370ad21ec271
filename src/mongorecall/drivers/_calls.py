"""How a call of a driver is made: its turn, its time limit, and what a cancelled caller leaves behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol, TypeVar

import pymongo

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

_OVERTIME_SECONDS = 1.0  # that a forsaken call may take after its time limit


class Calls(Protocol):
    """The calls of one event loop, at most so many at once; the others wait, first come first served.

    A bound in front of the driver is needed twice over: PyMongo hands out connections in no fair order
    under load, and the queue of Motor's threads is outside its time limits.
    """

    async def make(self, call: Callable[[], Awaitable[T]], seconds_left: Callable[[], float]) -> T:
        """Wait for a turn, then make ``call`` with the driver's own limit set to the seconds left by then.

        A ``TurnTooLateError`` says that no time was left: nothing was sent.
        """

    async def settle(self, *, seconds: float) -> None:
        """Wait for the calls whose callers have left."""


class TurnTooLateError(Exception):
    """The deadline passed while a call waited for its turn."""


class ThreadCalls:
    """Calls of Motor: each runs on a thread.

    When the caller is cancelled the thread goes on until the answer or the time limit, since a thread
    cannot be cut. One that had not begun never does.
    """

    def __init__(self, at_once: int) -> None:
        self._turns = asyncio.Semaphore(at_once)

    async def make(self, call: Callable[[], Awaitable[T]], seconds_left: Callable[[], float]) -> T:
        async with self._turns:
            with pymongo.timeout(_positive(seconds_left())):
                return await call()

    async def settle(self, *, seconds: float) -> None:
        """Nothing to wait for: closing the pool of connections makes the threads end."""


class TaskCalls:
    """Calls of PyMongo Async: each runs in a task of its own, which a cancelled caller leaves alone.

    PyMongo Async does not bear being cut while it connects or waits for a server: it leaks the socket,
    or a lock stays locked and the loop hangs at its end. So the call goes on, keeps its turn, and ends
    with the answer or at the time limit.
    """

    def __init__(self, at_once: int) -> None:
        self._turns = asyncio.Semaphore(at_once)
        self._loop = asyncio.get_running_loop()
        self._forsaken: set[asyncio.Task[None]] = set()

    async def make(self, call: Callable[[], Awaitable[T]], seconds_left: Callable[[], float]) -> T:
        await self._turns.acquire()
        try:
            left = _positive(seconds_left())
            answer: asyncio.Future[T] = self._loop.create_future()
            with pymongo.timeout(left):  # the task takes the limit over with its context
                task = self._loop.create_task(self._run(call, answer))
        except BaseException:
            self._turns.release()
            raise
        try:
            return await answer
        except asyncio.CancelledError:
            self._forsake(task, left)
            raise

    async def settle(self, *, seconds: float) -> None:
        if self._forsaken:
            await asyncio.wait(set(self._forsaken), timeout=seconds)

    async def _run(self, call: Callable[[], Awaitable[T]], answer: asyncio.Future[T]) -> None:
        """Make the call and hand its end to the caller, if there still is one.

        ``asyncio.shield`` would do the same with one more turn of the event loop for each call.
        """
        try:
            result = await call()
        except asyncio.CancelledError:
            answer.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it is raised again where the caller waits
            if not answer.done():
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(result)
        finally:
            self._turns.release()

    def _forsake(self, task: asyncio.Task[None], left: float) -> None:
        if not task.done():
            self._forsaken.add(task)
            last_resort = self._loop.call_later(left + _OVERTIME_SECONDS, task.cancel)
            task.add_done_callback(lambda _: last_resort.cancel())
            task.add_done_callback(self._forsaken.discard)


def _positive(seconds: float) -> float:
    """``seconds``, which PyMongo would take for "no limit" at 0."""
    if seconds <= 0:
        raise TurnTooLateError
    return seconds
