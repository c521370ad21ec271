"""``mongorecall forget``: forget for good, after a look at what would go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from mongorecall.cli.command import KEEP, AppName, Context, UserId, command
from mongorecall.errors import InvalidInputError

if TYPE_CHECKING:
    from mongorecall import MongoDbMemoryService
    from mongorecall.models import ForgetReceipt


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, panel=KEEP)(forget)


async def forget(
    context: Context,
    *,
    app_name: AppName,
    user_id: UserId,
    event: Annotated[str | None, typer.Option(help="Id of one event.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="One session.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything of this user.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget an event, a session or a user. Adding the conversation again does not bring it back.

    First counts, then asks; --yes skips the question, --dry-run ends after counting.

    Example: mongorecall forget --app concierge --user u-42 --session monday
    """
    if not (event or session_id or everything):
        raise InvalidInputError("say what to forget", hint="--event ID, --session ID or --all")
    if everything and (event or session_id):
        raise InvalidInputError("--all goes alone")
    async with context.open_service() as service:
        would = await _forget(service, app_name, user_id, event, session_id, dry_run=True)
        if not dry_run and would.forgotten:
            context.confirm(f"Forget {_count(would)} of {app_name}/{user_id} for good?", yes=yes)
            would = await _forget(service, app_name, user_id, event, session_id, dry_run=False)
    if context.json:
        context.emit(would.model_dump(mode="json"))
        return
    done = "would be forgotten" if would.dry_run else "forgotten"
    context.console.print(Text(f"  {_count(would)} {done}", "warn" if would.dry_run else "good"))


async def _forget(
    service: MongoDbMemoryService,
    app_name: str,
    user_id: str,
    event: str | None,
    session_id: str | None,
    *,
    dry_run: bool,
) -> ForgetReceipt:
    if event is not None:
        return await service.delete_memory(
            app_name=app_name, user_id=user_id, memory_id=event, session_id=session_id, dry_run=dry_run
        )
    if session_id is not None:
        return await service.delete_session_memory(
            app_name=app_name, user_id=user_id, session_id=session_id, dry_run=dry_run
        )
    return await service.delete_user_memory(app_name=app_name, user_id=user_id, dry_run=dry_run)


def _count(receipt: ForgetReceipt) -> str:
    memories = "1 memory" if receipt.forgotten == 1 else f"{receipt.forgotten} memories"
    sessions = "1 session" if receipt.sessions == 1 else f"{receipt.sessions} sessions"
    return f"{memories} of {sessions}"
