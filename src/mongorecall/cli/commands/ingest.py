"""``mongorecall ingest``: store conversations from a file."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from mongorecall.cli import render
from mongorecall.cli.command import FINDING, START, Context, OptionalAppName, OptionalUserId, command
from mongorecall.cli.ingesting import ingest_file


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, panel=START)(ingest)


async def ingest(
    context: Context,
    *,
    file: Annotated[str, typer.Argument(help="JSON or JSON Lines: sessions, or turns; - is standard input.")],
    app_name: OptionalAppName = None,
    user_id: OptionalUserId = None,
) -> None:
    """Store the conversations of a file; repeating it changes nothing.

    A line is a session in google-adk's shape, or one turn:
    {"app": …, "user": …, "session": …, "id": …, "author": …, "ts": …, "text": …}.
    Exit code 1 when some events could not be stored.

    Example: mongorecall ingest sessions.jsonl
    """
    async with context.open_service() as service:
        began = time.perf_counter()
        done = await ingest_file(service, file, console=context.errors, app_name=app_name, user_id=user_id)
        elapsed_ms = (time.perf_counter() - began) * 1000
    if context.json:
        context.emit(
            {"sessions": done.sessions, "users": len(done.users), "elapsed_ms": round(elapsed_ms, 1)}
            | done.report.model_dump(mode="json")
        )
    else:
        context.console.print(
            f"  {_count(done.sessions, 'session')} of {_count(len(done.users), 'user')} "
            f"into {context.server} {context.settings.database}.{context.settings.collection}"
        )
        render.show_report(context.console, done.report, elapsed_ms=elapsed_ms)
    if done.report.failed:
        raise typer.Exit(FINDING)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
