"""``mongorecall explain``: how a query is read."""

from __future__ import annotations

from typing import Annotated

import typer

from mongorecall.analysis import resolve_analyzer
from mongorecall.cli.command import FINDING, LOOK, Context, OptionalAppName, OptionalUserId, command
from mongorecall.cli.verdicts import show_reading, show_search_explanation
from mongorecall.errors import InvalidInputError
from mongorecall.inspection import explain as explain_query
from mongorecall.inspection import explain_search


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, panel=LOOK)(explain)


async def explain(
    context: Context,
    *,
    query: Annotated[str, typer.Argument(help="The query.")],
    app_name: OptionalAppName = None,
    user_id: OptionalUserId = None,
    expect: Annotated[str | None, typer.Option(help="Id of the event that should be found.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Search only this session.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Most memories of the page.")] = None,
    list_keys: Annotated[
        bool, typer.Option("--list-keys", help="Other users' keys may be looked at and shown.")
    ] = False,
) -> None:
    """Show the fate of each token of a query: its keywords, or why it can match nothing.

    With app and user, also in how many memories each keyword is, which stored keywords are near, and what
    was found. Exit code 1 when no token is alive, or the expected event is not on the page.

    Example: mongorecall explain "coffee preference?" --app concierge --user u-42 --expect e-1
    """
    if app_name is None or user_id is None:
        if expect is not None:
            raise InvalidInputError("--expect needs --app and --user")
        _read_only(context, query)
        return
    async with context.open_service() as service:
        explained = await explain_search(
            service,
            app_name=app_name,
            user_id=user_id,
            query=query,
            expect=expect,
            allow_key_listing=list_keys,
            session_id=session_id,
            limit=limit,
        )
    if context.json:
        context.emit(explained.to_dict())
    else:
        show_search_explanation(context.console, explained)
    if not explained.query.keywords or (explained.expected is not None and not explained.expected.found):
        raise typer.Exit(FINDING)


def _read_only(context: Context, query: str) -> None:
    """Without a store."""
    analyzer = resolve_analyzer(context.settings.analyzer, context.settings.stop_words)
    reading = explain_query(query, analyzer=analyzer)
    if context.json:
        context.emit(reading.to_dict())
    else:
        show_reading(context.console, reading)
    if not reading.keywords:
        raise typer.Exit(FINDING)
