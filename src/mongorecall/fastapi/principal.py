"""Who is calling: what ``authenticate`` returns, and the scope a call may act in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mongorecall._checks import check_bool, check_id
from mongorecall.models import MemoryScope

if TYPE_CHECKING:
    from starlette.requests import Request


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of one request. Its app and user are the scope of every call it makes.

    Attributes:
        app_name: the app whose memories it may use.
        user_id: the user whose memories it may use.
        admin: whether it may name another scope, list scopes and read the timeline. Such calls are logged.
        content: whether replies may hold memory text for it; counts and keys only when False.

    Raises:
        InvalidInputError: an id is empty, over 512 bytes, or has control characters.
    """

    app_name: str
    user_id: str
    admin: bool = False
    content: bool = True

    def __post_init__(self) -> None:
        check_id("app_name", self.app_name)
        check_id("user_id", self.user_id)
        check_bool("admin", self.admin)
        check_bool("content", self.content)

    @property
    def scope(self) -> MemoryScope:
        """Its own app and user."""
        return MemoryScope.of(self.app_name, self.user_id)


Authenticate = Callable[["Request"], "Principal | Awaitable[Principal | None] | None"]
"""Finds out who sent a request: a function or coroutine function from request to `Principal`.

None means "nobody we know" (401). It may raise ``HTTPException`` with 401 or 403. It runs before the body
is read, on the event loop: a slow look-up should be a coroutine.
"""
