"""``mongorecall eval`` and ``reindex``: measure recall with one's own questions, and change its rules."""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from mongorecall import MongoDbMemoryService
from mongorecall.cli.command import KEEP, LOOK, Context, OptionalAppName, OptionalUserId, command
from mongorecall.cli.recall_scores import CUTS, judge, mean, read_questions
from mongorecall.errors import InvalidInputError
from mongorecall.models import ReindexProgress


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, panel=LOOK, name="eval")(evaluate)
    command(app, panel=KEEP)(reindex)


async def evaluate(
    context: Context,
    *,
    file: Annotated[Path, typer.Argument(help="JSON Lines of questions.", exists=True, dir_okay=False)],
    app_name: OptionalAppName = None,
    user_id: OptionalUserId = None,
    before: Annotated[
        Path | None, typer.Option(help="Output of an earlier run with --json, to compare with.")
    ] = None,
) -> None:
    """Measure how much of what you expect is found, before and after a change of options.

    A line is {"query": …, "expected": [event ids]}, with "app" and "user" unless they are options.
    R@k is the share of the expected events among the first k, MRR the mean of 1 / place of the first one;
    all in percent. Questions are only read, never stored.

    Example: mongorecall eval questions.jsonl --app concierge --user u-42 --ranking context
    """
    questions = read_questions(file, app_name=app_name, user_id=user_id)
    earlier = None if before is None else _earlier(before)
    rows, elapsed = [], []
    async with context.open_service() as service:
        for one in questions:
            began = time.perf_counter()
            answer = await service.search_memory(
                app_name=one.app_name, user_id=one.user_id, query=one.query, limit=max(CUTS)
            )
            elapsed.append((time.perf_counter() - began) * 1000)
            rows.append(judge([memory.id for memory in answer.memories], one.expected))
        rules = f"{service.analyzer.name} {service.analyzer.version}, {context.settings.ranking}"
    result: dict[str, Any] = {
        "questions": len(questions),
        "rules": rules,
        "scores": mean(rows),
        "nothing_found": sum(not row["MRR"] for row in rows),
        "search_ms_mean": round(fmean(elapsed), 2),
    }
    if context.json:
        context.emit(result)
    else:
        context.console.print(_table(result, earlier))


def _earlier(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found["scores"].items()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidInputError("--before: not the output of mongorecall eval --json") from None
    return found


def _table(result: dict[str, Any], earlier: dict[str, Any] | None) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("")
    for name in result["scores"]:
        table.add_column(name, justify="right")
    table.add_column("ms", justify="right")
    for row in [earlier, result] if earlier else [result]:
        shown = [f"{row['scores'].get(name, 0.0):.1f}" for name in result["scores"]]
        table.add_row(str(row.get("rules", "")), *shown, f"{row.get('search_ms_mean', 0.0):.1f}")
    if earlier:
        changes = [value - earlier["scores"].get(name, 0.0) for name, value in result["scores"].items()]
        marks = [f"[{'good' if change >= 0 else 'bad'}]{change:+.1f}[/]" for change in changes]
        table.add_row("change", *marks, "")
    table.caption = f"{result['questions']} questions, {result['nothing_found']} without any expected event"
    table.caption_justify = "left"
    return table


async def reindex(
    context: Context,
    *,
    app_name: OptionalAppName = None,
    user_id: OptionalUserId = None,
    cursor: Annotated[str | None, typer.Option(help="Go on where an earlier run was interrupted.")] = None,
    pause: Annotated[float, typer.Option(help="Seconds to wait after every 200 documents.")] = 0.0,
) -> None:
    """Recompute the keywords of stored turns, after a change of analyzer or stop words.

    Works while services are in use, on one user or on the whole collection; repeating it is harmless. Give
    the analyzer that the services use.

    Example: mongorecall reindex --analyzer multilingual --ranking context
    """
    async with context.open_service() as service:
        total = await _total(service, app_name, user_id)
        done = ReindexProgress(seen=0, changed=0, unreadable=0, cursor=cursor)
        columns = (
            TextColumn("  [dim]reindexing[/]"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        try:
            with Progress(*columns, console=context.errors, transient=True) as bar:
                task = bar.add_task("", total=total)
                steps = service.reindex(app_name=app_name, user_id=user_id, cursor=cursor, pause=pause)
                async for done in steps:
                    bar.update(task, completed=done.seen)
        except BaseException:
            if done.cursor is not None:
                context.errors.print(f"  to go on: --cursor {done.cursor}", soft_wrap=True)
            raise
    if context.json:
        context.emit(done.model_dump(mode="json"))
        return
    unreadable = f", {done.unreadable:,} could not be read" if done.unreadable else ""
    context.console.print(f"  {done.seen:,} turns looked at, {done.changed:,} reindexed{unreadable}")


async def _total(service: MongoDbMemoryService, app_name: str | None, user_id: str | None) -> int | None:
    if app_name is not None and user_id is not None:
        return await service.count_memories(app_name=app_name, user_id=user_id)
    return (await service.health()).documents
