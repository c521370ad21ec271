"""``mongorecall export`` and ``import``: everything about one user, as JSON Lines."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from bson import json_util
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.text import Text

from mongorecall._checks import UNKNOWN_SESSION_ID
from mongorecall._documents import MalformedDocument, decode, fields, is_marker
from mongorecall._documents.times import aware
from mongorecall.cli.command import FINDING, KEEP, AppName, Context, UserId, command
from mongorecall.cli.render import merge
from mongorecall.errors import InvalidInputError
from mongorecall.models import Event, IngestReport

if TYPE_CHECKING:
    from mongorecall import MongoDbMemoryService

_AT_ONCE = 500


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, panel=KEEP)(export)
    command(app, panel=KEEP, name="import")(import_)


async def export(
    context: Context,
    *,
    app_name: AppName,
    user_id: UserId,
    to: Annotated[str, typer.Option("--to", "-o", help="File to write; - is standard output.")] = "-",
) -> None:
    """Write everything held about one user as JSON Lines, markers of forgotten events included.

    Example: mongorecall export --app concierge --user u-42 --to u-42.jsonl
    """
    count = 0
    async with context.open_service() as service:
        with _writing(to) as file, _progress(context) as progress:
            task = progress.add_task("exporting", total=None)
            async for row in service.export_user(app_name=app_name, user_id=user_id):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
                progress.update(task, description=f"{count:,} documents")
    if to != "-" and context.json:
        context.emit({"documents": count, "file": to})
    elif to != "-":
        context.console.print(Text(f"  {count:,} documents written to {to}", "good"))


async def import_(
    context: Context,
    *,
    file: Annotated[str, typer.Argument(help="A file of `mongorecall export`; - is standard input.")],
) -> None:
    """Remember what an export holds, under the keys that it names. Repeating it changes nothing.

    Markers of forgotten events, expired and unreadable documents are left out and counted. Exit code 1
    when an event could not be stored.

    Example: mongorecall import u-42.jsonl
    """
    report, left_out = IngestReport(), 0
    async with context.open_service(store_metadata=True) as service:
        with _progress(context) as progress:
            task = progress.add_task("importing", total=None)
            async for part, skipped in _import(service, _rows(file)):
                report, left_out = merge(report, part), left_out + skipped
                progress.update(task, description=f"{report.received:,} events")
    if context.json:
        context.emit(report.model_dump(mode="json") | {"left_out": left_out})
    else:
        kept = report.stored + report.replaced + report.unchanged
        rest = f", {left_out:,} left out" if left_out else ""
        context.console.print(Text(f"  {kept:,} of {report.received:,} events are remembered{rest}", "good"))
    if report.failed:
        raise typer.Exit(FINDING)


async def _import(
    service: MongoDbMemoryService, rows: Iterator[Mapping[str, Any]]
) -> AsyncIterator[tuple[IngestReport, int]]:
    """One call for each run of rows that can go together: same session, metadata and deadline."""
    now = datetime.now(UTC)
    for place, group in groupby(rows, key=_place):
        documents = list(group)
        events = [event for row in documents if (event := _event(row)) is not None]
        app_name, user_id, session_id, metadata, expires_at = place
        ttl = None if expires_at is None else aware(expires_at) - now
        if not events or (ttl is not None and ttl <= timedelta(0)):
            yield IngestReport(), len(documents)
            continue
        for start in range(0, len(events), _AT_ONCE):
            report = await service.add_events(
                app_name=app_name,
                user_id=user_id,
                session_id=session_id,
                events=events[start : start + _AT_ONCE],
                custom_metadata=json.loads(metadata) or None,
                ttl=ttl,
            )
            yield report, (len(documents) - len(events)) if not start else 0


def _place(row: Mapping[str, Any]) -> tuple[str, str, str | None, str, datetime | None]:
    ours = row.get(fields.MR) or {}
    metadata = json.dumps(ours.get(fields.METADATA) or {}, sort_keys=True, default=str)
    session_id = row.get(fields.SESSION_ID)
    return (
        row[fields.APP_NAME],
        row[fields.USER_ID],
        None if session_id == UNKNOWN_SESSION_ID else session_id,
        metadata,
        ours.get(fields.EXPIRES_AT),
    )


def _event(row: Mapping[str, Any]) -> Event | None:
    if is_marker(row):
        return None
    try:
        entry = decode(row)
    except MalformedDocument:
        return None
    time = row.get(fields.TIMESTAMP)
    return Event(
        id=entry.id or "",
        author=entry.author,
        content=entry.content,
        timestamp=float(time) if isinstance(time, int | float) else 0.0,
    )


def _rows(path: str) -> Iterator[Mapping[str, Any]]:
    with _reading(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json_util.loads(line)
            except ValueError:
                raise InvalidInputError(f"line {number}: this is not JSON") from None
            if not isinstance(row, Mapping) or not {fields.APP_NAME, fields.USER_ID} <= row.keys():
                raise InvalidInputError(f"line {number}: this is no document of an export")
            yield row


@contextmanager
def _writing(path: str) -> Iterator[IO[str]]:
    if path == "-":
        yield sys.stdout
        return
    with Path(path).open("w", encoding="utf-8") as file:
        yield file


@contextmanager
def _reading(path: str) -> Iterator[IO[str]]:
    if path == "-":
        yield sys.stdin
        return
    with Path(path).open(encoding="utf-8") as file:
        yield file


def _progress(context: Context) -> Progress:
    return Progress(SpinnerColumn(), TextColumn("{task.description}"), console=context.errors, transient=True)
