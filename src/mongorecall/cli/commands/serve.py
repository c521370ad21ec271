"""``mongorecall serve``: the inspector page, on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mongorecall.cli._server import running_server
from mongorecall.cli.command import LOOK, Context, command
from mongorecall.cli.ingesting import ingest_file
from mongorecall.errors import InvalidInputError

if TYPE_CHECKING:
    from mongorecall import MongoDbMemoryService


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, panel=LOOK)(serve)


async def serve(
    context: Context,
    *,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 takes any free one.")] = 8765,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            envvar="MONGORECALL_TOKEN",
            help="Your own token, 32 characters or more; the environment keeps it out of the process list.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A further name that the page is reached by; may be repeated.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate, as PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key, as PEM.")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy on this machine does TLS.")
    ] = False,
    samples: Annotated[
        bool, typer.Option(help="Without MONGORECALL_URI: put sample conversations into the store.")
    ] = True,
) -> None:
    """Open the inspector: what is remembered, and why a search misses.

    Without MONGORECALL_URI it shows a store of its own, which ends with it. It prints its address and a
    token that lets you in.

    Example: mongorecall serve --port 0
    """
    door = _Door(host, port, token, tuple(allow_host or ()), tls_cert, tls_key, behind_proxy)
    door.check()
    with running_server(context.settings) as server:
        async with Context(server.settings).open_service() as service:
            if samples and server.kind != "named":
                await _add_samples(service, context)
            await _serve(context, service, door)


@dataclass(frozen=True, slots=True)
class _Door:
    """Where the inspector is reached, and what guards it."""

    host: str
    port: int
    token: str | None
    names: tuple[str, ...]
    tls_cert: Path | None
    tls_key: Path | None
    behind_proxy: bool

    def check(self) -> None:
        """Refuse to be reached from outside without a token of one's own and TLS; say what is missing."""
        try:
            from mongorecall.fastapi.serving import is_loopback
        except ModuleNotFoundError as error:
            if error.name not in ("fastapi", "uvicorn"):
                raise
            hint = "pip install 'mongorecall[fastapi]'"
            raise InvalidInputError("serve needs FastAPI and uvicorn", hint=hint) from None
        if (self.tls_cert is None) != (self.tls_key is None):
            raise InvalidInputError("--tls-cert and --tls-key go together")
        if is_loopback(self.host):
            return
        if self.token is None or not (self.tls_cert or self.behind_proxy):
            raise InvalidInputError(
                "an address that others can reach needs a token of your own and TLS",
                hint="--token or MONGORECALL_TOKEN, and --tls-cert with --tls-key, or --behind-proxy",
            )

    def options(self) -> dict[str, Any]:
        """Options of the web server."""
        options: dict[str, Any] = {"proxy_headers": self.behind_proxy}
        if self.tls_cert is not None and self.tls_key is not None:
            options |= {"ssl_certfile": str(self.tls_cert), "ssl_keyfile": str(self.tls_key)}
        return options

    def url(self, port: int) -> str:
        """The address of the page."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls_cert else 'http'}://{host}:{port}/"


async def _serve(context: Context, service: MongoDbMemoryService, door: _Door) -> None:
    from mongorecall.fastapi import TokenLogin, inspector_app, new_token, serving
    from mongorecall.inspection import InspectingMemoryService, LoggingHook, RingBuffer

    history = RingBuffer()
    inspected = InspectingMemoryService(service, hooks=[history, LoggingHook()])
    token = door.token or new_token()
    app = inspector_app(inspected, authenticate=TokenLogin(token), hosts=door.names, history=history)
    listener = serving.bind(door.host, door.port)
    url = door.url(listener.getsockname()[1])

    def say() -> None:
        shown = token if door.token is None else "as given"
        if context.json:
            context.emit({"inspector": url, "token": shown})
        else:
            typer.echo(f"Inspector: {url}\nToken: {shown}")

    await serving.serve(app, listener, started=say, **door.options())


async def _add_samples(service: MongoDbMemoryService, context: Context) -> None:
    with as_file(files("mongorecall.cli") / "conversations.jsonl") as path:
        await ingest_file(service, path, console=context.errors)
