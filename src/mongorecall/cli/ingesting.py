"""Writes the sessions of a file into a service, with a progress bar where somebody looks."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from mongorecall.cli.files import read_sessions
from mongorecall.cli.render import merge
from mongorecall.models import IngestReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from mongorecall import MongoDbMemoryService
    from mongorecall.models import Session

LONG_FILE_BYTES = 200_000
"""A progress bar is shown from this size on; a shorter file is done before one could read it."""


@dataclass(slots=True)
class Ingested:
    """What a file held and what became of it."""

    report: IngestReport = field(default_factory=IngestReport)
    sessions: int = 0
    users: set[tuple[str, str]] = field(default_factory=set)
    newest: dict[tuple[str, str], Session] = field(default_factory=dict)

    def add(self, session: Session, report: IngestReport) -> None:
        """Count one session."""
        scope = (session.app_name, session.user_id)
        self.report = merge(self.report, report)
        self.sessions += 1
        self.users.add(scope)
        self.newest[scope] = session


async def ingest_file(
    service: MongoDbMemoryService,
    path: Path | str,
    *,
    console: Console,
    app_name: str | None = None,
    user_id: str | None = None,
) -> Ingested:
    """Store every session of a file, one call each."""
    total = Ingested()
    with _progress(path, console) as advance:
        for session in read_sessions(path, app_name=app_name, user_id=user_id, advance=advance):
            total.add(session, await service.add_session(session))
    return total


@contextmanager
def _progress(path: Path | str, console: Console) -> Iterator[Callable[[int], None]]:
    size = os.stat(path).st_size if str(path) != "-" else 0
    if size < LONG_FILE_BYTES or not console.is_terminal:
        yield lambda _read: None
        return
    columns = (TextColumn("  [dim]ingesting[/]"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=size)
        yield lambda read: bar.advance(task, read)
