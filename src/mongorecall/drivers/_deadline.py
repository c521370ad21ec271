"""The instant by which a public call has to end."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from mongorecall._checks import check_number
from mongorecall.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOREVER = float("inf")

_CALLER_DEADLINE: ContextVar[float] = ContextVar("mongorecall_deadline", default=_FOREVER)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Let every call of a service inside the block end within ``seconds`` of entering it.

    The service's own ``operation_timeout`` still holds: the earlier instant counts, and blocks nest.

    >>> with deadline(0.5):
    ...     found = await service.search_memory(app_name="shop", user_id="ann", query="coffee")

    Raises:
        InvalidInputError: ``seconds`` is not a finite number above 0.
    """
    if check_number("seconds", seconds) <= 0:
        raise InvalidInputError("seconds must be above 0")
    token = _CALLER_DEADLINE.set(min(_CALLER_DEADLINE.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _CALLER_DEADLINE.reset(token)


def deadline_of_call(now: float, operation_timeout: float) -> float:
    """The ``time.monotonic()`` at which a call that begins ``now`` has to end."""
    return min(now + operation_timeout, _CALLER_DEADLINE.get())
