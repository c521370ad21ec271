"""Puts the commands together: every module of `mongorecall.cli.commands` registers its own."""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import version

import typer

from mongorecall.cli import commands
from mongorecall.cli.command import PANELS

HELP = """Long-term recall for agents on any MongoDB.

The server is read from MONGORECALL_URI, or asked for. Every MONGORECALL_* variable is a default for the
option of its name. Exit codes: 0 well, 1 a finding, 2 an error."""


def build() -> typer.Typer:
    """The application with every command, by panel and in the order of the module names."""
    app = typer.Typer(
        name="mongorecall",
        help=HELP,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,  # a traceback with local variables would show memory text
    )
    app.callback()(_options)
    for found in sorted(pkgutil.iter_modules(commands.__path__), key=lambda module: module.name):
        if not found.name.startswith("_"):
            importlib.import_module(f"{commands.__name__}.{found.name}").register(app)
    app.registered_commands.sort(key=lambda command: PANELS.index(str(command.rich_help_panel)))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mongorecall {version('mongorecall')}")
        raise typer.Exit


def _options(
    _version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Options of the application as a whole."""


app = build()
