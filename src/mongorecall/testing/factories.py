"""Sessions and events for tests, each in one line.

Ids and times are fixed, so that a test that fails today fails the same way tomorrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mongorecall.models import Content, Event, Part, Session

MONDAY = 1_772_442_000.0
"""2026-03-02T09:00:00Z, a Monday morning: when made sessions begin."""


def make_event(
    text: str, *, event_id: str = "e-1", author: str = "user", timestamp: float = MONDAY, **fields: Any
) -> Event:
    """A turn of one text; ``fields`` are further fields of the event, such as ``partial=True``."""
    return Event(id=event_id, author=author, timestamp=timestamp, content=Content.of(text), **fields)


def make_tool_event(
    response: Mapping[str, Any],
    *,
    name: str = "lookup",
    text: str | None = None,
    event_id: str = "e-tool",
    author: str = "agent",
    timestamp: float = MONDAY,
) -> Event:
    """A turn with the result of a tool, and a text before it if given."""
    result = Part.model_validate({"function_response": {"name": name, "response": dict(response)}})
    parts = [result] if text is None else [Part(text=text), result]
    return Event(id=event_id, author=author, timestamp=timestamp, content=Content(parts=parts))


def make_session(
    *turns: str | Event,
    app_name: str = "support",
    user_id: str = "u-42",
    session_id: str = "s-1",
    began: float = MONDAY,
) -> Session:
    """A session; texts become turns ``<session_id>-1``, ``-2``, … of the user, a minute apart."""
    events = [
        turn
        if isinstance(turn, Event)
        else make_event(turn, event_id=f"{session_id}-{place}", timestamp=began + 60.0 * (place - 1))
        for place, turn in enumerate(turns, 1)
    ]
    return Session(id=session_id, app_name=app_name, user_id=user_id, events=events)
