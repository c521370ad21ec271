"""Routes whose every request passes guards before anything of it is read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mongorecall.fastapi._refusal import refusal_of_status, response_of
from mongorecall.fastapi.guards.edge import new_request_id
from mongorecall.fastapi.guards.stack import guarded
from mongorecall.fastapi.strict_json import read_json

if TYPE_CHECKING:
    from mongorecall.fastapi.guards._asgi import ASGIApp, Guard, Receive, Scope, Send


def guarded_route(guards_of: Callable[[str], list[Guard]]) -> type[APIRoute]:
    """A route class for ``APIRouter(route_class=…)``.

    Args:
        guards_of: the guards of an operation, outermost first, by its name.
    """

    class GuardedRoute(APIRoute):
        # The one seam that a router included in another application keeps: the prefix is added around it.
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def application(scope: Scope, receive: Receive, send: Send) -> None:
                response = await answer(_StrictRequest(scope, receive))
                await response(scope, receive, send)

            app = guarded(application, guards_of(self.name))

            async def handler(request: Request) -> Response:
                return _Answer(app)

            return handler

    return GuardedRoute


def refuse_unknown(app: FastAPI) -> None:
    """Let an application answer unknown paths and methods with the fixed body."""

    @app.exception_handler(HTTPException)
    async def refuse(request: Request, error: HTTPException) -> Response:
        return response_of(refusal_of_status(error.status_code, error.headers), new_request_id())


class _StrictRequest(Request):
    """A request whose JSON is read strictly."""

    async def json(self) -> Any:
        return read_json(await self.body())


class _Answer(Response):
    """The answer of an ASGI application, as a response."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
