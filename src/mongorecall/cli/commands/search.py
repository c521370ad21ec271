"""``mongorecall search``: ask one query."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from mongorecall.cli import render
from mongorecall.cli.asking import ask
from mongorecall.cli.command import START, AppName, Context, UserId, command


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, panel=START)(search)


async def search(
    context: Context,
    *,
    query: Annotated[str, typer.Argument(help="What to look for, in any language.")],
    app_name: AppName,
    user_id: UserId,
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Most memories to show.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Only this session.")] = None,
    not_session: Annotated[str | None, typer.Option("--not-session", help="Not this session.")] = None,
    author: Annotated[str | None, typer.Option(help="Only turns of this author.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Only turns at or after this time, in UTC.")] = None,
    until: Annotated[datetime | None, typer.Option(help="Only turns before this time, in UTC.")] = None,
) -> None:
    """Find what was said before, best first.

    Example: mongorecall search "which coffee do I like?" --app concierge --user u-42
    """
    async with context.open_service() as service:
        answer = await ask(
            service,
            app_name=app_name,
            user_id=user_id,
            query=query,
            limit=limit,
            session_id=session_id,
            exclude_session_id=not_session,
            author=author,
            since=_in_utc(since),
            until=_in_utc(until),
        )
    if context.json:
        context.emit(answer.to_dict())
        return
    render.show_answer(context.console, answer, service.analyzer)
    if not answer.response.memories:
        context.console.print("  [dim]mongorecall diagnose says more, with the same arguments.[/]")


def _in_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
