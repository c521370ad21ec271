"""One memory service for the life of a FastAPI application, and the dependency that hands it out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import HTTPConnection

from mongorecall._checks import type_name
from mongorecall.base import BaseMemoryService
from mongorecall.errors import InvalidTypeError

Lifespan = Callable[[Any], AbstractAsyncContextManager[Any]]

_STATE = "mongorecall"


def memory_lifespan(
    source: BaseMemoryService | Callable[[], BaseMemoryService], *, inner: Lifespan | None = None
) -> Lifespan:
    """A lifespan for ``FastAPI(lifespan=…)`` that closes the service when the application ends.

    Args:
        source: the service, or a function that makes one at each start. Take a function when the
            application is started more than once in a process, as tests do: a closed service stays closed.
        inner: the application's own lifespan; it runs inside, and its state is kept.

    The service opens its connections at first use, on the worker's own loop, so every worker process has
    one client. The service is closed also when ``inner`` fails.
    """
    _check_source(source)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[Mapping[str, Any]]:
        async with AsyncExitStack() as stack:
            service = source if isinstance(source, BaseMemoryService) else source()
            await stack.enter_async_context(service)
            state = await stack.enter_async_context(inner(app)) if inner is not None else None
            yield {**(state or {}), _STATE: service}

    return lifespan


def _check_source(source: object) -> None:
    if not isinstance(source, BaseMemoryService) and not callable(source):
        kind = type_name(source)
        raise InvalidTypeError(f"source must be a memory service or a function that makes one, got {kind}")


def get_memory(connection: HTTPConnection) -> BaseMemoryService:
    """The service of the application that a request or websocket came to.

    Raises:
        RuntimeError: the application was not given `memory_lifespan`, or its lifespan has not run.
    """
    service = getattr(connection.state, _STATE, None)
    if not isinstance(service, BaseMemoryService):
        raise RuntimeError(  # noqa: TRY004 - the application is put together wrongly, not the call
            "no memory service: give the application lifespan=memory_lifespan(...)"
        )
    return service


MemoryDep = Annotated[BaseMemoryService, Depends(get_memory)]
"""Write ``memory: MemoryDep`` in a handler to be given the application's memory service."""
