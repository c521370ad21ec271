"""What of an event can ever be found, for stores that do not report it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def count_text_events(events: Iterable[Any]) -> int:
    """How many events have text that is not thought: what a search can ever see.

    Function calls and responses have no text, so that an event of these alone does not count.
    """
    return sum(any(_texts(event)) for event in events)


def text_of(event: Any) -> str:
    """The visible text parts of an event or entry, joined by a space."""
    return " ".join(_texts(event))


def _texts(event: Any) -> Iterator[str]:
    parts = getattr(getattr(event, "content", None), "parts", None)
    if not isinstance(parts, list | tuple):
        return
    for part in parts:
        text = getattr(part, "text", None)
        if isinstance(text, str) and text and not getattr(part, "thought", None):
            yield text
