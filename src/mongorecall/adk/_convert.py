"""Memory entries and events between google-adk's classes and ours."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from google.adk.events.event import Event as AdkEvent
from google.adk.memory.memory_entry import MemoryEntry as AdkMemoryEntry
from google.adk.sessions.session import Session as AdkSession
from google.genai import types
from pydantic import ValidationError

from mongorecall.base import read_field
from mongorecall.models import Content, Event, MemoryEntry

if TYPE_CHECKING:
    from collections.abc import Iterable

_log = logging.getLogger("mongorecall.adk")


def to_adk_entry(entry: MemoryEntry, *, include_details: bool = False) -> AdkMemoryEntry:
    """Our entry as ADK's.

    ``custom_metadata`` is what was stored. With ``include_details`` it also holds ``score``,
    ``session_id`` and ``matched_keywords``, in place of stored metadata of the same name.
    """
    metadata = dict(entry.custom_metadata)
    if include_details:
        metadata |= {
            "score": entry.score,
            "session_id": entry.session_id,
            "matched_keywords": list(entry.matched_keywords),
        }
    return AdkMemoryEntry(
        id=entry.id,
        author=entry.author,
        timestamp=entry.timestamp,
        content=to_adk_content(entry.content),
        custom_metadata=metadata,
    )


def to_adk_content(content: Content) -> types.Content:
    """Our content as ``google.genai``'s; of content that it does not know, the text is kept.

    Content may come from another runtime, with fields that ``google.genai`` refuses. A memory whose
    text can be read is not held back for that.
    """
    try:
        return types.Content.model_validate(content.model_dump(exclude_none=True))
    except ValidationError:
        _log.warning("memory.read: content has fields unknown to google.genai; only its text is returned")
        parts = [types.Part(text=part.text) for part in content.parts or () if part.text and not part.thought]
        return types.Content(role=content.role, parts=parts)


def from_adk_entry(entry: AdkMemoryEntry) -> MemoryEntry:
    """ADK's entry as ours; ``session_id`` is read from its metadata, where some services put it."""
    session_id = entry.custom_metadata.get("session_id")
    return MemoryEntry(
        id=entry.id,
        author=entry.author,
        timestamp=entry.timestamp,
        content=Content.model_validate(entry.content.model_dump(exclude_none=True, mode="json")),
        custom_metadata=dict(entry.custom_metadata),
        session_id=session_id if isinstance(session_id, str) else None,
    )


def to_adk_session(session: Any) -> AdkSession:
    """A session for an ADK service: ADK's own as it is, anything shaped like one as ADK's."""
    if isinstance(session, AdkSession):
        return session
    return AdkSession(
        id=read_field("session", session, "id"),
        app_name=read_field("session", session, "app_name"),
        user_id=read_field("session", session, "user_id"),
        events=to_adk_events(read_field("session", session, "events")),
    )


def to_adk_events(events: Iterable[Any]) -> list[AdkEvent]:
    """Events for an ADK service: ADK's own as they are, anything shaped like one as ADK's."""
    return [event if isinstance(event, AdkEvent) else _to_adk_event(event) for event in events]


def _to_adk_event(event: Any) -> AdkEvent:
    ours = Event.model_validate(event, from_attributes=True)
    return AdkEvent(
        id=ours.id,
        author=ours.author or "user",
        timestamp=ours.timestamp,
        content=types.Content.model_validate(ours.content.model_dump(exclude_none=True))
        if ours.content
        else None,
        partial=ours.partial,
    )
