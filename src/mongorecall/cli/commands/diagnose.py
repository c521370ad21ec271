"""``mongorecall diagnose`` and ``mongorecall replay``: the four checks."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mongorecall.cli.command import (
    FINDING,
    LOOK,
    AppName,
    Context,
    OptionalAppName,
    OptionalUserId,
    UserId,
    command,
)
from mongorecall.cli.files import read_sessions
from mongorecall.cli.verdicts import show_diagnosis, show_replay
from mongorecall.errors import InvalidInputError
from mongorecall.inspection import diagnose as diagnose_search
from mongorecall.inspection import replay as replay_file

ListKeys = Annotated[
    bool, typer.Option("--list-keys", help="Keys of other users may be looked at and shown, with counts.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, panel=LOOK)(diagnose)
    command(app, panel=LOOK)(replay)


async def diagnose(
    context: Context,
    *,
    query: Annotated[str, typer.Argument(help="The query that misses.")],
    app_name: AppName,
    user_id: UserId,
    session_file: Annotated[
        str | None,
        typer.Option("--session-file", help="A session as JSON, to compare with what is stored of it."),
    ] = None,
    expect: Annotated[str | None, typer.Option(help="Id of the event that should be found.")] = None,
    list_keys: ListKeys = False,
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Most memories of the page.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Search only this session.")] = None,
    author: Annotated[str | None, typer.Option(help="Search only turns of this author.")] = None,
) -> None:
    """Say why a search comes back empty: written? right key? match rules? content indexed?

    Reads only. Exit code 1 when there is a cause, 0 when the search works.

    Example: mongorecall diagnose "where's order 4417?" --app concierge --user u-42 --list-keys
    """
    session = None if session_file is None else _one_session(session_file, app_name, user_id)
    async with context.open_service() as service:
        diagnosis = await diagnose_search(
            service,
            app_name=app_name,
            user_id=user_id,
            query=query,
            session=session,
            expect=expect,
            allow_key_listing=list_keys,
            limit=limit,
            session_id=session_id,
            author=author,
        )
    if context.json:
        context.emit(diagnosis.to_dict())
    else:
        show_diagnosis(context.console, diagnosis)
    if not diagnosis.ok:
        raise typer.Exit(FINDING)


async def replay(
    context: Context,
    *,
    file: Annotated[str, typer.Argument(help="A session as JSON, queries as JSON Lines, or a log.")],
    app_name: OptionalAppName = None,
    user_id: OptionalUserId = None,
    list_keys: ListKeys = False,
) -> None:
    """Run the questions of a failed conversation through the four checks.

    A session: its load_memory calls, or the user's turns when the model never called. JSON Lines: one
    {"query": …, "app_name": …, "user_id": …, "expect": …} a line. A log: its memory.write and
    memory.search lines are compared. Exit code 1 when anything is found.

    Example: mongorecall replay thursday.json --list-keys
    """
    async with context.open_service() as service:
        report = await replay_file(
            service, file, app_name=app_name, user_id=user_id, allow_key_listing=list_keys
        )
    if context.json:
        context.emit(report.to_dict())
    else:
        show_replay(context.console, report)
    if not report.ok:
        raise typer.Exit(FINDING)


def _one_session(path: str, app_name: str, user_id: str) -> Any:
    sessions = list(read_sessions(path, app_name=app_name, user_id=user_id))
    if len(sessions) != 1:
        raise InvalidInputError(f"--session-file must hold one session, it holds {len(sessions)}")
    return sessions[0]
