"""``mongorecall stats``, ``doctor`` and ``init-indexes``: the state of the store, and its indexes."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mongorecall.cli.command import FINDING, KEEP, LOOK, Context, OptionalAppName, OptionalUserId, command
from mongorecall.errors import InvalidInputError
from mongorecall.inspection import take_census


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, panel=LOOK)(stats)
    command(app, panel=LOOK)(doctor)
    command(app, panel=KEEP, name="init-indexes")(init_indexes)


async def stats(
    context: Context, *, app_name: OptionalAppName = None, user_id: OptionalUserId = None
) -> None:
    """Count what is remembered: in the whole collection, or under one key, also what is not searchable.

    Example: mongorecall stats --app concierge --user u-42
    """
    if (app_name is None) != (user_id is None):
        raise InvalidInputError("give both --app and --user, or neither")
    async with context.open_service() as service:
        if app_name is not None and user_id is not None:
            census = await take_census(service, app_name=app_name, user_id=user_id)
            numbers: dict[str, Any] = {"key": f"{app_name}/{user_id}", **census.evidence()}
        else:
            health = await service.health()
            apps, complete = await service.probe.apps()
            numbers = {
                "documents": health.documents,
                "apps": len(apps) if complete else f"{len(apps)} or more",
                "server": health.server,
                "index": health.index,
            }
    if context.json:
        context.emit(numbers)
        return
    _show(context, numbers)


async def doctor(context: Context) -> None:
    """Check the server, the collection and its indexes. Exit code 1 when something needs an action.

    Example: mongorecall doctor --json
    """
    async with context.open_service() as service:
        health = await service.health()
    if context.json:
        context.emit(health.model_dump(mode="json"))
    else:
        _show(context, health.model_dump(mode="json", exclude={"ok", "advice"}))
        for sentence in health.advice:
            context.console.print(Text("  ✗ " if not health.ok else "  note  ", "warn") + Text(sentence))
        if health.ok:
            context.console.print(Text("  ✓ nothing to do", "good"))
    if not health.ok:
        raise typer.Exit(FINDING)


async def init_indexes(
    context: Context,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which are missing.")] = False,
) -> None:
    """Make the indexes, as an administrator, for services whose user may not. Repeating it is harmless.

    Example: MONGORECALL_URI=… mongorecall init-indexes --database my_app
    """
    async with context.open_service(ensure_indexes=False) as service:
        if dry_run:
            health = await service.health()
            names = {"app_user_keywords": health.index, "mongorecall_recency": health.recency_index}
        else:
            names = dict.fromkeys(await service.create_indexes(), "present")
    if context.json:
        context.emit(names)
        return
    _show(context, names)


def _show(context: Context, numbers: dict[str, Any]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, number in numbers.items():
        shown = f"{number:,}" if isinstance(number, int) else str(number if number is not None else "unknown")
        table.add_row(Text(name.replace("_", " "), "dim"), Text(shown))
    context.console.print(Padding(table, (0, 0, 0, 2)))
