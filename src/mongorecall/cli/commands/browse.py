"""``mongorecall keys``, ``sessions`` and ``show``: what is stored, without guessing queries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mongorecall._checks import UNKNOWN_SESSION_ID
from mongorecall.cli.command import LOOK, AppName, Context, UserId, command
from mongorecall.cli.render import one_line, short_time

if TYPE_CHECKING:
    from mongorecall import MongoDbMemoryService
    from mongorecall.models import MemoryEntry, SessionSummary

_PAGE = 500


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, panel=LOOK)(keys)
    command(app, panel=LOOK)(sessions)
    command(app, panel=LOOK)(show)


async def keys(
    context: Context,
    *,
    app_name: Annotated[str | None, typer.Option("--app", "-a", help="Only this app.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Most keys to show.")] = 100,
) -> None:
    """List the keys that hold memories, with counts up to 1,000.

    Example: mongorecall keys --app concierge
    """
    found: list[dict[str, Any]] = []
    async with context.open_service() as service:
        apps, complete = ([app_name], True) if app_name is not None else await service.probe.apps()
        for app in apps:
            users, all_users = await service.probe.users(app)
            complete = complete and all_users
            for user in users[: limit - len(found)]:
                memories = await service.probe.count((app, user))
                found.append({"app_name": app, "user_id": user, "memories": memories})
            complete = complete and len(found) < limit
            if len(found) >= limit:
                break
    if context.json:
        context.emit({"keys": found, "complete": complete})
        return
    table = _table("app", "user", "memories")
    for key in found:
        shown = "1000 or more" if key["memories"] >= _MOST_COUNTED else str(key["memories"])
        table.add_row(str(key["app_name"]), str(key["user_id"]), shown)
    _print(context, table, len(found), "key", complete=complete)


async def sessions(context: Context, *, app_name: AppName, user_id: UserId) -> None:
    """List the sessions of a user, with how many memories each has and from when to when.

    Example: mongorecall sessions --app concierge --user u-42
    """
    async with context.open_service() as service:
        found = [one async for one in _all_sessions(service, app_name, user_id)]
    if context.json:
        context.emit([one.model_dump(mode="json") for one in found])
        return
    table = _table("session", "memories", "first", "last")
    for one in found:
        times = short_time(one.first), short_time(one.last)
        table.add_row(_session_name(one.session_id), str(one.memories), *times)
    _print(context, table, len(found), "session")


async def show(
    context: Context,
    *,
    app_name: AppName,
    user_id: UserId,
    session_id: Annotated[str | None, typer.Option("--session", help="Only this session.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Most memories to show.")] = 100,
) -> None:
    """Show the memories of a user, with their text, by session and event id.

    Example: mongorecall show --app concierge --user u-42 --session monday
    """
    async with context.open_service() as service:
        found = await _first_memories(service, app_name, user_id, session_id, limit)
    if context.json:
        context.emit([one.model_dump(mode="json", exclude_none=True) for one in found])
        return
    table = _table("session", "event", "when", "who", "said")
    for one in found:
        said = one_line(one.content.text)
        table.add_row(
            _session_name(one.session_id), one.id or "", short_time(one.timestamp), one.author or "", said
        )
    _print(context, table, len(found), "memory", complete=len(found) < limit)


_MOST_COUNTED = 1000


async def _all_sessions(
    service: MongoDbMemoryService, app_name: str, user_id: str
) -> AsyncIterator[SessionSummary]:
    cursor: str | None = None
    while True:
        page = await service.list_sessions(app_name=app_name, user_id=user_id, limit=_PAGE, cursor=cursor)
        for one in page.sessions:
            yield one
        cursor = page.cursor
        if cursor is None:
            return


async def _first_memories(
    service: MongoDbMemoryService, app_name: str, user_id: str, session_id: str | None, limit: int
) -> list[MemoryEntry]:
    found: list[MemoryEntry] = []
    cursor: str | None = None
    while len(found) < limit:
        page = await service.list_memories(
            app_name=app_name,
            user_id=user_id,
            session_id=session_id,
            limit=min(_PAGE, limit - len(found)),
            cursor=cursor,
        )
        found += page.memories
        cursor = page.cursor
        if cursor is None:
            break
    return found


def _session_name(session_id: str | None) -> str:
    return "(no session)" if session_id in (None, UNKNOWN_SESSION_ID) else str(session_id)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold", justify="right" if column == "memories" else "left")
    return table


def _print(context: Context, table: Table, count: int, noun: str, *, complete: bool = True) -> None:
    if count:
        context.console.print(Padding(table, (0, 0, 0, 2)))
    plural = {"memory": "memories"}.get(noun, noun + "s")
    more = "" if complete else ", there are more: raise --limit"
    context.console.print(Text(f"  {count} {noun if count == 1 else plural}{more}", "dim"))
