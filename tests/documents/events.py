"""Events of every kind for the tests of documents."""

from __future__ import annotations

from typing import Any

from google.adk.events import Event as AdkEvent
from google.genai import types

from mongorecall._documents import Failed, Prepared, Skipped, prepare
from mongorecall.analysis import Analyzer, ClassicAnalyzer
from mongorecall.models import Content, Event, MemoryScope, Part

SCOPE = MemoryScope(app_name="shop", user_id="u-42")


def prepared(event: Any, **options: Any) -> Prepared:
    """``event`` made ready, which must succeed."""
    outcome = outcome_of(event, **options)
    assert isinstance(outcome, Prepared), outcome
    return outcome


def outcome_of(
    event: Any, *, analyzer: Analyzer | None = None, **options: Any
) -> Prepared | Skipped | Failed:
    """What becomes of ``event``."""
    return prepare(
        event,
        **{"index": 0, "scope": SCOPE, "session_id": "s-1", **options},
        analyzer=analyzer or ClassicAnalyzer(),
    )


def said(text: str, **values: Any) -> Event:
    """A turn of ours."""
    return Event(**{"id": "e-1", "author": "user", "timestamp": 1.5, "content": Content.of(text), **values})


def called(args: Any, text: str = "kiln") -> Event:
    """A turn of ours with a text and a function call."""
    parts = [Part(text=text), Part.model_validate({"function_call": {"name": "fire", "args": args}})]
    return Event(id="e-1", author="agent", timestamp=1.5, content=Content(parts=parts, role="model"))


def adk(*parts: types.Part, **values: Any) -> AdkEvent:
    """A turn of google-adk."""
    content = types.Content(role="model", parts=list(parts))
    return AdkEvent(**{"id": "e-1", "author": "agent", "timestamp": 1.5, "content": content, **values})


def nested(levels: int) -> dict[str, Any]:
    """A mapping of so many levels."""
    value: dict[str, Any] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value
