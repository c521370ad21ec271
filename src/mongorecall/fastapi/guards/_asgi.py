"""What the guards share: the shape of an ASGI piece, and the notes a request carries through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

if TYPE_CHECKING:
    from mongorecall.fastapi.principal import Principal

__all__ = ["ASGIApp", "Guard", "Message", "Notes", "Receive", "Scope", "Send", "headers_of", "notes_of"]

Guard = Callable[[ASGIApp], ASGIApp]
"""Wraps an ASGI application in one rule."""

_KEY = "mongorecall.notes"


@dataclass(slots=True)
class Notes:
    """What the guards of one request tell the pieces inside them."""

    request_id: str
    principal: Principal | None = None


def notes_of(scope: Scope) -> Notes:
    """The notes of a request; `Edge` makes them."""
    notes: Notes = scope[_KEY]
    return notes


def start_notes(scope: Scope, notes: Notes) -> None:
    """Attach the notes to a request."""
    scope[_KEY] = notes


def headers_of(scope: Scope) -> Mapping[str, str]:
    """The headers of a request, names in lower case."""
    return Headers(scope=scope)
