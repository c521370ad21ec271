"""What every command shares: its options, its service, its errors and its exit codes."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec

import typer
from rich.console import Console
from rich.theme import Theme

from mongorecall.errors import InvalidInputError, RecallError
from mongorecall.settings import Settings, masked

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from mongorecall import MongoDbMemoryService

START = "Start here"
LOOK = "See inside"
KEEP = "Keep house"
PANELS = (START, LOOK, KEEP)
"""The panels of ``mongorecall --help``, in their order."""

FINDING = 1
"""Exit code of a command that looked for something wrong and found it."""
FAILED = 2
"""Exit code of a command that could not do what was asked."""

THEME = Theme(
    {
        "query": "bold",
        "keyword": "cyan",
        "hit": "bold yellow",
        "score": "green",
        "dim": "bright_black",
        "bad": "bold red",
        "good": "green",
        "warn": "yellow",
        "rule.line": "bright_black",
    }
)

AppName = Annotated[
    str, typer.Option("--app", "-a", envvar="MONGORECALL_APP", help="App name, as the agent uses it.")
]
UserId = Annotated[
    str, typer.Option("--user", "-u", envvar="MONGORECALL_USER", help="User id, as the agent uses it.")
]
OptionalAppName = Annotated[
    str | None, typer.Option("--app", "-a", envvar="MONGORECALL_APP", help="App name, as the agent uses it.")
]
OptionalUserId = Annotated[
    str | None, typer.Option("--user", "-u", envvar="MONGORECALL_USER", help="User id, as the agent uses it.")
]


@dataclass(frozen=True, slots=True)
class Context:
    """What a command works with.

    Attributes:
        settings: the environment, with the options of this call in place of it.
        json: whether output is for a program: one JSON document on standard output and nothing else.
        console: for people, on standard output; writes nothing when ``json``.
        errors: for people, on standard error: progress, warnings and questions.
    """

    settings: Settings
    json: bool = False
    console: Console = field(default_factory=lambda: Console(theme=THEME, highlight=False))
    errors: Console = field(default_factory=lambda: Console(theme=THEME, highlight=False, stderr=True))

    def open_service(self, **options: Any) -> MongoDbMemoryService:
        """A service by the settings, for ``async with``; ``options`` go over them."""
        from mongorecall import MongoDbMemoryService

        settings = self.settings if self.settings.uri else self.settings.with_changes(uri=self._ask_uri())
        return MongoDbMemoryService(**(settings.service_options() | options))

    def _ask_uri(self) -> str:
        if not sys.stdin.isatty():
            raise InvalidInputError("MONGORECALL_URI is not set", hint="such as mongodb://localhost:27017")
        return str(typer.prompt("MongoDB URI (not shown)", hide_input=True, err=True))

    @property
    def server(self) -> str:
        """The server as it may be shown."""
        return masked(self.settings.uri) if self.settings.uri else "(asked for)"

    def emit(self, document: Any) -> None:
        """Print a JSON document for a program."""
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=str) + "\n")

    def confirm(self, question: str, *, yes: bool) -> None:
        """Go on after ``--yes`` or a yes at the terminal; otherwise the command ends with an error."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise InvalidInputError("this needs a yes", hint="pass --yes")
        if not typer.confirm(question, err=True):
            raise typer.Exit(FAILED)


P = ParamSpec("P")


def command(
    app: typer.Typer, *, panel: str, name: str | None = None, base: Settings | None = None
) -> Callable[[Callable[Concatenate[Context, P], Coroutine[Any, Any, None]]], None]:
    """Register a coroutine as a command and give it the options of `_shared_options`.

    ``base`` holds the defaults of this command, in place of those of `Settings`.
    """

    def register(function: Callable[Concatenate[Context, P], Coroutine[Any, Any, None]]) -> None:
        shared = dict(list(inspect.signature(_shared_options, eval_str=True).parameters.items())[1:])
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]

        @wraps(function)
        def run(*args: Any, **options: Any) -> None:
            settings_options = {key: options.pop(key) for key in shared}
            _run(lambda: function(_shared_options(base, **settings_options), *args, **options))

        parameters = [*own, *shared.values()]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del run.__wrapped__
        app.command(name or function.__name__.replace("_", "-"), rich_help_panel=panel)(run)

    return register


def _shared_options(
    base: Settings | None,
    *,
    database: Annotated[
        str | None, typer.Option(help="Database. [env: MONGORECALL_DATABASE; default: mongorecall]")
    ] = None,
    collection: Annotated[
        str | None, typer.Option(help="Collection. [env: MONGORECALL_COLLECTION; default: memories]")
    ] = None,
    driver: Annotated[str | None, typer.Option(help="motor or pymongo.", hidden=True)] = None,
    analyzer: Annotated[
        str | None, typer.Option(help="classic or multilingual. [env: MONGORECALL_ANALYZER]")
    ] = None,
    ranking: Annotated[
        str | None, typer.Option(help="overlap, idf or context. [env: MONGORECALL_RANKING]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> Context:
    """The options that every command has, as the context of its run."""
    settings = Settings.from_environ(base=base).with_changes(
        database=database, collection=collection, driver=driver, analyzer=analyzer, ranking=ranking
    )
    return Context(settings, json=as_json)


def _run(start: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a command to its end; the process edge, where an error becomes a line and an exit code."""
    try:
        asyncio.run(start())
    except RecallError as error:
        _fail(str(error))
    except OSError as error:  # a file that is not there, a pipe that was closed
        _fail(f"{error.strerror or type(error).__name__}: {error.filename or ''}".rstrip(": "))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _fail(message: str) -> None:
    console = Console(theme=THEME, highlight=False, stderr=True)
    console.print(f"[bad]error[/] {_plain(message)}", soft_wrap=True)
    raise typer.Exit(FAILED) from None


def _plain(text: str) -> str:
    """Text that is not markup."""
    return text.replace("[", r"\[")
