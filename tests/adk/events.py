"""google-adk events for the tests."""

from __future__ import annotations

import logging
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from google.adk.events.event import Event
from google.genai import types

if TYPE_CHECKING:
    import pytest

MONDAY = datetime(2026, 3, 2, 9, 30, tzinfo=UTC).timestamp()


def event(
    *said: str | types.Part,
    id: str | None = None,  # noqa: A002 - the field's name
    author: str = "user",
    minute: float = 0,
    **fields: Any,
) -> Event:
    """A turn so many minutes after Monday morning; texts become text parts."""
    parts = [types.Part(text=each) if isinstance(each, str) else each for each in said]
    return Event(
        id=id or uuid.uuid4().hex,
        author=author,
        timestamp=MONDAY + 60 * minute,
        content=types.Content(role="user" if author == "user" else "model", parts=parts),
        **fields,
    )


def texts(response: Any) -> list[str]:
    """The texts of ADK's or our response, in order."""
    return [" ".join(part.text or "" for part in each.content.parts or ()) for each in response.memories]


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What our library warned of."""
    records = [record for record in caplog.records if record.name == "mongorecall.adk"]
    return [record.getMessage() for record in records if record.levelno == logging.WARNING]
